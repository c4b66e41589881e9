"""`historian backup` and `historian restore`: copy the data directory and restore it.

A backup can be made while the bot runs.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument

from .....schema.errors import OwnerLockHeld
from ...corrections import YesOption
from ...invocation import command
from ...opening import opened_parts, without_models
from ...shell import FAILED, CommandFailed, Shell


@command("backup")
def backup(
    shell: Shell,
    folder: Annotated[Path, Argument(metavar="DIR", help="A new folder for the backup.")],
) -> None:
    """Copy the whole memory into a folder, also while a bot uses it: database, waiting jobs, profiles, articles, summaries.

    It contains every job that was accepted before, and the vectors; data derived from them is
    rebuilt after a restoration. Protect the folder like the data directory, and note that it still
    contains data of people and groups that are forgotten later.
    """
    from ..... import __version__
    from .....service.backups.making import back_up

    _refuse_server(shell)
    made = back_up(shell.directory, folder, version=__version__, now=time.time())
    counts = {"events": made.events, "jobs": made.jobs, "files": made.files}
    shell.report({"folder": str(folder), "made_at": made.made_at, **counts, "bytes": made.bytes})


@command("restore")
def restore(
    shell: Shell,
    folder: Annotated[
        Path, Argument(metavar="BACKUP", help="A folder that `historian backup` wrote.")
    ],
    yes: YesOption = False,
) -> None:
    """Replace the memory with a backup. Stop the bot first.

    Events filed after the backup are lost; waiting jobs are kept. People and groups forgotten
    since the backup are forgotten again. If the command is killed, the memory cannot be opened
    until the same command has finished.
    """
    from .....service.backups.restoring import read_backup
    from .....service.backups.restoring import restore as put_back

    _refuse_server(shell)
    found = read_backup(folder)
    shell.confirm(
        "Replace the contents of {directory} with the backup of {made_at} ({events} "
        "{events:event|events})?",
        yes=yes,
        directory=shell.directory,
        made_at=found.made_at,
        events=found.events,
    )
    try:
        done = put_back(shell.directory, folder, now=time.time())
    except OwnerLockHeld as error:
        raise CommandFailed("stop the bot first: {error}", error=error) from None
    again = asyncio.run(_forget_again(shell)) if done.forgotten else []
    forgotten = None if done.forgotten is None else [entity.key for entity in done.forgotten]
    kept = {"jobs_kept": done.jobs_kept, "jobs_added": done.jobs_added}
    made = {"made_at": done.backup.made_at, "events": done.backup.events}
    shell.report(
        {"folder": str(folder), **made, **kept, "forgotten_again": forgotten, "left": again}
    )
    if forgotten is None:
        shell.tell(
            "the replaced database could not be read to learn who was forgotten since the backup: "
            "forget them again"
        )
    shell.tell("start the bot again, or run `historian worker`")
    if again:
        raise typer.Exit(FAILED)


def _refuse_server(shell: Shell) -> None:
    """Raise CommandFailed if the memory is in a database server."""
    if shell.settings.stores.url:
        raise CommandFailed(
            "the memory is in a PostgreSQL database: back it up and restore it by `pg_dump` and `pg_restore`"
        )


async def _forget_again(shell: Shell) -> list[str]:
    """Delete again the data of the entities that were forgotten after the backup.

    Return the places where some of their data is left, or that could not be read.
    """
    from .....service.entity_data.forgetting import forget_all

    async with opened_parts(without_models(shell.settings)) as parts:
        return [
            place
            for report in await asyncio.to_thread(forget_all, parts)
            for place in (*report.left, *report.unread)
        ]
