"""Copies of accepted jobs in `end_summaries.json`, so that switching memory off loses nothing of what still waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ..schema.errors import StorageError
from ..schema.job import Job
from ..stores.files.end_summaries import EndSummaries

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5
"""Jobs of so long a time are written together: nobody who hands over a job waits for it."""


class PlainCopies:
    """Writes the texts of accepted jobs in the background. Used from the event loop alone.

    `is_forgotten(job)` is asked right before a job is written, in a thread. A job whose copy fails is copied when it is filed.
    """

    def __init__(self, summaries: EndSummaries, is_forgotten: Callable[[Job], bool]) -> None:
        self._summaries = summaries
        self._is_forgotten = is_forgotten
        self._waiting: list[Job] = []
        self._hurry = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    def add(self, job: Job) -> None:
        """Note an accepted job."""
        self._waiting.append(job)
        if self._writing is None or self._writing.done():
            self._hurry = asyncio.Event()
            self._writing = asyncio.create_task(self._write(), name="historian plain summaries")

    async def settle(self) -> None:
        """Write what waits, now."""
        if self._writing is not None:
            self._hurry.set()
            await self._writing

    async def _write(self) -> None:
        while self._waiting:
            try:
                async with asyncio.timeout(PAUSE_SECONDS):
                    await self._hurry.wait()
            except TimeoutError:
                pass
            jobs, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._copy, jobs)
            except (StorageError, OSError) as error:
                log.warning("%d jobs wait on disk, but are not in end_summaries.json: %s", len(jobs), error)

    def _copy(self, jobs: list[Job]) -> None:
        self._summaries.add([job for job in jobs if not self._is_forgotten(job)])
