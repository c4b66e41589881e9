"""Work of an idle worker: update the derived indexes, embed events and profiles, clean up."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

from ...models.embeddings.wrapped import ReleasableEmbedder, Released
from ...schema.errors import InvalidInput, StorageError
from ...schema.job import Job
from ...schema.protocols import VectorIndex
from ...schema.scope import notes_scope
from ...stores.index_repair import repair
from ..components import Parts
from ..entity_data.migration import Migration
from ..intake import was_changed
from ..outages.availability import Outage, Pause
from .missing_vectors import MissingVectors
from .notes_index import NotesIndex

log = logging.getLogger(__name__)

INDEX_BATCH = 250
"""Number of events added to the derived index at once. This takes about a fifth of a second, for
which a job may have to wait."""
NOTES_SECONDS = 60.0
"""Interval at which `cognitive.notes_dir` is checked for changes. Checking 10,000 unchanged files
takes about 0.1 s."""
EXPIRY_SECONDS = 600.0
"""Interval at which expired data and data beyond the limits is deleted."""
EXPIRED_AT_ONCE = 500
DAY_SECONDS = 86_400.0
OVERWRITING_SECONDS, OVERWRITING_SHARE = 600.0, 1_000
"""Minimum pause between two rewritings of the files: in seconds, and as a multiple of the duration
of the last rewriting. The longer one counts."""
OVERWRITING_TRIES = 20
"""Number of attempts at rewriting that a waiting writer may interrupt. During the next attempt,
writers wait until it ends."""
TAKE_BACK_ROUNDS = 60
BAD_ENTRIES_TOLD = 20
SUMMARIES_HELD = 200
"""Maximum number of finished jobs whose plain summaries wait in memory. After a crash these
summaries are missing in the fallback file; the events are not affected."""

Part = Callable[[], Awaitable[None]]


class Maintenance:
    """Does the idle work in rounds. The parts of a round fail independently: a failure is logged,
    and the part is tried again later.

    `event_index` is the derived vector index, or None; it is not updated while `index_waits()` is
    true. Of several workers, only the one in which `leads()` is true embeds events.
    """

    def __init__(
        self,
        parts: Parts,
        index: VectorIndex | None,
        notes: NotesIndex,
        *,
        index_waits: Callable[[], bool] = bool,
        leads: Callable[[], bool] = bool,
    ) -> None:
        self._parts = parts
        self.event_index = index
        self._notes = notes
        cognitive = parts.settings.cognitive
        self._migration = (
            Migration(parts, parts.settings, rewrite=cognitive.migrate_rewrite)
            if cognitive.migrate_from
            else None
        )
        self._index_waits = index_waits
        self._leads = leads
        self._released = asyncio.Event()
        embedder = (
            None if parts.embedder is None else ReleasableEmbedder(parts.embedder, self._released)
        )
        self.missing_vectors = MissingVectors(parts, embedder)
        self._end_summaries = parts.backend.plain_summaries
        self._finished: list[Job] = []
        self._rounds = 0
        self._pauses: defaultdict[str, Pause] = defaultdict(Pause)
        self._overwriting_tries = 0
        self._notes_said: set[str] = set()
        self._outages: dict[str, Outage] = {}
        self._embedding: asyncio.Task[None] | None = None
        self._has_worked = False

    def note_finished_job(self, job: Job) -> None:
        """Record the follow-up work of a finished job.

        Messages are embedded while jobs run, because a group that talks all the time leaves no idle
        moment. Of several workers, only the leading one embeds messages.
        """
        self.missing_vectors.note_finished_job(job)
        self._has_worked = True
        if job.kind == "remember" and job.expires_at is None:
            self._finished.append(job)
        if (
            job.kind == "talk"
            and self._leads()
            and (self._embedding is None or self._embedding.done())
        ):
            self._released.clear()  # no round runs while jobs run
            self._embedding = asyncio.create_task(
                self._embed_beside_jobs(), name="historian vectors"
            )

    async def _embed_beside_jobs(self) -> None:
        try:
            await self._try(self.missing_vectors.embed_events)
        except Released:
            log.debug("events without vectors are embedded after the next job")

    def let_go(self) -> None:
        """End the running round without waiting for the embedder. Writes that have begun are
        finished."""
        self._released.set()

    async def put_down(self) -> None:
        """Stop background work, and write the summaries that wait in memory. Call this before the
        stores are closed."""
        self.let_go()
        try:
            if self._embedding is not None:
                await self._embedding
        finally:
            await self._flush()

    async def idle(self, *, leads: bool = True) -> None:
        """Run one round. A part that fails with StorageError is retried after a growing pause.

        Of several workers, one `leads`; the others only do the work that their own jobs cause.
        """
        self._rounds += 1
        self._released.clear()
        await self._flush()
        missing = self.missing_vectors
        parts: list[Part] = [missing.index_profiles, self._tidy, self._take_back]
        if leads:
            parts = [self._migrate, self._index_notes, self._embed_events, *parts]
            parts += [self._expire, self._repair_index, self._clean_up, self._overwrite]
        missing.checks_all_profiles = leads
        for part in parts:
            if self._released.is_set():
                return
            try:
                await self._try(part)
            except Released:
                missing.pause("the embedder did not answer in time")
                return

    async def _embed_events(self) -> None:
        await self.missing_vectors.embed_events(self.jobs_wait)

    async def jobs_wait(self) -> bool:
        """Return True if a job is due that no worker has claimed, or if the round must end. Raises
        StorageError."""
        return self._released.is_set() or await asyncio.to_thread(
            self._parts.queue.is_due, self._parts.clock()
        )

    async def _try(self, part: Part) -> None:
        name = getattr(part, "__name__", "idle work").strip("_").replace("_", " ")
        outage = self._outages.setdefault(name, Outage())
        if outage.remaining(self._parts.clock()):
            return
        try:
            await part()
        except StorageError as error:
            pause = outage.begin(self._parts.clock(), str(error))
            log.warning("%s, next try in %.0f s: %s", name, pause, error)
        else:
            outage.end()

    async def _flush(self) -> None:
        """Write the plain summaries that wait in memory."""
        jobs, self._finished = self._finished, []
        if not jobs:
            return
        events = self._parts.events
        try:
            await asyncio.to_thread(
                lambda: self._end_summaries.add(
                    [job for job in jobs if not was_changed(events, job)]
                )
            )
        except StorageError as error:
            log.warning("plain summaries are not written yet: %s", error)
            self._finished = [*jobs, *self._finished][-SUMMARIES_HELD:]

    async def _migrate(self) -> None:
        """Import `cognitive.migrate_from` in batches. Stop after a batch if jobs wait."""
        if self._migration is None:
            return
        path = Path(self._parts.settings.cognitive.migrate_from)
        try:
            report = await self._migration.run_once(path, pause=self.jobs_wait)
        except InvalidInput as error:
            log.warning("cognitive.migrate_from: %s", error)
            self._migration = None
            return
        if report is None or report.complete:
            self._migration = None
        if report is not None and report.complete:
            log.info(
                "%s: %d old summaries imported, %d known before, %d invalid",
                path,
                report.taken,
                report.known,
                len(report.bad),
            )
            for bad in report.bad[:BAD_ENTRIES_TOLD]:
                log.warning("%s: %s is left out: %s", path, bad.where, bad.error)
            for place, count in report.unplaced.most_common(BAD_ENTRIES_TOLD):
                log.warning(
                    "%s: %d of %s are left out; give its id: `historian migrate --place`",
                    path,
                    count,
                    place,
                )

    async def _index_notes(self) -> None:
        """Index changes of `MEMORY.md` and `cognitive.notes_dir`, at most once a minute. Stop after
        a batch if jobs wait. New events are embedded later."""
        settings, now = self._parts.settings.cognitive, self._parts.clock()
        if self._pauses["notes"].remaining(now):
            return
        self._pauses["notes"].begin(now, NOTES_SECONDS)
        if not self._parts.backend.workers.many:  # otherwise each machine has its own file
            await self._notes.run_memory(
                self._parts.directory / "MEMORY.md", notes_scope(settings.notes_scope)
            )
        if not settings.notes_dir:
            return
        try:
            report = await self._notes.run(
                Path(settings.notes_dir), notes_scope(settings.notes_scope), pause=self.jobs_wait
            )
        except InvalidInput as error:
            self._say_once(f"cognitive.notes_dir: {error}")
            return
        if not report.complete:
            self._pauses["notes"].end()
        for path, why in report.skipped.items():
            self._say_once(f"note {path} is not indexed: {why}")
        if any(report.outcomes):
            log.info("notes: %d new, %d changed, %d renamed, %d gone", *report.outcomes)

    def _say_once(self, message: str) -> None:
        if message not in self._notes_said:
            self._notes_said.add(message)
            log.warning("%s", message)

    async def _expire(self) -> None:
        """Delete expired events and corrections, and tool results and messages beyond the limits of
        the settings. Stop after a batch if jobs wait."""
        now, cognitive = self._parts.clock(), self._parts.settings.cognitive
        if self._pauses["expiry"].remaining(now):
            return
        corrections = self._parts.backend.corrections
        await asyncio.to_thread(lambda: corrections.remove(corrections.expired(now)))
        keep_days, returned_days = cognitive.talk.keep_days, cognitive.observation.max_age_days
        said_before = now - keep_days * DAY_SECONDS if keep_days else None
        while await asyncio.to_thread(
            self._parts.events.expire,
            EXPIRED_AT_ONCE,
            now=now,
            returned_before=now - returned_days * DAY_SECONDS,
            said_before=said_before,
            most_messages=cognitive.talk.keep_messages,
        ):
            if await self.jobs_wait():
                return  # the next round continues
        self._pauses["expiry"].begin(now, EXPIRY_SECONDS)

    async def _overwrite(self) -> None:
        """Overwrite the bytes of deleted and edited messages in the files. A waiting writer
        interrupts this (see OVERWRITING_TRIES)."""
        erasure, begun = self._parts.backend.erasure, self._parts.clock()
        if self._pauses["overwriting"].remaining(begun) or not await asyncio.to_thread(
            erasure.has_remains
        ):
            return
        insist = self._overwriting_tries >= OVERWRITING_TRIES
        self._overwriting_tries += 1
        if await asyncio.to_thread(
            erasure.overwrite, self._released.is_set, insist=insist, derived=self._drop_index
        ):
            await self._repair_index()
            now = self._parts.clock()
            self._overwriting_tries = 0
            self._pauses["overwriting"].begin(
                now, max(OVERWRITING_SECONDS, OVERWRITING_SHARE * (now - begun))
            )

    def _drop_index(self) -> None:
        """Delete the derived index, which is then built anew: its files hold texts that were
        deleted from the index."""
        if self.event_index is not None:
            self.event_index.drop()

    async def _repair_index(self) -> None:
        """Synchronize the derived index in batches. Stop after the first or a later batch if jobs
        wait."""
        looks = count()

        def stop() -> bool:
            is_due = next(looks) > 0 and self._parts.queue.is_due(self._parts.clock())
            return self._released.is_set() or self._index_waits() or is_due

        if self.event_index is not None:
            await asyncio.to_thread(
                repair, self._parts.events, self.event_index, INDEX_BATCH, stop=stop
            )

    async def _tidy(self) -> None:
        """Merge a part of the keyword index. After the last part, release the memory that the
        database uses for the work."""
        if not await asyncio.to_thread(self._parts.events.tidy) and self._has_worked:
            self._has_worked = False
            await asyncio.to_thread(self._parts.backend.release_memory)

    async def _take_back(self) -> None:
        """Return jobs to the queue that a dead owner left in the state `processing`."""
        if self._rounds % TAKE_BACK_ROUNDS == 1:
            stale = self._parts.settings.historian.stale_job_timeout_seconds
            await asyncio.to_thread(
                self._parts.queue.take_over, self._parts.clock(), older_than=stale
            )

    async def _clean_up(self) -> None:
        settings = self._parts.settings.cognitive.queue
        if not settings.failed_cleanup_interval or self._rounds % settings.failed_cleanup_interval:
            return
        age, most = settings.failed_max_age_days, settings.failed_max_files
        removed = await asyncio.to_thread(
            self._parts.queue.cleanup, self._parts.clock(), max_age_days=age, max_failed=most
        )
        if removed:
            log.info("%d failed jobs whose events are filed were removed", removed)
