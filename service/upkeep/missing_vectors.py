"""Embeddings of what was stored without one: events and profiles."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ...models.embeddings.recorded import embedded_apart, vectors_for
from ...schema.commands import RollbackCommand
from ...schema.errors import FingerprintMismatch, ModelRefused, ModelUnavailable
from ...schema.event import Event
from ...schema.job import Job
from ...schema.profile import ProfileKey, profile_text
from ...schema.protocols import Embedder
from ..components import Parts
from ..outages.availability import Outage

log = logging.getLogger(__name__)

EMBED_BATCH, LOCAL_BATCH = 64, 16
"""Texts embedded and stored at a time. An embedder in this process takes them one by one: fewer are done sooner."""
LONGEST_PAUSE_SECONDS = 60.0
"""Longest pause of the idle work: an embedder that is away refuses at once, so that trying costs nothing."""


LOOK_EVERY = 30
"""Every so many looks at what jobs have changed, one is for what hands have, and another process has restored."""


async def _nothing_waits() -> bool:
    return False


class MissingVectors:
    """Embeds in batches, and pauses while the embedder is away."""

    def __init__(self, parts: Parts, embedder: Embedder | None, random: Callable[[], float]) -> None:
        self._parts = parts
        self._embedder = embedder
        self._outage = Outage(random, longest=LONGEST_PAUSE_SECONDS)
        self._at_work = asyncio.Lock()
        self._profiles: set[ProfileKey] | None = None
        """Profiles that jobs have changed; None before all were looked at."""
        self._looks = 0
        self.looks_at_all = True
        """False in a worker beside others, one of which looks at all profiles at first."""
        self._not_embeddable: set[str] = set()

    def job_done(self, job: Job) -> None:
        """Note whose profile a finished job may have changed."""
        if self._profiles is not None and job.kind in ("remember", "talk"):
            self._profiles.update(ProfileKey.of_job(job, self._parts.settings.cognitive.profile.profile_layers))
        elif self._profiles is not None and job.kind == "rollback":
            self._profiles.add(RollbackCommand.model_validate(job.payload).key)

    def pause(self, reason: str) -> None:
        """Do not call the embedder for a while."""
        self._outage.begin(self._parts.clock(), reason)

    async def vectors_to_come(self) -> int:
        """Return how many events the embedder will make vectors of: 0 without one, and while it is away."""
        if self._embedder is None or self._outage.remaining(self._parts.clock()):
            return 0
        waiting, _ = await asyncio.to_thread(self._parts.events.waiting_vectors)
        return max(waiting - len(self._not_embeddable), 0)

    async def embed_events(self, jobs_wait: Callable[[], Awaitable[bool]] = _nothing_waits) -> None:
        """Embed events, a batch at a time, until none is left or, as `jobs_wait` tells after each batch, a job waits."""
        async with self._at_work:
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
        events = await asyncio.to_thread(self._parts.events.without_vector, limit + len(self._not_embeddable))
        return [event for event in events if event.event_id not in self._not_embeddable][:limit]

    async def _embed(self, embedder: Embedder, events: list[Event]) -> None:
        """Embed and store a batch. What the model can make nothing of is left to keywords."""
        vectors = await embedded_apart([event.said for event in events], embedder)
        made = {event.event_id: vector for event, vector in zip(events, vectors, strict=True) if vector is not None}
        self._not_embeddable.update(event.event_id for event in events if event.event_id not in made)
        if made:
            store, dimension = self._parts.events, len(next(iter(made.values())))
            await asyncio.to_thread(store.set_fingerprint, embedder.model, dimension)
            await asyncio.to_thread(store.set_vectors, list(made), list(made.values()))

    async def index_profiles(self) -> None:
        """Bring the index of profiles up to date: all of them at first, then those that jobs and hands have changed."""
        index, profiles = self._parts.backend.profile_index, self._parts.profiles
        if self._profiles is None:
            self._profiles = set(await asyncio.to_thread(profiles.keys)) if self.looks_at_all else set()
        elif self._looks % LOOK_EVERY == 0:
            self._profiles.update(await asyncio.to_thread(profiles.edited))
        self._looks += 1
        keys = list(self._profiles)
        for start in range(0, len(keys), EMBED_BATCH):
            some = keys[start : start + EMBED_BATCH]
            stored = [profile for key in some if (profile := await asyncio.to_thread(profiles.read, key)) is not None]
            stale = await asyncio.to_thread(index.stale, stored)
            texts = [profile_text(profile) for profile in stale]
            vectors = await vectors_for(texts, self._embedder, self._parts.events) if stale else []
            for profile, vector in zip(stale, vectors, strict=True):
                await asyncio.to_thread(index.put, profile, vector)
            self._profiles.difference_update(some)
