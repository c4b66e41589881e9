"""The memory block for a reply: from the database, else from MEMORY.md, else from plain summaries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from ..retrieval.prompt_block.formatting import format_memories, format_summaries
from ..schema.errors import HistorianError
from ..schema.language import Language
from ..schema.scope import Scope
from .recall.arguments import count, is_conversation, texts
from .recall.fallback_levels import LOCAL_SECONDS, in_thread
from .running.lifecycle import Lifecycle

log = logging.getLogger(__name__)

SYNCHRONOUS_SECONDS = 0.25
"""The extra time of a synchronous recall, for a thread, an event loop and plain summaries."""


class ReplyContext:
    """Builds the memory block. No method raises; arguments may be of any type."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    async def block(
        self, query: object, scope: Scope, language: object, top_k: object, max_tokens: object, context: object
    ) -> str:
        """Return the block of `CognitiveService.build_context`; "" for none."""
        try:
            return await self._block(query, scope, language, top_k, max_tokens, context)
        except Exception:
            # No error may prevent the reply.
            log.exception("recall for %s gives nothing", scope)
            return ""

    def block_now(self, query: object, scope: Scope, language: object, top_k: object, max_tokens: object, context: object) -> str:
        """`block` for synchronous code: blocks the calling thread within the time limit of a recall."""
        try:
            opened = self._lifecycle.opened
            if not _is_usable(scope):
                return ""
            if opened is None:
                self._lifecycle.tell_why_nothing_is_read()
                summaries = self._lifecycle.plain.of(scope.key)
                written = self._language(texts(query), language, scope)
                return format_summaries(summaries, language=written, max_tokens=self._budget(max_tokens))
            work = partial(self.block, query, scope, language, top_k, max_tokens, context)
            return in_thread(work, opened.recall.time_limit() + SYNCHRONOUS_SECONDS) or ""
        except Exception:
            # No error may prevent the reply.
            log.exception("recall for %s gives nothing", scope)
            return ""

    async def _block(
        self, query: object, scope: Scope, language: object, top_k: object, max_tokens: object, context: object
    ) -> str:
        if not _is_usable(scope):
            return ""
        said = texts(query)
        written, budget = self._language(said, language, scope), self._budget(max_tokens)
        opened, plain = self._lifecycle.opened, self._lifecycle.plain
        if opened is None:
            self._lifecycle.tell_why_nothing_is_read()
            summaries = await self._plain_summaries(scope)
            if not summaries:
                return ""
            return await asyncio.to_thread(format_summaries, summaries, language=written, max_tokens=budget)
        recalled = await opened.recall.context(said, scope, top_k=count(top_k), context=texts(context))
        hits = recalled.hits
        if not recalled.reasons:
            plain.database_away = False
        elif (not hits or recalled.is_held) and await self._lifecycle.database_is_away():
            hits = [*hits, *await asyncio.to_thread(plain.hits, scope)]
        article = recalled.article
        how: dict[str, Any] = {"language": written, "max_tokens": budget, "article": article, "queries": said}
        how["names"] = opened.recall.shown_names(scope, said, written)
        block = partial(format_memories, recalled.profiles, hits, **how)
        return await opened.recall.written(block)

    async def _plain_summaries(self, scope: Scope) -> Sequence[tuple[str, str]]:
        """Return the summaries that can be read while memory is switched off or cannot be opened."""
        plain = self._lifecycle.plain
        if not self._lifecycle.started and plain.is_empty:
            return []
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                return await asyncio.to_thread(plain.of, scope.key)
        except (TimeoutError, HistorianError, OSError) as error:
            log.warning("recall gives nothing: %s", str(error) or "out of time")
            return []

    def _language(self, said: Sequence[str], language: object, scope: Scope) -> Language:
        """Return the given language, else the configured one, else that of the query and its conversation."""
        languages = self._lifecycle.languages
        languages.hear(scope.key, said)
        return languages.choose(language, scope.key, said)

    def _budget(self, max_tokens: object) -> int:
        return count(max_tokens) or self._lifecycle.settings.query.max_context_tokens


def _is_usable(scope: object) -> bool:
    if is_conversation(scope):
        return True
    log.warning("recall gives nothing: scope must be a Scope, got %s", type(scope).__name__)
    return False
