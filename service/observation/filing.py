"""Storage of the events that no job wrote: tool results, and messages of sessions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ...models.embeddings.wrapped import ReleasableEmbedder, Released
from ...schema.errors import FingerprintMismatch, HistorianError, InvalidInput
from ...schema.event import Event
from ...schema.protocols import Embedder, Vector
from ...stores.tables.events.store import EventStore
from ..outages.availability import Outage

log = logging.getLogger(__name__)

EMBEDDING_SECONDS = 10.0
"""How long a batch waits for its vectors before it is stored without them."""


class UnwrittenRecords:
    """Stores events, with vectors if the embedder answers in time.

    An event without a vector is found by keywords; the worker embeds it when it is idle. The derived index is not written:
    any process may observe, and only the owner writes that index.
    """

    def __init__(
        self, events: EventStore, embedder: Embedder | None, *, clock: Callable[[], float], random: Callable[[], float]
    ) -> None:
        self.events = events
        self.clock, self.random = clock, random
        self._outage = Outage(random)
        self._hurry = asyncio.Event()
        # Released, not awaited: an embedder that ignores its cancellation must not delay the storage.
        self._embedder = ReleasableEmbedder(embedder, self._hurry) if embedder is not None else None

    def hurry(self) -> None:
        """Stop waiting for the embedder, now and later, because the program ends. Call it from the event loop."""
        self._hurry.set()

    async def file(self, events: Sequence[Event], *, embed: bool = True) -> int:
        """Store the new events in one transaction and return their number.

        Waits for the embedder for ten seconds at most, and not at all after `hurry`. Raises StorageError if nothing could be
        written; an event that cannot be stored is skipped and logged.
        """
        if not events:
            return 0
        if embed:
            # Known events are not embedded again: a tool often returns the same result.
            known = await asyncio.to_thread(self.events.get, [event.event_id for event in events])
            known_ids = {event.event_id for event in known}
            events = [event for event in events if event.event_id not in known_ids]
            if not events:
                return 0
        vectors = await self._vectors(events) if embed else [None] * len(events)
        try:
            return len(await asyncio.to_thread(self.events.file_new, events, vectors))
        except FingerprintMismatch as error:
            log.warning("stored without vectors: %s", error)
            return len(await asyncio.to_thread(self.events.file_new, events, [None] * len(events)))
        except InvalidInput as error:
            if len(events) == 1:
                log.warning("an observation cannot be stored: %s", type(error).__name__)
                return 0
            return sum([await self.file([event], embed=False) for event in events])

    async def _vectors(self, events: Sequence[Event]) -> list[Vector | None]:
        nothing: list[Vector | None] = [None] * len(events)
        if self._embedder is None or self._hurry.is_set() or self._outage.remaining(self.clock()):
            return nothing
        try:
            async with asyncio.timeout(EMBEDDING_SECONDS):
                matrix = await self._embedder.embed_documents([event.said for event in events])
            await asyncio.to_thread(self.events.set_fingerprint, self._embedder.model, int(matrix.shape[1]))
        except Released:
            return nothing
        except Exception as error:
            # Not ModelError alone: no error of an embedder may lose an observation.
            pause = self._outage.begin(self.clock(), type(error).__name__)
            log.warning("stored without vectors, next try of the embedder in %.0f s: %s", pause, described(error))
            return nothing
        self._outage.end()
        return list(matrix)


def described(error: Exception) -> str:
    """Return the text of an error of Historian, the class of any other: its text may hold what was observed."""
    return str(error) if isinstance(error, HistorianError) else type(error).__name__
