"""The commands that profiles and articles share: `history`, `diff` and `rollback`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer
from typer import Argument, Option

from ..revisions import KeptRevisions, One
from .console import coloured, minute, short
from .invocation import command
from .language import later, say
from .owner_commands import send_command
from .shell import Shell

OlderOption = Annotated[int | None, Option("--from", metavar="N", help="The older revision.")]
NewerOption = Annotated[int | None, Option("--to", metavar="N", help="The newer one.")]
RevisionArgument = Annotated[
    int, Argument(metavar="REVISION", min=1, help="The revision to restore.")
]


def add_revision_commands(
    app: typer.Typer,
    whose: Mapping[str, Any],
    find: Callable[..., KeptRevisions[One]],
    data: Callable[[One], Mapping[str, Any]],
    columns: str,
    cells: Callable[[One], tuple[str, str]],
) -> None:
    """Add the commands `history`, `diff` and `rollback` for one kind of text to a command group.

    `whose` are the parameters that identify a text. `find(shell, **whose)` returns its revisions,
    `data` a revision as JSON data. `cells` returns the source and the beginning of a revision, for
    the last two of the `columns` of `history`.
    """

    @command("history", app, more=whose)
    def history(shell: Shell, **whose: Any) -> None:
        """List the revisions that are kept, newest first."""
        kept = find(shell, **whose).kept

        def row(one: One) -> tuple[str, ...]:
            current = say("{n} (current)", n=one.revision) if one is kept[0] else str(one.revision)
            source, begin = cells(one)
            return current, minute(one.updated_at), source, short(begin, 120)

        shell.rows(kept, data, columns, row)

    @command("diff", app, more=whose)
    def diff(shell: Shell, old: OlderOption = None, new: NewerOption = None, **whose: Any) -> None:
        """Show what changed: between the last two revisions, or those given."""
        found = find(shell, **whose)
        older, newer, lines = found.compared(old, new)
        numbers = {"old": older.revision, "new": newer.revision}
        if shell.json:
            shell.emit(**found.named, **numbers, diff="\n".join(lines))
        elif not lines:
            shell.tell("revisions {old} and {new} have the same text", **numbers)
        for line in [] if shell.json else lines:
            shell.out.print(coloured(line))

    @command("rollback", app, more=whose)
    def roll_back(shell: Shell, revision: RevisionArgument, **whose: Any) -> None:
        """Restore an earlier revision as a new one."""
        found = find(shell, **whose)
        payload = found.command(revision)
        done = later("{whose}: revision {old} was restored as revision {new}")
        new = found.kept[0].revision + 1
        send_command(shell, found.rollback, payload, done, whose=found.whose, old=revision, new=new)
