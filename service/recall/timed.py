"""Recall within a time limit: what is ready when it ends is what the bot gets.

Fallback levels: *hybrid* (vectors and keywords) → *keyword* → *profiles* (profiles alone) → *empty*. Each recall is counted
under the level at which it was answered. What comes too late is not thrown away: embeddings and scope tables that were on
their way are finished and kept, so that the next recall finds them.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from statistics import quantiles
from typing import Any, Literal, TypeVar

from ...retrieval.event_recall import Candidates, EventRecall, Survey
from ...retrieval.everywhere import search_everywhere
from ...retrieval.filters import bounded_top_k, event_filter
from ...retrieval.named_dates import named_times
from ...retrieval.pending import PendingHits
from ...retrieval.profiles import find_profiles, readable_profile, readable_profiles
from ...retrieval.request import RecallRequest, make_request
from ...schema.errors import HistorianError, ModelError, StorageError
from ...schema.event import EventFilter
from ...schema.hit import Hit, ProfileHit
from ...schema.profile import Profile
from ...schema.protocols import Vector, VectorIndex
from ...schema.scope import EntityType, Scope
from ...schema.settings import QuerySettings, Settings
from ...schema.summary import ArticleKey, StoredArticle
from ..components import Parts
from ..timezones import configured_timezone
from .arguments import is_conversation, question, texts
from .fallback_levels import LOCAL_SECONDS

log = logging.getLogger(__name__)

FallbackLevel = Literal["hybrid", "keyword", "profiles", "empty"]
Result = TypeVar("Result")

REMOTE_SECONDS = 0.8
"""What `recall_timeout_seconds = "auto"` means with an endpoint to ask; LOCAL_SECONDS with models in this process or none."""
FINISHING_SECONDS = 0.025
FINISHING_SHARE = 0.2
"""Kept back for fusing and reading the texts: the smaller of the two."""
THREADS = 4
"""Recalls that may hang in a locked database at one time; further ones wait for a thread, within their own limit."""
LATENCIES_KEPT = 1_000
SCOPES_WARMED = 8


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a recall brought in time, and why it brought no more (`reasons`, empty on the highest possible level)."""

    level: FallbackLevel
    profiles: Sequence[Profile] = ()
    hits: Sequence[Hit] = ()
    article: StoredArticle | None = None
    reasons: tuple[str, ...] = ()


@dataclass
class RecallStatistics:
    """Counts since the start; the times of the last 1,000 recalls in seconds."""

    levels: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES_KEPT))
    seconds_sum: float = 0.0

    def took(self, seconds: float) -> None:
        """Note how long a recall took."""
        self.seconds.append(seconds)
        self.seconds_sum += seconds

    def as_dict(self) -> dict[str, Any]:
        cuts = quantiles(self.seconds, n=100) if len(self.seconds) > 1 else [*self.seconds] * 99
        return {
            "levels": dict(self.levels),
            "reasons": dict(self.reasons),
            "seconds_sum": round(self.seconds_sum, 4),
            "seconds": {name: round(cuts[n], 4) for name, n in (("p50", 49), ("p95", 94), ("p99", 98)) if cuts},
        }


class Recall:
    """The read path over open parts. `context` never raises and keeps the time limit; the others raise StorageError."""

    def __init__(
        self,
        parts: Parts,
        settings: Callable[[], Settings],
        *,
        event_index: Callable[[], VectorIndex | None] = lambda: None,
    ) -> None:
        """`event_index()` gives Chroma's index while this process owns it."""
        self._parts = parts
        self._settings = settings
        self._event_index = event_index
        self.events = EventRecall(
            parts.events, parts.embedder, parts.reranker, settings=lambda: settings().query, clock=parts.clock
        )
        self.statistics = RecallStatistics()
        self._pending = PendingHits(parts.queue, parts.events, lambda: settings().cognitive.bot_name)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="historian-recall")
        self._tasks: set[asyncio.Task[Any]] = set()

    async def context(
        self, query: str | Sequence[str], scope: Scope, *, top_k: int | None = None, context: Sequence[str] = ()
    ) -> Recalled:
        """What is worth remembering for a reply, within `recall_timeout_seconds`. Never raises."""
        started = time.perf_counter()
        if not is_conversation(scope):
            return Recalled("empty", reasons=("scope: none was given",))
        try:
            recalled = await self._climb(query, scope, top_k, context)
        except Exception as error:
            # The reply must go out whatever this is.
            log.exception("recall for %s gives nothing", scope.key)
            recalled = Recalled("empty", reasons=(type(error).__name__,))
        self.statistics.took(time.perf_counter() - started)
        self.statistics.levels[recalled.level] += 1
        self.statistics.reasons.update(reason.partition(":")[0] for reason in recalled.reasons)
        if recalled.reasons:
            log.warning("recall for %s answered with %s: %s", scope.key, recalled.level, "; ".join(recalled.reasons))
        else:
            log.debug("recall for %s answered with %s", scope.key, recalled.level)
        return recalled

    async def search(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        **conditions: Any,
    ) -> list[Hit]:
        """Events of a scope that fit, best first; `conditions` are those of `retrieval.filters.event_filter`.

        What waits to be filed comes first where it shares words with the query, else last where there is room. Raises
        InvalidInput and StorageError.
        """
        settings = self._settings().query
        wanted = bounded_top_k(top_k, settings.tool_default_top_k)
        where = event_filter(scope, **{"timezone": self._timezone(), **conditions})
        request = self._request(query, scope, where, wanted, settings.time_decay_half_life_days_tools, context)
        # Before the search: what is filed in between is found twice rather than never.
        waiting = await asyncio.to_thread(self._waiting, request, scope, settings)
        hits = await self.events.search(request)
        known = {hit.event.event_id for hit in hits}
        waiting = [hit for hit in waiting if hit.event.event_id not in known]
        return [*(hit for hit in waiting if hit.score > 0), *hits, *(hit for hit in waiting if hit.score <= 0)][:wanted]

    async def search_everywhere(self, query: str, *, top_k: int | None = None, **conditions: Any) -> list[Hit]:
        """Events of every conversation, for the operator alone."""
        settings = self._settings().query
        return await search_everywhere(
            query,
            event_filter(None, **{"timezone": self._timezone(), **conditions}),
            events=self._parts.events,
            embedder=self._parts.embedder,
            index=self._event_index(),
            settings=settings,
            top_k=bounded_top_k(top_k, settings.tool_default_top_k),
        )

    async def profile(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None:
        """The layers of a profile that `scope` may read, as one."""
        rule = self._settings().cognitive.profile.profile_layers
        return await asyncio.to_thread(readable_profile, self._parts.profiles, scope, entity_type, entity_id, rule)

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]:
        """Profiles that `scope` may read and that fit, best first."""
        settings = self._settings()
        return await find_profiles(
            query,
            scope,
            profiles=self._parts.profiles,
            index=self._parts.profile_index,
            embed=None if self.events.vectors is None else self.events.vectors.get,
            settings=settings.query,
            rule=settings.cognitive.profile.profile_layers,
            top_k=bounded_top_k(top_k, settings.query.profile_top_k),
        )

    def prefetch(self, query: str | Sequence[str], scope: Scope, *, context: Sequence[str] = ()) -> asyncio.Task[None]:
        """Begin what a recall of `query` in `scope` will need, in the background. Needs a running event loop; never raises."""
        return self._spawn(self._prefetch(query, scope, context))

    async def warm(self) -> None:
        """Load what the first recall would wait for: the embedder, the scopes spoken in last, the rules for dates."""
        if self.events.vectors is not None:
            try:
                await self.events.vectors.get("warm-up")
            except ModelError as error:
                log.warning("the embedder is not ready: %s", error)
        if self.events.reranker is not None:
            await asyncio.to_thread(importlib.import_module, "httpx")
        try:
            await asyncio.to_thread(self._warm_stores)
        except StorageError as error:
            log.warning("recall starts cold: %s", error)

    async def aclose(self) -> None:
        """Stop what runs in the background of this event loop."""
        loop = asyncio.get_running_loop()
        own = [task for task in self._tasks if task.get_loop() is loop]
        for task in own:
            task.cancel()
        try:
            await asyncio.gather(*own, return_exceptions=True)
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)
            await self.events.aclose()

    def clear(self) -> None:
        """Let go of what is held in memory: scopes, and the vectors of queries."""
        self.events.tables.clear()
        if self.events.vectors is not None:
            self.events.vectors.clear()

    def as_dict(self) -> dict[str, Any]:
        """Statistics and the state of the caches, as JSON data."""
        tables, vectors = self.events.tables, self.events.vectors
        return {
            **self.statistics.as_dict(),
            "scopes_in_memory": len(tables),
            "scope_bytes": tables.nbytes,
            "scope_fills": tables.fills,
            "query_embeddings": 0 if vectors is None else vectors.asked,
            "query_embeddings_from_cache": 0 if vectors is None else vectors.answered_from_cache,
        }

    async def _climb(self, query: str | Sequence[str], scope: Scope, top_k: int | None, context: Sequence[str]) -> Recalled:
        loop = asyncio.get_running_loop()
        seconds = self.time_limit()
        end = loop.time() + seconds
        finish = end - min(FINISHING_SECONDS, FINISHING_SHARE * seconds)
        settings = self._settings().query
        request = self._request(
            query,
            scope,
            event_filter(scope),
            bounded_top_k(top_k, settings.auto_top_k),
            settings.time_decay_half_life_days_auto,
            context,
        )
        # What was stored as it came is for the tools; here it only fills what finished memory leaves free.
        request = replace(request, observations_last=True)
        rule = self._settings().cognitive.profile.profile_layers
        embedding = self._spawn(self.events.embed(request))
        looking = self._spawn(self._run(self._look, request, scope, settings))
        reading_profiles = self._spawn(self._run(readable_profiles, self._parts.profiles, scope, rule))
        reading = self._spawn(self._run(self._article, scope)) if self._wants_article(scope) else None
        await asyncio.wait((embedding, looking), timeout=finish - loop.time())

        reasons: list[str] = []
        waiting, survey = _result(looking, "search", reasons) or ([], None)
        hits: list[Hit] = []
        level: FallbackLevel = "profiles"
        if survey is not None:
            vectors = _result(embedding, "embedder", reasons)
            try:
                hits, level = await self._finish(request, survey, vectors or [], finish, end, reasons)
            except TimeoutError:
                reasons.append("finishing: out of time")
            except StorageError as error:
                reasons.append(f"search: {error}")
        wanted = [reading_profiles, reading] if reading is not None else [reading_profiles]
        if loop.time() < end and not all(task.done() for task in wanted):
            await asyncio.wait(wanted, timeout=end - loop.time())
        profiles = _result(reading_profiles, "profiles", reasons)
        article = _result(reading, "article", reasons) if reading is not None else None
        if profiles is None and level == "profiles":
            level = "empty"
        known = {hit.event.event_id for hit in hits}
        found = [*hits, *(hit for hit in waiting if hit.event.event_id not in known)]
        return Recalled(level, profiles or [], found, article, tuple(reasons))

    def _wants_article(self, scope: Scope) -> bool:
        return scope.request_type == "private" and self._settings().query.include_chapters

    def _article(self, scope: Scope) -> StoredArticle | None:
        return self._parts.layers.articles.read(ArticleKey.of(scope.user_id, scope))

    async def _finish(
        self, request: RecallRequest, survey: Survey, vectors: list[Vector], finish: float, end: float, reasons: list[str]
    ) -> tuple[list[Hit], FallbackLevel]:
        async with asyncio.timeout_at(end):
            candidates: Candidates = await self._run(self.events.fuse, request, survey, vectors)
            hits = await self._run(self.events.select, request, candidates)
        if vectors and survey.snapshot.dimension and not candidates.has_vectors:
            reasons.append("dimension: the query's vector does not fit the stored ones; run `historian reembed`")
        # The hits stand before a reranker is asked, so that its time may be the last thing that runs out.
        if self.events.reranker is not None:
            try:
                async with asyncio.timeout_at(finish):
                    reranked = await self.events.rerank(request, candidates, self._run)
                async with asyncio.timeout_at(end):
                    hits = await self._run(self.events.select, request, reranked)
            except (TimeoutError, ModelError, StorageError) as error:
                reasons.append(f"reranker: {str(error) or 'out of time'}")
        with_vectors = candidates.has_vectors or bool(vectors and not survey.snapshot.dimension)
        return hits, "hybrid" if with_vectors else "keyword"

    def _look(self, request: RecallRequest, scope: Scope, settings: QuerySettings) -> tuple[list[Hit], Survey]:
        """What waits, before what is filed: what moves from one to the other in between is found twice, not never."""
        try:
            waiting = self._waiting(request, scope, settings)
        except StorageError as error:
            log.warning("what is not filed yet is left out: %s", error)
            waiting = []
        return waiting, self.events.survey(request)

    def _waiting(self, request: RecallRequest, scope: Scope, settings: QuerySettings) -> list[Hit]:
        return self._pending.find(request.queries, scope, request.where, settings.pending_limit)

    def _request(
        self,
        query: str | Sequence[str],
        scope: Scope,
        where: EventFilter,
        top_k: int,
        half_life_days: float,
        context: Sequence[str],
    ) -> RecallRequest:
        return make_request(
            query,
            where,
            top_k=top_k,
            half_life_days=half_life_days,
            now=self._parts.clock(),
            timezone=self._timezone(),
            context=context,
            speaker_id=scope.user_id,
        )

    async def _prefetch(self, query: str | Sequence[str], scope: Scope, context: Sequence[str]) -> None:
        settings = self._settings()
        if not is_conversation(scope):
            return
        query, context = question(query), texts(context)
        try:
            request = self._request(query, scope, event_filter(scope), 1, 1.0, context)
            await asyncio.gather(
                self.events.embed(request),
                self._run(self.events.survey, request),
                self._run(readable_profiles, self._parts.profiles, scope, settings.cognitive.profile.profile_layers),
            )
        except HistorianError as error:
            log.debug("prefetch for %s: %s", scope.key, error)

    def _warm_stores(self) -> None:
        named_times("yesterday 昨天 20 May 2023", datetime.fromtimestamp(self._parts.clock(), UTC))
        newest = self._parts.events.find(EventFilter(None), limit=50)
        for scope in list(dict.fromkeys(event.scope for event in newest))[:SCOPES_WARMED]:
            self.events.tables.snapshot(scope.key).words.match("warm 预热")

    def time_limit(self) -> float:
        """`recall_timeout_seconds`, with "auto" made a number."""
        configured = self._settings().query.recall_timeout_seconds
        if configured != "auto":
            return configured
        is_remote = self._parts.embedder is not None and self._parts.embedder.is_remote
        return REMOTE_SECONDS if is_remote or self._parts.reranker is not None else LOCAL_SECONDS

    def _timezone(self) -> str:
        configured = self._settings().cognitive.timezone
        return configured_timezone(configured)

    async def _run(self, function: Callable[..., Result], /, *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)

    def _spawn(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """A task that is finished whoever waits for it, and whose failure counts as seen."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._settled)
        return task

    def _settled(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("%s: %s", task.get_name(), error)


def _result(task: asyncio.Task[Result], what: str, reasons: list[str]) -> Result | None:
    """What a task gave, or None and a reason: out of time, or its error."""
    if not task.done():
        reasons.append(f"{what}: out of time")
        return None
    if task.cancelled():
        reasons.append(f"{what}: cancelled")
        return None
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, HistorianError):
        log.error("%s failed unexpectedly", what, exc_info=error)
    reasons.append(f"{what}: {error}")
    return None
