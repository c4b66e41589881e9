"""Attempts to run jobs. A failed attempt has one of three causes: the models, the disk, or the job
itself."""

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
"""Seconds before the first retry of a job that itself caused its failure. Each further wait is
twice as long, up to LONGEST_RETRY_SECONDS."""

LONGEST_RETRY_SECONDS = 3_600.0

MOST_FAILURES = 3
"""Maximum number of failures of one job as "unavailable", each after a success of another job.
After that, the job itself counts as the cause."""

DISK_ERRORS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE}
)
"""Error numbers for a disk that is temporarily unusable, and for exhausted file handles."""


class LoneFailures:
    """Counts per job how often it failed while other jobs succeeded."""

    def __init__(self) -> None:
        self._successes = 0
        self._failures: dict[str, tuple[int, int]] = {}

    def succeeded(self) -> None:
        """Record a success of any job."""
        self._successes += 1

    def clear(self, job: Job) -> None:
        self._failures.pop(job.job_id, None)

    def too_many(self, job: Job) -> bool:
        """Count a failure of `job` if a job succeeded after the last counted one. Return True if
        these are more than MOST_FAILURES now."""
        failures, seen = self._failures.get(job.job_id, (0, -1))
        if self._successes > seen:
            failures += 1
            self._failures[job.job_id] = failures, self._successes
            return failures > MOST_FAILURES
        return False


class Attempts:
    """Runs claimed jobs and settles each: completed, postponed, failed, given back, or held.

    `models` and `disk` are the pauses of all jobs after failures of a model or the disk. `held` are
    jobs that failed because of the disk: they remain claimed, which needs no write, until they are
    tried again. `must_reopen` is True if the checkpoints failed.
    """

    def __init__(
        self,
        parts: Parts,
        runs: JobRuns,
        maintenance: Maintenance,
        commands: Callable[[Job], Awaitable[None]],
    ) -> None:
        self._watch = runs.watch
        self._parts = parts
        self._queue = parts.queue
        self._runs = runs
        self._maintenance = maintenance
        self._commands = commands
        self._statistics = runs.statistics
        self._record = ModelRecord(parts.chat, parts.directory, parts.clock)
        self.models = Outage()
        self.disk = Outage(longest=LONGEST_DISK_PAUSE_SECONDS)
        self.held: deque[Job] = deque()
        self.must_reopen = False
        self._answered = LoneFailures()
        self._written = LoneFailures()

    async def run(
        self, job: Job, checkpoints: OpenCheckpoints, former: Collection[asyncio.Task[None]] = ()
    ) -> None:
        """Run a job and settle it. First wait for the end of `former` runs of the same job, which
        use the same checkpoints.

        Raises only CancelledError. A job that is cancelled before its completion is returned to the
        queue.
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
                self._maintenance.note_finished_job(job)
            await _drop_checkpoint(job, checkpoints)
        except asyncio.CancelledError:
            if not completed:  # otherwise it would remain claimed and never run
                await to_the_end(self.release(job))
            raise
        except Exception as error:
            await to_the_end(self._not_done(job, error))
        else:
            self._answered.succeeded()
            self._answered.clear(job)
            self._written.clear(job)
            if outcome in ("filed", "merged", "reflected"):
                # The run has written to every store, so the disk works.
                self._written.succeeded()
                self.disk.end()
            await self._record.keep()
            self._settled(job, outcome)

    def models_answer(self) -> None:
        """Record that the models can be reached again."""
        self._answered.succeeded()
        self.models.end()

    async def release(self, job: Job) -> None:
        """Return a job to the queue unchanged. If this write fails too, the job is held and tried
        again."""
        try:
            await asyncio.to_thread(self._queue.release, job.job_id)
        except StorageError as error:
            self._hold(job, error)

    async def release_held(self) -> None:
        """Return all held jobs to the queue."""
        held, self.held = self.held, deque()
        for job in held:
            await self.release(job)

    def _complete(self, job: Job) -> None:
        """Remove a job from the queue. Raises StorageError, and leaves the job, if the database
        file with its events was moved, deleted or replaced."""
        self._parts.backend.check_in_place()
        self._queue.complete(job.job_id)

    async def _outcome(self, job: Job) -> str:
        if await asyncio.to_thread(self._parts.backend.ledger.has, DONE, job.job_id):
            return "merged" if job.kind == "profile" else "duplicate"  # by the run of another job
        if job.kind not in HANDED_OVER:
            await self._commands(job)
            return "command"
        # Checked before any model call: jobs of forgotten entities and expired jobs are never sent
        # to a model.
        about = job.job_id, job.entities, job.moment.timestamp()
        is_over = job.has_expired(self._parts.clock())
        if is_over or await asyncio.to_thread(self._parts.events.is_forgotten, *about):
            await self._runs.pass_over(job)
            return "forgotten"
        return await self._runs.run(job)

    def _hold(self, job: Job, error: StorageError) -> None:
        if isinstance(error, ClaimLost):
            log.warning("%s; this worker drops the job", error)
            return
        self._wait(self.disk, job, error)
        self.held.append(job)

    def _wait(self, outage: Outage, job: Job, error: Exception) -> None:
        pause = outage.begin(
            self._parts.clock(), str(error), retry_after=getattr(error, "retry_after", None)
        )
        self._statistics.outages += 1
        log.warning("job %s waits: %s; next try in %.0f s", job.job_id, error, pause)
        self._watch.ended(job, "waits")

    async def _not_done(self, job: Job, error: Exception) -> None:
        """Pause if the failure concerns all jobs; otherwise retry the job later or give it up."""
        if isinstance(error, CheckpointError):
            self.must_reopen = True  # reopening shows whether they are damaged
        elif isinstance(error, OSError) and error.errno in DISK_ERRORS:
            error = StorageError(f"{error}; free some space on the disk, or repair it")
        try:
            if isinstance(error, ClaimLost) or (
                isinstance(error, StorageError) and not self._written.too_many(job)
            ):
                self._hold(job, error)
            elif (
                isinstance(error, ModelError)
                and not error.about_content
                and not self._is_poison(job, error)
            ):
                self._wait(self.models, job, error)
                await self.release(job)
            else:
                await self._own_fault(job, error)
        except StorageError as second:
            self._hold(job, second)

    def _is_poison(self, job: Job, error: ModelError) -> bool:
        """Return True if only this job keeps failing. A rate limit (status 429) does not count."""
        return not (
            isinstance(error, ModelUnavailable) and error.status == 429
        ) and self._answered.too_many(job)

    async def _own_fault(self, job: Job, error: Exception) -> None:
        # An error message may repeat its input: it is stored and logged without secrets.
        attempts, raw = job.attempts + 1, f"{type(error).__name__}: {error}"
        message = redact(mask_known(raw))
        if attempts <= self._runs.settings.cognitive.queue.job_max_retries:
            not_before = self._parts.clock() + doubled(
                RETRY_SECONDS, attempts, LONGEST_RETRY_SECONDS
            )
            log.warning(
                "job %s failed (attempt %d) and will be tried again: %s",
                job.job_id,
                attempts,
                message,
                exc_info=error if message == raw else None,
            )
            await asyncio.to_thread(
                self._queue.postpone, job.job_id, error=message, not_before=not_before
            )
            self._settled(job, "retried")
            return
        filed = await self._runs.file_by_rules(job)
        log.error(
            "job %s is given up after %d attempts (events filed: %s): %s",
            job.job_id,
            attempts,
            filed,
            message,
        )
        await asyncio.to_thread(self._queue.fail, job.job_id, error=message, filed=filed)
        self._settled(job, "failed")

    def _settled(self, job: Job, outcome: str) -> None:
        self._statistics.outcomes[outcome] += 1
        self._watch.ended(job, outcome)


async def _drop_checkpoint(job: Job, checkpoints: OpenCheckpoints) -> None:
    try:
        await checkpoints.drop(job.job_id)
    except CheckpointError as error:
        log.warning(
            "the checkpoint of job %s could not be deleted; the next start deletes it: %s",
            job.job_id,
            error,
        )
