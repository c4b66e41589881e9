"""`historian events`: what was filed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from rich.text import Text
from typer import Argument, Option

from ....service.inspection.json_data import event_data
from ..console import Cell, fields, minute, short
from ..invocation import CommandFailed, Shell, WrongUse, command, group
from ..language import later
from ..opening import opened_stores
from ..owner_commands import send_command
from ..scopes import NARROWING, GroupOption, UserOption, conditions, scope_of

if TYPE_CHECKING:
    from ....schema.event import Event

events = group("events", "Events: list, show, correct, remove.")

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
    **narrowing: str | None,
) -> None:
    """List events, newest first; of all conversations unless --group or --user names one."""
    from ....schema.event import EventFilter

    scope = scope_of(group, user)
    narrowed = conditions(shell.settings, group, user, narrowing)
    where = EventFilter(scope.key if scope else None, is_absolute=False if relative else None, **narrowed)
    shell.end_without_data()
    with opened_stores(shell) as parts:
        if job is None:
            found = parts.events.find(where, limit=limit)
        else:
            found = parts.events.get([f"{job}:{n}" for n in range(MOST_OF_A_JOB)])[:limit]
    shell.rows(found, event_data, EVENT_COLUMNS, event_cells, empty="no events")


@command("show", events)
def show_event(shell: Shell, event_id: EventArgument) -> None:
    """Show one event with all that is known of it."""
    from ....service.inspection.event_pages import EventDetail, event_detail

    event, *_ = _existing(shell, [event_id])
    with opened_stores(shell) as parts:
        detail = event_detail(parts, event_id) or EventDetail(event, [], [])
    data, ends = event_data(event), {"supersedes": detail.supersedes, "corrects": detail.corrects}
    if shell.json:
        revisions = [dataclasses.asdict(one) for one in detail.revisions]
        shell.emit(**data, revisions=revisions, **{name: [one.event_id for one in some] for name, some in ends.items()})
        return
    data |= {name: "\n".join(f"{one.event_id}: {short(one.text)}" for one in some) for name, some in ends.items()}
    data["gate_reasons"] = "\n".join(data.pop("gate_reasons"))
    data["revisions"] = "\n".join(f"{one.replaced_at}  {one.text}" for one in detail.revisions)
    shell.out.print(fields({key: value for key, value in data.items() if value not in ("", [], (), None)}))


@command("edit", events)
def edit_event(
    shell: Shell,
    event_id: EventArgument,
    text: Annotated[str | None, Argument(metavar="[TEXT]", help="The new text of the event.")] = None,
    holds: Annotated[bool, Option("--holds", help="It is still true: undo the link to the event that ended it.")] = False,
) -> None:
    """Replace the text of an event, or let it hold again."""
    from ....text.redaction import redact

    if text is None and not holds:
        raise WrongUse("TEXT: missing; give the new text, or --holds")
    if text is not None and not text.strip():
        raise WrongUse("TEXT: empty; `historian events delete` removes an event")
    before = short(_existing(shell, [event_id])[0].text)
    if text is None:
        send_command(shell, "edit", {"event_id": event_id, "holds": True}, "{id} holds: {text}", id=event_id, text=before)
        return
    text = redact(text, shell.settings.historian.redact_jobs)
    payload = {"event_id": event_id, "text": text, "holds": holds}
    shown = {"id": event_id, "before": before, "after": short(text)}
    send_command(shell, "edit", payload, "{id}: {before} → {after}", **shown)


@command("delete", events)
def delete_events(
    shell: Shell,
    event_ids: Annotated[list[str], Argument(metavar="EVENT...", help="The ids of the events to remove.")],
    yes: YesOption = False,
) -> None:
    """Remove events for good."""
    found = _existing(shell, event_ids)
    shell.confirm("Remove for good?", yes=yes, shown=lambda: shell.table(EVENT_COLUMNS, map(event_cells, found)))
    send_command(shell, "forget", {"event_ids": event_ids}, "{n} {n:event|events} removed", n=len(found))


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
    text = Text.assemble(("" if event.is_absolute else "≈ ", "yellow"), ("" if event.holds else "× ", "dim"), short(event.text))
    return event.event_id, minute(event.timestamp_local), event.scope.key, event.kind, text
