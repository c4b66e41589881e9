"""`historian events`: what was filed, messages and events."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Annotated, Any, get_args

from rich.text import Text
from typer import Argument, Option

from ....schema.labels import metadata_json
from ....service.inspection.json_data import event_data
from ...texts import shown
from ..console import Cell, fields, minute, short
from ..invocation import CommandFailed, Shell, WrongUse, command, group
from ..language import later
from ..opening import opened_stores
from ..owner_commands import send_command
from ..scopes import NARROWING, GroupOption, UserOption, asked_scope, conditions, scope_of

if TYPE_CHECKING:
    from ....schema.event import Event

events = group("events", "Messages and events: list, show, correct, remove, withdraw.")

EventArgument = Annotated[str, Argument(metavar="EVENT", help="The event's id, as `events list` shows it.")]
YesOption = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]

MOST_OF_A_JOB = 1000
"""Events that one job has at most."""


@command("list", events, more=NARROWING)
def list_events(
    shell: Shell,
    group: GroupOption = None,
    user: UserOption = None,
    job: Annotated[str | None, Option("--job", metavar="ID", help="Only those of this job.")] = None,
    relative: Annotated[bool, Option("--relative", help="Only those that did not become absolute.")] = False,
    limit: Annotated[int, Option("--limit", min=1, help="At most so many.")] = 50,
    **narrowing: Any,
) -> None:
    """List messages and events, newest first; of all conversations unless --group or --user names one."""
    from ....schema.event import EventFilter, WrittenKind

    scope = scope_of(group, user)
    narrowed = conditions(shell.settings, group, user, narrowing)
    if relative and not narrowed["kinds"]:
        narrowed["kinds"] = get_args(WrittenKind)
    where = EventFilter(scope.key if scope else None, is_absolute=False if relative else None, now=time.time(), **narrowed)
    shell.end_without_data()
    with opened_stores(shell) as parts:
        if job is None:
            found = parts.events.find(where, limit=limit)
        else:
            found = parts.events.get([f"{job}:{n}" for n in range(MOST_OF_A_JOB)])[:limit]
    shell.rows(found, event_data, EVENT_COLUMNS, event_cells, empty="no events")


@command("show", events)
def show_event(shell: Shell, event_id: EventArgument) -> None:
    """Show one message or event with all that is known of it."""
    from ....service.inspection.event_pages import EventDetail, event_detail

    event, *_ = _existing(shell, [event_id])
    with opened_stores(shell) as parts:
        detail = event_detail(parts, event_id) or EventDetail(event, [], [])
    data, ends = event_data(event), {"supersedes": detail.supersedes, "corrects": detail.corrects}
    if shell.json:
        revisions = [dataclasses.asdict(one) for one in detail.revisions]
        shell.emit(**data, revisions=revisions, **{name: [one.event_id for one in some] for name, some in ends.items()})
        return
    data |= {name: "\n".join(f"{one.event_id}: {short(shown(one))}" for one in some) for name, some in ends.items()}
    data |= {name: "\n".join(value) for name, value in data.items() if isinstance(value, list)}
    data["metadata"] = metadata_json(event.metadata) if event.metadata else ""
    data["revisions"] = "\n".join(f"{one.replaced_at}  {one.text}" for one in detail.revisions)
    shell.out.print(fields({key: value for key, value in data.items() if value not in ("", [], (), None)}))


@command("edit", events)
def edit_event(
    shell: Shell,
    event_id: EventArgument,
    text: Annotated[str | None, Argument(metavar="[TEXT]", help="The new text of the event.")] = None,
    holds: Annotated[bool, Option("--holds", help="It is still true: undo the link to the event that ended it.")] = False,
) -> None:
    """Replace the text of an event, or let it hold again. A message stands as it was said."""
    from ....text.redaction import redact

    if text is None and not holds:
        raise WrongUse("TEXT: missing; give the new text, or --holds")
    if text is not None and not text.strip():
        raise WrongUse("TEXT: empty; `historian events delete` removes an event")
    event = _existing(shell, [event_id])[0]
    before = short(shown(event))
    if text is not None and event.is_message:
        raise WrongUse(
            "this is a message, and a message stands as it was said: hand the same message id over again with other words, "
            "or withdraw it (`historian events withdraw`)"
        )
    if text is None:
        send_command(shell, "edit", {"event_id": event_id, "holds": True}, "{id} holds: {text}", id=event_id, text=before)
        return
    text = redact(text, shell.settings.historian.redact_jobs)
    payload = {"event_id": event_id, "text": text, "holds": holds}
    told = {"id": event_id, "before": before, "after": short(text)}
    send_command(shell, "edit", payload, "{id}: {before} → {after}", **told)


@command("delete", events)
def delete_events(
    shell: Shell,
    event_ids: Annotated[list[str], Argument(metavar="EVENT...", help="The ids of the events to remove.")],
    yes: YesOption = False,
) -> None:
    """Remove events for good. Of a message all parts go, and what rests on it alone."""
    found = _existing(shell, event_ids)
    shell.confirm("Remove for good?", yes=yes, shown=lambda: shell.table(EVENT_COLUMNS, map(event_cells, found)))
    send_command(shell, "forget", {"event_ids": event_ids}, "{n} {n:event|events} removed", n=len(found))


@command("withdraw", events)
async def withdraw_messages(
    shell: Shell,
    message_ids: Annotated[list[str], Argument(metavar="MESSAGE...", help="The ids that the platform gave the messages.")],
    group: GroupOption = None,
    user: UserOption = None,
    yes: YesOption = False,
) -> None:
    """Withdraw messages by the ids of their platform, with what rests on them alone. They are never filed again."""
    from ....service.cognitive import CognitiveService

    scope = asked_scope(group, user)
    withdrawn = 0
    if shell.needs_data():
        shell.confirm("Withdraw for good?", yes=yes)
        async with CognitiveService.open(shell.settings, worker=False) as memory:
            withdrawn = await memory.forget_message(message_ids, scope)
    shell.result({"messages": withdrawn}, "{n} {n:message|messages} withdrawn", n=withdrawn)


def _existing(shell: Shell, event_ids: list[str]) -> list[Event]:
    found: list[Event] = []
    if shell.needs_data():
        with opened_stores(shell) as parts:
            found = parts.events.get(event_ids)
    missing = sorted(set(event_ids) - {event.event_id for event in found})
    if missing:
        named = ", ".join(map(repr, missing))
        raise CommandFailed("no event {named}; `historian events list` shows those that exist", named=named)
    return found


EVENT_COLUMNS = later("event|time|scope|kind|text (≈ not absolute, × over)")


def event_cells(event: Event) -> tuple[Cell, ...]:
    """Return an event as a row for people; one that is not absolute, or over, is marked."""
    absolute = "" if event.is_absolute or event.is_message else "≈ "
    text = Text.assemble((absolute, "yellow"), ("" if event.holds else "× ", "dim"), short(shown(event)))
    return event.event_id, minute(event.timestamp_local), event.scope.key, event.kind, text
