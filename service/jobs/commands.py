"""Commands: changes that an operator or another process requests from the owner, as jobs of other
kinds (`schema/payloads.py`)."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from ...schema.errors import InvalidInput
from ...schema.job import Job
from ...schema.payloads import IndexCommand, RollbackArticleCommand, RollbackCommand
from ...schema.scope import notes_scope
from ...schema.validation import validated
from ..components import Parts
from ..upkeep.notes_index import NotesIndex
from ..upkeep.reprocessing import Reprocessing


class CommandRunner:
    """Runs commands with the owner's components. Running a command again changes nothing."""

    def __init__(self, parts: Parts, notes: NotesIndex) -> None:
        self._context = parts.context()
        self._notes = notes
        self._articles = parts.article_stores.articles
        self._reprocessing = Reprocessing(self._context, parts.backend.revisions, parts.queue)

    async def __call__(self, job: Job) -> None:
        """Carry out one command. Raises InvalidInput if the payload is invalid or names something
        that does not exist."""
        if job.kind == "rollback":
            await self._roll_back(validated(RollbackCommand, job.payload, within="payload"), job)
        elif job.kind == "rollback_article":
            article = validated(RollbackArticleCommand, job.payload, within="payload")
            await asyncio.to_thread(
                self._articles.rollback,
                article.key,
                article.revision,
                now=self._now(job),
                job_id=job.job_id,
            )
        elif job.kind == "reprocess":
            await self._reprocessing(job)
        elif job.kind == "index":
            command = validated(IndexCommand, job.payload, within="payload")
            work = self._notes.remove if command.remove else self._notes.run
            await work(Path(command.folder), notes_scope(command.notes_scope))
        else:
            raise InvalidInput(
                f"kind: {job.kind!r} is not a command; events are changed at once (`historian events edit`, `events delete`)"
            )

    async def _roll_back(self, command: RollbackCommand, job: Job) -> None:
        profile = await asyncio.to_thread(
            self._context.profiles.rollback,
            command.key,
            command.revision,
            now=self._now(job),
            job_id=job.job_id,
        )
        if self._context.profile_index is not None:
            # The words are indexed at once; the idle worker adds the vector.
            await asyncio.to_thread(self._context.profile_index.put, profile, None)

    def _now(self, job: Job) -> str:
        return datetime.fromtimestamp(self._context.clock(), ZoneInfo(job.timezone)).isoformat(
            timespec="seconds"
        )
