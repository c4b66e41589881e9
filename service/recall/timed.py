"""Recall within a time limit: the bot gets the results that are ready at the limit.

Fallback levels: *hybrid* (vectors and keywords) → *keyword* → *profiles* (profiles alone) →
*empty*. Each recall is counted under the level at which it was answered. Embeddings and scope
tables that are late are still finished and cached for the next recall.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from ...retrieval.driver import Deadline, find, result, search, warn
from ...retrieval.event_recall import EventRecall
from ...retrieval.filters import bounded_top_k, conditioned
from ...retrieval.other_scopes import beside, own_words, search_everywhere
from ...retrieval.pending import PendingHits
from ...retrieval.request import RecallRequest, bounded_query, scope_request
from ...schema.errors import HistorianError
from ...schema.hit import Hit, ProfileHit
from ...schema.language import Language
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope, reads_own_words_of
from ...schema.settings import Settings
from ...schema.summary import Article, ArticleKey
from ...text.articles import dated_summaries
from ...text.speakers.shown_names import ShownNames
from ..components import Parts
from ..timezones import configured_timezone
from .arguments import is_conversation, texts
from .fallback_levels import LOCAL_SECONDS
from .late_embedder import LATE, help_for
from .profiles import ProfileRecall
from .recalled import FallbackLevel, Recalled, RecallStatistics

log = logging.getLogger(__name__)

Result = TypeVar("Result")

REMOTE_SECONDS = 0.8
"""The seconds of `recall_timeout_seconds = "auto"` with a remote embedder or with a reranker;
otherwise LOCAL_SECONDS."""
FINISHING_SECONDS = 0.025
FINISHING_SHARE = 0.2
"""Time reserved for fusing the hits and reading their texts: these seconds, but at most this share
of the time limit."""
EACH_SECONDS = 0.004
"""Seconds reserved in addition for each other running recall, because all share one interpreter."""
CROWD_SHARE = 0.2
"""Share of the time limit that is reserved for formatting the blocks if many recalls are
running."""
THREADS = 4
"""Number of recalls that a locked database can block; further recalls wait for a thread within
their time limit."""


class Recall:
    """The read path over open parts. `context` never raises and respects the time limit; the other
    methods may raise StorageError."""

    def __init__(self, parts: Parts, settings: Callable[[], Settings]) -> None:
        self.parts = parts
        self.settings = settings
        self.events = EventRecall(
            parts.events,
            parts.embedder,
            parts.reranker,
            settings=lambda: settings().query,
            clock=parts.clock,
            pending=PendingHits(parts.queue, parts.events, lambda: settings().cognitive.bot_name),
            is_away=(lambda: parts.backend.is_away) if parts.backend.workers.many else None,
        )
        self._profiles = ProfileRecall(parts, settings, self.events)
        self.statistics = RecallStatistics()
        self._is_remote = parts.embedder is not None and parts.embedder.is_remote
        self._under_way: set[object] = set()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="historian-recall")
        # With many running recalls one thread does more than four that compete for the interpreter.
        self._crowd = ThreadPoolExecutor(1, thread_name_prefix="historian-recalls")
        self._blocks = ThreadPoolExecutor(1, thread_name_prefix="historian-blocks")

    async def context(self, request: RecallRequest) -> Recalled:
        """Return the profiles, hits and article for a reply, within `recall_timeout_seconds`. Never
        raises."""
        started, mark = time.perf_counter(), object()
        self._under_way.add(mark)
        try:
            recalled = await self._recalled(request)
        except Exception as error:
            # The reply must go out whatever fails.
            log.exception("recall for %s failed; it returns nothing", request.where.scope_key)
            recalled = Recalled("empty", reasons=(type(error).__name__,))
        finally:
            self._under_way.discard(mark)
        self.statistics.note(recalled, time.perf_counter() - started)
        if recalled.reasons:
            told = (
                "recall for %s fell back to the level %s: %s%s (logged once for each kind of "
                "reason; `stats` counts them)"
            )
            level = self.events.seen_warnings.level(recalled.reasons)
            is_late = not LATE.isdisjoint(recalled.reasons)
            remedy = (
                f". If that is often so, {help_for(is_remote=self._is_remote)}" if is_late else ""
            )
            log.log(
                level,
                told,
                request.where.scope_key,
                recalled.level,
                "; ".join(recalled.reasons),
                remedy,
            )
        else:
            log.debug("recall for %s answered with %s", request.where.scope_key, recalled.level)
        return recalled

    async def search(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        neighbours: int = 0,
        **conditions: Any,
    ) -> list[Hit]:
        """Search as `Reading.search_events` does."""
        request = self.request(
            query, scope, top_k=top_k, context=context, conditions=conditions, neighbours=neighbours
        )
        user_id = self._own_words_of(scope)
        if not user_id:
            return await search(self.events, request)
        own, groups = await asyncio.gather(
            search(self.events, request),
            own_words(self.events, request, user_id, self.settings().query, asyncio.to_thread),
        )
        return beside(own, groups, request.top_k - len(groups))[: request.top_k]

    async def search_until(self, query: str, scope: Scope, deadline: Deadline) -> list[Hit]:
        """Return the hits that are found by the deadline. Errors of the search are logged, not
        raised.

        Unlike `search`, this does not add the user's own words from groups.
        """
        request = self.request(query, scope)
        found = await find(self.events, request, deadline, self._run)
        warn(self.events, request, found.reasons)
        return found.in_order[: request.top_k]

    async def search_everywhere(
        self, query: str, *, top_k: int | None = None, **conditions: Any
    ) -> list[Hit]:
        """Search the events of all scopes, for the operator."""
        settings = self.settings().query
        return await search_everywhere(
            bounded_query(query),
            conditioned(None, conditions, self._timezone(), self.parts.clock()),
            events=self.parts.events,
            embedder=self.parts.embedder,
            settings=settings,
            top_k=bounded_top_k(top_k, settings.tool_default_top_k),
        )

    async def profile(
        self, entity_type: EntityType, entity_id: str, scope: Scope
    ) -> Profile | None:
        """Return a profile as `Reading.get_profile` does."""
        return await asyncio.to_thread(self._profiles.read, entity_type, entity_id, scope)

    async def search_profiles(
        self, query: str, scope: Scope, *, top_k: int | None = None
    ) -> list[ProfileHit]:
        """Search as `Reading.search_profiles` does."""
        return await self._profiles.search(bounded_query(query), scope, top_k)

    def shown_names(
        self, scope: Scope | None, told: str | Sequence[str] = (), language: Language = "zh"
    ) -> ShownNames:
        """Return the names by which people are shown in an answer to `told` in `scope`.

        In conversations that are loaded in memory, people have their current names. In others they
        have the names of that time, because reading the current names would be a full scan.
        """
        bot_name = self.settings().cognitive.bot_name
        key = "" if scope is None else scope.key
        return ShownNames(
            self.events.tables.names, texts(told), language, scope_key=key, bot_name=bot_name
        )

    def prefetch(
        self, query: str | Sequence[str], scope: Scope, *, context: Sequence[str] = ()
    ) -> asyncio.Task[None]:
        """Load in the background the data that a recall of `query` in `scope` will need. Requires a
        running event loop; never raises."""
        return self.events.tasks.spawn(self._prefetch(query, scope, context), "prefetch")

    async def aclose(self) -> None:
        """Shut down the threads, and cancel the background tasks of the running event loop."""
        for pool in (self._pool, self._crowd, self._blocks):
            pool.shutdown(wait=False, cancel_futures=True)
        self.events.tables.close()
        await self.events.aclose()

    async def written(self, block: Callable[[], str]) -> str:
        """Return the result of `block`, called in a thread reserved for formatting, because the
        event loop's own threads may be busy."""
        return await self._run_in(self._blocks, block)

    def clear(self) -> None:
        """Empty the caches of scopes and of query vectors."""
        self.events.tables.clear()
        if self.events.vectors is not None:
            self.events.vectors.clear()

    def as_dict(self) -> dict[str, Any]:
        """Return statistics and the state of the caches as JSON data."""
        tables, vectors = self.events.tables, self.events.vectors
        return {
            **self.statistics.as_dict(),
            "scopes_in_memory": len(tables),
            "scope_bytes": tables.nbytes,
            "scope_fills": tables.fills,
            "embedder_late": self.statistics.embedder_late,
            "query_embeddings": 0 if vectors is None else vectors.asked,
            "query_embeddings_from_cache": 0 if vectors is None else vectors.answered_from_cache,
        }

    def time_limit(self) -> float:
        """Return `recall_timeout_seconds`, with "auto" as a number."""
        configured = self.settings().query.recall_timeout_seconds
        if configured != "auto":
            return configured
        return (
            REMOTE_SECONDS if self._is_remote or self.parts.reranker is not None else LOCAL_SECONDS
        )

    async def _recalled(self, request: RecallRequest) -> Recalled:
        scope = request.scope
        assert scope is not None, "a reply is given in a conversation"
        loop, seconds = asyncio.get_running_loop(), self.time_limit()
        end = loop.time() + seconds
        await asyncio.sleep(0)  # so that recalls of the same moment are counted in `_under_way`
        reserved = (
            min(FINISHING_SECONDS, FINISHING_SHARE * seconds)
            + (len(self._under_way) - 1) * EACH_SECONDS
        )
        # If the other recalls need more than half of the time, no model is called: its answer would
        # be late, and would delay the others as well.
        is_crowded = reserved > seconds / 2
        deadline = (
            Deadline(end - seconds, end - CROWD_SHARE * seconds)
            if is_crowded
            else Deadline(end - reserved, end)
        )
        run = partial(self._run_in, self._crowd if is_crowded else self._pool)
        spawn, with_article = (
            self.events.tasks.spawn,
            scope.request_type == "private" and self.settings().query.include_chapters,
        )
        profiles = spawn(self._run(self._profiles.of_conversation, scope), "profiles")
        article = spawn(self._run(self._article, scope), "article") if with_article else None
        groups: asyncio.Task[list[Hit]] | None = None
        if user_id := self._own_words_of(scope):
            told = own_words(
                self.events, request, user_id, self.settings().query, run, deadline.models
            )
            groups = spawn(told, "own words in groups")
        found = await find(self.events, request, deadline, run)
        of_named: asyncio.Task[list[Profile]] | None = None
        if scope.request_type == "group":
            of_named = spawn(
                self._run(self._profiles.named_in, request.said, scope), "profiles of named people"
            )
        waited = [task for task in (profiles, of_named, article, groups) if task is not None]
        await asyncio.wait(waited, timeout=end - loop.time())
        read = result(profiles, "profiles", found.reasons)
        named = [] if of_named is None else result(of_named, "profiles of named people", []) or []
        from_groups = (
            []
            if groups is None or found.is_silent
            else result(groups, "groups", found.reasons) or []
        )
        written = None if article is None else result(article, "article", found.reasons)
        level: FallbackLevel = "empty" if read is None else "profiles"
        if found.with_vectors is not None:
            level = "hybrid" if found.with_vectors else "keyword"
        least = request.at_least or request.top_k
        hits = found.hits[: request.at_most]
        return Recalled(
            level,
            [*named, *(read or ())],
            [*beside(hits, from_groups, least), *found.waiting],
            written,
            found.reasons,
        )

    def _article(self, scope: Scope) -> Article | None:
        """Return the article of a private chat, or its dated summaries if there is none.
        Blocking."""
        key, stores = ArticleKey.of(scope.user_id, scope), self.parts.article_stores
        return stores.articles.read(key) or dated_summaries(key, stores.summaries.read(key))

    def request(self, query: str | Sequence[str], scope: Scope, **how: Any) -> RecallRequest:
        """Return the request for a search in `scope` under the current settings. See
        `scope_request`."""
        return scope_request(
            query,
            scope,
            self.settings().query,
            now=self.parts.clock(),
            timezone=self._timezone(),
            **how,
        )

    async def _prefetch(
        self, query: str | Sequence[str], scope: Scope, context: Sequence[str]
    ) -> None:
        if not is_conversation(scope):
            return
        try:
            request = self.request(texts(query), scope, context=texts(context), automatic=True)
            await asyncio.gather(
                self.events.embed(request),
                asyncio.shield(asyncio.wrap_future(self.events.tables.fill(scope.key))),
                self._run(self._profiles.of_conversation, scope),
            )
        except HistorianError as error:
            log.debug("prefetch for %s: %s", scope.key, error)

    def _own_words_of(self, scope: Scope) -> str:
        return reads_own_words_of(scope, from_groups=self.settings().query.own_words_from_groups)

    def _timezone(self) -> str:
        return configured_timezone(self.settings().cognitive.timezone)

    async def _run(self, function: Callable[..., Result], /, *arguments: Any) -> Result:
        return await self._run_in(self._pool, function, *arguments)

    async def _run_in(
        self, pool: ThreadPoolExecutor, function: Callable[..., Result], /, *arguments: Any
    ) -> Result:
        return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
