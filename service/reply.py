"""The memory block for a reply: from the database, else from MEMORY.md, else from plain
summaries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

from ..retrieval.prompt_block.formatting import format_memories, format_summaries
from ..retrieval.request import RecallRequest, scope_request
from ..schema.errors import HistorianError
from ..schema.language import Language
from ..schema.scope import Scope
from .blocking import run_within
from .recall.arguments import count, is_conversation, texts
from .recall.fallback_levels import LOCAL_SECONDS
from .running.lifecycle import Lifecycle
from .timezones import configured_timezone

log = logging.getLogger(__name__)

SYNCHRONOUS_SECONDS = 0.25
"""Extra seconds of a synchronous recall, for a thread, an event loop and plain summaries."""


class ReplyContext:
    """Builds the memory block. No method raises; arguments may be of any type."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    def request(
        self, query: object, scope: Scope, top_k: object, context: object
    ) -> RecallRequest | None:
        """Return the request of the recall for a reply. If it cannot be made, log this and return
        None."""
        settings = self._lifecycle.settings
        try:
            if is_conversation(scope):
                return scope_request(
                    texts(query),
                    scope,
                    settings.query,
                    now=self._lifecycle.clock(),
                    timezone=configured_timezone(settings.cognitive.timezone),
                    top_k=count(top_k),
                    context=texts(context),
                    automatic=True,
                )
            log.warning(
                "recall returns nothing: scope must be a Scope, got %s", type(scope).__name__
            )
        except Exception:
            # No error may prevent the reply.
            log.exception("recall for %s returns nothing", scope)
        return None

    async def block(
        self, request: RecallRequest | None, language: object, max_tokens: object
    ) -> str:
        """Return the block of `CognitiveService.build_context`; "" for none."""
        if request is None or request.scope is None:
            return ""
        try:
            return await self._block(request, request.scope, language, count(max_tokens))
        except Exception:
            # No error may prevent the reply.
            log.exception("recall for %s returns nothing", request.scope)
            return ""

    def block_now(self, request: RecallRequest | None, language: object, max_tokens: object) -> str:
        """`block` for synchronous code. Blocks the calling thread for at most the time limit of a
        recall plus SYNCHRONOUS_SECONDS."""
        opened = self._lifecycle.opened
        limit = LOCAL_SECONDS if opened is None else opened.recall.time_limit()
        block = partial(self.block, request, language, max_tokens)
        return run_within(block, limit + SYNCHRONOUS_SECONDS) or ""

    async def _block(
        self, request: RecallRequest, scope: Scope, language: object, max_tokens: int | None
    ) -> str:
        written = self._language(request.query, language, scope)
        budget = max_tokens or self._lifecycle.settings.query.max_context_tokens
        opened, plain = self._lifecycle.opened, self._lifecycle.plain
        if opened is None:
            self._lifecycle.tell_why_nothing_is_read()
            summaries = await self._plain_summaries(scope)
            if not summaries:
                return ""
            return await asyncio.to_thread(
                format_summaries, summaries, language=written, max_tokens=budget
            )
        recalled = await opened.recall.context(request)
        hits = recalled.hits
        if not recalled.reasons:
            plain.database_away = False
        elif (not hits or recalled.is_held) and await self._lifecycle.database_is_away():
            hits = [*hits, *await asyncio.to_thread(plain.hits, scope)]
        block = partial(
            format_memories,
            recalled.profiles,
            hits,
            language=written,
            max_tokens=budget,
            article=recalled.article,
            queries=request.query,
            names=opened.recall.shown_names(scope, request.query, written),
        )
        return await opened.recall.written(block)

    async def _plain_summaries(self, scope: Scope) -> Sequence[tuple[str, str]]:
        """Return the summaries that can be read while memory is switched off or cannot be
        opened."""
        plain = self._lifecycle.plain
        if not self._lifecycle.started and plain.is_empty:
            return []
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                return await asyncio.to_thread(plain.of, scope.key)
        except (TimeoutError, HistorianError, OSError) as error:
            log.warning("recall returns nothing: %s", str(error) or "out of time")
            return []

    def _language(self, said: Sequence[str], language: object, scope: Scope) -> Language:
        """Store the language of the query `said`, and return the language of the block (see
        `Languages.choose`)."""
        languages = self._lifecycle.languages
        languages.hear(scope.key, said)
        return languages.choose(language, scope.key, said)
