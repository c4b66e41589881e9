"""Deletes lines and events, together with the records that say the same. Blocking; raises
StorageError."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...schema.correction import Correction
from ...schema.event import Event
from ...schema.scope import Scope
from ...text.profiles.lines import plain_words
from .carrying_out import carry_out
from .plan import (
    MessagesOf,
    Plan,
    concerned,
    existing,
    gather,
    lines_in,
    lines_of_id,
    take_messages,
)

if TYPE_CHECKING:
    from ..components import Parts


def delete_line(
    parts: Parts, line_id: str, scope: Scope | None, how: MessagesOf, dry_run: bool = False
) -> tuple[Plan, Correction]:
    """Delete a line. See `CognitiveService.delete_line`."""
    plan = Plan("delete_line", scope, lines_of_id(parts, line_id, scope))
    gather(parts, plan, [one for _, line in plan.lines for one in line.evidence])
    plan.forgotten |= set(plan.events)
    take_messages(parts, plan, how)
    return plan, carry_out(parts, plan, dry_run=dry_run)


def delete_event(
    parts: Parts, event_id: str, scope: Scope | None, how: MessagesOf, dry_run: bool = False
) -> tuple[Plan, Correction]:
    """Delete an event, or a message with the events taken from it. See
    `CognitiveService.delete_event`."""
    plan, event = Plan("delete_event", scope), existing(parts, event_id, scope)
    gather(parts, plan, [event_id], others=how == "hide")
    if how == "stay" and event.is_message:
        take_messages(parts, plan, "remove")
    else:
        take_messages(parts, plan, how)
        plan.forgotten |= set(plan.events)
    plan.alone |= plan.forgotten
    lines_resting(parts, plan, event)
    return plan, carry_out(parts, plan, dry_run=dry_run)


def lines_resting(parts: Parts, plan: Plan, event: Event) -> None:
    """Add lines to a plan: those whose only evidence is `event`, and unpinned lines without
    evidence that have the text of `event`."""
    names = {*plan.messages} if event.is_message else {event.event_id}
    for key, line in lines_in(parts, concerned(parts, plan, [event])):
        says_it = (
            not line.evidence
            and not line.pinned
            and plain_words(line.text) == plain_words(event.text)
        )
        if says_it or (line.evidence and names.issuperset(line.evidence)):
            plan.lines.append((key, line))
