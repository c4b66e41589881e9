"""Output of the commands that correct memory: the removed and replaced records, and how to undo."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ...service.inspection.json_data import correction_data
from ..texts import shown
from .console import minute, short
from .language import later, say
from .shell import Shell

if TYPE_CHECKING:
    from ...schema.correction import Correction
    from ...service.cognitive import CognitiveService

YesOption = Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation.")]
DryRunOption = Annotated[
    bool, Option("--dry-run", help="Change nothing; show what would be removed.")
]

COLUMNS = later("what|id|day|text")


@asynccontextmanager
async def opened_memory(shell: Shell, *, create: bool = False) -> AsyncIterator[CognitiveService]:
    """Open the memory without a worker.

    Raises CommandFailed if memory is switched off, or if nothing is stored yet and `create` is
    False. Raises StorageError.
    """
    from ...service.cognitive import CognitiveService

    shell.needs_memory()
    if not create:
        shell.check_data()
    async with CognitiveService.open(shell.settings, worker=False) as memory:
        yield memory


def show_affected(shell: Shell, *corrections: Correction) -> None:
    """Print the records that corrections remove or replace, for people."""
    shell.table(COLUMNS, (row for done in corrections for row in _affected(done)))
    if elsewhere := sum(done.elsewhere for done in corrections):
        shell.tell("and {n} {n:record|records} of other conversations", n=elsewhere)
    for text in dict.fromkeys(text for done in corrections for text in done.still_told):
        shell.tell("this record was kept, although it may say the same: {text}", text=short(text))


def show_correction(shell: Shell, done: Correction) -> None:
    """Print a correction as JSON data, or for people together with the way to undo it."""
    if shell.json:
        shell.emit(**correction_data(done))
        return
    show_affected(shell, done)
    if not done.correction_id:
        shell.tell("nothing was changed")
    elif done.is_undone:
        shell.tell("brought back")
    elif done.undo_until:
        until = minute(done.undo_until)
        undo = later("done; to undo it, run `historian undo {id}` before {until} UTC")
        shell.tell(undo, id=done.correction_id, until=until)
    else:
        shell.tell("done; this cannot be undone")


def in_short(done: Correction) -> str:
    """Return the texts of the records of a correction in one line."""
    return "; ".join(dict.fromkeys(text for *_, text in _affected(done)))


def _affected(done: Correction) -> Iterator[tuple[str, str, str, str]]:
    for key, line in done.lines:
        yield say("line of {whose}", whose=key), line.line_id, line.last_day, short(line.text)
    for name, some in ((say("event"), done.events), (say("message"), done.messages)):
        for one in some:
            yield name, one.event_id, one.day, short(shown(one))
