"""Commands that write.

If no process owns the data directory they are carried out at once, else handed to the owner.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .language import later
from .opening import opened_parts, opened_queue
from .shell import Shell

if TYPE_CHECKING:
    from ...schema.job import Job
    from ...service.operating import CommandKind


def send_command(
    shell: Shell, kind: CommandKind, payload: dict[str, Any], done: str, /, **values: object
) -> None:
    """Carry out a command, or put it into the queue of the owner of the data directory.

    The result is printed: `done` is the message after a command was carried out, and the JSON
    output is `{"done": bool, "job_id": str}`. Raises InvalidInput if the payload names something
    that does not exist, StorageError if the command cannot be written.
    """
    if done_here(shell, kind, payload, lambda job: asyncio.run(_carry_out(shell, job))):
        shell.result({"done": True, "job_id": ""}, done, **values)


def done_here(
    shell: Shell, kind: CommandKind, payload: dict[str, Any], carry_out: Callable[[Job], None]
) -> bool:
    """Call `carry_out` as the owner of the data directory and return True.

    If another process is the owner, put the job into the queue, print its id and return False.
    """
    from ...schema.errors import OwnerLockHeld
    from ...schema.payloads import OPERATOR
    from ...service.intake import make_job
    from ...stores.opening import opened_workers

    data = {
        "kind": kind,
        "request_id": f"command-{uuid.uuid4().hex}",
        "user_id": OPERATOR,
        "payload": payload,
    }
    job = make_job(data, shell.settings, time.time)
    with opened_workers(shell.settings) as workers:
        lock = workers.ownership()
        try:
            lock.acquire(time.time())
        except OwnerLockHeld:
            job_id = opened_queue(shell).put(job)
            handed_over = later(
                "given to the process that owns the data directory, as job {job_id}"
            )
            shell.result({"done": False, "job_id": job_id}, handed_over, job_id=job_id)
            owner = workers.owner()
            if owner is not None and owner.is_suspended:
                shell.note("the job waits for this process: {owner}", owner=owner)
            return False
        with lock:
            carry_out(job)
    return True


async def _carry_out(shell: Shell, job: Job) -> None:
    from ...service.jobs.commands import CommandRunner
    from ...service.upkeep.notes_index import NotesIndex

    async with opened_parts(shell.settings) as parts:
        # The derived vector index is not opened for one change: the next worker updates it.
        notes = NotesIndex(parts.backend.manifest, shell.settings, time.time)
        await CommandRunner(parts, notes)(job)
