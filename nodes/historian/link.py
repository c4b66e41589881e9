"""link: mark the former facts that new facts supersede. Running it again changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from ...models.embeddings.general_means import general_means, likeness
from ...schema.event import Event, EventFilter, EventLink
from ...schema.graph_states.historian import FormerFact, HistorianState, HistorianUpdate, ItemState
from ...schema.job import Job
from ...stores.historian_context import HistorianContext
from ...stores.tables.events.store import EventStore
from ...text.facts.owners import FactOwners
from ...text.facts.superseding import Statement, could_end, is_on_same_matter, links_of, may_concern
from ...text.job_verdicts import is_no_fact
from ...text.profiles.declared import line_kind
from ...text.profiles.lines import CERTAIN

MOST_BY_WORDS = 40
MOST_BY_TIME = 20
"""Maximum number of former facts that a new one is compared with: facts that share words with it,
and the latest facts of its teller. A comparison takes some microseconds."""
MOST_SHOWN = 10
"""Maximum number of former facts that are shown to a model. In a test set in which texts rarely say
that something changed, the superseded facts were nearly always among these, with or without a
common topic."""


async def link(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Link former facts to the new facts that supersede them.

    For talk, a model has named the former facts; for hand-overs, rules find them.
    """
    job, context = Job.model_validate(state["job"]), runtime.context
    told = list(zip(state["event_ids"], state["items"], strict=False))
    if job.kind == "talk":
        return {"former": await asyncio.to_thread(_link_named, context.events, job, dict(told))}
    facts = [event_id for event_id, item in told if item["kind"] == "fact" and not is_no_fact(item)]
    return {"former": await asyncio.to_thread(_link, context.events, job, facts, context.clock())}


def _link_named(store: EventStore, job: Job, told: Mapping[str, ItemState]) -> list[FormerFact]:
    """Supersede the former facts that a model named (`ends`, `corrects`). Return them.

    They must be of the same conversation and not newer. A fact about a person can be superseded by
    a statement of that person or of the fact's teller, a fact about a thing or the group by
    anybody's. A link is unsure if the words do not show that both facts are about the same matter.
    Unsure links are accepted only if there is at most one more of them than of sure links: a model
    that names many facts has no specific fact in mind.
    """
    sure: list[tuple[EventLink, Event]] = []
    unsure: list[tuple[EventLink, Event]] = []
    for event in store.get(list(told)):
        item = told[event.event_id]
        named = store.get([*item.get("ends", []), *item.get("corrects", [])])
        before = [
            one
            for one in named
            if one.scope.key == event.scope.key and one.timestamp <= event.timestamp
        ]
        owners = FactOwners(job, [event, *before])
        for one in before:
            subject = owners.subject_of(one)
            new, old = (owners.statement(fact, subject or event.teller) for fact in (event, one))
            if _may_end(new, old) and (subject is None or event.teller in (subject, one.teller)):
                link = EventLink(
                    one.event_id, event.event_id, one.event_id in item.get("corrects", [])
                )
                (sure if is_on_same_matter(new, old) else unsure).append((link, one))
    links = [*sure, *unsure] if len(unsure) <= len(sure) + 1 else sure
    store.supersede([link for link, _ in links])
    return [
        FormerFact(event_id=old.event_id, text=old.text, ended=True, by=link.new)
        for link, old in links
    ]


def _may_end(new: Statement, old: Statement) -> bool:
    """Return True if a model may name `old` as superseded by `new`.

    Their texts must differ, and both must be about the same relative or about none. `old` must not
    consist of several statements with one on health or a boundary: this one would be lost, too.
    """
    guarded = old.is_compound and any(line_kind(part) in CERTAIN for part in old.joined)
    return new.text != old.text and new.relative == old.relative and not guarded


def _link(store: EventStore, job: Job, event_ids: Sequence[str], now: float) -> list[FormerFact]:
    """Link the former facts that the rules find to be superseded by the facts of a job.

    Return the superseded facts, then at most MOST_SHOWN former facts similar to the new ones: only
    a model can decide whether these are superseded. A fact that people tell about themselves
    supersedes only facts about the same person. A claim about another person supersedes nothing.
    """
    ended: dict[str, FormerFact] = {}
    near: dict[str, tuple[tuple[bool, float, float], FormerFact]] = {}
    for event in store.get(event_ids):
        before = _former_facts(store, event, now)
        owners = FactOwners(job, [event, *before])
        if not owners.is_own(event):
            continue
        whose = owners.owner_of(event)
        before = [one for one in before if owners.owner_of(one) == whose]
        new, old = owners.statement(event, whose), [owners.statement(one, whose) for one in before]
        values_only = [n for n, one in enumerate(before) if _had_happened(one)]
        links = [
            (n, change) for n, change in links_of(new, old, values_only) if before[n].is_absolute
        ]
        store.supersede(
            [
                EventLink(before[n].event_id, event.event_id, change == "corrected")
                for n, change in links
            ]
        )
        for n, _ in links:
            one = before[n]
            ended[one.event_id] = FormerFact(
                event_id=one.event_id, text=one.text, ended=True, by=event.event_id
            )
        alike = _likeness(store, event, before)
        for one, statement in zip(before, old, strict=True):
            if not event.is_absolute or not may_concern(new, statement):
                continue
            how = alike.get(one.event_id, 0.0)
            rank = (could_end(new, statement, how), how, one.timestamp)
            best, known = near.get(one.event_id, (rank, None))
            by_any = [*(known.get("by_any", []) if known else []), event.event_id]
            by = event.event_id if known is None or rank > best else known["by"]
            fact = FormerFact(
                event_id=one.event_id, text=one.text, ended=False, by=by, by_any=by_any
            )
            near[one.event_id] = (max(rank, best), fact)
    # Facts on the same topic come first, then the most similar ones, then the newest.
    left = sorted(
        (one for one in near.values() if one[1]["event_id"] not in ended),
        key=lambda one: one[0],
        reverse=True,
    )
    return [*ended.values(), *(fact for _, fact in left[:MOST_SHOWN])]


def _had_happened(event: Event) -> bool:
    """Return True if the event was over when it was told. Later changes do not make it untrue."""
    return event.occurs_until is not None and event.occurs_until < event.timestamp


def _likeness(store: EventStore, event: Event, before: Sequence[Event]) -> dict[str, float]:
    """Return the similarity of each former fact to an event, by id, from their vectors.

    Return {} if the event has no vector, or if the means of the embedding model are not known.
    """
    model = store.fingerprint()
    means = general_means(model[0]) if model else None
    names = (event.event_id, *(one.event_id for one in before))
    ids, rows = store.vectors(EventFilter(event.scope.key, event_ids=names))
    if means is None or event.event_id not in ids or rows.shape[1] != means.shape[1]:
        return {}
    return dict(
        zip(ids, map(float, likeness(rows[ids.index(event.event_id)], rows, means)), strict=True)
    )


def _former_facts(store: EventStore, event: Event, now: float) -> list[Event]:
    """Return the facts of the same scope that an event may supersede, newest first, at most 60.

    These are up to MOST_BY_WORDS facts that share words with it, and the last MOST_BY_TIME facts of
    its teller. Facts that the event has superseded already are included, so that a repeated run
    finds the same facts as the first one.
    """
    where = EventFilter(
        event.scope.key, kinds=("fact",), sources=("job",), time_to=event.timestamp, now=now
    )
    of_teller = replace(where, people=(event.teller,))
    by_words = [event_id for event_id, _ in store.search_keywords(event.text, where, MOST_BY_WORDS)]
    found = {
        one.event_id: one
        for one in (*store.get(by_words), *store.find(of_teller, limit=MOST_BY_TIME))
    }
    possible = (
        one
        for one in found.values()
        if one.holds or event.event_id in (one.superseded_by, one.corrected_by)
    )
    earlier = (one for one in possible if one.job_id != event.job_id)
    return sorted(earlier, key=lambda one: (one.timestamp, one.event_id), reverse=True)
