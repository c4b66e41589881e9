"""link: note which former facts are over because of the new ones. Running it again changes nothing."""

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
from ...text.declared import line_kind
from ...text.fact_owners import FactOwners
from ...text.job_verdicts import is_no_fact
from ...text.profiles import CERTAIN
from ...text.superseding import Statement, could_end, is_of_matter, links_of, may_concern

MOST_BY_WORDS = 40
MOST_BY_TIME = 20
"""Former facts that a new one is compared with: those that share its words, and the last ones. Each takes some microseconds."""
MOST_SHOWN = 10
"""Former facts that a model is shown: of a set in which hardly a change is told in words, the ended ones are nearly always among
these, whether they share a topic or not."""


async def link(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Link the former facts that new ones end: of talk those that a model named, else what the rules find among the nearest."""
    job, context = Job.model_validate(state["job"]), runtime.context
    told = list(zip(state["event_ids"], state["items"], strict=False))
    if job.kind == "talk":
        return {"former": await asyncio.to_thread(_link_named, context.events, job, dict(told))}
    facts = [event_id for event_id, item in told if item["kind"] == "fact" and not is_no_fact(item)]
    return {"former": await asyncio.to_thread(_link, context.events, job, facts, context.clock())}


def _link_named(store: EventStore, job: Job, told: Mapping[str, ItemState]) -> list[FormerFact]:
    """End the former facts that a model named (`ends`, `corrects`), as far as they are of the same conversation.

    A fact about a person is ended by what that person claims, or who told it; one about a thing or the
    group by anybody there. Where the words do not tell that both are about one matter, the model may
    name one such fact more than others: who names many says so of nothing in particular.
    """
    sure: list[tuple[EventLink, Event]] = []
    unsure: list[tuple[EventLink, Event]] = []
    for event in store.get(list(told)):
        item = told[event.event_id]
        named = store.get([*item.get("ends", []), *item.get("corrects", [])])
        before = [one for one in named if one.scope.key == event.scope.key and one.timestamp <= event.timestamp]
        owners = FactOwners(job, [event, *before])
        for one in before:
            subject = owners.subject_of(one)
            new, old = (owners.statement(fact, subject or event.teller) for fact in (event, one))
            if _may_end(new, old) and (subject is None or event.teller in (subject, one.teller)):
                link = EventLink(one.event_id, event.event_id, one.event_id in item.get("corrects", []))
                (sure if is_of_matter(new, old) else unsure).append((link, one))
    links = [*sure, *unsure] if len(unsure) <= len(sure) + 1 else sure
    store.supersede([link for link, _ in links])
    return [FormerFact(event_id=old.event_id, text=old.text, ended=True, by=link.new) for link, old in links]


def _may_end(new: Statement, old: Statement) -> bool:
    """Return True if a model may end a fact by another: of the same person or relative, and without what else
    the fact says on health or a boundary."""
    guarded = old.is_compound and any(line_kind(part) in CERTAIN for part in old.joined)
    return new.text != old.text and new.relative == old.relative and not guarded


def _link(store: EventStore, job: Job, event_ids: Sequence[str], now: float) -> list[FormerFact]:
    """Make the links of a job. Return what it ended, and the few facts most like the new ones that only a model may find over.

    A fact of a person about themselves ends only facts of the same id. A claim about another person ends nothing.
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
        links = [(n, change) for n, change in links_of(new, old, values_only) if before[n].is_absolute]
        store.supersede([EventLink(before[n].event_id, event.event_id, change == "corrected") for n, change in links])
        for n, _ in links:
            one = before[n]
            ended[one.event_id] = FormerFact(event_id=one.event_id, text=one.text, ended=True, by=event.event_id)
        alike = _likeness(store, event, before)
        for one, statement in zip(before, old, strict=True):
            if not event.is_absolute or not may_concern(new, statement):
                continue
            how = alike.get(one.event_id, 0.0)
            rank = (could_end(new, statement, how), how, one.timestamp)
            best, known = near.get(one.event_id, (rank, None))
            by_any = [*(known.get("by_any", []) if known else []), event.event_id]
            by = event.event_id if known is None or rank > best else known["by"]
            fact = FormerFact(event_id=one.event_id, text=one.text, ended=False, by=by, by_any=by_any)
            near[one.event_id] = (max(rank, best), fact)
    # Those on the same topic first, then the most alike, then the newest.
    left = sorted((one for one in near.values() if one[1]["event_id"] not in ended), key=lambda one: one[0], reverse=True)
    return [*ended.values(), *(fact for _, fact in left[:MOST_SHOWN])]


def _had_happened(event: Event) -> bool:
    """Return True if an event tells of what was over when it was said: that stays so, whatever changes."""
    return event.occurs_until is not None and event.occurs_until < event.timestamp


def _likeness(store: EventStore, event: Event, before: Sequence[Event]) -> dict[str, float]:
    """Return how alike the vectors of the former facts are to that of an event, by id; empty where that cannot be told."""
    model = store.fingerprint()
    means = general_means(model[0]) if model else None
    names = (event.event_id, *(one.event_id for one in before))
    ids, rows = store.vectors(EventFilter(event.scope.key, event_ids=names))
    if means is None or event.event_id not in ids or rows.shape[1] != means.shape[1]:
        return {}
    return dict(zip(ids, map(float, likeness(rows[ids.index(event.event_id)], rows, means)), strict=True))


def _former_facts(store: EventStore, event: Event, now: float) -> list[Event]:
    """Return the facts that may be over because of an event, the newest first: of its scope alone, at most 60.

    The last ones are those of who told it.

    Those that it has ended already are among them, so that a repeated run finds what the first one found.
    """
    where = EventFilter(event.scope.key, kinds=("fact",), sources=("job",), time_to=event.timestamp, now=now)
    of_teller = replace(where, people=(event.teller,))
    by_words = [event_id for event_id, _ in store.search_keywords(event.text, where, MOST_BY_WORDS)]
    found = {one.event_id: one for one in (*store.get(by_words), *store.find(of_teller, limit=MOST_BY_TIME))}
    possible = (one for one in found.values() if one.holds or event.event_id in (one.superseded_by, one.corrected_by))
    earlier = (one for one in possible if one.job_id != event.job_id)
    return sorted(earlier, key=lambda one: (one.timestamp, one.event_id), reverse=True)
