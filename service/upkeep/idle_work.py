"""What the worker does when there is nothing to do: mend the derived indexes, embed what waits, clean up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...models.embeddings.wrapped import ReleasableEmbedder, Released
from ...nodes.historian.embed import vectors_for
from ...nodes.historian.merge_profile import profile_keys
from ...schema.errors import FingerprintMismatch, InvalidInput, ModelAnswerUnusable, ModelRefused, ModelUnavailable, StorageError
from ...schema.event import Event
from ...schema.job import Job
from ...schema.profile import ProfileKey
from ...schema.protocols import Embedder, JobQueue, Layers
from ...schema.scope import notes_scope
from ...schema.states import HistorianContext
from ...stores.chroma.repair import repair
from ...stores.files.end_summaries import EndSummaries
from ...stores.sqlite.profile_index import profile_text
from ..availability import Outage, Pause
from ..entity_data.migration import Migration
from ..jobs.commands import RollbackCommand
from .line_index import LineIndex
from .notes_index import NotesIndex

log = logging.getLogger(__name__)

EMBED_BATCH = 64
NOTES_SECONDS = 60.0
"""How often `cognitive.notes_dir` is looked through for changes; a look at 10,000 unchanged files takes some 0.1 s."""
BAD_ENTRIES_TOLD = 20
SUMMARIES_HELD = 200
"""Finished jobs whose plain summaries may wait in memory; a crash loses them from the fallback file, not from the events."""


class Maintenance:
    """One round an idle moment. Each part fails for itself: what fails is logged and tried again later."""

    def __init__(
        self,
        context: HistorianContext,
        queue: JobQueue,
        end_summaries: EndSummaries,
        *,
        random: Callable[[], float],
        notes: NotesIndex | None = None,
        layers: Layers | None = None,
        migration: Migration | None = None,
    ) -> None:
        self._released = asyncio.Event()
        if context.embedder is not None:
            context = replace(context, embedder=ReleasableEmbedder(context.embedder, self._released))
        self._lines = LineIndex(layers, context.embedder) if layers is not None else None
        self._migration = migration
        self._notes = notes
        self._notes_pause = Pause()
        self._notes_said: set[str] = set()
        self._context = context
        self._queue = queue
        self._end_summaries = end_summaries
        self._finished: list[Job] = []
        self._rounds = 0
        self._touched: set[ProfileKey] = set()
        self._profiles_listed = False
        self._embedder_outage = Outage(random)
        self._random = random
        self._part_outages: dict[str, Outage] = {}
        self._not_embeddable: set[str] = set()

    def job_done(self, job: Job) -> None:
        """Keep a finished job for the plain summaries; they are written in batches."""
        if job.kind == "remember":
            self._finished.append(job)
            self._touched.update(profile_keys(job, self._context.settings))
        elif job.kind == "rollback":
            self._touched.add(RollbackCommand.model_validate(job.payload).key)
        elif self._lines is not None and job.kind in ("states", "rollback_article"):
            self._lines.touch(job)

    def let_go(self) -> None:
        """End the round that runs without waiting for the embedder any longer. What is written meanwhile is finished."""
        self._released.set()

    async def idle(self) -> None:
        """One round. A part that a store refuses is tried again after a pause, which grows."""
        self._rounds += 1
        self._released.clear()
        await self.flush()
        for part in (
            self._migrate,
            self._index_notes,
            self._embed_missing,
            self._index_profiles,
            self._index_lines,
            self._repair_index,
            self._tidy,
            self._take_back,
            self._clean_up,
        ):
            if self._released.is_set():
                return
            name = part.__name__.strip("_").replace("_", " ")
            outage = self._part_outages.setdefault(name, Outage(self._random))
            if outage.remaining(self._context.clock()):
                continue
            try:
                await part()
            except Released:
                self._embedder_outage.begin(self._context.clock(), "the embedder did not answer in time")
                return
            except StorageError as error:
                pause = outage.begin(self._context.clock(), str(error))
                log.warning("%s, next try in %.0f s: %s", name, pause, error)
            else:
                outage.end()

    async def flush(self) -> None:
        """Write the plain summaries that wait."""
        jobs, self._finished = self._finished, []
        if not jobs:
            return
        try:
            await asyncio.to_thread(self._end_summaries.add, jobs)
        except StorageError as error:
            log.warning("plain summaries wait: %s", error)
            self._finished = [*jobs, *self._finished][-SUMMARIES_HELD:]

    async def _migrate(self) -> None:
        """Take in `cognitive.migrate_from`, a batch at a time; jobs that wait go first."""
        if self._migration is None:
            return
        path = Path(self._context.settings.cognitive.migrate_from)
        try:
            report = await self._migration.run_once(path, pause=self.jobs_wait)
        except InvalidInput as error:
            log.warning("cognitive.migrate_from: %s", error)
            self._migration = None
            return
        if report is None or report.complete:
            self._migration = None
        if report is not None and report.complete:
            log.info("%s: %d old summaries taken in, %d known, %d bad", path, report.taken, report.known, len(report.bad))
            for bad in report.bad[:BAD_ENTRIES_TOLD]:
                log.warning("%s: %s is left out: %s", path, bad.where, bad.error)

    async def _index_notes(self) -> None:
        """Look through `cognitive.notes_dir` once a minute; jobs that wait go first. What is new is embedded afterwards."""
        settings, now = self._context.settings.cognitive, self._context.clock()
        if self._notes is None or not settings.notes_dir or self._notes_pause.remaining(now):
            return
        self._notes_pause.begin(now, NOTES_SECONDS)
        try:
            report = await self._notes.run(Path(settings.notes_dir), notes_scope(settings.notes_scope), pause=self.jobs_wait)
        except InvalidInput as error:
            self._say_once(f"cognitive.notes_dir: {error}")
            return
        if not report.complete:
            self._notes_pause.end()
        for path, why in report.skipped.items():
            self._say_once(f"note {path} is not indexed: {why}")
        if report.did_something:
            log.info("notes: %d new, %d changed, %d renamed, %d gone", report.new, report.changed, report.renamed, report.deleted)

    def _say_once(self, message: str) -> None:
        if message not in self._notes_said:
            self._notes_said.add(message)
            log.warning("%s", message)

    async def jobs_wait(self) -> bool:
        """Whether jobs wait that none works on, or somebody wants the round to end. Raises StorageError."""
        return self._released.is_set() or (await asyncio.to_thread(self._queue.counts, self._context.clock())).pending > 0

    async def _embed_missing(self) -> None:
        """Embed, a batch at a time, what was filed while the embedder was away."""
        embedder = self._context.embedder
        if embedder is None or self._embedder_outage.remaining(self._context.clock()):
            return
        while events := await self._without_vector():
            try:
                await self._embed(embedder, events)
            except (ModelUnavailable, ModelRefused, FingerprintMismatch) as error:
                self._embedder_outage.begin(self._context.clock(), str(error))
                log.warning("%d or more events wait for their vectors: %s", len(events), error)
                return
            self._embedder_outage.end()
            if await self.jobs_wait():
                return

    async def _without_vector(self) -> list[Event]:
        events = await asyncio.to_thread(self._context.events.without_vector, EMBED_BATCH + len(self._not_embeddable))
        return [event for event in events if event.event_id not in self._not_embeddable][:EMBED_BATCH]

    async def _embed(self, embedder: Embedder, events: list[Event]) -> None:
        """Embed and store a batch. A text that the model can make nothing of is found by halving, and left to keywords."""
        try:
            matrix = await embedder.embed_documents([event.text for event in events])
        except ModelAnswerUnusable as error:
            if len(events) == 1:
                log.warning("event %s is found by keywords only: %s", events[0].event_id, error)
                self._not_embeddable.add(events[0].event_id)
                return
            middle = len(events) // 2
            await self._embed(embedder, events[:middle])
            await self._embed(embedder, events[middle:])
            return
        await asyncio.to_thread(self._context.events.set_fingerprint, embedder.model, int(matrix.shape[1]))
        await asyncio.to_thread(self._context.events.set_vectors, [event.event_id for event in events], list(matrix))

    async def _index_profiles(self) -> None:
        """Bring the index of profiles up to date: all of them at first, then those that jobs have touched."""
        index, profiles = self._context.profile_index, self._context.profiles
        if index is None:
            return
        if not self._profiles_listed:
            self._touched.update(await asyncio.to_thread(profiles.keys))
            self._profiles_listed = True
        keys = list(self._touched)
        for start in range(0, len(keys), EMBED_BATCH):
            some = keys[start : start + EMBED_BATCH]
            stored = [profile for key in some if (profile := await asyncio.to_thread(profiles.read, key)) is not None]
            stale = await asyncio.to_thread(index.stale, stored)
            vectors = await vectors_for([profile_text(profile) for profile in stale], self._context) if stale else []
            for profile, vector in zip(stale, vectors, strict=True):
                await asyncio.to_thread(index.put, profile, vector)
            self._touched.difference_update(some)

    async def _index_lines(self) -> None:
        """Embed the lines of Dynamic chapters that are new: of all articles at first, then of those that jobs have changed."""
        if self._lines is None or self._embedder_outage.remaining(self._context.clock()):
            return
        try:
            await self._lines.bring_up_to_date()
        except (ModelUnavailable, ModelRefused) as error:
            self._embedder_outage.begin(self._context.clock(), str(error))
            log.warning("lines of articles wait for their vectors: %s", error)

    async def _repair_index(self) -> None:
        index = self._context.event_index
        if index is None:
            return
        await asyncio.to_thread(repair, self._context.events, index)

    async def _tidy(self) -> None:
        await asyncio.to_thread(self._context.events.tidy)

    async def _take_back(self) -> None:
        """Jobs that an owner left in `processing` who is no more, and of whom no start has known."""
        if self._rounds % 60 == 1:
            stale = self._context.settings.historian.stale_job_timeout_seconds
            await asyncio.to_thread(self._queue.recover, self._context.clock(), older_than=stale)

    async def _clean_up(self) -> None:
        settings = self._context.settings.cognitive.queue
        if not settings.failed_cleanup_interval or self._rounds % settings.failed_cleanup_interval:
            return
        removed = await asyncio.to_thread(
            self._queue.cleanup,
            self._context.clock(),
            max_age_days=settings.failed_max_age_days,
            max_files=settings.failed_max_files,
        )
        if removed:
            log.info("%d failed jobs whose events are filed were removed", removed)
