"""Carries out a correction in all stores: events, messages, profile lines, articles and summaries.
Blocking; raises StorageError.

First the record for `undo` is written, then the events are deleted, and the lines are changed last:
after an interruption the line still exists and can be corrected again. Workers may merge facts at
the same time. They check before and after writing whether the events of these facts were deleted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...schema.correction import Correction, CorrectionRecord, corrected_digest
from ...schema.event import Event, EventLink
from ...schema.job import without_list_mark
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.scope import ASSERTED, Scope
from ...schema.summary import Article, ArticleKey
from ...text.profiles.lines import plain_words
from ...text.search_words import search_tokens
from ..timezones import iso_of
from .plan import Line, Plan, concerned, lines_in, may_touch, new_id, saying_the_same, tellers

if TYPE_CHECKING:
    from ..components import Parts

HOUR_SECONDS = 3_600.0
TOLD_AGAIN = 20
"""Maximum number of texts in `Correction.still_told`."""
SHORTEST_TOLD = 4
"""Minimum number of characters of a statement that is searched for inside other texts."""
_DATED = re.compile(r"\s*\(\d{4}-\d\d-\d\d\)\s*$", re.ASCII)


def carry_out(parts: Parts, plan: Plan, *, dry_run: bool = False) -> Correction:
    """Carry out a plan. Return the correction with everything that it removes or replaces. With
    `dry_run` nothing is changed."""
    from ..entity_data.registry import article_kinds  # not loaded where memory is off

    now, hours = parts.clock(), parts.settings.cognitive.undo_hours
    plan.correction_id = plan.correction_id or new_id(plan.scope)
    plan.wrong.discard(plain_words(plan.text) if plan.text else "")
    gone = [*plan.events.values(), *plan.messages.values()]
    keys = concerned(parts, plan, gone)
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
        text=plan.text.replace("\0", ""),
        links=tuple(_links(parts, plan)),
        job_ids=tuple(
            sorted({one.job_id for one in plan.messages.values() if one.event_id in plan.forgotten})
        ),
        digests=_digests(plan),
        entities=tuple(sorted(_entities(plan, keys, gone))),
    )
    if hours:
        parts.backend.corrections.put(record)
    parts.backend.erasure.bury_words(record.digests, now)
    if late := _told_meanwhile(parts, plan):
        plan.events |= late
        plan.forgotten |= set(late)
        correction = replace(correction, events=tuple(plan.events.values()))
        if hours:
            parts.backend.corrections.put(replace(record, correction=correction))
    parts.events.hide(sorted(plan.hidden), plan.correction_id)
    if plan.edited:
        parts.events.edit(plan.edited, plan.text, plan.vector)
    if plan.added is not None:
        parts.events.file_new([plan.added], [plan.vector])
    parts.events.forget(sorted(plan.forgotten))
    changed = {*plan.forgotten, *record.edited}
    parts.article_stores.buffer.remove(sorted(changed))
    jobs = {name.rpartition(":")[0] for name in changed}
    parts.backend.plain_summaries.forget(lambda _, entry: entry.get("job_id") in jobs)
    for kind in article_kinds(parts):
        kind.drop(articles)
    for key in keys:
        revised = parts.profiles.revise(
            key, partial(_profile_after, plan), now=iso_of(now), cause="correction"
        )
        if revised is not None:
            parts.backend.profile_index.put(revised, None)
    return correction


def _told_meanwhile(parts: Parts, plan: Plan) -> dict[str, Event]:
    """Return the events with a wrong statement that were filed after the plan was made.

    Call this after the digests of the wrong statements are stored: from then on no such event is
    filed.
    """
    scopes = {one.scope.key for one in (*plan.events.values(), *plan.messages.values())}
    scopes |= {plan.scope.key} if plan.scope is not None else set()
    found = saying_the_same(parts, sorted(scopes), plan.wrong, plan.texts) if plan.wrong else []
    people = tellers(plan, plan.events.values())
    mine = (
        one for one in found if may_touch(plan.scope, one) and (one.teller in people or not people)
    )
    new = (one for one in mine if not one.is_message and one.event_id not in plan.events)
    return {one.event_id: one for one in new}


def _line_after(plan: Plan, key: ProfileKey, line: ProfileLine) -> ProfileLine | None:
    """Return a line as the correction changes it; None if the line is removed."""
    if any(one == key and meant.line_id == line.line_id for one, meant in plan.lines):
        return plan.line_becomes(line)
    if (
        plain_words(line.text) in plan.wrong
        and any(one == key for one, _ in plan.lines)
        and not line.pinned
    ):
        return None  # a wrong statement that was merged again meanwhile
    left = tuple(one for one in line.evidence if one not in plan.forgotten)
    if left == line.evidence:
        return line
    if not left and plan.alone.issuperset(line.evidence):
        return None
    last = plan.events.get(line.evidence[-1]) or plan.messages.get(line.evidence[-1])
    teller = last.teller if last is not None and not left else ""
    return replace(
        line,
        evidence=left,
        said_by=line.said_by or ("" if key.entity == f"user:{teller}" else teller),
    )


def _profile_after(plan: Plan, profile: Profile) -> Profile:
    """Return a profile as a plan changes its lines, without the tags whose words occur only in
    removed lines."""
    lines = [
        after
        for line in profile.lines
        if (after := _line_after(plan, profile.key, line)) is not None
    ]
    more = plan.more.get(profile.key)
    if more is not None and all(one.line_id != more.line_id for one in lines):
        lines.append(more)
    stays = {word for line in lines for word in search_tokens(line.text)}
    goes = {
        word for line in profile.lines if line not in lines for word in search_tokens(line.text)
    } - stays
    tags = tuple(
        tag for tag in profile.tags if not (words := set(search_tokens(tag))) or not words <= goes
    )
    return replace(profile, lines=tuple(lines), tags=tags)


def _entities(plan: Plan, keys: Iterable[ProfileKey], gone: Iterable[Event]) -> set[str]:
    """Return the keys of the people and groups of a plan. If one of them is forgotten, the record
    of the correction is deleted."""
    entities = {
        entity for one in (*gone, *([plan.added] if plan.added else [])) for entity in one.entities
    }
    entities |= {f"user:{one.said_by}" for one in gone if one.said_by}
    entities |= {key.entity for key, _ in plan.lines} | {key.entity for key in keys}
    entities |= {
        f"group:{key.layer.removeprefix('g:')}" for key in keys if key.layer.startswith("g:")
    }
    entities |= {f"user:{line.said_by}" for _, line in plan.lines if line.said_by}
    return entities | (set(_of_scope(plan.scope)) if plan.scope is not None else set())


def _of_scope(scope: Scope) -> list[str]:
    return [
        f"{kind}:{one}" for kind, one in (("user", scope.user_id), ("group", scope.group_id)) if one
    ]


def _digests(plan: Plan) -> tuple[str, ...]:
    """Return digests of the wrong statements. Statements of waiting jobs are not filed if they have
    one of these digests."""
    scopes = {one.scope.key for one in (*plan.events.values(), *plan.messages.values())}
    scopes |= {plan.scope.key} if plan.scope is not None else set()
    people = {key.entity_id for key, _ in plan.lines if key.entity_type == "user"}
    found = {
        corrected_digest(scope, words, who)
        for scope in scopes
        for words in plan.wrong
        for who in ("", *people)
    }
    return tuple(sorted(found))


def _links(parts: Parts, plan: Plan) -> list[EventLink]:
    """Return the links from superseded or corrected events to the events that a plan deletes or
    edits."""
    changed = [*sorted(plan.forgotten), *([plan.edited] if plan.edited else [])]
    return [
        EventLink(one.event_id, name, one.corrected_by == name)
        for name in changed
        for one in parts.events.ended_by(name)
    ]


def _in_articles(
    parts: Parts, plan: Plan, gone: Sequence[Event]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the lines of articles and summaries that equal a wrong statement or rest on forgotten
    events alone, by record key; and the lines that contain a wrong statement."""
    same: dict[str, list[str]] = {}
    still_told: list[str] = []
    people = {(one.user_id, one.group_id) for one in gone}
    people |= (
        {(plan.scope.user_id, plan.scope.group_id)}
        if plan.scope is not None and plan.scope.user_id
        else set()
    )
    for user_id, group_id in sorted(people):
        key = ArticleKey(user_id, group_id)
        kept = parts.article_stores.articles.kept(key)
        told = [line for one in kept for some in one.chapters.values() for line in some]
        alone = _alone(parts, plan, kept)
        lines = [line.dated_text for line in told]
        lines += [
            line
            for one in parts.article_stores.summaries.read(key)
            for line in one.text.splitlines()
        ]
        for line in dict.fromkeys(lines):
            bare = plain_words(_DATED.sub("", without_list_mark(line.strip())))
            if bare in plan.wrong or line in alone:
                same.setdefault(str(key), []).append(line)
            elif any(words in bare for words in plan.wrong if len(words) >= SHORTEST_TOLD):
                still_told.append(line.strip())
    return same, still_told


def _alone(parts: Parts, plan: Plan, kept: Sequence[Article]) -> set[str]:
    """Return the lines of the revisions of an article that rest on forgotten events, or on these
    and on events that no longer exist, unless the current revision (the first) has more evidence
    for them."""
    told = [[line for some in one.chapters.values() for line in some] for one in kept]
    touched = [line for one in told for line in one if not plan.forgotten.isdisjoint(line.evidence)]
    others = {name for line in touched for name in line.evidence if _is_of_event(name)}
    left = {one.event_id for one in parts.events.get(sorted(others - plan.forgotten))}
    gone = plan.forgotten | (others - left)
    alone = [line for line in touched if gone.issuperset(line.evidence)]
    stays = {line.dated_text for one in told[:1] for line in one if line not in alone}
    return {line.dated_text for line in alone} - stays


def _is_of_event(name: str) -> bool:
    """Return True if evidence is the id of an event, not of the job of a reflection."""
    return ":" in name or name.removeprefix(ASSERTED).startswith("summary-")
