"""One attempt at a job, and the cause if it fails: the models, the disk, or the job itself."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Collection

from ...models.secrets import mask_known
from ...schema.errors import CheckpointError, ClaimLost, ModelError, ModelUnavailable, StorageError
from ...schema.job import DONE, Job
from ...stores.threaded_saver import OpenCheckpoints
from ...text.redaction import redact
from ..blocking import to_the_end
from ..components import Parts
from ..intake import HANDED_OVER
from ..outages.availability import LONGEST_DISK_PAUSE_SECONDS, Outage, doubled
from ..outages.model_record import ModelRecord
from ..upkeep.idle_work import Maintenance
from .job_runs import JobRuns

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
"""First wait before a job that failed for its own reasons is retried; doubled each time, up to LONGEST_RETRY_SECONDS."""

LONGEST_RETRY_SECONDS = 3_600.0

MOST_FAILURES = 3
"""Times that one job may fail as "unavailable" while others succeed in between, before the failure counts as its own."""

DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE})
"""Error numbers of a disk that cannot be used for now, or of exhausted file handles."""


class LoneFailures:
    """Counts how often one job failed while others succeeded."""

    def __init__(self) -> None:
        self._successes = 0
        self._failures: dict[str, tuple[int, int]] = {}

    def succeeded(self) -> None:
        """Note that another job succeeded."""
        self._successes += 1

    def clear(self, job: Job) -> None:
        self._failures.pop(job.job_id, None)

    def too_many(self, job: Job) -> bool:
        """Count a failure if another job succeeded since the last one; return True if it is the job's own fault."""
        failures, seen = self._failures.get(job.job_id, (0, -1))
        if self._successes > seen:
            failures += 1
            self._failures[job.job_id] = failures, self._successes
            return failures > MOST_FAILURES
        return False


class Attempts:
    """Runs claimed jobs and settles each: completed, postponed, failed, given back, or held.

    `models` and `disk` are the pauses that everybody's failures begin. `held` are jobs that the disk refused: they stay
    claimed, which asks nothing of the disk, until they are tried again. `must_reopen` says that the checkpoints failed.
    """

    def __init__(
        self,
        parts: Parts,
        runs: JobRuns,
        maintenance: Maintenance,
        commands: Callable[[Job], Awaitable[None]],
        random: Callable[[], float],
    ) -> None:
        self._watch = runs.watch
        self._parts = parts
        self._queue = parts.queue
        self._runs = runs
        self._maintenance = maintenance
        self._commands = commands
        self._statistics = runs.statistics
        self._record = ModelRecord(parts.chat, parts.directory, parts.clock)
        self.models = Outage(random)
        self.disk = Outage(random, longest=LONGEST_DISK_PAUSE_SECONDS)
        self.held: deque[Job] = deque()
        self.must_reopen = False
        self._answered = LoneFailures()
        self._written = LoneFailures()

    async def run(self, job: Job, checkpoints: OpenCheckpoints, former: Collection[asyncio.Task[None]] = ()) -> None:
        """Run a job and settle it, after the `former` runs of it that are about to end: they share its checkpoints.

        Raises only its own cancellation; the job goes back to the queue then.
        """
        completed = False
        try:
            if former:
                await asyncio.wait(former)
            outcome = await self._outcome(job)
            await asyncio.to_thread(self._parts.backend.ledger.add, DONE, job.job_id)
            await asyncio.to_thread(self._complete, job)
            completed = True
            if outcome != "forgotten":
                self._maintenance.job_done(job)
            await _drop_checkpoint(job, checkpoints)
        except asyncio.CancelledError:
            if not completed:  # a job that is neither settled nor held would stay claimed, and nobody run it
                await to_the_end(self.release(job))
            raise
        except Exception as error:
            await to_the_end(self._not_done(job, error))
        else:
            self._answered.succeeded()
            self._answered.clear(job)
            self._written.clear(job)
            if outcome in ("filed", "merged", "reflected"):
                # It has written to every store, so the disk works.
                self._written.succeeded()
                self.disk.end()
            await self._record.keep()
            self._settled(job, outcome)

    def models_answer(self) -> None:
        """Note that the models can be reached again."""
        self._answered.succeeded()
        self.models.end()

    async def release(self, job: Job) -> None:
        """Give a job back unchanged. If the disk refuses that too, the job is held and tried again."""
        try:
            await asyncio.to_thread(self._queue.release, job.job_id)
        except StorageError as error:
            self._hold(job, error)

    async def release_held(self) -> None:
        """Give back every job that is held."""
        held, self.held = self.held, deque()
        for job in held:
            await self.release(job)

    def _complete(self, job: Job) -> None:
        """Remove the job from the queue, unless the database that its events are in is not in its place any more."""
        self._parts.backend.check_in_place()
        self._queue.complete(job.job_id)

    async def _outcome(self, job: Job) -> str:
        if await asyncio.to_thread(self._parts.backend.ledger.has, DONE, job.job_id):
            return "merged" if job.kind == "profile" else "duplicate"  # by the run of another one
        if job.kind not in HANDED_OVER:
            await self._commands(job)
            return "command"
        # Checked before any model call: what is forgotten, or has expired, is never sent to a model.
        about = job.job_id, job.entities, job.moment.timestamp()
        is_over = job.has_expired(self._parts.clock())
        if is_over or await asyncio.to_thread(self._parts.events.is_forgotten, *about):
            await self._runs.pass_over(job)
            return "forgotten"
        return await self._runs.run(job)

    def _hold(self, job: Job, error: StorageError) -> None:
        if isinstance(error, ClaimLost):
            log.warning("%s; what was begun here is left to it", error)
            return
        self._wait(self.disk, job, error)
        self.held.append(job)

    def _wait(self, outage: Outage, job: Job, error: Exception) -> None:
        pause = outage.begin(self._parts.clock(), str(error), retry_after=getattr(error, "retry_after", None))
        self._statistics.outages += 1
        log.warning("job %s waits: %s; next try in %.0f s", job.job_id, error, pause)
        self._watch.ended(job, "waits")

    async def _not_done(self, job: Job, error: Exception) -> None:
        """Pause if the failure concerns all jobs; otherwise retry the job later or give it up."""
        if isinstance(error, CheckpointError):
            self.must_reopen = True  # opening them tells damage from a full disk
        elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
            error = StorageError(f"{error}; free some space on the disk, or mend it")
        try:
            if isinstance(error, ClaimLost) or (isinstance(error, StorageError) and not self._written.too_many(job)):
                self._hold(job, error)
            elif isinstance(error, ModelError) and not error.about_content and not self._is_poison(job, error):
                self._wait(self.models, job, error)
                await self.release(job)
            else:
                await self._own_fault(job, error)
        except StorageError as second:
            self._hold(job, second)

    def _is_poison(self, job: Job, error: ModelError) -> bool:
        """Return True if this job alone keeps failing. Being told to slow down (429) is no fault."""
        return not (isinstance(error, ModelUnavailable) and error.status == 429) and self._answered.too_many(job)

    async def _own_fault(self, job: Job, error: Exception) -> None:
        # What failed may repeat what it was given: the message is stored and logged without secrets.
        attempts, raw = job.attempts + 1, f"{type(error).__name__}: {error}"
        message = redact(mask_known(raw))
        if attempts <= self._runs.settings.cognitive.queue.job_max_retries:
            not_before = self._parts.clock() + doubled(RETRY_SECONDS, attempts, LONGEST_RETRY_SECONDS)
            log.warning(
                "job %s failed (attempt %d) and is tried again: %s",
                job.job_id,
                attempts,
                message,
                exc_info=error if message == raw else None,
            )
            await asyncio.to_thread(self._queue.postpone, job.job_id, error=message, not_before=not_before)
            self._settled(job, "retried")
            return
        filed = await self._runs.file_by_rules(job)
        log.error("job %s is given up after %d attempts (events filed: %s): %s", job.job_id, attempts, filed, message)
        await asyncio.to_thread(self._queue.fail, job.job_id, error=message, filed=filed)
        self._settled(job, "failed")

    def _settled(self, job: Job, outcome: str) -> None:
        self._statistics.outcomes[outcome] += 1
        self._watch.ended(job, outcome)


async def _drop_checkpoint(job: Job, checkpoints: OpenCheckpoints) -> None:
    try:
        await checkpoints.drop(job.job_id)
    except CheckpointError as error:
        log.warning("the checkpoint of job %s stays until the next start sweeps it: %s", job.job_id, error)
