"""Embeddings of queries: computed once, cached for a while, finished even if nobody waits any more."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from ..schema.protocols import Embedder, Vector
from .loop_tasks import LoopTasks

_Key = tuple[tuple[str, int] | None, str]
"""The fingerprint of the stored vectors, and the text."""


class QueryVectors:
    """A cache in front of an embedder: at most `size()` texts, each for `seconds()`. Safe to use from several threads.

    A vector is cached for the fingerprint that the stored vectors have when it is asked for: after a change of the embedding
    model the cached ones are not used, and the embedder decides.

    A caller that gives up does not cancel the embedding: the next caller finds its result. Within one event loop, requests
    for the same text share one call.
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
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, tuple[float, Vector]] = OrderedDict()
        self._running: dict[tuple[asyncio.AbstractEventLoop, _Key], asyncio.Task[Vector]] = {}
        self._tasks = LoopTasks()
        self.asked = 0
        self.answered_from_cache = 0

    async def get(self, text: str) -> Vector:
        """Return the vector of `text`. Raises what the embedder raises, and StorageError."""
        wanted = (await self._fingerprint(), text)
        with self._lock:
            self.asked += 1
            expires, vector = self._kept.get(wanted, (-1.0, None))
            if vector is not None and expires >= self._clock():
                self._kept.move_to_end(wanted)
                self.answered_from_cache += 1
                return vector
        key = (asyncio.get_running_loop(), wanted)
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = self._tasks.spawn(self._embed(wanted), "embedding of a query")
            task.add_done_callback(lambda _: self._running.pop(key, None))
        return await asyncio.shield(task)

    @property
    def cached(self) -> int:
        """The number of vectors in the cache."""
        with self._lock:
            return len(self._kept)

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._kept.clear()

    async def aclose(self) -> None:
        """Cancel what is still being embedded in this loop."""
        await self._tasks.aclose()

    async def _embed(self, wanted: _Key) -> Vector:
        vector = await self._embedder.embed_query(wanted[1])
        with self._lock:
            self._kept[wanted] = (self._clock() + self._seconds(), vector)
            self._kept.move_to_end(wanted)
            while len(self._kept) > self._size():
                self._kept.popitem(last=False)
        return vector
