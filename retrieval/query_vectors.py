"""Embeddings of queries: computed once, cached for a while, and finished even if no caller waits
for them any more.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..schema.errors import ModelUnavailable
from ..schema.protocols import Embedder, Vector
from .loop_tasks import LoopTasks

_Key = tuple[tuple[str, int] | None, str]
"""The fingerprint of the stored vectors, and the text of the query."""


@dataclass(eq=False)
class _Asked:
    """An embedding that is running. `until` is the time of its loop at which the last caller stops
    waiting.
    """

    task: asyncio.Task[Vector]
    until: float
    is_dropped: bool = False


class QueryVectors:
    """A cache in front of an embedder: at most `size()` texts, each for `seconds()`. Safe to use
    from several threads.

    A vector is cached under the fingerprint that the stored vectors have at the time of the query.
    After a change of the embedding model the cached vectors are not used, and the embedder is
    called.

    A caller that stops waiting does not cancel the embedding: the next caller finds its result.
    Within one event loop, requests for the same text share one call.

    An embedder in this process answers one query after the other. A query that it could not answer
    in time is refused, so that it does not delay earlier queries or searches by keywords. A query
    whose callers have all stopped waiting no longer counts: if the embedder has begun it, it is
    finished; otherwise it is dropped when the next query arrives.
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
        self._running: dict[tuple[asyncio.AbstractEventLoop, _Key], _Asked] = {}
        self._tasks = LoopTasks()
        self._mark: tuple[str, int] | None = None
        self._seconds_each: float | None = None
        self._has_loaded = False
        self.asked = 0
        self.answered_from_cache = 0

    async def get(self, text: str, until: float | None = None) -> Vector:
        """Return the vector of `text`. Raises the errors of the embedder, and StorageError.

        Raises ModelUnavailable at once if the embedder is too busy to answer before `until`, a time
        of the running loop.
        """
        wanted = (await self._fingerprint(), text)
        with self._lock:
            self._mark = wanted[0]
            self.asked += 1
            expires, vector = self._kept.get(wanted, (-1.0, None))
            if vector is not None and expires >= self._clock():
                self._kept.move_to_end(wanted)
                self.answered_from_cache += 1
                return vector
        loop = asyncio.get_running_loop()
        key, now = (loop, wanted), loop.time()
        asked = self._running.get(key)
        if asked is None:
            if not self._embedder.is_remote:
                self._drop_late(loop, now)
            if until is not None and self._is_late(until - now, now):
                raise ModelUnavailable("busy with other queries")
            asked = _Asked(self._tasks.spawn(self._embed(wanted), "embedding of a query"), now)
            self._running[key] = asked
            asked.task.add_done_callback(lambda task: self._forget(key, task))
        asked.until = max(asked.until, math.inf if until is None else until)
        try:
            return await asyncio.shield(asked.task)
        except asyncio.CancelledError:
            if asked.is_dropped:
                raise ModelUnavailable("out of time") from None
            raise

    async def mean(self, texts: Sequence[tuple[str, float]], until: float | None) -> Vector:
        """Return the weighted mean, of length 1, of the vectors of texts with their weights.

        If the embedder is too busy for some of several texts, these are left out. Raises like
        `get`.
        """
        if len(texts) == 1:
            return await self.get(texts[0][0], until)
        parts = await asyncio.gather(
            *(self.get(text, until) for text, _ in texts), return_exceptions=True
        )
        made = [
            (part, weight)
            for part, (_, weight) in zip(parts, texts, strict=True)
            if not isinstance(part, BaseException)
        ]
        for part in parts:
            if isinstance(part, BaseException) and not (
                made and isinstance(part, ModelUnavailable)
            ):
                raise part
        total = sum((part * np.float32(weight) for part, weight in made), np.float32(0.0))
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), dtype=np.float32)

    def kept(self, text: str) -> Vector | None:
        """Return the vector of a text if it is in the cache, under the fingerprint that was read
        last; else None.
        """
        with self._lock:
            return self._kept.get((self._mark, text), (0.0, None))[1]

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
        """Cancel the embeddings that are running in this loop."""
        await self._tasks.aclose()

    def _drop_late(self, loop: asyncio.AbstractEventLoop, now: float) -> None:
        """Cancel the embeddings that no caller waits for any more, except the first one, which the
        embedder has begun.
        """
        for key, asked in list(self._running.items())[1:]:
            if key[0] is loop and asked.until < now:
                asked.is_dropped = True
                asked.task.cancel()
                self._forget(key, asked.task)

    def _forget(
        self, key: tuple[asyncio.AbstractEventLoop, _Key], task: asyncio.Task[Vector]
    ) -> None:
        asked = self._running.get(key)
        if asked is not None and asked.task is task:
            del self._running[key]

    def _is_late(self, seconds: float, now: float) -> bool:
        """Return True if the embedder would not answer one more query within `seconds`."""
        if self._embedder.is_remote:
            return False
        waiting = sum(asked.until >= now for asked in list(self._running.values()))
        return seconds <= 0 or (
            waiting > 0 and (waiting + 1) * (self._seconds_each or 0.0) > seconds
        )

    async def _embed(self, wanted: _Key) -> Vector:
        started, ahead = time.monotonic(), max(len(self._running), 1)
        vector = await self._embedder.embed_query(wanted[1])
        with self._lock:
            if self._has_loaded:  # the time of the first query includes loading the model
                each = (time.monotonic() - started) / ahead
                self._seconds_each = (
                    each if self._seconds_each is None else 0.7 * self._seconds_each + 0.3 * each
                )
            self._has_loaded = True
            self._kept[wanted] = (self._clock() + self._seconds(), vector)
            self._kept.move_to_end(wanted)
            while len(self._kept) > self._size():
                self._kept.popitem(last=False)
        return vector
