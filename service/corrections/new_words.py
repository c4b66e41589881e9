"""Corrections that replace a wrong text by a new one. Blocking; raises StorageError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from ...schema import VERSION
from ...schema.correction import Correction
from ...schema.event import Event
from ...schema.labels import last_expiry
from ...schema.profile import ProfileKey, ProfileLine, line_id_of
from ...schema.protocols import Vector
from ...schema.scope import Scope, layer_written
from ...text.profiles.lines import plain_words
from .carrying_out import carry_out
from .pins import check_room
from .plan import MessagesOf, Plan, concerned, gather, lines_in, lines_of_id, new_id, take_messages

if TYPE_CHECKING:
    from ..components import Parts


def replace_words(
    parts: Parts, plan: Plan, text: str, vector: Vector | None, timezone: str
) -> tuple[str, ...]:
    """Plan a new text for the evidence of the plan's lines. Return the ids of the new evidence.

    The newest event of the conversation that is not evidence of another line gets the text. The
    other events are deleted. If there is no such event, a new one is filed. The source messages are
    hidden.
    """
    plan.text, plan.vector = text, vector
    gather(parts, plan, [one for _, line in plan.lines for one in line.evidence])
    take_messages(parts, plan, "hide")
    others = {one for key, line in lines_in(parts, concerned(parts, plan, [*plan.events.values()]))
              if (key, line) not in plan.lines for one in line.evidence}  # fmt: skip
    scope_key = None if plan.scope is None else plan.scope.key
    own = [
        one
        for one in plan.events.values()
        if one.event_id not in others and scope_key in (None, one.scope.key)
    ]
    newest = max(own, key=lambda one: one.timestamp, default=None)
    plan.edited = newest.event_id if newest is not None else ""
    plan.forgotten |= set(plan.events) - {plan.edited}
    plan.added = None if plan.edited else _new_event(parts, plan, timezone)
    return tuple(
        one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one
    )


def replace_event(
    parts: Parts,
    plan: Plan,
    event: Event,
    text: str,
    vector: Vector | None,
    timezone: str,
    *,
    others: bool,
) -> None:
    """Plan a new text for one event, and for the lines that have the event's old text.

    A message itself is not changed: a new event with the text is filed. With `others`, the other
    events that have the old text are deleted.
    """
    plan.text, plan.vector = text, vector
    gather(parts, plan, [event.event_id], others=others)
    plan.forgotten |= set(plan.events) - {event.event_id}
    plan.edited = "" if event.is_message else event.event_id
    plan.added = _new_event(parts, plan, timezone) if event.is_message else None
    names = set(plan.messages) if event.is_message else set(plan.events)
    evidence = tuple(
        one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one
    )
    line_text = " ".join(text.split())
    for key, line in lines_in(parts, concerned(parts, plan, [event])):
        rests = not names.isdisjoint(line.evidence) or not line.evidence
        if rests and (event.is_message or plain_words(line.text) == plain_words(event.text)):
            plan.lines.append((key, line))
            if not names.issuperset(line.evidence):  # other evidence supports the old text
                made = line_id_of(line_text, *evidence)
                plan.more[key] = replace(
                    line, line_id=made, text=line_text, told=1, evidence=evidence, pinned=False
                )

    def becomes(line: ProfileLine) -> ProfileLine:
        left = tuple(one for one in line.evidence if one not in names)
        return (
            replace(line, evidence=left)
            if left
            else replace(line, text=line_text, evidence=evidence or line.evidence)
        )

    plan.line_becomes = becomes


def _new_event(parts: Parts, plan: Plan, timezone: str) -> Event | None:
    """Return a new event with the text of a plan; None if its conversation is unknown."""
    known = [*plan.messages.values(), *plan.events.values()]
    scope = plan.scope or (max(known, key=lambda one: one.timestamp).scope if known else None)
    if scope is not None and not scope.user_id:
        people = [one.user_id for one in known if one.scope.key == scope.key]
        people += [key.entity_id for key, _ in plan.lines if key.entity_type == "user"]
        scope = scope.spoken_by(people[-1]) if people else None
    if scope is None:
        return None
    moment = datetime.fromtimestamp(parts.clock(), ZoneInfo(timezone))
    names = {one.user_id: one.user_name for one in known if one.user_name}
    return Event.in_scope(
        scope,
        moment,
        timezone,
        "fact",
        plan.text,
        event_id=f"{plan.correction_id}:0",
        job_id=plan.correction_id,
        is_absolute=True,
        rewritten_by="hand",
        version=VERSION,
        expires_at=last_expiry(one.expires_at for one in known),
        user_name=names.get(scope.user_id, ""),
    )


def edit_line(
    parts: Parts,
    line_id: str,
    text: str | None,
    vector: Vector | None,
    scope: Scope | None,
    changes: Mapping[str, Any],
    timezone: str,
) -> tuple[Plan, Correction]:
    """Change the text and other fields of a line. See `CognitiveService.edit_line`."""
    plan = Plan("edit_line", scope, lines_of_id(parts, line_id, scope), correction_id=new_id(scope))
    if changes.get("pinned"):
        for key, line in plan.lines:
            if not line.pinned:
                check_room([one for _, one in lines_in(parts, [key])])
    new: dict[str, Any] = dict(changes)
    is_pin = all(line.pinned and not line.evidence for _, line in plan.lines)
    if text is not None and is_pin:  # a pin has no evidence that could be changed
        new = {"text": text, **new}
        plan.text = text
    elif text is not None:
        evidence = replace_words(parts, plan, text, vector, timezone)
        day = datetime.fromtimestamp(parts.clock(), ZoneInfo(timezone)).date().isoformat()
        new = {
            "text": text,
            "told": 1,
            "first_day": day,
            "last_day": day,
            "said_by": "",
            "evidence": evidence,
            **new,
        }
    plan.line_becomes = lambda line: replace(line, **new)
    if text is not None:
        keep_private(parts, plan, new)
    return plan, carry_out(parts, plan)


def keep_private(parts: Parts, plan: Plan, new: Mapping[str, Any]) -> None:
    """Move a line that is edited in a private chat to the layer that this chat writes.

    The line is removed from the other layers of the user. If the scope is no private chat, the plan
    is not changed.
    """
    rule = parts.settings.cognitive.profile.profile_layers
    if plan.scope is None or plan.scope.request_type != "private":
        return
    own = layer_written(plan.scope, "user", rule)
    public = [
        (key, line) for key, line in plan.lines if key.entity_type == "user" and key.layer != own
    ]
    if public and own:
        key = ProfileKey("user", plan.scope.user_id, own)
        if all(one != key for one, _ in plan.lines):
            plan.more[key] = replace(public[0][1], **new)
        becomes, elsewhere = plan.line_becomes, {line.line_id for _, line in public}
        plan.line_becomes = lambda line: None if line.line_id in elsewhere else becomes(line)


def edit_event(
    parts: Parts,
    event: Event,
    text: str,
    vector: Vector | None,
    scope: Scope | None,
    how: MessagesOf,
    timezone: str,
) -> tuple[Plan, Correction]:
    """Change the text of an event, and of the lines that have the same text. See
    `CognitiveService.edit_event`."""
    plan = Plan("edit_event", scope, correction_id=new_id(scope))
    replace_event(parts, plan, event, text, vector, timezone, others=how == "hide")
    take_messages(parts, plan, how)
    return plan, carry_out(parts, plan)
