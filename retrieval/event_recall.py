"""The steps of a recall over the events of one scope.

    survey (content of the scope, and keywords) ∥ embed → fuse → [rerank] → select (decay, diversity, top_k)

Each step takes the result of the step before it; `driver` runs them. Blocking steps are ordinary
methods: run them in a thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import numpy as np

from ..schema.errors import StorageError
from ..schema.hit import Hit
from ..schema.protocols import Embedder, Reranker, Vector
from ..schema.settings import QuerySettings
from ..stores.tables.events.store import EventStore
from .choosing import DIVERSITY_POOL, Candidates, best_of, reordered, select
from .fusion import fused_scores, with_estimates
from .lifts import (
    lend_to_neighbours,
    newest_first,
    of_named_people,
    of_questions,
    readings,
    time_fit,
)
from .loop_tasks import LoopTasks
from .pending import PendingHits
from .query_vectors import QueryVectors
from .request import RecallRequest, is_talk
from .scope_index.tables import ScopeTables
from .scope_index.words import Scores
from .seen_warnings import SeenWarnings
from .silence import tells_something
from .survey import SMALL_SCOPE, Survey, excerpt, survey_of, with_nearest

log = logging.getLogger(__name__)

CENTRED_TALK = 1 / 3
"""The share of the mean of the scope that is subtracted if the query is a piece of a conversation.
Measured without neighbours on MADial-Bench's dialogues: R@10 67.8 -> 71.6 in English, 67.5 -> 67.6
in Chinese."""
NEAREST = 64
"""The number of events nearest to a query that are compared with the query without names."""
LEAST_SCORE = np.float32(0.001)
MEGABYTE = 1024 * 1024

Run = TypeVar("Run")


class RunInThread(Protocol):
    """Calls a blocking function in a thread."""

    def __call__(
        self, function: Callable[..., Run], /, *arguments: Any
    ) -> Coroutine[Any, Any, Run]: ...


class EventRecall:
    """The steps over one store. `settings()` and `clock()` are called at every recall, because
    settings may change.
    """

    def __init__(
        self,
        events: EventStore,
        embedder: Embedder | None,
        reranker: Reranker | None,
        *,
        settings: Callable[[], QuerySettings],
        clock: Callable[[], float],
        pending: PendingHits | None = None,
        is_away: Callable[[], bool] | None = None,
    ) -> None:
        """`is_away()` returns True while the store is known to be unavailable. It is None for a
        store in this process.
        """
        self._is_away = is_away
        self.events = events
        self.reranker = reranker
        self.tasks = LoopTasks()
        self.spare = ThreadPoolExecutor(1, thread_name_prefix="historian-held")
        """A thread that is used while all other threads may be waiting for the store."""
        self._marks = ThreadPoolExecutor(1, thread_name_prefix="historian-fingerprint")
        self.seen_warnings = SeenWarnings()
        self._pending = pending
        self._settings = settings
        self.tables = ScopeTables(events, lambda: settings().scope_cache_megabytes * MEGABYTE)
        self.vectors = (
            None
            if embedder is None
            else QueryVectors(
                embedder,
                fingerprint=lambda: asyncio.get_running_loop().run_in_executor(
                    self._marks, events.fingerprint
                ),
                size=lambda: settings().query_cache_size,
                seconds=lambda: settings().query_cache_seconds,
                clock=clock,
            )
        )

    def survey(self, request: RecallRequest, patience: float | None = None) -> Survey:
        """Return the table of the scope, the keyword scores of every query, and the jobs that are
        not filed yet. Blocking; raises StorageError.

        Waits for a scope that is not in memory, with `patience` for at most that many seconds.
        After that the keyword index of the store is searched instead.
        """
        scope_key = request.where.scope_key
        assert scope_key is not None, "a search without scope goes through retrieval.other_scopes"
        # Waiting jobs are read before the events: a job that is filed in between is found twice
        # rather than never.
        waiting = self._waiting(request)
        snapshot = (
            self.tables.snapshot(scope_key)
            if patience is None
            else self.tables.ready(scope_key, patience)
        )
        _ = (
            request.named
        )  # parsed here, while the query is embedded, and cached for the steps that follow
        if snapshot is None:
            return excerpt(self.events, request, waiting)
        return survey_of(request, snapshot, waiting)

    def held(self, request: RecallRequest) -> Survey | None:
        """Survey a scope from the last snapshot in memory while the store is known to be
        unavailable; return None if there is none. Does not block.
        """
        snapshot = (
            self.tables.held(request.where.scope_key or "")
            if self._knows_that_store_is_away()
            else None
        )
        return None if snapshot is None else survey_of(request, snapshot, is_held=True)

    async def embed(self, request: RecallRequest, until: float | None = None) -> list[Vector]:
        """Return one vector per query; none without an embedder, or while the store is unavailable.
        Raises ModelError and StorageError.

        `until` is a time of the running loop. Raises ModelUnavailable at once if the embedder is
        too busy to answer before it.
        """
        if self.vectors is None or not request.queries or self._knows_that_store_is_away():
            return []  # each vector needs the name of the embedding model, which is read from the store
        names = list(self.tables.names(request.where.scope_key or "").written)
        return list(
            await asyncio.gather(
                *(self.vectors.mean(readings(query, names), until) for query in request.queries)
            )
        )

    def fuse(self, request: RecallRequest, survey: Survey, vectors: Sequence[Vector]) -> Candidates:
        """Score all events of the scope and return the best of them. Without vectors, only keywords
        are used.

        Blocking if the survey is an excerpt, because the store is then searched by vectors.
        """
        if survey.is_excerpt and vectors:
            survey = with_nearest(self.events, request, survey, vectors)
        snapshot, settings = survey.snapshot, self._settings()
        usable = [vector for vector in vectors if len(vector) == snapshot.dimension]
        steps: dict[str, Scores] = {}
        total = np.zeros(len(snapshot), dtype=np.float32)
        near: list[float | None] = []
        for number, query in enumerate(request.queries):
            keyword = survey.keywords[number]
            _raise(steps, "keyword", keyword.scores)
            dense = None
            near.append(None)
            if len(usable) == len(request.queries):
                # The mean of an excerpt is not the mean of the scope.
                centred = (
                    settings.vector_centering
                    * (CENTRED_TALK if is_talk(query) else 1.0)
                    * (not survey.is_excerpt)
                )
                dense = snapshot.similarities(usable[number], centred=centred)
                _raise(
                    steps,
                    "dense",
                    dense
                    if snapshot.is_all_embedded
                    else np.where(snapshot.embedded, dense, np.float32(0.0)),
                )
                near[number] = self._nearest(request, survey, query, dense)
                if not snapshot.is_all_embedded:
                    dense = with_estimates(
                        dense, snapshot.embedded, keyword.scores, survey.admitted
                    )
            fused = fused_scores(keyword, dense, settings)
            _raise(steps, "fused", fused)
            if not is_talk(query):
                fused = lend_to_neighbours(
                    fused,
                    snapshot,
                    weight=settings.neighbour_weight,
                    minutes=settings.neighbour_minutes,
                )
            _raise(steps, "neighbours", fused)
            people = (
                of_named_people(query, snapshot, request.speaker_id)
                if settings.name_weight
                else None
            )
            if people is not None:
                lift = fused * people * np.float32(settings.name_weight)
                _raise(steps, "name", lift)
                fused = fused + lift
            np.maximum(total, fused, out=total)
        if request.named and settings.date_weight:
            dates = time_fit(snapshot, request.named) * np.float32(settings.date_weight)
            steps["date"] = dates
            total = total + dates
        is_all_compared = "dense" in steps and snapshot.is_all_embedded
        if not is_all_compared and (
            len(snapshot) <= SMALL_SCOPE or survey.is_excerpt or survey.is_held
        ):
            total = total + newest_first(snapshot) * LEAST_SCORE
        asked = of_questions(snapshot)
        if asked is not None:
            steps["question"] = total * (asked - np.float32(1.0))
            total = total * asked
        if snapshot.without_content is not None:
            total = np.where(snapshot.without_content, np.float32(0.0), total)
        positions = best_of(
            snapshot,
            survey.admitted,
            total,
            self._wanted(request),
            observations_last=request.observations_last,
        )
        scores = total[positions].astype(np.float64)
        is_silent = False
        if request.is_automatic and not survey.is_excerpt:
            is_silent = not tells_something(
                request, survey.keywords, near, is_partial=not snapshot.is_all_embedded
            )
        return Candidates(
            snapshot, positions, scores, steps, has_vectors="dense" in steps, is_silent=is_silent
        )

    def _nearest(
        self, request: RecallRequest, survey: Survey, query: str, dense: Scores
    ) -> float | None:
        """Return the similarity of the nearest vector to a query without its names, or None if that
        number cannot be compared between scopes.

        Similarities are comparable between scopes only if they are centred and the general means of
        the model are known. If less than half of a scope is embedded, the nearest vector may still
        be missing: then None is returned too.
        """
        snapshot = survey.snapshot
        is_known = (
            snapshot.has_general_means
            and self._settings().vector_centering
            and not survey.is_excerpt
        )
        if not request.is_automatic or not is_known or 2 * snapshot.count < len(snapshot):
            return None
        judged = (
            snapshot.embedded if survey.admitted is None else snapshot.embedded & survey.admitted
        )
        near = np.where(judged, dense, np.float32(-1.0))
        bare = readings(query, list(snapshot.borne.written))[-1][0]
        vector = self.vectors.kept(bare) if self.vectors is not None and bare != query else None
        if vector is None or len(vector) != snapshot.dimension:
            return float(near.max(initial=-1.0))
        best = np.argpartition(-near, min(NEAREST, len(near) - 1))[:NEAREST]
        return snapshot.nearest(vector, best[judged[best]])

    async def rerank(
        self,
        request: RecallRequest,
        candidates: Candidates,
        until: float | None = None,
    ) -> Candidates:
        """Return the candidates in the order of the reranker. Raises ModelError.

        The caller stops waiting at `until`, a time of the running loop. Candidates that the
        reranker leaves out come behind the reranked ones, in their previous order.
        """
        if self.reranker is None or not len(candidates.positions) or not request.queries:
            return candidates
        shown = request.at_least or request.top_k
        shortlist = candidates.positions[
            : shown * self._settings().rerank_candidate_multiplier
        ].tolist()
        documents = [candidates.snapshot.events[position].said for position in shortlist]
        ranked = await self.reranker.rerank(request.text, documents, len(documents), until)
        return reordered(candidates, {shortlist[index]: score for index, score in ranked})

    def select(self, request: RecallRequest, candidates: Candidates) -> list[Hit]:
        """Apply recency, diversity and top_k."""
        return select(request, candidates, self._settings())

    async def aclose(self) -> None:
        """Cancel the background tasks of this event loop and shut the threads down."""
        await self.tasks.aclose()
        for pool in (self.spare, self._marks):
            pool.shutdown(wait=False, cancel_futures=True)
        if self.vectors is not None:
            await self.vectors.aclose()

    def _knows_that_store_is_away(self) -> bool:
        return self._is_away is not None and self._is_away()

    def _waiting(self, request: RecallRequest) -> list[Hit]:
        try:
            return (
                []
                if self._pending is None
                else self._pending.find(request, self._settings().pending_limit)
            )
        except StorageError as error:
            log.warning("texts that are not filed yet are left out: %s", error)
            return []

    def _wanted(self, request: RecallRequest) -> int:
        """Return the number of candidates that the later steps choose from."""
        multiplier = (
            self._settings().rerank_candidate_multiplier if self.reranker is not None else 1
        )
        return max(request.top_k * max(multiplier, DIVERSITY_POOL) * 2, 50)


def _raise(steps: dict[str, Scores], name: str, scores: Scores) -> None:
    """Store the scores of a step. With several queries, store the highest score of each event."""
    steps[name] = np.maximum(steps[name], scores) if name in steps else scores
