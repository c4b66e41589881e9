"""Change of the embedding model while the memory remains readable.

The vectors are made in batches. Each batch is on disk before the next one begins. After a crash or
an outage of the model, the next run continues where this one stopped and embeds no text twice.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal

from ...models.embeddings.recorded import embedded_apart
from ...schema.errors import (
    HistorianError,
    ModelAnswerUnusable,
    ModelError,
    OwnerLockHeld,
    StorageError,
)
from ...schema.profile import Profile, profile_text
from ...schema.protocols import Embedder, Fingerprint, Vector, Workers
from ...stores.index_repair import repair
from ...stores.tables.events.shadow_vectors import Lacking
from ..components import Parts

log = logging.getLogger(__name__)

BATCH = 64
LAST_ROUNDS = 20
"""Maximum number of passes over the events, because new events are filed during a pass. Events that
remain without a vector are embedded by the worker."""


@dataclass(frozen=True, slots=True)
class Built:
    """The counts of a run: vectors `found` from an earlier run, vectors `made` by this run,
    embedded `profiles`, and events `skipped` because they cannot be embedded."""

    fingerprint: Fingerprint
    found: int
    made: int
    profiles: int
    skipped: int


@dataclass(frozen=True, slots=True)
class ModelChange:
    """The outcome of a change. `same`: no change was needed. `kept`: the kept vectors of the model
    are used again. `built`: new vectors were made in `seconds`."""

    outcome: Literal["same", "kept", "built"]
    fingerprint: Fingerprint
    built: Built | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FormerVectors:
    """The vectors that a rollback restored. `lacking` is the number of events without a vector of
    this model; they were filed after the change."""

    model: str
    dimension: int
    lacking: int


class ReembeddingStopped(HistorianError):
    """A change could not be completed. `template` and `values` give the message, for
    `str.format`."""

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template = template
        self.values = values


async def change_model(
    parts: Parts,
    embedder: Embedder,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ModelChange:
    """Make the vectors of `embedder`'s model and let searches use them. Calls `on_progress(events
    done, events)`.

    Vectors can be made while another process owns the data directory; the change itself requires
    the ownership. Raises ReembeddingStopped (vectors made so far are stored), InvalidInput (vectors
    of a former model must be dropped first) and StorageError.
    """
    lock = parts.backend.workers.ownership()
    work = Reembedding(parts, embedder)
    with ExitStack() as stack:
        try:
            stack.enter_context(parts.backend.workers.reembedding(parts.clock()))
        except OwnerLockHeld as error:
            raise ReembeddingStopped(
                "another `historian reembed` is at work; wait for it, or stop it: {error}",
                error=error,
            ) from None
        try:
            stack.enter_context(lock.acquire(time.time()))
        except OwnerLockHeld as error:
            log.warning("the vectors are computed while the owner keeps running: %s", error)
        started = time.monotonic()
        try:
            built = await work.build(on_progress=on_progress)
        except ModelError as error:
            sets = parts.backend.shadow.sets()
            raise ReembeddingStopped(
                "{error} {done} of {total} vectors are computed and stored; run this again to "
                "continue, nothing is embedded twice",
                error=error,
                done=sets.next_done,
                total=sets.events,
            ) from None
        if built == "same":
            return ModelChange("same", parts.backend.shadow.sets().used or (embedder.model, 0))
        if built == "kept":
            if not lock.is_held:
                raise ReembeddingStopped(
                    "the former vectors of {model} are still stored; only the owner of the data "
                    "directory can switch back to them: stop it first",
                    model=embedder.model,
                )
            fingerprint = parts.backend.shadow.roll_back()
            _rebuild_index(parts)
            return ModelChange("kept", fingerprint)
        if not lock.is_held:
            try:
                stack.enter_context(lock.acquire(time.time()))  # the owner may have ended meanwhile
            except OwnerLockHeld as error:
                raise ReembeddingStopped(
                    "all {count} vectors are computed and stored, but only the owner of the data "
                    "directory can switch to them: {error}. Stop it and run this again: nothing is "
                    "embedded twice, and the switch takes a moment",
                    count=built.found + built.made,
                    error=error,
                ) from None
        parts.backend.shadow.change_over()
        _rebuild_index(parts)
    return ModelChange("built", built.fingerprint, built, time.monotonic() - started)


def go_back(parts: Parts) -> FormerVectors:
    """Change back to the kept vectors of the former model. Raises ReembeddingStopped if another
    process is the owner, and InvalidInput if no vectors are kept."""
    with _owned(parts.backend.workers):
        model, dimension = parts.backend.shadow.roll_back()
        _rebuild_index(parts)
    return FormerVectors(model, dimension, parts.events.count() - parts.events.embedded_count())


def drop_former(parts: Parts) -> int:
    """Delete the kept vectors of the former model and the vectors of an unfinished change. Return
    their number. Raises ReembeddingStopped if another process is the owner."""
    with _owned(parts.backend.workers):
        return parts.backend.shadow.drop_old()


class Reembedding:
    """Makes the vectors of one new model. Searches use the former vectors until
    `ShadowVectors.change_over`."""

    def __init__(self, parts: Parts, embedder: Embedder) -> None:
        self._shadow, self._events, self._profiles = (
            parts.backend.shadow,
            parts.events,
            parts.profiles,
        )
        self._embedder = embedder
        self._skipped: set[int] = set()

    async def build(
        self, *, on_progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Built | Literal["same", "kept"]:
        """Make the missing vectors of the new model, and return the counts. Calls
        `on_progress(events done, events)`.

        Returns "same" if the vectors in use are of this model, and "kept" if vectors of this model
        are kept from an earlier change; then no vector is made. Raises InvalidInput (vectors of a
        former model must be dropped first), ModelUnavailable and ModelRefused (vectors made so far
        are stored), StorageError.
        """
        dimension = len(await self._embedder.embed_query("dimension"))
        wanted = (self._embedder.model, dimension)
        sets = await asyncio.to_thread(self._shadow.sets)
        if sets.used == wanted:
            return "same"
        if sets.kept == wanted:
            return "kept"
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

    async def _embed_events(self, before: int, on_progress: Callable[[int, int], None]) -> int:
        """Make one pass over all events without a vector. Return the number of vectors made."""
        made, last = 0, 0
        total = await asyncio.to_thread(self._events.count)
        on_progress(before, total)
        while lacking := await asyncio.to_thread(self._shadow.lacking, last, BATCH):
            last = lacking[-1].row
            embedded = await self._vectors(
                [item for item in lacking if item.row not in self._skipped]
            )
            if embedded:
                items, vectors = [item for item, _ in embedded], [vector for _, vector in embedded]
                made += await asyncio.to_thread(self._shadow.store, items, vectors)
            total = max(total, await asyncio.to_thread(self._events.count))
            on_progress(before + made, total)
        return made

    async def _vectors(self, items: Sequence[Lacking]) -> list[tuple[Lacking, Vector]]:
        """Return the items that could be embedded, with their vectors. The rows of the others are
        added to the skipped rows."""
        vectors = await embedded_apart([item.text for item in items], self._embedder)
        embedded = [
            (item, vector)
            for item, vector in zip(items, vectors, strict=True)
            if vector is not None
        ]
        failed = {
            item.row: item for item, vector in zip(items, vectors, strict=True) if vector is None
        }
        for item in failed.values():
            log.warning("event %s cannot be embedded and is found by keywords only", item.event_id)
        self._skipped.update(failed)
        return embedded

    async def _embed_profiles(self) -> int:
        made = 0
        keys = await asyncio.to_thread(self._profiles.keys)
        for start in range(0, len(keys), BATCH):
            some = keys[start : start + BATCH]
            stored = [
                profile
                for key in some
                if (profile := await asyncio.to_thread(self._profiles.read, key)) is not None
            ]
            lacking: list[Profile] = await asyncio.to_thread(self._shadow.profiles_lacking, stored)
            if not lacking:
                continue
            try:
                matrix = await self._embedder.embed_documents(
                    [profile_text(profile) for profile in lacking]
                )
            except ModelAnswerUnusable as error:
                log.warning("%d profiles are embedded later: %s", len(lacking), error)
                continue
            await asyncio.to_thread(self._shadow.store_profiles, lacking, list(matrix))
            made += len(lacking)
        return made


def _rebuild_index(parts: Parts) -> None:
    """Rebuild the derived index from the events. If this fails, the next worker repairs the
    index."""
    index = parts.backend.vector_index()
    if index is None:
        return
    try:
        index.reset()
        repair(parts.events, index)
    except StorageError as error:
        log.warning("the derived index is rebuilt by the next worker: %s", error)
    finally:
        index.close()


@contextmanager
def _owned(workers: Workers) -> Iterator[None]:
    try:
        lock = workers.ownership().acquire(time.time())
    except OwnerLockHeld as error:
        raise ReembeddingStopped("only the owner can do this: {error}", error=error) from None
    with lock:
        yield
