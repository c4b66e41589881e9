"""One correction, everywhere: events, messages, lines of profiles, articles. Blocking; raises StorageError.

The record for `undo` is written first, then the events go, and the lines last: after an interruption the line is still there to
be corrected again. What workers merge meanwhile rests on events that are gone, which they look for before and after they write.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from ..schema.correction import Correction, CorrectionAction, CorrectionRecord, corrected_digest
from ..schema.errors import InvalidInput, RevisionConflict, StorageError
from ..schema.event import Event, EventFilter, EventLink
from ..schema.ids import told
from ..schema.job import without_list_mark
from ..schema.profile import Profile, ProfileKey, ProfileLine, bounded_evidence, line_id_of
from ..schema.protocols import Vector
from ..schema.scope import EntityType, Scope, is_asserted, layers_read
from ..schema.summary import ArticleKey
from ..schema.version import VERSION
from ..text.profiles.lines import distinct, plain_words
from ..text.search_words.tokens import search_tokens
from .components import Parts
from .entity_data.articles import ArticleData
from .jobs.messages import FiledMessages

HOUR_SECONDS = 3_600.0
SAME_LOOKED_AT = 50
"""The most events that share words with a statement and are compared with it."""
MOST_CONFLICTS = 20
"""Tries to write a profile that others change meanwhile."""
TOLD_AGAIN = 20
"""The most texts that are named as still telling it."""

SHORTEST_TOLD = 4
"""Characters of a statement that is looked for inside of others."""
_DATED = re.compile(r"\s*\(\d{4}-\d\d-\d\d\)\s*$", re.ASCII)

Line = tuple[ProfileKey, ProfileLine]
MessagesOf = Literal["stay", "hide", "remove"]
"""What becomes of the messages that told what is corrected."""


@dataclass
class Plan:
    """What a correction is to do.

    `lines` are the lines that it means: they go, or become what `line_becomes` returns. `events` and `messages` are the records
    that it takes out or changes; of these, `forgotten` are the ids of those that are deleted and `hidden` of those that are marked.
    Lines that rest on deleted events alone go too where all these are in `alone`; other lines lose this evidence. The event
    `edited` gets the words `text`, or `added` is filed. `more` are lines that are written beside those that stay, `standing` are
    messages that may still tell it.
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
    edited: str = ""
    added: Event | None = None
    text: str = ""
    vector: Vector | None = None
    more: dict[ProfileKey, ProfileLine] = field(default_factory=dict)
    standing: list[Event] = field(default_factory=list)
    correction_id: str = ""

    def unspoken(self) -> dict[str, set[str]]:
        """Return the words of the messages that are hidden or deleted, by the key of their conversation."""
        words: dict[str, set[str]] = {}
        for one in self.messages.values():
            words.setdefault(one.scope.key, set()).add(one.text)
        return words


def new_id(scope: Scope | None) -> str:
    """Return the id of a new correction, which tells whether its scope's speaker is asserted alone."""
    made = f"correction-{uuid.uuid4().hex}"
    return made if scope is None else scope.request_id(made)


def profile_keys(parts: Parts, scope: Scope | None) -> list[ProfileKey]:
    """Return the profiles that may be corrected in `scope`: of its user as far as readable there, and of its group; None: all."""
    if scope is None:
        return list(parts.profiles.keys())
    rule, keys = parts.settings.cognitive.profile.profile_layers, list[ProfileKey]()
    if scope.user_id:
        keys += [ProfileKey("user", scope.user_id, layer) for layer in layers_read(scope, "user", scope.user_id, rule)]
    if scope.group_id:
        keys += [ProfileKey("group", scope.group_id, layer) for layer in layers_read(scope, "group", scope.group_id, rule)]
    return keys


def lines_in(parts: Parts, keys: Iterable[ProfileKey]) -> list[Line]:
    """Return the lines of profiles, in their order."""
    return [(key, line) for key in keys if (stored := parts.profiles.read(key)) is not None for line in stored.lines]


def lines_of_id(parts: Parts, line_id: object, scope: Scope | None) -> list[Line]:
    """Return the line with this id, with those that say the same in the profiles that may be corrected in `scope`.

    Raises InvalidInput if there is none, or if lines that say different things have the id.
    """
    every = lines_in(parts, profile_keys(parts, scope))
    named = [(key, line) for key, line in every if line.line_id == line_id]
    if not named:
        raise InvalidInput(f"line_id: there is no line {told(line_id)} in a profile that may be corrected here; read the profile again")
    if len(meant := {plain_words(line.text) for _, line in named}) > 1:
        where = ", ".join(str(key) for key, _ in named)
        raise InvalidInput(f"line_id: {told(line_id)} is a line of several profiles ({where}); give the scope of the one that is meant")
    owners = {key.entity for key, _ in named}
    return [one for one in every if plain_words(one[1].text) in meant and (scope is not None or one[0].entity in owners)]


def may_touch(scope: Scope | None, event: Event) -> bool:
    """Return True for the events of `scope`, and for what its user said elsewhere themselves. None: True for all."""
    if scope is None or event.scope.key == scope.key:
        return True
    own = event.user_id == scope.user_id and event.said_by in ("", scope.user_id)
    return own and not scope.speaker_is_asserted and not is_asserted(event.event_id)


def saying_the_same(parts: Parts, scope_keys: Iterable[str], words: Collection[str], texts: Iterable[str]) -> list[Event]:
    """Return the records of conversations whose words equal one of `words` (`plain_words` of `texts`)."""
    found: dict[str, Event] = {}
    for scope_key in dict.fromkeys(scope_keys):
        for text in dict.fromkeys(texts):
            ids = [one for one, _ in parts.events.search_keywords(text, EventFilter(scope_key), SAME_LOOKED_AT)]
            found |= {one.event_id: one for one in parts.events.get(ids) if plain_words(one.text) in words}
    return list(found.values())


def gather(parts: Parts, plan: Plan, evidence: Iterable[str], *, others: bool = True) -> None:
    """Add the events and messages to a plan on which its lines rest, and, with `others`, those that say the same."""
    found = {one.event_id: one for one in parts.events.get(list(dict.fromkeys(evidence))) if may_touch(plan.scope, one)}
    if others:
        keys = {one.scope.key for one in found.values()} | ({plan.scope.key} if plan.scope else set())
        texts = [line.text for _, line in plan.lines] + [one.text for one in found.values() if not one.is_message]
        same = saying_the_same(parts, sorted(keys), {plain_words(text) for text in texts}, texts)
        found |= {one.event_id: one for one in same if may_touch(plan.scope, one)}
    messages = FiledMessages(parts.context)
    names = [one.job_id for one in found.values() if one.is_message]
    plan.events |= {name: one for name, one in found.items() if not one.is_message}
    names += [name for one in plan.events.values() for name in one.sources]
    for name in dict.fromkeys(names):
        plan.messages |= {one.event_id: one for one in messages.stored(name)}
    said = [line.text for _, line in plan.lines] + [one.text for one in plan.events.values()]
    plan.wrong |= {plain_words(text) for text in said}


def take_messages(parts: Parts, plan: Plan, how: MessagesOf) -> None:
    """Let the messages of a plan `stay`, be hidden (`hide`), or be deleted (`remove`) with what rests on them alone."""
    if how == "hide":
        plan.hidden |= {name for name, one in plan.messages.items() if one.holds}
    elif how == "remove":
        names = {one.job_id for one in plan.messages.values()}
        resting = [one for one in parts.events.resting_on(sorted(names)) if names.issuperset(one.sources)]
        plan.alone |= {one.event_id for one in resting} - set(plan.events)
        plan.events |= {one.event_id: one for one in resting}
        plan.forgotten |= {*plan.messages, *(one.event_id for one in resting)}
    else:
        plan.standing += plan.messages.values()
        plan.messages = {}


def carry_out(parts: Parts, plan: Plan, *, dry_run: bool = False) -> Correction:
    """Carry a plan out. Return the correction, with everything that it has taken out. With `dry_run` nothing is changed."""
    now, hours = parts.clock(), parts.settings.cognitive.undo_hours
    plan.correction_id = plan.correction_id or new_id(plan.scope)
    plan.wrong.discard(plain_words(plan.text) if plan.text else "")
    gone = [*plan.events.values(), *plan.messages.values()]
    keys = _concerned(parts, plan, gone)
    taken, fewer, new_lines = list(plan.lines), list[Line](), [*plan.more.items()]
    for key, line in lines_in(parts, keys):
        after = _line_after(plan, key, line)
        if after is None and (key, line) not in taken:
            taken.append((key, line))
        elif after is not None and after != line:
            new_lines.append((key, after))
            fewer += [(key, line)] if (key, line) not in taken else []
    articles, still_told = _in_articles(parts, plan, gone)
    told_by_messages = [one.said for one in plan.standing]
    correction = Correction(
        correction_id="" if dry_run else plan.correction_id,
        action=plan.action,
        at=iso_of(now),
        lines=tuple(taken),
        events=tuple(plan.events.values()),
        messages=tuple(plan.messages.values()),
        undo_until=iso_of(now + hours * HOUR_SECONDS) if hours and not dry_run else "",
        still_told=tuple(dict.fromkeys((*told_by_messages, *still_told)))[:TOLD_AGAIN],
    )
    if dry_run:
        return correction
    record = CorrectionRecord(
        correction=correction,
        scope_key="" if plan.scope is None else plan.scope.key,
        until=now + hours * HOUR_SECONDS,
        new_lines=tuple(new_lines),
        fewer=tuple(fewer),
        added=(plan.added.event_id,) if plan.added is not None else (),
        edited=(plan.edited,) if plan.edited else (),
        links=tuple(_links(parts, plan)),
        job_ids=tuple(sorted({one.job_id for one in plan.messages.values() if one.event_id in plan.forgotten})),
        digests=_digests(plan),
        entities=tuple(sorted(_entities(plan, keys, gone))),
    )
    if hours:
        parts.backend.corrections.put(record)
    parts.backend.erasure.bury_words(record.digests, now)
    parts.events.hide(sorted(plan.hidden), plan.correction_id)
    if plan.edited:
        parts.events.edit(plan.edited, plan.text, plan.vector)
    if plan.added is not None:
        parts.events.file_new([plan.added], [plan.vector])
    parts.events.forget(sorted(plan.forgotten))
    parts.article_stores.buffer.remove(sorted(plan.forgotten))
    ArticleData(parts).drop(articles)
    for key in keys:
        revised = parts.profiles.revise(key, partial(_profile_after, plan), now=iso_of(now), cause="correction")
        if revised is not None:
            parts.backend.profile_index.put(revised, None)
    return correction


def _line_after(plan: Plan, key: ProfileKey, line: ProfileLine) -> ProfileLine | None:
    """Return what becomes of a line; None if it goes."""
    if any(one == key and meant.line_id == line.line_id for one, meant in plan.lines):
        return plan.line_becomes(line)
    if plain_words(line.text) in plan.wrong and any(one == key for one, _ in plan.lines) and not line.pinned:
        return None  # told again meanwhile
    left = tuple(one for one in line.evidence if one not in plan.forgotten)
    if left == line.evidence:
        return line
    if not left and plan.alone.issuperset(line.evidence):
        return None
    last = plan.events.get(line.evidence[-1]) or plan.messages.get(line.evidence[-1])
    teller = (last.said_by or last.user_id) if last is not None and not left else ""
    return replace(line, evidence=left, said_by=line.said_by or ("" if key.entity == f"user:{teller}" else teller))


def _profile_after(plan: Plan, profile: Profile) -> Profile:
    """Return a profile with the lines that a plan leaves, and without the tags that name nothing but what goes."""
    lines = [after for line in profile.lines if (after := _line_after(plan, profile.key, line)) is not None]
    more = plan.more.get(profile.key)
    if more is not None and all(one.line_id != more.line_id for one in lines):
        lines.append(more)
    stays = {word for line in lines for word in search_tokens(line.text)}
    goes = {word for line in profile.lines if line not in lines for word in search_tokens(line.text)} - stays
    tags = tuple(tag for tag in profile.tags if not (words := set(search_tokens(tag))) or not words <= goes)
    return replace(profile, lines=tuple(lines), tags=tags)


def _concerned(parts: Parts, plan: Plan, gone: Sequence[Event]) -> list[ProfileKey]:
    """Return the profiles that may have lines which a plan means, or which rest on events that it deletes."""
    keys = dict.fromkeys(key for key, _ in plan.lines)
    people = {who for one in gone for who in (one.user_id, one.said_by, *one.speakers, *(name.user_id for name in one.named)) if who}
    entities: list[tuple[EntityType, str]] = [("user", one) for one in sorted(people)]
    entities += [("group", one) for one in sorted({one.group_id for one in gone if one.group_id})]
    for kind, entity_id in entities:
        keys |= dict.fromkeys(ProfileKey(kind, entity_id, layer) for layer in parts.profiles.layers(kind, entity_id))
    return list(keys)


def _entities(plan: Plan, keys: Iterable[ProfileKey], gone: Iterable[Event]) -> set[str]:
    """Return the people and groups with which the record of a plan is forgotten."""
    entities = {entity for one in (*gone, *([plan.added] if plan.added else [])) for entity in one.entities}
    entities |= {f"user:{one.said_by}" for one in gone if one.said_by}
    entities |= {key.entity for key, _ in plan.lines} | {key.entity for key in keys}
    entities |= {f"group:{key.layer.removeprefix('g:')}" for key in keys if key.layer.startswith("g:")}
    entities |= {f"user:{line.said_by}" for _, line in plan.lines if line.said_by}
    return entities | (set(_of_scope(plan.scope)) if plan.scope is not None else set())


def _of_scope(scope: Scope) -> list[str]:
    return [f"{kind}:{one}" for kind, one in (("user", scope.user_id), ("group", scope.group_id)) if one]


def _digests(plan: Plan) -> tuple[str, ...]:
    """Return by what the statements that are wrong are kept from being filed by jobs that wait."""
    scopes = {one.scope.key for one in (*plan.events.values(), *plan.messages.values())}
    scopes |= {plan.scope.key} if plan.scope is not None else set()
    people = {key.entity_id for key, _ in plan.lines if key.entity_type == "user"}
    found = {corrected_digest(scope, words, who) for scope in scopes for words in plan.wrong for who in ("", *people)}
    return tuple(sorted(found))


def _links(parts: Parts, plan: Plan) -> list[EventLink]:
    """Return what the events that a plan deletes or edits have ended."""
    changed = [*sorted(plan.forgotten), *([plan.edited] if plan.edited else [])]
    return [EventLink(one.event_id, name, one.corrected_by == name) for name in changed for one in parts.events.ended_by(name)]


def _in_articles(parts: Parts, plan: Plan, gone: Sequence[Event]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the lines of articles and summaries that say the same, by the key of their record, and those that may tell it."""
    same: dict[str, list[str]] = {}
    still_told: list[str] = []
    people = {(one.user_id, one.group_id) for one in gone}
    people |= {(plan.scope.user_id, plan.scope.group_id)} if plan.scope is not None and plan.scope.user_id else set()
    for user_id, group_id in sorted(people):
        key = ArticleKey(user_id, group_id)
        lines = parts.article_stores.articles.lines(key)
        lines += [line for one in parts.article_stores.summaries.read(key) for line in one.text.splitlines()]
        for line in dict.fromkeys(lines):
            bare = plain_words(_DATED.sub("", without_list_mark(line.strip())))
            if bare in plan.wrong:
                same.setdefault(str(key), []).append(line)
            elif any(words in bare for words in plan.wrong if len(words) >= SHORTEST_TOLD):
                still_told.append(line.strip())
    return same, still_told


def undo(parts: Parts, correction_id: object, scope: Scope | None) -> Correction:
    """Undo a correction. See `CognitiveService.undo`."""
    now, corrections = parts.clock(), parts.backend.corrections
    record = corrections.get(correction_id) if isinstance(correction_id, str) else None
    if record is None or record.until <= now or (scope is not None and record.scope_key != scope.key):
        raise InvalidInput(
            f"correction_id: there is no correction {told(correction_id)} to undo here; `list_corrections` names those that can be. "
            "They are kept for `cognitive.undo_hours`, and go with the person or group that is forgotten"
        )
    correction = record.correction
    if correction.is_undone:
        raise InvalidInput(f"correction_id: {told(correction_id)} is undone already")
    parts.backend.erasure.lift(record.job_ids, record.digests)
    parts.events.forget([*record.added, *record.edited])
    hidden = {one.event_id for one in correction.messages if one.job_id not in record.job_ids}
    back = [one for one in (*correction.events, *correction.messages) if one.event_id not in hidden]
    parts.events.reveal(correction.correction_id)
    parts.events.file_new(back, [None] * len(back))
    parts.events.supersede(record.links)
    written = {(key, line.line_id): line for key, line in record.new_lines}
    for key in dict.fromkeys(key for key, _ in (*correction.lines, *record.fewer, *record.new_lines)):
        before = {line.line_id: line for one, line in (*record.fewer, *correction.lines) if one == key}
        extra = {line.line_id for one, line in record.new_lines if one == key} - set(before)
        rewritten(parts, key, partial(_lines_back, key, before, extra, written), "undo")
    done = replace(correction, is_undone=True)
    corrections.put(replace(record, correction=done))
    return done if scope is None else done.seen_in(scope.key)


def _lines_back(
    key: ProfileKey,
    before: Mapping[str, ProfileLine],
    extra: Collection[str],
    written: Mapping[tuple[ProfileKey, str], ProfileLine],
    old: Sequence[ProfileLine],
) -> tuple[ProfileLine, ...]:
    """Return the lines of a profile with those of before a correction; what was changed since stays as it is."""
    lines: list[ProfileLine] = []
    for line in old:
        former, was = before.get(line.line_id), written.get((key, line.line_id))
        if line.line_id in extra and line == was:
            continue
        if former is not None and was is not None and line.text == was.text:
            new = [one for one in line.evidence if one not in was.evidence]
            line = replace(former, evidence=bounded_evidence((*former.evidence, *new)))
        lines.append(line)
    known = {line.line_id for line in lines}
    return (*lines, *(line for line in before.values() if line.line_id not in known))


def rewritten(
    parts: Parts, key: ProfileKey, change: Callable[[Sequence[ProfileLine]], tuple[ProfileLine, ...]], cause: str
) -> Profile:
    """Write what `change` makes of the lines of a profile as its next revision, if that is anything else. Return the profile."""
    for _ in range(MOST_CONFLICTS):
        old = parts.profiles.read(key) or Profile(key)
        new = replace(old, lines=distinct(change(old.lines)), source_event_id=cause)
        if new.lines == old.lines:
            return old
        try:
            stored = parts.profiles.write(new, expected_revision=old.revision, now=iso_of(parts.clock()))
        except RevisionConflict:
            continue
        parts.backend.profile_index.put(stored, None)
        return stored
    raise StorageError(f"profile {key}: others kept changing it; try again")


def iso_of(moment: float) -> str:
    """Return a moment (seconds since the epoch) as ISO 8601 in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


def replace_words(parts: Parts, plan: Plan, text: str, vector: Vector | None, timezone: str) -> tuple[str, ...]:
    """Let the events below the lines of a plan say `text`, and hide their messages. Return the ids of what says it.

    The newest event of the conversation on which no other line rests gets the words, the others are deleted; where there is none,
    one is filed.
    """
    plan.text, plan.vector = text, vector
    gather(parts, plan, [one for _, line in plan.lines for one in line.evidence])
    take_messages(parts, plan, "hide")
    others = {one for key, line in lines_in(parts, _concerned(parts, plan, [*plan.events.values()]))
              if (key, line) not in plan.lines for one in line.evidence}  # fmt: skip
    scope_key = None if plan.scope is None else plan.scope.key
    own = [one for one in plan.events.values() if one.event_id not in others and scope_key in (None, one.scope.key)]
    newest = max(own, key=lambda one: one.timestamp, default=None)
    plan.edited = newest.event_id if newest is not None else ""
    plan.forgotten |= set(plan.events) - {plan.edited}
    plan.added = None if plan.edited else _new_event(parts, plan, timezone)
    return tuple(one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one)


def replace_event(parts: Parts, plan: Plan, event: Event, text: str, vector: Vector | None, timezone: str) -> None:
    """Let one event say `text`, with the lines that say what it said; of a message, file an event that says so."""
    plan.text, plan.vector = text, vector
    gather(parts, plan, [event.event_id], others=False)
    plan.edited = "" if event.is_message else event.event_id
    plan.added = _new_event(parts, plan, timezone) if event.is_message else None
    names = set(plan.messages) if event.is_message else {event.event_id}
    evidence = tuple(one for one in (plan.edited, plan.added.event_id if plan.added is not None else "") if one)
    line_text = " ".join(text.split())
    for key, line in lines_in(parts, _concerned(parts, plan, [event])):
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
    """Add to a plan the lines that rest on one event alone, and those without evidence that say what it says."""
    names = {*plan.messages} if event.is_message else {event.event_id}
    for key, line in lines_in(parts, _concerned(parts, plan, [event])):
        says_it = not line.evidence and not line.pinned and plain_words(line.text) == plain_words(event.text)
        if says_it or (line.evidence and names.issuperset(line.evidence)):
            plan.lines.append((key, line))


def _new_event(parts: Parts, plan: Plan, timezone: str) -> Event | None:
    """Return the event that says the new words of a plan; None where nobody can tell in which conversation."""
    known = [*plan.messages.values(), *plan.events.values()]
    scope = plan.scope or (max(known, key=lambda one: one.timestamp).scope if known else None)
    if scope is not None and not scope.user_id:
        people = [one.user_id for one in known if one.scope.key == scope.key]
        people += [key.entity_id for key, _ in plan.lines if key.entity_type == "user"]
        scope = scope.spoken_by(people[-1]) if people else None
    if scope is None:
        return None
    moment = datetime.fromtimestamp(parts.clock(), ZoneInfo(timezone))
    name = plan.correction_id
    ids = {"event_id": f"{name}:0", "job_id": name}
    names = {one.user_id: one.user_name for one in known if one.user_name}
    return Event.in_scope(
        scope, moment, timezone, "fact", plan.text, **ids, is_absolute=True, rewritten_by="hand", version=VERSION,
        user_name=names.get(scope.user_id, ""),
    )  # fmt: skip
