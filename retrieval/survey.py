"""The survey of a scope, with which a recall begins: its events, and their keyword scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..schema.event import Event
from ..schema.hit import Hit
from ..schema.protocols import Vector
from ..stores.tables.events.store import EventStore
from .request import RecallRequest
from .scope_index.snapshot import Snapshot
from .scope_index.table import snapshot_of
from .scope_index.words import Mask, Scores, WordMatch

KEYWORD_CANDIDATES = 200
SMALL_SCOPE = 50
"""While vectors are missing, a search in a scope of at most this many events also returns the
events that share no word with the query: behind all others, newest first."""
EXCERPT = 60
"""The number of events per query that are taken from the keyword index of the store while a scope
is not in memory."""


@dataclass(frozen=True, eq=False)
class Survey:
    """The content of a scope, the keyword scores of its events for each query, and the texts that
    are not filed yet.
    """

    snapshot: Snapshot
    keywords: Sequence[WordMatch]
    admitted: Mask | None
    waiting: Sequence[Hit] = ()
    is_excerpt: bool = False
    """True if the snapshot holds only what the store found by keywords, because the scope is still
    being read."""
    is_held: bool = False
    """True if the store is unavailable and the snapshot is the last one that was read."""


def survey_of(
    request: RecallRequest,
    snapshot: Snapshot,
    waiting: Sequence[Hit] = (),
    *,
    is_held: bool = False,
) -> Survey:
    """Return the keyword scores of a scope that is in memory."""
    admitted = _in_force(request, snapshot, snapshot.admitted(request.where))
    limit = max(KEYWORD_CANDIDATES, request.top_k)
    keywords = [snapshot.keywords(query, admitted, limit) for query in request.queries]
    return Survey(snapshot, keywords, admitted, waiting, is_held=is_held)


def excerpt(store: EventStore, request: RecallRequest, waiting: Sequence[Hit]) -> Survey:
    """Return the events that the store finds by keywords, or the newest events if it finds none.
    Blocking."""
    limit = max(EXCERPT, request.top_k)
    found = [dict(store.search_keywords(query, request.where, limit)) for query in request.queries]
    events = store.get(list(dict.fromkeys(event_id for one in found for event_id in one)))
    events = _by_time(events or store.find(request.where, limit=SMALL_SCOPE))
    snapshot = snapshot_of(events)
    keywords = [WordMatch(_scores(events, one)) for one in found]
    admitted = _in_force(request, snapshot)
    return Survey(snapshot, keywords, admitted, waiting, is_excerpt=True)


def with_nearest(
    store: EventStore, request: RecallRequest, survey: Survey, vectors: Sequence[Vector]
) -> Survey:
    """Return an excerpt with the events that have the nearest vectors, and the vectors of all its
    events. Blocking.

    Returns the excerpt unchanged unless the store compares vectors itself.
    """
    limit = max(EXCERPT, request.top_k)
    found = [store.nearest(vector, request.where, limit) for vector in vectors]
    if not all(found):
        return survey
    known = survey.snapshot.positions
    nearest = dict.fromkeys(event_id for one in found for event_id, _ in one or ())
    more = store.get([event_id for event_id in nearest if event_id not in known])
    events = _by_time([*survey.snapshot.events, *more])
    ids = tuple(event.event_id for event in events)
    snapshot = snapshot_of(events, *store.vectors(replace(request.where, event_ids=ids)))
    keywords = [
        replace(match, scores=_scores(events, dict(zip(known, match.scores, strict=True))))
        for match in survey.keywords
    ]
    admitted = _in_force(request, snapshot)
    return replace(survey, snapshot=snapshot, keywords=keywords, admitted=admitted)


def _in_force(
    request: RecallRequest, snapshot: Snapshot, admitted: Mask | None = None
) -> Mask | None:
    """Return a mask of the admitted events that are in force, unless the request asks for others;
    None if all are admitted."""
    if request.where.holds is not None:
        return admitted
    return snapshot.in_force(admitted, past=request.about_past)


def _by_time(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=lambda event: event.timestamp)


def _scores(events: Sequence[Event], known: Mapping[str, float]) -> Scores:
    """Return the scores of events by their ids; 0 for an event without one."""
    return np.array([known.get(event.event_id, 0.0) for event in events], dtype=np.float32)
