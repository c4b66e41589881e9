"""The commands that profiles and articles share: `history`, `diff` and `rollback`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic

import typer
from typer import Argument, Option

from ..revisions import One, compared
from .console import coloured, short
from .invocation import CommandFailed, Shell, command
from .language import later, say
from .owner_commands import send_command

if TYPE_CHECKING:
    from ...service.operating import CommandKind

OlderOption = Annotated[int | None, Option("--from", metavar="N", help="The older revision.")]
NewerOption = Annotated[int | None, Option("--to", metavar="N", help="The newer one.")]
RevisionArgument = Annotated[int, Argument(metavar="REVISION", min=1, help="The revision to bring back.")]


@dataclass(frozen=True)
class RevisionCommands(Generic[One]):
    """One kind of text with revisions; `register` adds its commands to a group.

    `whose` are the parameters that name a text, `reason` is the column that tells where a revision comes from.
    """

    whose: Mapping[str, Any]
    reason: str
    rollback: CommandKind
    read: Callable[[Shell, Mapping[str, Any]], list[One]]
    """Returns the current revision and the earlier ones that are kept, newest first. Raises HistorianError for none."""
    name: Callable[[One], str]
    """Returns how messages name the text."""
    identity: Callable[[One], dict[str, str]]
    """Returns the JSON keys that name the text."""
    payload: Callable[[One], dict[str, Any]]
    """Returns what names the text in a command for the owner."""
    data: Callable[[One], Mapping[str, Any]]
    """Returns a revision as JSON data."""
    lines: Callable[[One], list[str]]
    """Returns a revision as the lines of a diff."""
    source: Callable[[One], str]
    """Returns where a revision comes from."""
    summary: Callable[[One], str]
    """Returns a revision in short."""

    def register(self, app: typer.Typer) -> None:
        """Add the commands."""
        more = self.whose

        @command("history", app, more=more)
        def history(shell: Shell, **whose: Any) -> None:
            """List the revisions that are kept, newest first."""
            found = self.read(shell, whose)
            shell.rows(
                found,
                self.data,
                self.reason,
                lambda one: (
                    say("{n} (current)", n=one.revision) if one is found[0] else str(one.revision),
                    one.updated_at[:19].replace("T", " "),
                    self.source(one),
                    short(self.summary(one), 120),
                ),
            )

        @command("diff", app, more=more)
        def diff(shell: Shell, old: OlderOption = None, new: NewerOption = None, **whose: Any) -> None:
            """Show what changed: between the last two revisions, or those given."""
            found = self.read(shell, whose)
            older, newer, lines = compared(found, old, new, self.lines, self._one)
            if shell.json:
                shell.emit(**self.identity(found[0]), old=older.revision, new=newer.revision, diff="\n".join(lines))
            elif lines:
                for line in lines:
                    shell.out.print(coloured(line))
            elif older.revision == newer.revision:
                shell.tell("revision {n} is the only one that is kept", n=newer.revision)
            else:
                shell.tell("revisions {old} and {new} say the same", old=older.revision, new=newer.revision)

        @command("rollback", app, more=more)
        def roll_back(shell: Shell, revision: RevisionArgument, **whose: Any) -> None:
            """Bring an earlier revision back, as a new one."""
            current, *earlier = self.read(shell, whose)
            self._one(earlier, revision, of=current)
            done = later("{whose}: revision {old} is back, as revision {new}")
            values = {"whose": self.name(current), "old": revision, "new": current.revision + 1}
            send_command(shell, self.rollback, {**self.payload(current), "revision": revision}, done, **values)

    def _one(self, found: Sequence[One], number: int, *, of: One | None = None) -> One:
        """Return the revision of that number. Raises CommandFailed if it is not kept."""
        for one in found:
            if one.revision == number:
                return one
        raise CommandFailed(
            "revision {n} of {whose} is not kept; kept are: {known}",
            n=number,
            whose=self.name(of or found[0]),
            known=", ".join(str(one.revision) for one in reversed(found)) or say("none"),
        )
