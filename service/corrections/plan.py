"""The plan of a correction, and the search for the records and lines that it changes. Blocking;
raises StorageError."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from ...schema.correction import CorrectionAction
from ...schema.errors import InvalidInput, RevisionConflict, StorageError
from ...schema.event import Event, EventFilter
from ...schema.ids import told
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.protocols import Vector
from ...schema.scope import EntityType, Scope, is_asserted, layers_read
from ...text.messages.records import record_ids
from ...text.profiles.lines import distinct, plain_words
from ..timezones import iso_of

if TYPE_CHECKING:
    from ..components import Parts

SAME_LOOKED_AT = 50
"""Maximum number of events that are compared with a statement because they share words with it."""
MOST_CONFLICTS = 20
"""Maximum number of attempts to write a profile that others change at the same time."""
Line = tuple[ProfileKey, ProfileLine]
MessagesOf = Literal["stay", "hide", "remove"]
"""Treatment of the source messages of a corrected statement: leave them unchanged, hide or delete
them."""


@dataclass
class Plan:
    """The changes that a correction will make.

    `lines` are the lines to correct. Each is replaced by the result of `line_becomes`, or removed
    if this is None. `events` and `messages` are the records that are deleted or changed;
    `forgotten` are the ids of deleted records, `hidden` the ids of messages that are marked as
    corrected. A line whose evidence is deleted completely is removed too if all of this evidence is
    in `alone`; other lines only lose the deleted evidence. The event with the id `edited` gets the
    text `text`, or the event `added` is filed. `more` are new lines by profile. `standing` are
    messages that are left unchanged and may still contain the statement.
    """

    action: CorrectionAction
    scope: Scope | None
    lines: list[Line] = field(default_factory=list)
    line_becomes: Callable[[ProfileLine], ProfileLine | None] = lambda line: None
    events: dict[str, Event] = field(default_factory=dict)
    messages: dict[str, Event] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    """The statements that are wrong, for comparison (`plain_words`)."""
    texts: list[str] = field(default_factory=list)
    """The same statements in their original wording."""
    edited: str = ""
    added: Event | None = None
    text: str = ""
    vector: Vector | None = None
    more: dict[ProfileKey, ProfileLine] = field(default_factory=dict)
    standing: list[Event] = field(default_factory=list)
    correction_id: str = ""

    def unspoken(self) -> dict[str, set[str]]:
        """Return the texts of the messages that are hidden or deleted, by scope key."""
        words: dict[str, set[str]] = {}
        for one in self.messages.values():
            words.setdefault(one.scope.key, set()).add(one.text)
        return words


def new_id(scope: Scope | None) -> str:
    """Return the id of a new correction. The id shows whether the speaker of its scope is only
    asserted."""
    made = f"correction-{uuid.uuid4().hex[:24]}"
    return made if scope is None else scope.request_id(made)


def profile_keys(parts: Parts, scope: Scope | None) -> list[ProfileKey]:
    """Return the keys of the profiles that may be corrected in `scope`.

    These are the layers of its user and its group that are readable in the scope; all profiles if
    `scope` is None.
    """
    if scope is None:
        return list(parts.profiles.keys())
    rule, keys = parts.settings.cognitive.profile.profile_layers, list[ProfileKey]()
    if scope.user_id:
        keys += [
            ProfileKey("user", scope.user_id, layer)
            for layer in layers_read(scope, "user", scope.user_id, rule)
        ]
    if scope.group_id:
        keys += [
            ProfileKey("group", scope.group_id, layer)
            for layer in layers_read(scope, "group", scope.group_id, rule)
        ]
    return keys


def lines_in(parts: Parts, keys: Iterable[ProfileKey]) -> list[Line]:
    """Return the lines of profiles, in their order."""
    return [
        (key, line)
        for key in keys
        if (stored := parts.profiles.read(key)) is not None
        for line in stored.lines
    ]


def lines_of_id(parts: Parts, line_id: object, scope: Scope | None) -> list[Line]:
    """Return the lines with this id, and lines with the same words in the profiles that may be
    corrected in `scope`.

    Without a scope, only lines of the same entity are returned. Raises InvalidInput if no line has
    the id, or if lines with different words have it.
    """
    every = lines_in(parts, profile_keys(parts, scope))
    named = [(key, line) for key, line in every if line.line_id == line_id]
    if not named:
        raise InvalidInput(
            f"line_id: there is no line {told(line_id)} in the profiles of this conversation; read them again"
        )
    if len(meant := {plain_words(line.text) for _, line in named}) > 1:
        where = ", ".join(str(key) for key, _ in named)
        raise InvalidInput(
            f"line_id: {told(line_id)} is a line of several profiles ({where}); give the scope of one of them"
        )
    owners = {key.entity for key, _ in named}
    return [
        one
        for one in every
        if plain_words(one[1].text) in meant and (scope is not None or one[0].entity in owners)
    ]


def may_touch(scope: Scope | None, event: Event) -> bool:
    """Return True if a correction in `scope` may change an event.

    A correction may change the events of its scope, and statements of the user of the scope in
    other conversations. If the speaker of the scope is only asserted, it may only change asserted
    events of the scope. Without a scope return True.
    """
    if scope is None:
        return True
    if event.scope.key == scope.key:
        return is_asserted(event.event_id) or not scope.speaker_is_asserted
    own = event.user_id == scope.user_id and event.said_by in ("", scope.user_id)
    return own and not scope.speaker_is_asserted and not is_asserted(event.event_id)


def saying_the_same(
    parts: Parts, scope_keys: Iterable[str], words: Collection[str], texts: Iterable[str]
) -> list[Event]:
    """Return the events and messages of the conversations whose words equal one of `words`
    (`plain_words` of `texts`)."""
    found: dict[str, Event] = {}
    for scope_key in dict.fromkeys(scope_keys):
        for text in dict.fromkeys(texts):
            ids = [
                one
                for one, _ in parts.events.search_keywords(
                    text, EventFilter(scope_key), SAME_LOOKED_AT
                )
            ]
            found |= {
                one.event_id: one for one in parts.events.get(ids) if plain_words(one.text) in words
            }
    return list(found.values())


def tellers(plan: Plan, told_by: Iterable[Event]) -> set[str]:
    """Return the ids of the users whose statement a plan corrects.

    Statements of other users with the same words are left unchanged. The result is empty if all
    lines of the plan belong to groups.
    """
    people = {key.entity_id for key, _ in plan.lines if key.entity_type == "user"}
    return people | (set() if plan.lines else {one.teller for one in told_by})


def gather(parts: Parts, plan: Plan, evidence: Iterable[str], *, others: bool = True) -> None:
    """Add the events of `evidence` and their source messages to a plan.

    With `others`, also add events with the same words, and add the texts to the wrong statements.
    """
    found = {
        one.event_id: one
        for one in parts.events.get(list(dict.fromkeys(evidence)))
        if may_touch(plan.scope, one)
    }
    if others:
        keys = {one.scope.key for one in found.values()} | (
            {plan.scope.key} if plan.scope else set()
        )
        texts = [line.text for _, line in plan.lines] + [
            one.text for one in found.values() if not one.is_message
        ]
        same = saying_the_same(parts, sorted(keys), {plain_words(text) for text in texts}, texts)
        people = tellers(plan, found.values())
        found |= {
            one.event_id: one
            for one in same
            if may_touch(plan.scope, one) and (one.teller in people or not people)
        }
    names = [one.job_id for one in found.values() if one.is_message]
    plan.events |= {name: one for name, one in found.items() if not one.is_message}
    names += [name for one in plan.events.values() for name in one.sources]
    for name in dict.fromkeys(names):
        plan.messages |= {one.event_id: one for one in parts.events.get(record_ids(name))}
    if others:
        plan.texts += [
            *(line.text for _, line in plan.lines),
            *(one.text for one in plan.events.values()),
        ]
        plan.wrong |= {plain_words(text) for text in plan.texts}


def take_messages(parts: Parts, plan: Plan, how: MessagesOf) -> None:
    """Plan that the messages of a plan are left unchanged (`stay`), hidden (`hide`), or deleted
    together with the events taken from them (`remove`)."""
    if how == "hide":
        plan.hidden |= {name for name, one in plan.messages.items() if one.holds}
    elif how == "remove":
        names = {one.job_id for one in plan.messages.values()}
        resting = parts.events.resting_on(sorted(names))
        plan.alone |= {one.event_id for one in resting} - set(plan.events)
        plan.events |= {one.event_id: one for one in resting}
        plan.forgotten |= {*plan.messages, *(one.event_id for one in resting)}
    else:
        plan.standing += plan.messages.values()
        plan.messages = {}


def concerned(parts: Parts, plan: Plan, gone: Sequence[Event]) -> list[ProfileKey]:
    """Return the keys of the profiles that may hold lines of a plan, or lines with evidence that
    the plan deletes."""
    keys = dict.fromkeys(key for key, _ in plan.lines)
    people = {who for one in gone for who in (one.user_id, one.said_by, *one.speakers) if who}
    people |= {name.user_id for one in gone for name in one.named}
    entities: list[tuple[EntityType, str]] = [("user", one) for one in sorted(people)]
    entities += [("group", one) for one in sorted({one.group_id for one in gone if one.group_id})]
    for kind, entity_id in entities:
        keys |= dict.fromkeys(
            ProfileKey(kind, entity_id, layer) for layer in parts.profiles.layers(kind, entity_id)
        )
    return list(keys)


def rewritten(
    parts: Parts,
    key: ProfileKey,
    change: Callable[[Sequence[ProfileLine]], tuple[ProfileLine, ...]],
    cause: str,
) -> Profile:
    """Write a profile with the lines that `change` returns as its next revision, if they differ.

    Return the profile. Raises StorageError after MOST_CONFLICTS attempts.
    """
    for _ in range(MOST_CONFLICTS):
        old = parts.profiles.read(key) or Profile(key)
        new = replace(old, lines=distinct(change(old.lines)), source_event_id=cause)
        if new.lines == old.lines:
            return old
        try:
            stored = parts.profiles.write(
                new, expected_revision=old.revision, now=iso_of(parts.clock())
            )
        except RevisionConflict:
            continue
        parts.backend.profile_index.put(stored, None)
        return stored
    raise StorageError(f"profile {key}: other processes kept changing it; try again")


def existing(parts: Parts, event_id: object, scope: Scope | None) -> Event:
    """Return an event. Raises InvalidInput if no event has this id, or if it belongs to another
    conversation than `scope`."""
    found = parts.events.get([event_id]) if isinstance(event_id, str) else []
    if not found or (scope is not None and found[0].scope.key != scope.key):
        raise InvalidInput(
            f"event_id: there is no event {told(event_id)}; `list_events` shows those that are filed"
        )
    return found[0]
