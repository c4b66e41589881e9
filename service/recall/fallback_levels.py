"""The last rungs of the ladder: what can be remembered without a database, without a model and without an event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from ...schema.errors import HistorianError, StorageError
from ...schema.event import Event, EventFilter
from ...schema.hit import Hit
from ...schema.job import Job
from ...schema.protocols import EventStore, JobQueue, JobState
from ...schema.scope import Scope
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory

log = logging.getLogger(__name__)

LOCAL_SECONDS = 0.15
"""How long a reply waits for what lies on this machine."""

_NOT_FILED: tuple[JobState, ...] = ("processing", "pending")

Result = TypeVar("Result")


class PlainMemory:
    """The last plain summaries, and `MEMORY.md` for as long as the database cannot be used.

    `database_away` tells whether it could be used when last looked at. All methods are blocking; none of them opens
    the database.
    """

    def __init__(self, directory: Path, end_summaries: EndSummaries) -> None:
        self._end_summaries = end_summaries
        self._directory = directory
        self._markdown = MarkdownMemory(directory / "MEMORY.md")
        self.database_away = False

    @property
    def is_empty(self) -> bool:
        """Whether neither file exists: two looks at a directory, which need no thread."""
        return not any((self._directory / name).exists() for name in ("end_summaries.json", "MEMORY.md"))

    def add(self, job: Job) -> None:
        """Keep a job readable until the database is back. The job itself waits in the queue: a failure is only logged."""
        try:
            self._markdown.add(job)
        except (StorageError, OSError) as error:
            log.warning("job %s waits on disk, but is not in MEMORY.md: %s", job.job_id, error)

    def of(self, scope_key: str) -> list[tuple[str, str]]:
        """(timestamp, text) of a conversation, oldest first; what one of the two files does not give, the other may."""
        found: dict[str, str] = {}
        for source in (self._end_summaries.of, self._markdown.of):
            try:
                found.update((text, timestamp) for timestamp, text in source(scope_key))
            except (HistorianError, OSError) as error:
                log.warning("plain memory is incomplete: %s", error)
        return [(timestamp, text) for text, timestamp in found.items()]

    def hits(self, scope: Scope) -> list[Hit]:
        """The same as hits, newest first, to stand beside what profiles there are."""
        return [
            Hit(
                Event(
                    event_id=f"plain:{n}",
                    job_id="plain",
                    kind="action",
                    text=text,
                    user_id=scope.user_id,
                    group_id=scope.group_id,
                    request_type=scope.request_type,
                    timestamp=0.0,
                    timestamp_local=timestamp,
                    timezone="UTC",
                    is_absolute=False,
                ),
                score=0.0,
            )
            for n, (timestamp, text) in enumerate(reversed(self.of(scope.key)))
        ]

    def look_at(self, events: EventStore, queue: JobQueue) -> bool:
        """Whether the database is away, by reading from it. When it is found away, the jobs that wait are kept readable."""
        try:
            events.count()
            events.find(EventFilter(None), limit=1)
        except StorageError as error:
            if not self.database_away:
                log.error("the database cannot be used; jobs wait on disk and are kept in MEMORY.md meanwhile: %s", error)
                self.begin(queue)
        else:
            self.database_away = False
        return self.database_away

    def begin(self, queue: JobQueue) -> None:
        """The database is away from now on: what was accepted and not filed is kept readable, with all that comes later."""
        # First of all, so that what is accepted from here on is added by whoever accepts it.
        self.database_away = True
        try:
            self._markdown.add(*(job for state in _NOT_FILED for job in queue.jobs(state) if job.kind == "remember"))
        except (StorageError, OSError) as error:
            log.warning("jobs wait on disk, but are not in MEMORY.md: %s", error)


def in_thread(work: Callable[[], Coroutine[Any, Any, Result]], seconds: float) -> Result | None:
    """What a coroutine gives in an event loop of its own, in a thread; None where it takes longer or fails.

    The thread is left to itself then; it ends with its work, and keeps no process from ending.
    """
    results: list[Result] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work()))
        except Exception:
            log.exception("a recall from synchronous code failed")

    thread = threading.Thread(target=run, name="historian-context", daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0] if results else None
