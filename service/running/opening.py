"""The parts of an open service, which are opened in order and closed in reverse order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from ...models.embeddings.factory import missed_embedder
from ...models.given import GivenModels
from ...schema.protocols import JobQueue
from ...schema.settings import Settings
from ..blocking import start_in_thread, to_the_end
from ..components import AS_CONFIGURED, Parts, open_parts
from ..jobs.step_stream import StepStream
from ..observation.queue import Observation, make_observation
from ..recall.timed import Recall
from ..recall.warming import warm
from .background import Background, spare_loaded
from .config_watch import ConfigWatch

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """The open parts of a service. The task `warming` prepares the first recall."""

    parts: Parts
    recall: Recall
    background: Background
    observation: Observation
    warming: asyncio.Task[None]

    async def aclose(self, timeout_seconds: float) -> None:
        """Close every part, even if another one raises. Running jobs may finish within the time
        limit."""
        async with AsyncExitStack() as stack:  # last in, first out
            stack.push_async_callback(self.parts.aclose)
            stack.push_async_callback(self.recall.aclose)
            stack.push_async_callback(self._stop_warming)
            stack.push_async_callback(self.background.stop, timeout_seconds)
            stack.push_async_callback(self.observation.aclose, timeout_seconds / 2)

    async def close_remains(self) -> None:
        """Close the recall and the stores after their event loop has ended. The tasks of that loop
        ended with it and are not awaited."""
        for part in (self.recall, self.parts):
            try:
                await part.aclose()
            except Exception as error:
                # A connection belongs to the ended loop. The rest of the part is closed.
                log.info("a part of an ended event loop could not be closed: %s", error)

    async def _stop_warming(self) -> None:
        self.warming.cancel()
        await asyncio.gather(self.warming, return_exceptions=True)


async def open_memory(
    settings: Callable[[], Settings],
    queue: JobQueue,
    *,
    work: bool,
    watch: ConfigWatch | None,
    steps: StepStream,
    clock: Callable[[], float],
    models: GivenModels | None = None,
    former: Observation | None = None,
) -> OpenMemory:
    """Open the stores and start the background tasks. On an error everything is closed again.

    `former` is the observation queue of an ended event loop; its remaining observations are stored.
    Raises StorageError.
    """
    async with AsyncExitStack() as opened:
        parts = await _opened(
            partial(
                open_parts, settings(), queue=queue, clock=clock, models=models or AS_CONFIGURED
            )
        )
        opened.push_async_callback(parts.aclose)
        if (
            parts.embedder is None
            and not (models and models.embeddings)
            and (help_for := missed_embedder(settings().models.embedder))
        ):
            log.warning(help_for)
        background = Background(steps)
        recall = Recall(parts, settings)
        opened.push_async_callback(recall.aclose)
        opened.push_async_callback(background.stop, 0.0)
        await background.start(parts, work=work, watch=watch)
        observation = make_observation(parts)
        opened.push_async_callback(observation.aclose, 0.0)
        if former is not None:
            observation.take_over(former)
        await observation.start()
        opened.pop_all()
    warming = asyncio.create_task(_warmed(recall), name="historian warm-up")
    return OpenMemory(parts, recall, background, observation, warming)


async def _warmed(recall: Recall) -> None:
    await warm(recall)
    spare_loaded("recall")


async def _opened(open_them: Callable[[], Parts]) -> Parts:
    """Return the parts, which are opened in a thread. After a cancellation they are closed
    again."""
    opening = start_in_thread(open_them)
    try:
        return await to_the_end(opening)
    except asyncio.CancelledError:
        if opening.exception() is None:
            opening.result().backend.close()  # the models are unused and hold no connection
        raise
