"""Embedding of events and profiles that were stored without a vector."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ...models.embeddings.recorded import embedded_apart, vectors_for
from ...schema.errors import FingerprintMismatch, ModelRefused, ModelUnavailable
from ...schema.event import Event
from ...schema.job import Job
from ...schema.payloads import RollbackCommand
from ...schema.profile import ProfileKey, profile_text
from ...schema.protocols import Embedder
from ..components import Parts
from ..outages.availability import Outage

log = logging.getLogger(__name__)

EMBED_BATCH, LOCAL_BATCH = 64, 16
"""Number of texts that a remote and a local embedder get at once. A local embedder processes texts
one by one, so that a smaller batch ends sooner."""
POLL_SECONDS = 0.05
SETTLING_SECONDS = 5.0
"""Time that `wait_until_embedded` waits for the next vector. On an idle machine 20 vectors take less than a
second."""
LONGEST_PAUSE_SECONDS = 60.0
"""Maximum pause after a failure of the embedder. It is short because an unavailable embedder
refuses at once, so that an attempt costs nothing."""


LOOK_EVERY = 30
"""Every 30th check also looks for profiles that were edited by hand, or restored by another process.
All checks look for profiles that were changed by jobs."""


async def _nothing_waits() -> bool:
    return False


class MissingVectors:
    """Embeds events and profiles in batches, and pauses while the embedder is unavailable."""

    def __init__(self, parts: Parts, embedder: Embedder | None) -> None:
        self._parts = parts
        self._embedder = embedder
        self._outage = Outage(longest=LONGEST_PAUSE_SECONDS)
        self._lock = asyncio.Lock()
        self._profiles: set[ProfileKey] | None = None
        """Keys of profiles that may have changed; None before the first check."""
        self._looks = 0
        self.checks_all_profiles = True
        """True if the first check includes all profiles. Of several workers only the leading one
        does this."""
        self._not_embeddable: set[str] = set()

    def note_finished_job(self, job: Job) -> None:
        """Record which profiles a finished job may have changed."""
        if self._profiles is not None and job.kind in ("remember", "talk"):
            self._profiles.update(
                ProfileKey.of_job(job, self._parts.settings.cognitive.profile.profile_layers)
            )
        elif self._profiles is not None and job.kind == "rollback":
            self._profiles.add(RollbackCommand.model_validate(job.payload).key)

    def pause(self, reason: str) -> None:
        """Begin a pause in which the embedder is not called."""
        self._outage.begin(self._parts.clock(), reason)

    async def vectors_to_come(self) -> int:
        """Return the number of events that the embedder will embed; 0 without an embedder, or while
        it is unavailable."""
        if self._embedder is None or self._outage.remaining(self._parts.clock()):
            return 0
        waiting, _ = await asyncio.to_thread(self._parts.events.waiting_vectors)
        return max(waiting - len(self._not_embeddable), 0)

    async def wait_until_embedded(self) -> None:
        """Wait until all filed events have vectors, as long as the embedder makes progress. Raises
        StorageError."""
        left, loop = -1, asyncio.get_running_loop()
        while waiting := await self.vectors_to_come():
            if waiting != left:
                left, until = waiting, loop.time() + SETTLING_SECONDS
            elif loop.time() > until:
                return
            await asyncio.sleep(POLL_SECONDS)

    async def embed_events(self, jobs_wait: Callable[[], Awaitable[bool]] = _nothing_waits) -> None:
        """Embed events in batches, until none is left or `jobs_wait` returns True after a batch."""
        async with self._lock:
            if self._embedder is None or self._outage.remaining(self._parts.clock()):
                return
            batch = EMBED_BATCH if self._embedder.is_remote else LOCAL_BATCH
            while events := await self._without_vector(batch):
                try:
                    await self._embed(self._embedder, events)
                except (ModelUnavailable, ModelRefused, FingerprintMismatch) as error:
                    self.pause(str(error))
                    log.warning("%d or more events wait for their vectors: %s", len(events), error)
                    return
                self._outage.end()
                if await jobs_wait():
                    return

    async def _without_vector(self, limit: int) -> list[Event]:
        events = await asyncio.to_thread(
            self._parts.events.without_vector, limit + len(self._not_embeddable)
        )
        return [event for event in events if event.event_id not in self._not_embeddable][:limit]

    async def _embed(self, embedder: Embedder, events: list[Event]) -> None:
        """Embed and store a batch. Events that the model cannot embed are found by keywords
        only."""
        vectors = await embedded_apart([event.said for event in events], embedder)
        made = {
            event.event_id: vector
            for event, vector in zip(events, vectors, strict=True)
            if vector is not None
        }
        self._not_embeddable.update(
            event.event_id for event in events if event.event_id not in made
        )
        if made:
            store, dimension = self._parts.events, len(next(iter(made.values())))
            await asyncio.to_thread(store.set_fingerprint, embedder.model, dimension)
            await asyncio.to_thread(store.set_vectors, list(made), list(made.values()))

    async def index_profiles(self) -> None:
        """Update the index of profiles: at first for all profiles, later for those that were
        changed by jobs or by hand."""
        index, profiles = self._parts.backend.profile_index, self._parts.profiles
        if self._profiles is None:
            self._profiles = (
                set(await asyncio.to_thread(profiles.keys)) if self.checks_all_profiles else set()
            )
        elif self._looks % LOOK_EVERY == 0:
            self._profiles.update(await asyncio.to_thread(profiles.edited))
        self._looks += 1
        keys = list(self._profiles)
        for start in range(0, len(keys), EMBED_BATCH):
            some = keys[start : start + EMBED_BATCH]
            stored = [
                profile
                for key in some
                if (profile := await asyncio.to_thread(profiles.read, key)) is not None
            ]
            stale = await asyncio.to_thread(index.stale, stored)
            texts = [profile_text(profile) for profile in stale]
            vectors = await vectors_for(texts, self._embedder, self._parts.events) if stale else []
            for profile, vector in zip(stale, vectors, strict=True):
                await asyncio.to_thread(index.put, profile, vector)
            self._profiles.difference_update(some)
