"""Outages of the embedder and the reranker, shared by all callers in this process."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from ...models.embeddings.wrapped import WrappedEmbedder
from ...retrieval.loop_tasks import LoopTasks
from ...schema.errors import ModelError, ModelUnavailable
from ...schema.protocols import Embedder, Matrix, Reranker, Vector
from .availability import Outage

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Call = Callable[[], Awaitable[Result]]

LONGEST_PAUSE_SECONDS = 60.0
"""Shorter than for chat models: a probe costs only one word, so that it can be repeated often."""
NO_VECTORS = "searches go by keywords, and events are filed without vectors"
NO_ORDER = "results keep the order that they had before reranking"
"""What happens while a model is unavailable, for log messages."""
TIMER_SECONDS = 0.02
"""A timer may fire this many seconds too early, because the clock of some systems is coarse."""


class SharedOutage:
    """Stops calls to a model while it is known to be unavailable (a circuit breaker). `what` names
    the model in messages.

    After a call that raised ModelUnavailable (a time-out, a refused connection, 429, 5xx) all calls
    raise ModelUnavailable at once, until the model answers. The first call after a pause starts a
    probe in the background; the pause grows up to a minute. If a probe is cancelled because its
    event loop ends (as with synchronous callers), the next call after the pause is sent to the
    model, and its result shows whether the model is back. Safe to use from several event loops.
    """

    def __init__(
        self,
        what: str,
        meanwhile: str,
        probe: Call[object],
        *,
        clock: Callable[[], float],
    ) -> None:
        self._what = what
        self._meanwhile = meanwhile
        self._probe = probe
        self._clock = clock
        self._outage = Outage(longest=LONGEST_PAUSE_SECONDS)
        self._tasks = LoopTasks()
        self._probing = threading.Lock()
        self._is_cut_short = False

    @property
    def is_active(self) -> bool:
        """True while the model is known to be unavailable."""
        return self._outage.active

    async def unless_away(self, call: Call[Result]) -> Result:
        """Return the result of `call`. Raises ModelUnavailable at once while the model is
        unavailable."""
        self._refuse_while_away()
        return await self._noted(call)

    async def unless_late(self, call: Call[Result], until: float | None) -> Result:
        """Return the result of `call`, like `unless_away`.

        `until` is the time of the running loop at which the caller gives up (None: never). If there
        is no answer by then, the model counts as unavailable. A caller that is cancelled earlier
        does not change the state of the model.
        """
        self._refuse_while_away()
        answer = self._tasks.spawn(self._noted(call), f"call of the {self._what}")
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            is_late = (
                until is not None and asyncio.get_running_loop().time() >= until - TIMER_SECONDS
            )
            if is_late and not answer.done():
                self._begin(
                    ModelUnavailable(
                        f"the {self._what} gave no answer in the time that a recall has"
                    )
                )
            raise

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _refuse_while_away(self) -> None:
        if self._outage.active:
            remaining = self._outage.remaining(self._clock())
            if not remaining and self._probing.acquire(blocking=False):
                if self._is_cut_short:
                    self._is_cut_short = False
                    self._probing.release()
                    return
                self._tasks.spawn(self._probed(), f"probe of the {self._what}").add_done_callback(
                    self._end_probe
                )
            raise ModelUnavailable(
                f"the {self._what} is away: {self._outage.reason}", retry_after=remaining
            )

    async def _noted(self, call: Call[Result]) -> Result:
        """Return the result of `call`, and note whether the model was available."""
        try:
            result = await call()
        except ModelUnavailable as error:
            self._begin(error)
            raise
        if self._outage.active:
            log.warning("the %s answers again", self._what)
        self._outage.end()
        return result

    def _begin(self, error: ModelUnavailable) -> None:
        known = self._outage.active
        pause = self._outage.begin(self._clock(), str(error), retry_after=error.retry_after)
        level = logging.DEBUG if known else logging.WARNING
        told = "the %s is away, next try in %.0f s; until it answers %s: %s"
        log.log(level, told, self._what, pause, self._meanwhile, error)

    async def _probed(self) -> None:
        try:
            await self._noted(self._probe)
        except ModelUnavailable:
            return
        except ModelError:
            self._outage.end()  # the model answers, even if with an error: let the callers get it
            raise

    def _end_probe(self, probe: asyncio.Task[None]) -> None:
        self._is_cut_short = probe.cancelled()
        self._probing.release()


class SharedOutageEmbedder(WrappedEmbedder):
    """An `Embedder` with a `SharedOutage`, which jobs, recalls and idle work share."""

    def __init__(self, embedder: Embedder, *, clock: Callable[[], float]) -> None:
        super().__init__(embedder)
        self._outage = SharedOutage(
            "embedder",
            NO_VECTORS,
            lambda: embedder.embed_query("probe"),
            clock=clock,
        )

    @property
    def is_away(self) -> bool:
        """True while the embedder is known to be unavailable."""
        return self._outage.is_active

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._outage.unless_away(lambda: self._embedder.embed_documents(texts))

    async def embed_query(self, text: str) -> Vector:
        return await self._outage.unless_away(lambda: self._embedder.embed_query(text))

    async def aclose(self) -> None:
        await self._outage.aclose()
        await super().aclose()


class SharedOutageReranker:
    """A `Reranker` with a `SharedOutage`. After one recall has waited for the reranker until its
    time limit, later recalls do not wait until the reranker answers again."""

    def __init__(self, reranker: Reranker, *, clock: Callable[[], float]) -> None:
        self._reranker = reranker
        probe = partial(reranker.rerank, "probe", ["probe"], 1)
        self._outage = SharedOutage("reranker", NO_ORDER, probe, clock=clock)

    @property
    def model(self) -> str:
        return self._reranker.model

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        return await self._outage.unless_late(
            lambda: self._reranker.rerank(query, documents, top_n), until
        )

    async def aclose(self) -> None:
        await self._outage.aclose()
        await self._reranker.aclose()
