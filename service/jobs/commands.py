"""Commands: changes that an operator or another process asks of the owner, as jobs of other kinds (`schema/commands.py`)."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from ...models.embeddings.recorded import vectors_for
from ...schema.commands import EditCommand, ForgetCommand, IndexCommand, RollbackArticleCommand, RollbackCommand
from ...schema.errors import InvalidInput
from ...schema.event import MESSAGE_STANDS, Event
from ...schema.job import Job
from ...schema.scope import notes_scope
from ...schema.validation import validated
from ...text.redaction import redact
from ..components import Parts
from ..corrections.deleting import delete_event
from ..corrections.new_words import edit_event
from ..upkeep.notes_index import NotesIndex
from ..upkeep.reprocessing import Reprocessing


class CommandRunner:
    """Runs commands with the owner's components. A repeated command changes nothing more."""

    def __init__(self, parts: Parts, notes: NotesIndex) -> None:
        self._parts = parts
        self._context = parts.context()
        self._notes = notes
        self._articles = parts.article_stores.articles
        self._reprocessing = Reprocessing(self._context, parts.backend.revisions, parts.queue)

    async def __call__(self, job: Job) -> None:
        """Carry out one command. Raises InvalidInput if the payload is invalid or names something that does not exist."""
        if job.kind == "edit":
            await self._edit(validated(EditCommand, job.payload, within="payload"), job.timezone)
        elif job.kind == "forget":
            for event_id in validated(ForgetCommand, job.payload, within="payload").event_ids:
                if await asyncio.to_thread(self._context.events.get, [event_id]):  # else it went with another one, or before
                    await asyncio.to_thread(delete_event, self._parts, event_id, None, "stay")
        elif job.kind == "rollback":
            await self._roll_back(validated(RollbackCommand, job.payload, within="payload"), job)
        elif job.kind == "rollback_article":
            article = validated(RollbackArticleCommand, job.payload, within="payload")
            await asyncio.to_thread(self._articles.rollback, article.key, article.revision, now=self._now(job), job_id=job.job_id)
        elif job.kind == "reprocess":
            await self._reprocessing(job)
        elif job.kind == "index":
            command = validated(IndexCommand, job.payload, within="payload")
            work = self._notes.remove if command.remove else self._notes.run
            await work(Path(command.folder), notes_scope(command.notes_scope))
        else:
            raise InvalidInput(f"kind: {job.kind!r} is not a command")

    async def _edit(self, command: EditCommand, timezone: str) -> None:
        if command.holds:
            await self._uphold(command.event_id)
        if not command.text:
            return
        event = await self._event(command.event_id)
        if event.is_message:
            raise InvalidInput(MESSAGE_STANDS)
        # Whoever sends the command redacts too; one that was given by other means is none the less cleaned here.
        text = await asyncio.to_thread(redact, command.text, self._context.settings.historian.redact_jobs)
        (vector,) = await vectors_for([text], self._context.embedder, self._context.events)
        if event.text != text:
            await asyncio.to_thread(edit_event, self._parts, event, text, vector, None, "stay", timezone)

    async def _uphold(self, event_id: str) -> None:
        """Let an event hold again. Raises InvalidInput if it does not exist."""
        await self._event(event_id)
        await asyncio.to_thread(self._context.events.uphold, [event_id])

    async def _event(self, event_id: str) -> Event:
        """Return an event. Raises InvalidInput if it does not exist."""
        found = await asyncio.to_thread(self._context.events.get, [event_id])
        if not found:
            raise InvalidInput(f"event_id: {event_id!r} does not exist; `historian events list` shows those that do")
        return found[0]

    async def _roll_back(self, command: RollbackCommand, job: Job) -> None:
        profile = await asyncio.to_thread(
            self._context.profiles.rollback, command.key, command.revision, now=self._now(job), job_id=job.job_id
        )
        if self._context.profile_index is not None:
            # Searchable by its words at once; the worker adds the vector when it is idle.
            await asyncio.to_thread(self._context.profile_index.put, profile, None)

    def _now(self, job: Job) -> str:
        return datetime.fromtimestamp(self._context.clock(), ZoneInfo(job.timezone)).isoformat(timespec="seconds")
