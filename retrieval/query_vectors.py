"""Embeddings of queries: asked for once, kept for a while, finished even where nobody waits any more."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from ..schema.errors import HistorianError
from ..schema.protocols import Embedder, Vector

log = logging.getLogger(__name__)

_Key = tuple[tuple[str, int] | None, str]
"""The fingerprint of the stored vectors, and the text."""


class QueryVectors:
    """A cache in front of an embedder: at most `size()` texts, each for `seconds()`.

    A vector is kept for the fingerprint that the stored vectors have when it is asked for: once they are another model's,
    what is kept answers no more, and the embedder says what it makes of that.

    A caller that gives up does not cancel the embedding: its result is there for the next one. For one event loop at a
    time requests for the same text share one call.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        fingerprint: Callable[[], Awaitable[tuple[str, int] | None]],
        size: Callable[[], int],
        seconds: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        self._embedder = embedder
        self._fingerprint = fingerprint
        self._size = size
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[_Key, tuple[float, Vector]] = OrderedDict()
        self._running: dict[tuple[int, _Key], asyncio.Task[Vector]] = {}
        self.asked = 0
        self.answered_from_cache = 0

    async def get(self, text: str) -> Vector:
        """The vector of `text`. Raises what the embedder raises, and StorageError."""
        self.asked += 1
        wanted = (await self._fingerprint(), text)
        known = self._kept.get(wanted)
        if known is not None and known[0] >= self._clock():
            self._kept.move_to_end(wanted)
            self.answered_from_cache += 1
            return known[1]
        key = (id(asyncio.get_running_loop()), wanted)
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._embed(wanted), name="historian query embedding")
            self._running[key] = task
            task.add_done_callback(lambda done: self._finished(key, done))
        return await asyncio.shield(task)

    def clear(self) -> None:
        """Let go of everything that is kept."""
        self._kept.clear()

    async def aclose(self) -> None:
        """Cancel what is still being embedded in this loop."""
        loop = id(asyncio.get_running_loop())
        tasks = [task for (owner, _), task in self._running.items() if owner == loop]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _embed(self, wanted: _Key) -> Vector:
        vector = await self._embedder.embed_query(wanted[1])
        self._kept[wanted] = (self._clock() + self._seconds(), vector)
        self._kept.move_to_end(wanted)
        while len(self._kept) > self._size():
            self._kept.popitem(last=False)
        return vector

    def _finished(self, key: tuple[int, _Key], task: asyncio.Task[Vector]) -> None:
        self._running.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Whoever still waits gets it too; read here, so that it counts as seen where nobody does.
            level = logging.DEBUG if isinstance(error, HistorianError) else logging.WARNING
            log.log(level, "a query was not embedded: %s", error)
