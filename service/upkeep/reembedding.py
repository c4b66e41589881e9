"""Embedding everything anew with another model, beside a memory that goes on being read.

The work is done in batches, each of which is on the disk before the next begins: after a crash, or a model that went away,
the next run goes on where this one stopped and pays for no text twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...schema.errors import HistorianError, InvalidInput, ModelAnswerUnusable
from ...schema.profile import Profile
from ...schema.protocols import Embedder, EventStore, ProfileStorage, Vector
from ...stores.sqlite.profile_index import profile_text
from ...stores.sqlite.shadow_vectors import Fingerprint, Lacking, ShadowVectors

log = logging.getLogger(__name__)

BATCH = 64
LAST_ROUNDS = 20
"""How often to look for events that were filed meanwhile before what is left is left to the worker."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a run did. `found` were made by an earlier run, `made` by this one, `skipped` no model could embed."""

    fingerprint: Fingerprint
    found: int
    made: int
    profiles: int
    skipped: int


class SameModel(HistorianError):
    """The stored vectors are of the configured model already; there is nothing to embed anew."""


class KeptModel(HistorianError):
    """The vectors of the configured model are kept from before: going back to them costs nothing."""


class Reembedding:
    """One change to the model of `embedder`. Searches read the former vectors until `ShadowVectors.change_over`."""

    def __init__(self, shadow: ShadowVectors, events: EventStore, profiles: ProfileStorage, embedder: Embedder) -> None:
        self._shadow = shadow
        self._events = events
        self._profiles = profiles
        self._embedder = embedder
        self._skipped: set[int] = set()

    async def build(self, *, on_progress: Callable[[int, int], None] = lambda done, total: None) -> Built:
        """Make what is missing of the new model's vectors. `on_progress` is told (events done, events).

        Raises SameModel, KeptModel, InvalidInput (a former model's vectors are in the way), ModelUnavailable and
        ModelRefused (what was made stays), StorageError.
        """
        dimension = len(await self._embedder.embed_query("dimension"))
        wanted = (self._embedder.model, dimension)
        sets = await asyncio.to_thread(self._shadow.sets)
        if sets.used == wanted:
            raise SameModel(f"the stored vectors were made by {wanted[0]} with {dimension} dimensions already")
        if sets.kept == wanted:
            raise KeptModel(f"the vectors of {wanted[0]} are kept from before: going back to them costs nothing")
        await asyncio.to_thread(self._shadow.begin, *wanted)
        found = sets.next_done if sets.next == wanted else 0
        profiles = await self._embed_profiles()
        made = 0
        for _ in range(LAST_ROUNDS):
            some = await self._embed_events(found + made, on_progress)
            made += some
            if not some:
                break
        return Built(wanted, found, made, profiles, len(self._skipped))

    async def complete(self) -> None:
        """Embed what was filed since the change, under the fingerprint now on record."""
        while events := await asyncio.to_thread(self._events.without_vector, BATCH + len(self._skipped)):
            wanted = [Lacking(n, event.event_id, event.text) for n, event in enumerate(events)][:BATCH]
            embedded = await self._vectors(wanted, skipped=set())
            await asyncio.to_thread(
                self._events.set_vectors, [item.event_id for item, _ in embedded], [vector for _, vector in embedded]
            )
            if len(embedded) < len(wanted) or not embedded:
                return

    async def _embed_events(self, before: int, on_progress: Callable[[int, int], None]) -> int:
        """One pass over all events that lack a vector; returns how many were made."""
        made, last = 0, 0
        total = await asyncio.to_thread(self._events.count)
        on_progress(before, total)
        while lacking := await asyncio.to_thread(self._shadow.lacking, last, BATCH):
            last = lacking[-1].row
            embedded = await self._vectors([item for item in lacking if item.row not in self._skipped], self._skipped)
            if embedded:
                items, vectors = [item for item, _ in embedded], [vector for _, vector in embedded]
                made += await asyncio.to_thread(self._shadow.store, items, vectors)
            total = max(total, await asyncio.to_thread(self._events.count))
            on_progress(before + made, total)
        return made

    async def _vectors(self, items: Sequence[Lacking], skipped: set[int]) -> list[tuple[Lacking, Vector]]:
        """A text that the model can make nothing of is found by halving, and left to keywords."""
        if not items:
            return []
        try:
            matrix = await self._embedder.embed_documents([item.text for item in items])
        except ModelAnswerUnusable as error:
            if len(items) == 1:
                log.warning("event %s is found by keywords only: %s", items[0].event_id, error)
                skipped.add(items[0].row)
                return []
            middle = len(items) // 2
            return [*await self._vectors(items[:middle], skipped), *await self._vectors(items[middle:], skipped)]
        return list(zip(items, matrix, strict=True))

    async def _embed_profiles(self) -> int:
        made = 0
        keys = await asyncio.to_thread(self._profiles.keys)
        for start in range(0, len(keys), BATCH):
            some = keys[start : start + BATCH]
            stored = [profile for key in some if (profile := await asyncio.to_thread(self._profiles.read, key)) is not None]
            lacking: list[Profile] = await asyncio.to_thread(self._shadow.profiles_lacking, stored)
            if not lacking:
                continue
            try:
                matrix = await self._embedder.embed_documents([profile_text(profile) for profile in lacking])
            except ModelAnswerUnusable as error:
                log.warning("%d profiles are embedded later: %s", len(lacking), error)
                continue
            await asyncio.to_thread(self._shadow.store_profiles, lacking, list(matrix))
            made += len(lacking)
        return made


def new_embedder(made: Embedder | None) -> Embedder:
    """The configured embedder. Raises InvalidInput where none is."""
    if made is None:
        raise InvalidInput("no embedding model is configured; name it in [models.embedding], then run this again")
    return made
