"""Filing of records that no job wrote: observations and summaries, with their vectors where that is possible now."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ...models.embeddings.wrapped import ReleasableEmbedder, Released
from ...schema.errors import FingerprintMismatch, HistorianError, InvalidInput
from ...schema.event import Event
from ...schema.protocols import Embedder, EventStore, Vector
from ..availability import Outage
from .records import Cleaned

log = logging.getLogger(__name__)

EMBEDDING_SECONDS = 10.0
"""How long a batch waits for its vectors. After that it is stored without them, and the worker embeds it when it is idle."""


class UnwrittenRecords:
    """Stores events whose ids follow from their content, embedding them first where the embedder answers.

    What is stored without a vector is found by keywords, and embedded by the worker when it is idle. The derived index
    is never touched: any process may observe, only the owner writes that one.
    """

    def __init__(
        self, events: EventStore, embedder: Embedder | None, *, clock: Callable[[], float], random: Callable[[], float]
    ) -> None:
        self._events = events
        self._clock = clock
        self._outage = Outage(random)
        self._hurry = asyncio.Event()
        # It is let go of: an embedder that does not heed its cancellation must not hold up what is to be stored.
        self._embedder = ReleasableEmbedder(embedder, self._hurry) if embedder is not None else None

    def hurry(self) -> None:
        """From now on nothing waits for the embedder, also what waits for it already: the program ends. From the event loop."""
        self._hurry.set()

    async def of_the_living(self, messages: Sequence[Cleaned]) -> list[Cleaned]:
        """Those messages whose speaker and group were not forgotten since. Raises StorageError."""

        def kept() -> list[Cleaned]:
            return [one for one in messages if not self._events.is_forgotten("", _entities(one), one.at)]

        return await asyncio.to_thread(kept)

    async def file(self, events: Sequence[Event], *, embed: bool = True) -> int:
        """Store what is new in one transaction; returns how many that were.

        The embedder has ten seconds, and none after `hurry`. Raises StorageError where nothing could be written; a single
        event that cannot be stored is left out.
        """
        if not events:
            return 0
        if embed:
            # What is known already need not be embedded again: the same tool often gives the same.
            known = await asyncio.to_thread(self._events.get, [event.event_id for event in events])
            known_ids = {event.event_id for event in known}
            events = [event for event in events if event.event_id not in known_ids]
            if not events:
                return 0
        vectors = await self._vectors(events) if embed else [None] * len(events)
        try:
            return len(await asyncio.to_thread(self._events.file_new, events, vectors))
        except FingerprintMismatch as error:
            log.warning("stored without vectors: %s", error)
            return len(await asyncio.to_thread(self._events.file_new, events, [None] * len(events)))
        except InvalidInput as error:
            if len(events) == 1:
                log.warning("an observation cannot be stored: %s", type(error).__name__)
                return 0
            return sum([await self.file([event], embed=False) for event in events])

    async def _vectors(self, events: Sequence[Event]) -> list[Vector | None]:
        nothing: list[Vector | None] = [None] * len(events)
        if self._embedder is None or self._hurry.is_set() or self._outage.remaining(self._clock()):
            return nothing
        try:
            async with asyncio.timeout(EMBEDDING_SECONDS):
                matrix = await self._embedder.embed_documents([event.text for event in events])
            await asyncio.to_thread(self._events.set_fingerprint, self._embedder.model, int(matrix.shape[1]))
        except Released:
            return nothing
        except Exception as error:
            # Not ModelError alone: an embedder that breaks in its own way must not cost what was observed.
            pause = self._outage.begin(self._clock(), type(error).__name__)
            told = str(error) if isinstance(error, HistorianError) else type(error).__name__
            log.warning("stored without vectors, the embedder is tried again in %.0f s: %s", pause, told)
            return nothing
        self._outage.end()
        return list(matrix)


def _entities(message: Cleaned) -> list[str]:
    scope = message.scope
    return [*([f"user:{scope.user_id}"] if scope.user_id else []), *([f"group:{scope.group_id}"] if scope.group_id else [])]
