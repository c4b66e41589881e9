"""The embedder's outage, shared by all that embed in this process: jobs, observations, recalls, idle work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ..models.embeddings.wrapped import WrappedEmbedder
from ..retrieval.loop_tasks import LoopTasks
from ..schema.errors import ModelError, ModelUnavailable
from ..schema.protocols import Embedder, Matrix, Vector
from .availability import Outage

log = logging.getLogger(__name__)

Result = TypeVar("Result")

LONGEST_PAUSE_SECONDS = 60.0
"""Shorter than for chat models: a probe is one word, and recalls go by keywords meanwhile."""


class SharedOutageEmbedder(WrappedEmbedder):
    """An `Embedder` that nobody waits for while it is known to be away.

    After a call that raised ModelUnavailable (a time-out, nobody at the address, 429, 5xx) all calls raise ModelUnavailable at
    once, until it answers. The first call after a pause, which grows up to a minute, has it probed in the background. Safe to use
    from several event loops.
    """

    def __init__(self, embedder: Embedder, *, clock: Callable[[], float], random: Callable[[], float]) -> None:
        super().__init__(embedder)
        self._clock = clock
        self._outage = Outage(random, longest=LONGEST_PAUSE_SECONDS)
        self._tasks = LoopTasks()
        self._probing = threading.Lock()

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._unless_away(lambda: self._embedder.embed_documents(texts))

    async def embed_query(self, text: str) -> Vector:
        return await self._unless_away(lambda: self._embedder.embed_query(text))

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await super().aclose()

    async def _unless_away(self, call: Callable[[], Awaitable[Result]]) -> Result:
        if self._outage.active:
            remaining = self._outage.remaining(self._clock())
            if not remaining and self._probing.acquire(blocking=False):
                self._tasks.spawn(self._probe(), "probe of the embedder")
            raise ModelUnavailable(f"the embedder is away: {self._outage.reason}", retry_after=remaining)
        return await self._noted(call)

    async def _noted(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Return what `call` gives, and note by it whether the embedder is away."""
        try:
            result = await call()
        except ModelUnavailable as error:
            known = self._outage.active
            pause = self._outage.begin(self._clock(), str(error), retry_after=error.retry_after)
            log.log(logging.DEBUG if known else logging.WARNING, "the embedder is away, next try in %.0f s: %s", pause, error)
            raise
        if self._outage.active:
            log.warning("the embedder answers again")
        self._outage.end()
        return result

    async def _probe(self) -> None:
        try:
            await self._noted(lambda: self._embedder.embed_query("probe"))
        except ModelUnavailable:
            return
        except ModelError:
            self._outage.end()  # it answers, if only to refuse: let the callers be told so
            raise
        finally:
            self._probing.release()
