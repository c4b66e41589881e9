"""The last fallback level: memory without a database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...schema.errors import HistorianError, StorageError
from ...schema.event import Event, EventFilter
from ...schema.hit import Hit
from ...schema.job import Job
from ...schema.protocols import JobQueue, JobState
from ...schema.scope import Scope
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory

if TYPE_CHECKING:
    from ...stores.backend import Backend
    from ...stores.tables.events.store import EventStore

log = logging.getLogger(__name__)

LOCAL_SECONDS = 0.15
"""Time limit in seconds of a recall with local data and models."""

_UNKNOWN_TIME = datetime.fromtimestamp(0.0, UTC)
_NOT_FILED: tuple[JobState, ...] = ("processing", "pending")


class PlainMemory:
    """The last plain summaries, and `MEMORY.md` while the database cannot be used.

    `database_away` is True if the database could not be used at the last check. All methods but
    `check` block; none of them opens the database.
    """

    def __init__(self, directory: Path, end_summaries: EndSummaries) -> None:
        self._end_summaries = end_summaries
        self._directory = directory
        self._markdown = MarkdownMemory(directory / "MEMORY.md")
        self.database_away = False

    @property
    def is_empty(self) -> bool:
        """True if neither `end_summaries.json` nor `MEMORY.md` exists. Fast enough for the event
        loop."""
        return not any(
            (self._directory / name).exists() for name in ("end_summaries.json", "MEMORY.md")
        )

    def add(self, jobs: Iterable[Job]) -> None:
        """Add jobs to MEMORY.md, where they can be read until the database is back.

        Jobs with an expiry date are left out. A failure is only logged, because the jobs are safe
        in the queue.
        """
        try:
            self._markdown.add(*filter(_is_kept, jobs))
        except (StorageError, OSError) as error:
            log.warning("jobs wait on disk, but are not in MEMORY.md: %s", error)

    def forget_words(self, scope_key: str, words: Collection[str]) -> None:
        """Remove the messages of a conversation from MEMORY.md whose text is one of `words`, or the
        shortened beginning of one ("…"). Raises StorageError."""
        lines = {" ".join(text.split()) for text in words}

        def is_said(key: str, entry: Mapping[str, str]) -> bool:
            said = entry["text"].partition(": ")[2]
            if key != scope_key or "T" not in entry["timestamp"]:
                return False
            return said in lines or (
                said.endswith("…") and any(one.startswith(said[:-1]) for one in lines)
            )

        if lines:
            self._markdown.forget(is_said)

    def of(self, scope_key: str) -> list[tuple[str, str]]:
        """Return (timestamp, text) pairs of a conversation: the plain summaries, then those of
        MEMORY.md, each oldest first. A file that fails is skipped."""
        found: dict[str, str] = {}
        for source in (self._end_summaries.of, self._markdown.of):
            try:
                found.update((text, timestamp) for timestamp, text in source(scope_key))
            except (HistorianError, OSError) as error:
                log.warning("plain memory is incomplete: %s", error)
        return [(timestamp, text) for text, timestamp in found.items()]

    def hits(self, scope: Scope) -> list[Hit]:
        """Return the texts of `of` as hits, in reverse order."""
        found: list[Hit] = []
        for n, (timestamp, text) in enumerate(reversed(self.of(scope.key))):
            event = Event.in_scope(
                scope,
                _UNKNOWN_TIME,
                "UTC",
                "action",
                text,
                event_id=f"plain:{n}",
                job_id="plain",
                is_absolute=False,
            )
            found.append(Hit(replace(event, timestamp_local=timestamp), score=0.0))
        return found

    def look_at(self, events: EventStore, queue: JobQueue) -> bool:
        """Return True if the database cannot be read. Waiting jobs are then added to MEMORY.md."""
        started = time.monotonic()
        error = _failure(events)
        if error is not None and time.monotonic() - started > LOCAL_SECONDS:
            error = _failure(events)  # the cause of a slow failure may be gone by now
        if error is None:
            self.database_away = False
        elif not self.database_away:
            log.error(
                "the database cannot be used; jobs wait on disk and are kept in MEMORY.md meanwhile: %s",
                error,
            )
            self.begin(queue)
        return self.database_away

    async def check(self, backend: Backend) -> bool:
        """Return True if the database cannot be read. Waiting and later jobs are then added to
        MEMORY.md, and recalls read that file.

        If the check takes longer than LOCAL_SECONDS, the last known state is returned.
        """
        is_away = backend.is_away  # then a query would exceed the time of a reply
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                if not is_away:
                    return await asyncio.to_thread(self.look_at, backend.events, backend.queue)
                if not self.database_away:
                    told = (
                        "the database %s is unavailable; check that the server runs and can be "
                        "reached. Until then, recall "
                    )
                    log.error(
                        told + "returns only what this machine holds, and jobs wait on disk",
                        backend.name,
                    )
                    await asyncio.to_thread(self.begin, backend.queue)
                return True
        except TimeoutError:
            return is_away or self.database_away

    def begin(self, queue: JobQueue) -> None:
        """Note that the database cannot be used, and add the waiting jobs to MEMORY.md."""
        # Set first: from now on each accepted job is added as well.
        self.database_away = True
        self.add(waiting_jobs(queue))


def waiting_jobs(queue: JobQueue) -> Iterator[Job]:
    """Yield the jobs that wait or run. Blocking; raises StorageError."""
    for state in _NOT_FILED:
        yield from queue.jobs(state)


def _is_kept(job: Job) -> bool:
    """Return True if the texts of a job may be written into MEMORY.md. A job that expires may not,
    because its texts would not be deleted there in time."""
    return job.kind in ("remember", "talk") and job.expires_at is None


def _failure(events: EventStore) -> StorageError | None:
    """Return the error if events cannot be read, else None."""
    try:
        events.count()
        events.find(EventFilter(None), limit=1)
    except StorageError as error:
        return error
    return None
