"""New words in the place of those that were wrong. Blocking; raises StorageError."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from ...schema.event import Event
from ...schema.profile import ProfileLine, line_id_of
from ...schema.protocols import Vector
from ...schema.version import VERSION
from ...text.profiles.lines import plain_words
from ..components import Parts
from .plan import Plan, concerned, gather, lines_in, take_messages


def replace_words(parts: Parts, plan: Plan, text: str, vector: Vector | None, timezone: str) -> tuple[str, ...]:
    """Let the events below the lines of a plan say `text`, and hide their messages. Return the ids
    of what says it.

    The newest event of the conversation on which no other line rests gets the words, the others are
    deleted; where there is none, one is filed.
    """
    plan.text, plan.vector = text, vector
    gather(parts, plan, [one for _, line in plan.lines for one in line.evidence])
    take_messages(parts, plan, "hide")
    others = {one for key, line in lines_in(parts, concerned(parts, plan, [*plan.events.values()]))
              if (key, line) not in plan.lines for one in line.evidence}  # fmt: skip
    scope_key = None if plan.scope is None else plan.scope.key
    own = [one for one in plan.events.values() if one.event_id not in others and scope_key in (None, one.scope.key)]
    newest = max(own, key=lambda one: one.timestamp, default=None)
    plan.edited = newest.event_id if newest is not None else ""
    plan.forgotten |= set(plan.events) - {plan.edited}
    plan.added = None if plan.edited else _new_event(parts, plan, timezone)
    return tuple(one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one)


def replace_event(parts: Parts, plan: Plan, event: Event, text: str, vector: Vector | None, timezone: str) -> None:
    """Let one event say `text`, with the lines that say what it said; of a message, file an event
    that says so."""
    plan.text, plan.vector = text, vector
    gather(parts, plan, [event.event_id], others=False)
    plan.edited = "" if event.is_message else event.event_id
    plan.added = _new_event(parts, plan, timezone) if event.is_message else None
    names = set(plan.messages) if event.is_message else {event.event_id}
    evidence = tuple(one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one)
    line_text = " ".join(text.split())
    for key, line in lines_in(parts, concerned(parts, plan, [event])):
        rests = not names.isdisjoint(line.evidence) or not line.evidence
        if rests and (event.is_message or plain_words(line.text) == plain_words(event.text)):
            plan.lines.append((key, line))
            if not names.issuperset(line.evidence):  # other events still say it
                made = line_id_of(line_text, *evidence)
                plan.more[key] = replace(line, line_id=made, text=line_text, told=1, evidence=evidence, pinned=False)

    def becomes(line: ProfileLine) -> ProfileLine:
        left = tuple(one for one in line.evidence if one not in names)
        return replace(line, evidence=left) if left else replace(line, text=line_text, evidence=evidence or line.evidence)

    plan.line_becomes = becomes


def lines_resting(parts: Parts, plan: Plan, event: Event) -> None:
    """Add to a plan the lines that rest on one event alone, and those without evidence that say
    what it says."""
    names = {*plan.messages} if event.is_message else {event.event_id}
    for key, line in lines_in(parts, concerned(parts, plan, [event])):
        says_it = not line.evidence and not line.pinned and plain_words(line.text) == plain_words(event.text)
        if says_it or (line.evidence and names.issuperset(line.evidence)):
            plan.lines.append((key, line))


def _new_event(parts: Parts, plan: Plan, timezone: str) -> Event | None:
    """Return the event that says the new words of a plan; None where nobody can tell in which
    conversation."""
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
        user_name=names.get(scope.user_id, ""),
    )
