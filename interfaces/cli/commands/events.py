"""`historian events`: lists, shows, corrects and removes stored messages and events."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Argument, Option

from ....service.inspection.json_data import event_data
from ...lookups import found_event
from ...texts import shown
from ..console import Cell, minute, short
from ..corrections import DryRunOption, YesOption, opened_memory, show_affected, show_correction
from ..invocation import command, group
from ..language import later
from ..opening import opened_stores
from ..scopes import NARROWING, GroupOption, UserOption, asked_scope, conditions, scope_of
from ..shell import Shell, WrongUse

if TYPE_CHECKING:
    from ....schema.event import Event

events = group("events", "Messages and events: list, show, correct, remove, withdraw.")

EventArgument = Annotated[
    str, Argument(metavar="EVENT", help="The event's id, as `events list` shows it.")
]

MOST_OF_A_JOB = 1000
"""Maximum number of events of one job."""


@command("list", events, more=NARROWING)
def list_events(
    shell: Shell,
    group: GroupOption = None,
    user: UserOption = None,
    job: Annotated[
        str | None, Option("--job", metavar="ID", help="Only events of this job.")
    ] = None,
    relative: Annotated[
        bool, Option("--relative", help="Only events that are not absolute.")
    ] = False,
    limit: Annotated[int, Option("--limit", min=1, help="Maximum number of results.")] = 50,
    **narrowing: Any,
) -> None:
    """List messages and events, newest first; of all conversations unless --group or --user names one."""
    from ....retrieval.filters import conditioned
    from ....service.timezones import configured_timezone

    narrowed = {**conditions(group, user, narrowing), "is_absolute": False if relative else None}
    zone = configured_timezone(shell.settings.cognitive.timezone)
    where = conditioned(scope_of(group, user), narrowed, zone, time.time())
    shell.end_without_data()
    with opened_stores(shell) as parts:
        if job is None:
            found = parts.events.find(where, limit=limit)
        else:
            found = parts.events.get([f"{job}:{n}" for n in range(MOST_OF_A_JOB)])[:limit]
    shell.rows(found, event_data, EVENT_COLUMNS, event_cells, empty="no events")


@command("show", events)
def show_event(shell: Shell, event_id: EventArgument) -> None:
    """Show one message or event with all its fields."""
    with opened_stores(shell) as parts:
        detail = found_event(parts, event_id)
    ends = {"supersedes": detail.supersedes, "corrects": detail.corrects}
    told = {
        name: [
            one.event_id if shell.json else f"{one.event_id}: {short(shown(one))}" for one in some
        ]
        for name, some in ends.items()
    }
    revisions = [dataclasses.asdict(one) for one in detail.revisions]
    shell.report({**event_data(detail.event), "revisions": revisions, **told})


@command("edit", events)
async def edit_event(
    shell: Shell,
    event_id: EventArgument,
    text: Annotated[
        str | None, Argument(metavar="[TEXT]", help="The new text of the event.")
    ] = None,
    holds: Annotated[
        bool,
        Option(
            "--holds", help="It is still true: remove the link to the event that superseded it."
        ),
    ] = False,
) -> None:
    """Replace the text of an event, or mark it as true again. Messages cannot be edited.

    Profile lines that are based on the event and have the same text get the new text.
    """
    if text is None and not holds:
        raise WrongUse("TEXT: missing; give the new text, or --holds")
    async with opened_memory(shell) as memory:
        parts = memory.lifecycle.in_use().parts
        event = after = (await asyncio.to_thread(found_event, parts, event_id)).event
        if holds:
            await asyncio.to_thread(parts.events.uphold, [event_id])
        if text is not None:
            after = await memory.edit_event(event_id, text)
    before = short(shown(event))
    if text is None:
        shell.result(event_data(after), "{id} is true again: {text}", id=event_id, text=before)
    else:
        told = {"id": event_id, "before": before, "after": short(shown(after))}
        shell.result(event_data(after), "{id}: {before} → {after}", **told)


@command("delete", events)
async def delete_events(
    shell: Shell,
    event_ids: Annotated[
        list[str], Argument(metavar="EVENT...", help="The ids of the events to remove.")
    ],
    dry_run: DryRunOption = False,
    yes: YesOption = False,
) -> None:
    """Remove events, and the profile lines that are based on them alone. All parts of a long message are removed."""
    async with opened_memory(shell) as memory:
        goes = [await memory.delete_event(one, dry_run=True) for one in event_ids]
        if not dry_run:
            shell.confirm("Remove this?", yes=yes, shown=lambda: show_affected(shell, *goes))
            goes = [await memory.delete_event(one) for one in event_ids]
    for one in goes:
        show_correction(shell, one)


@command("withdraw", events)
async def withdraw_messages(
    shell: Shell,
    message_ids: Annotated[
        list[str],
        Argument(metavar="MESSAGE...", help="The ids that the platform gave the messages."),
    ],
    group: GroupOption = None,
    user: UserOption = None,
    yes: YesOption = False,
) -> None:
    """Withdraw messages by their platform ids, and remove what is based on them alone. They are never filed again."""
    scope = asked_scope(group, user)
    withdrawn = 0
    if shell.needs_data():
        shell.confirm("Withdraw for good?", yes=yes)
        async with opened_memory(shell) as memory:
            withdrawn = await memory.forget_message(message_ids, scope)
    shell.result({"messages": withdrawn}, "{n} {n:message|messages} withdrawn", n=withdrawn)


EVENT_COLUMNS = later("event|time|scope|kind|text (≈ not absolute, × superseded)")


def event_cells(event: Event) -> tuple[Cell, ...]:
    """Return an event as a table row. Marks are ≈ for not absolute and × for superseded."""
    absolute = "" if event.is_absolute or event.is_message else "≈ "
    text = Text.assemble(
        (absolute, "yellow"), ("" if event.holds else "× ", "dim"), short(shown(event))
    )
    return event.event_id, minute(event.timestamp_local), event.scope.key, event.kind, text
