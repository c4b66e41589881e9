"""Memory to read from, over a data directory that a bot in another process owns."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from ...schema.hit import Hit, ProfileHit
from ...schema.profile import Profile
from ...schema.scope import EntityType, Scope
from ...schema.settings import Settings
from ...schema.settings_source import load_settings
from ..blocking import run_blocking
from ..components import Parts, open_parts, open_queue
from ..data_directory import data_directory
from .articles import TwoLayers
from .timed import Recall


class MemoryReader:
    """The reading methods of `CognitiveService` without a worker and without an event loop of its own.

    Nothing is opened before the first search. What the owner files or forgets is seen at the next one. Usable from
    several event loops and threads; `close()` or `await aclose()` when done.
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: tuple[Parts, Recall] | None = None

    @classmethod
    def open(cls, config: str | Path | Settings | None = None) -> Self:
        """A reader for a configuration file, for settings, or for what `config.toml` and the environment say."""
        return cls(config if isinstance(config, Settings) else load_settings(config))

    async def search_events(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        **conditions: Any,
    ) -> list[Hit]:
        """As `CognitiveService.search_events`; nothing where there is no memory yet. Raises InvalidInput, StorageError."""
        recall = await asyncio.to_thread(self._recall)
        return [] if recall is None else await recall.search(query, scope, top_k=top_k, context=context, **conditions)

    async def get_profile(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None:
        """As `CognitiveService.get_profile`."""
        recall = await asyncio.to_thread(self._recall)
        return None if recall is None else await recall.profile(entity_type, entity_id, scope)

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]:
        """As `CognitiveService.search_profiles`."""
        recall = await asyncio.to_thread(self._recall)
        return [] if recall is None else await recall.search_profiles(query, scope, top_k=top_k)

    async def get_relevant_memories(
        self,
        user_input: str,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        deep: bool = False,
        max_tokens: int | None = None,
        language: Literal["zh", "en"] | None = None,
    ) -> str:
        """As `CognitiveService.get_relevant_memories`, but raises StorageError where the memory cannot be opened."""
        recall = await asyncio.to_thread(self._recall)
        if recall is None or self._opened is None:
            return ""
        layers = TwoLayers(self._opened[0], recall, lambda: self.settings)
        return await layers.relevant(user_input, str(user_id), scope, deep=deep, max_tokens=max_tokens, language=language)

    async def aclose(self) -> None:
        """Close what was opened. A later search opens it again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            parts, recall = opened
            try:
                await recall.aclose()
            finally:
                await parts.aclose()

    def close(self) -> None:
        """`aclose` for synchronous code and for notebooks: also works while an event loop is running in this thread."""
        run_blocking(self.aclose())

    def _recall(self) -> Recall | None:
        with self._lock:
            if self._opened is None:
                if not (data_directory(self.settings) / "index.sqlite").exists():
                    return None
                parts = open_parts(self.settings, queue=open_queue(self.settings, self._clock), clock=self._clock)
                self._opened = (parts, Recall(parts, lambda: self.settings))
            return self._opened[1]
