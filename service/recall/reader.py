"""Read-only access to the memory of a bot that runs in another process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from ...schema.settings import Settings
from ...schema.settings.source import load_settings
from ...stores.opening import has_memory
from ..blocking import run_blocking
from ..components import Parts, open_parts
from ..languages import Languages
from .arguments import ReadingState
from .reading import Reading
from .timed import Recall


class MemoryReader(Reading):
    """The reading methods of `CognitiveService` without a worker and without an event loop of its
    own.

    The first search opens the memory and raises StorageError if that fails. Each search sees what
    the owner process has filed or forgotten before. Usable from several event loops and threads;
    call `close()` or `await aclose()` when done.
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._clock = clock
        self._languages = Languages(lambda: self._settings.cognitive.language)
        self._lock = threading.Lock()
        self._opened: tuple[Parts, Recall] | None = None

    @classmethod
    def open(cls, config: str | Path | Settings | None = None) -> Self:
        """Return a reader for a configuration file or a `Settings` object. Without either,
        `config.toml` and the environment are read."""
        return cls(config if isinstance(config, Settings) else load_settings(config))

    @property
    def settings(self) -> Settings:
        return self._settings

    def reading_state(self) -> ReadingState:
        return "open" if self._opened is None or self._opened[0].finds_by_meaning else "keywords"

    async def _reading(self) -> Recall | None:
        return await asyncio.to_thread(self._recall)

    async def aclose(self) -> None:
        """Close the stores. A later search opens them again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            parts, recall = opened
            try:
                await recall.aclose()
            finally:
                await parts.aclose()

    def close(self) -> None:
        """`aclose` for synchronous code and notebooks. It also works while an event loop is running
        in this thread."""
        run_blocking(self.aclose())

    def _recall(self) -> Recall | None:
        with self._lock:
            if self._opened is None:
                if not has_memory(self._settings):
                    return None
                parts = open_parts(self._settings, clock=self._clock)
                self._opened = (parts, Recall(parts, lambda: self._settings))
            return self._opened[1]
