"""The observation queue: records tool calls and messages without delaying the agent.

The foreground appends a bounded copy to a bounded queue. A background task redacts, splits and
stores the copies; the worker makes the vectors. If the task falls behind, the oldest observations
are dropped and counted; the agent never waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from zoneinfo import ZoneInfo

from ...schema.entity import Entity
from ...schema.errors import InvalidInput, StorageError
from ...schema.event import Event
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.scope import Scope
from ...schema.settings import ObservationSettings
from ...stores.tables.events.store import EventStore
from ..components import Parts
from ..incoming_messages import given_id
from ..outages.availability import Outage, Pause
from ..timezones import configured_timezone
from .records import (
    Cleaned,
    ObservationStatistics,
    Observed,
    cleaned,
    events_of,
    observe_message,
    observe_tool,
    talk_job,
    with_shown_name,
)
from .sessions import SessionScopes

log = logging.getLogger(__name__)

BATCH = 32
"""Observations that are redacted and stored together."""

DROPS_TOLD_SECONDS = 60.0
SETTLED_POLL_SECONDS = 0.01


class Observation:
    """The queue of observations, its background task, and the scopes of sessions.

    Every observation belongs to a scope: the given one, else the one to which its session is bound.
    It is stored with that scope and is not found in any other. `jobs` is the job queue if a model
    reads talk, else None. With `jobs`, each message also becomes a job of kind `talk`, which is due
    `summary_interval_seconds` later, together with other messages of its conversation.
    """

    def __init__(
        self,
        *,
        events: EventStore,
        settings: ObservationSettings,
        timezone: ZoneInfo,
        clock: Callable[[], float],
        bot_name: str = "",
        jobs: JobQueue | None = None,
    ) -> None:
        self._events = events
        self._bot_name = bot_name
        self._jobs = jobs
        self._settings = settings
        self._timezone = timezone
        self._clock = clock
        self._queue: deque[Observed] = deque(maxlen=settings.queue_max)
        self._sessions = SessionScopes()
        self._outage = Outage()
        self._taken: list[Observed] = []
        self._held: list[Event] = []
        self._talk: list[Job] = []
        self._wake = asyncio.Event()
        self._asleep = False
        self._open = False
        self._closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._told_drops = 0
        self._drops_pause = Pause()
        self.statistics = ObservationStatistics()

    def observe_tool(
        self,
        name: str,
        arguments: object,
        result: object,
        *,
        scope: Scope | None = None,
        session_id: str = "",
    ) -> None:
        """Queue a tool call with its result or exception. Thread-safe.

        Raises InvalidInput if no scope is given and the session is not bound to one, or if `scope`
        is not a Scope.
        """
        if self._open:
            within = self._sessions.scope_of(session_id, scope)
            self._note(observe_tool(within, self._clock(), name, arguments, result))

    def observe_message(
        self,
        role: str,
        content: object,
        session_id: str = "",
        *,
        scope: Scope | None = None,
        name: str = "",
    ) -> None:
        """Queue a message. `role` is `user`, `assistant` or a role name that the bot uses.
        Thread-safe. Raises like `observe_tool`."""
        if self._open:
            session_id = given_id(session_id, "session_id")
            self._note(
                observe_message(
                    self._sessions.scope_of(session_id, scope), self._clock(), role, name, content
                )
            )

    async def start(self) -> None:
        """Open the queue and start the background task."""
        self._loop = asyncio.get_running_loop()
        self._open = True
        self._task = asyncio.create_task(self._run(), name="historian observation")

    def take_over(self, former: Observation) -> None:
        """Take over the remaining observations, the sessions and the counts of another queue, whose
        event loop has ended. Call it before `start`."""
        self._held += former._held
        self._talk += former._talk
        self._queue.extend([*former._taken, *former._queue])
        self._sessions = former._sessions
        self.statistics = former.statistics

    async def aclose(self, timeout_seconds: float = 5.0) -> None:
        """Close the queue and store its observations within the time limit. The rest is lost and
        counted.

        A cancellation ends the waiting at once.
        """
        self._open = False
        self._closing = True
        self._wake.set()
        try:
            await self._end_task(timeout_seconds)
        finally:
            # Losses are counted after an interruption as well.
            queued = len(self._queue)
            self._queue.clear()
            self.statistics.lost += queued
            if left := queued + self._give_up():
                log.warning("%d observations were not stored before the service closed", left)

    async def _end_task(self, timeout_seconds: float) -> None:
        """Wait for the task within the time limit, then cancel it."""
        task, self._task = self._task, None
        if task is None:
            return
        try:
            await asyncio.wait([task], timeout=timeout_seconds)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every observation is stored. Return False if that takes longer than the time
        limit."""
        try:
            async with asyncio.timeout(timeout_seconds):
                while self._queue or self._held or not self._asleep:  # noqa: ASYNC110 - set by other threads too
                    await asyncio.sleep(SETTLED_POLL_SECONDS)
        except TimeoutError:
            return False
        return True

    def forget(self, entity: Entity) -> int:
        """Remove the observations of a user or group from memory and return their number. Call it
        from the event loop."""
        gone = 0
        for _ in range(len(self._queue)):  # one at a time, because other threads keep appending
            try:
                one = self._queue.popleft()
            except IndexError:
                break
            if entity.spoke(one.scope.user_id, one.scope.group_id):
                gone += 1
            else:
                self._queue.append(one)
        # A batch that is being stored is left alone. The store refuses events of forgotten
        # entities.
        self._sessions.forget(entity)
        return gone

    def _note(self, observed: Observed) -> None:
        queue = self._queue
        if len(queue) >= self._settings.queue_max:
            self.statistics.dropped += 1
        queue.append(observed)
        self.statistics.noted += 1
        if self._asleep:
            # Only the first of a burst wakes the task.
            self._asleep = False
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._wake.set)

    async def _run(self) -> None:
        while True:
            try:
                await self._work_off()
                if self._closing:
                    return
                self._tell_drops()
            except StorageError as error:
                if self._closing:
                    return
                pause = self._outage.begin(self._clock(), str(error))
                log.warning(
                    "observations could not be stored, next try in %.0f s: %s", pause, error
                )
            except Exception as error:
                # The task must survive any batch. The text of the error is not logged: it may
                # contain observed content.
                log.error("a batch of observations is lost: %s", type(error).__name__)
                self._give_up()
            await self._rest()

    def _give_up(self) -> int:
        """Drop the batch that is being stored, count it as lost, and return its size."""
        left = len(self._taken) + len(self._held)
        self.statistics.lost += left
        self._taken, self._held, self._talk = [], [], []
        return left

    async def _rest(self) -> None:
        """Sleep until an observation is queued or (in an outage) the pause is over."""
        paused = self._outage.remaining(self._clock())
        if paused <= 0 and not self._held:
            self._asleep = True
        if self._queue and paused <= 0:
            self._asleep = False
            return
        try:
            async with asyncio.timeout(paused if paused > 0 else None):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()
        if not self._closing:
            self._asleep = False

    async def _work_off(self) -> None:
        while self._held or self._queue:
            if not self._closing and self._outage.remaining(self._clock()):
                return
            if not self._held:
                self._taken = self._take()
                self._held, self._talk = await asyncio.to_thread(self._prepare, self._taken)
                self._taken = []
            stored = await asyncio.to_thread(self._store, self._held)
            if self._jobs is not None and self._talk:
                await asyncio.to_thread(self._jobs.put_all, self._talk)
            self.statistics.stored += stored
            self.statistics.known += len(self._held) - stored
            self._held, self._talk = [], []
            self._outage.end()

    def _store(self, events: Sequence[Event]) -> int:
        """Store the new events in one transaction, without vectors, and return their number. An
        event that cannot be stored is skipped and logged.
        """
        try:
            return len(self._events.file_new(events, [None] * len(events)))
        except InvalidInput as error:
            if len(events) > 1:
                return sum(self._store([event]) for event in events)
            log.warning("an observation cannot be stored: %s", type(error).__name__)
            return 0

    def _take(self) -> list[Observed]:
        batch: list[Observed] = []
        try:
            while len(batch) < BATCH:
                batch.append(self._queue.popleft())
        except IndexError:
            return batch  # other threads append, so only popleft shows that the queue is empty
        return batch

    def _prepare(self, batch: list[Observed]) -> tuple[list[Event], list[Job]]:
        """Return the events of a batch without duplicates, and, if a model reads talk, the jobs of
        its messages.

        An observation that fails is skipped and counted as unusable.
        """
        found: dict[str, Event] = {}
        talk: list[Job] = []
        for observed in batch:
            try:
                clean: Cleaned = with_shown_name(cleaned(observed), self._bot_name)
                made = events_of(
                    clean,
                    timezone=self._timezone,
                    max_tokens=self._settings.chunk_max_tokens,
                    bot_name=self._bot_name,
                )
                for event in made:
                    found.setdefault(event.event_id, event)
                if self._jobs is not None and (
                    job := talk_job(clean, self._timezone, self._settings, self._bot_name)
                ):
                    talk.append(job)
            except Exception as error:
                # No observation may end the task, and its content may not be logged.
                self.statistics.unusable += 1
                log.warning("an observation could not be read: %s", type(error).__name__)
                continue
        return list(found.values()), talk

    def _tell_drops(self) -> None:
        now, dropped = self._clock(), self.statistics.dropped
        if dropped > self._told_drops and not self._drops_pause.remaining(now):
            fresh, size = dropped - self._told_drops, self._settings.queue_max
            log.warning("%d observations were dropped: the queue of %d was full", fresh, size)
            self._told_drops = dropped
            self._drops_pause.begin(now, DROPS_TOLD_SECONDS)


def make_observation(parts: Parts) -> Observation:
    """Return the observation queue of `parts`; call `start()` to open it."""
    cognitive = parts.settings.cognitive
    return Observation(
        events=parts.events,
        settings=cognitive.observation,
        timezone=ZoneInfo(configured_timezone(cognitive.timezone)),
        clock=parts.clock,
        bot_name=cognitive.bot_name,
        jobs=parts.queue if parts.context().asks_a_model else None,
    )
