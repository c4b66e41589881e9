"""Writing orders of an operator: carried out at once where nobody owns the data directory, else handed to the owner."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING, Any, Literal

from .invocation import Shell
from .language import either
from .opening import opened_queue

if TYPE_CHECKING:
    from ...schema.job import Job
    from ...service.components import Parts


CommandKind = Literal["edit", "forget", "rollback", "rollback_article", "index"]


def send_command(shell: Shell, kind: CommandKind, payload: dict[str, Any], *, done: str) -> None:
    """Carry an order out, or put it into the queue of the process that owns the data directory, and say which.

    `done` is what to say when it was carried out. With `--json`: `{"done": bool, "job_id": str}`.
    Raises InvalidInput where the order names what does not exist, StorageError where it can not be written.
    """
    from ...schema.commands import OPERATOR
    from ...schema.errors import OwnerLockHeld
    from ...service.intake import make_job
    from ...stores.files.owner_lock import OwnerLock

    data = {"kind": kind, "request_id": f"command-{uuid.uuid4().hex}", "user_id": OPERATOR, "payload": payload}
    job = make_job(data, shell.settings, time.time)
    lock = OwnerLock(shell.directory)
    try:
        lock.acquire(time.time())
    except OwnerLockHeld:
        job_id = opened_queue(shell).put(job)
        if shell.json:
            shell.emit(done=False, job_id=job_id)
        shell.say(
            either(
                f"已交给占用数据目录的进程去做，任务 {job_id}",
                f"given to the process that owns the data directory, as job {job_id}",
            )
        )
        return
    with lock:
        asyncio.run(_carry_out(shell, job))
    if shell.json:
        shell.emit(done=True, job_id="")
    shell.say(done)


async def _carry_out(shell: Shell, job: Job) -> None:
    from ...service.components import open_parts, open_queue
    from ...service.jobs.commands import CommandRunner
    from ...service.upkeep.notes_index import NotesIndex, embedded_later

    queue = open_queue(shell.settings, time.time)
    parts: Parts = open_parts(shell.settings, queue=queue, clock=time.time)
    try:
        # The derived vector index is mended by the next worker: it need not be opened for one change.
        notes = NotesIndex(parts.manifest, shell.settings, embedded_later, time.time)
        await CommandRunner(parts.context(), notes, parts.layers.articles)(job)
    finally:
        await parts.aclose()
