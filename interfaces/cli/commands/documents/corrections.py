"""Commands that edit and delete profile lines, manage pins, and list and undo corrections."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Argument, Option

from .....service.inspection.json_data import correction_data, record_data
from ...console import minute, short
from ...corrections import (
    DryRunOption,
    YesOption,
    in_short,
    opened_memory,
    show_affected,
    show_correction,
)
from ...invocation import command
from ...language import later
from ...scopes import GroupOption, UserOption, asked_scope, scope_of
from ...shell import Shell, WrongUse
from .profiles import profile

LineArgument = Annotated[
    str, Argument(metavar="LINE", help="The line's id, as `profile show` shows it.")
]
ExpiresOption = Annotated[
    str | None,
    Option("--expires", metavar="TIME", help="When it expires: 2026-03-01, or with a time of day."),
]


@command("edit-line", profile)
async def edit_line(
    shell: Shell,
    line_id: LineArgument,
    text: Annotated[str | None, Argument(metavar="[TEXT]", help="The new text.")] = None,
    kind: Annotated[
        str | None, Option("--kind", metavar="KIND", help="The kind of the line, such as health.")
    ] = None,
    tags: Annotated[
        list[str] | None, Option("--tag", metavar="TAG", help="A tag; may be repeated.")
    ] = None,
    pinned: Annotated[
        bool | None,
        Option("--pinned/--not-pinned", help="Whether it comes first in every block (a pin)."),
    ] = None,
    expires: ExpiresOption = None,
    group: GroupOption = None,
    user: UserOption = None,
) -> None:
    """Edit a line of a profile. The new text replaces the old one everywhere.

    Events that are evidence for this line alone get the new text. The messages are kept, but recall no longer returns them.
    """
    given = {"text": text, "kind": kind, "tags": tags, "pinned": pinned, "expires_at": expires}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise WrongUse("TEXT: missing; give the new text, or another change (see --help)")
    async with opened_memory(shell) as memory:
        done = await memory.edit_line(line_id, **changes, scope=scope_of(group, user))
    show_correction(shell, done)


@command("delete-line", profile)
async def delete_line(
    shell: Shell,
    line_id: LineArgument,
    messages: Annotated[
        bool, Option("--messages", help="Also hide the messages that it is based on.")
    ] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    group: GroupOption = None,
    user: UserOption = None,
) -> None:
    """Delete a line of a profile, and the events that it is based on."""
    how: dict[str, Any] = {"scope": scope_of(group, user), "messages": messages}
    async with opened_memory(shell) as memory:
        done = await memory.delete_line(line_id, **how, dry_run=True)
        if not dry_run:
            goes = done
            shell.confirm("Remove this?", yes=yes, shown=lambda: show_affected(shell, goes))
            done = await memory.delete_line(line_id, **how)
    show_correction(shell, done)


@command("pin")
async def pin(
    shell: Shell,
    text: Annotated[str, Argument(metavar="TEXT", help="The text to pin.")],
    group: GroupOption = None,
    user: UserOption = None,
    expires: ExpiresOption = None,
) -> None:
    """Pin a text: it comes first in every block of a conversation."""
    scope = asked_scope(group, user)
    async with opened_memory(shell, create=True) as memory:
        line = await memory.pin(text, scope, expires_at=expires)
    shell.result(record_data(line), "{id}: pinned", id=line.line_id)


@command("pins")
async def list_pins(shell: Shell, group: GroupOption = None, user: UserOption = None) -> None:
    """List the pins of a conversation."""
    scope = asked_scope(group, user)
    shell.end_without_data()
    async with opened_memory(shell) as memory:
        found = await memory.list_pins(scope)
    shell.rows(
        found,
        record_data,
        "line|until|text",
        lambda one: (one.line_id, minute(one.until), short(one.text)),
        empty="no pins",
    )


@command("unpin")
async def unpin(
    shell: Shell, line_id: LineArgument, group: GroupOption = None, user: UserOption = None
) -> None:
    """Remove a pin."""
    scope = asked_scope(group, user)
    async with opened_memory(shell) as memory:
        removed = await memory.unpin(line_id, scope)
    told = later("{id}: unpinned") if removed else later("{id}: there is no such pin")
    shell.result({"unpinned": removed}, told, id=line_id)


@command("corrections")
async def list_corrections(
    shell: Shell,
    group: GroupOption = None,
    user: UserOption = None,
    limit: Annotated[int, Option("--limit", min=1, help="Maximum number of results.")] = 20,
) -> None:
    """List the last corrections that can be undone, newest first."""
    scope = scope_of(group, user)
    shell.end_without_data()
    async with opened_memory(shell) as memory:
        found = await memory.list_corrections(scope=scope, limit=limit)
    shell.rows(
        found,
        correction_data,
        "correction|time|undo until|action|text",
        lambda one: (
            one.correction_id,
            minute(one.at),
            minute(one.undo_until),
            one.action,
            short(in_short(one)),
        ),
        empty="no corrections",
    )


@command("undo")
async def undo(
    shell: Shell,
    correction_id: Annotated[
        str, Argument(metavar="CORRECTION", help="The id, as `corrections` shows it.")
    ],
    group: GroupOption = None,
    user: UserOption = None,
) -> None:
    """Undo a correction: restore what it removed or replaced."""
    async with opened_memory(shell) as memory:
        done = await memory.undo(correction_id, scope=scope_of(group, user))
    show_correction(shell, done)
