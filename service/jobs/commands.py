"""Commands: edits that an operator or another process asks of the owner, as jobs of other kinds.

| kind | payload |
| --- | --- |
| `edit` | `event_id`, `text`: replace an event's text |
| `forget` | `event_ids`: remove events |
| `rollback` | `entity_type`, `entity_id`, `layer`, `revision`: bring an earlier profile back as a new revision |
| `rollback_article` | `user_id`, `group_id`, `revision`: the same for the assistant's article about a person |
| `index` | `folder`, `notes_scope`, `remove`: index a folder of notes, or take it out again |
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...nodes.historian.embed import vectors_for
from ...nodes.historian.write_profile import index_profile
from ...schema.errors import InvalidInput
from ...schema.event import EventFilter
from ...schema.job import Job
from ...schema.profile import ProfileKey
from ...schema.protocols import ArticleStorage
from ...schema.scope import EntityType, notes_scope
from ...schema.states import HistorianContext
from ...schema.summary import ArticleKey
from ...text.redaction import redact
from ..upkeep.notes_index import NotesIndex

OPERATOR = "operator"
"""`user_id` of an order that concerns no single user."""


class EditCommand(BaseModel):
    model_config = ConfigDict(extra="forbid")
    event_id: str
    text: str = Field(min_length=1)


class ForgetCommand(BaseModel):
    model_config = ConfigDict(extra="forbid")
    event_ids: list[str] = Field(min_length=1)


class RollbackCommand(BaseModel):
    model_config = ConfigDict(extra="forbid")
    entity_type: EntityType
    entity_id: str
    layer: str = ""
    revision: int = Field(ge=1)

    @property
    def key(self) -> ProfileKey:
        return ProfileKey(self.entity_type, self.entity_id, self.layer)


class RollbackArticleCommand(BaseModel):
    model_config = ConfigDict(extra="forbid")
    user_id: str
    group_id: str = ""
    revision: int = Field(ge=1)

    @property
    def key(self) -> ArticleKey:
        return ArticleKey(self.user_id, self.group_id)


class IndexCommand(BaseModel):
    model_config = ConfigDict(extra="forbid")
    folder: str = Field(min_length=1)
    notes_scope: str = ""
    remove: bool = False


class CommandRunner:
    """Runs commands with the owner's components. A repeated command changes nothing more."""

    def __init__(self, context: HistorianContext, notes: NotesIndex, articles: ArticleStorage) -> None:
        self._articles = articles
        self._context = context
        self._notes = notes

    async def __call__(self, job: Job) -> None:
        """Raises InvalidInput where the payload is wrong or what it names does not exist."""
        try:
            if job.kind == "edit":
                await self._edit(EditCommand.model_validate(job.payload))
            elif job.kind == "forget":
                await self._forget(ForgetCommand.model_validate(job.payload))
            elif job.kind == "rollback":
                await self._roll_back(RollbackCommand.model_validate(job.payload), job)
            elif job.kind == "rollback_article":
                await self._roll_back_article(RollbackArticleCommand.model_validate(job.payload), job)
            elif job.kind == "index":
                await self._index(IndexCommand.model_validate(job.payload))
            else:
                raise InvalidInput(f"kind: {job.kind!r} is not a command")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InvalidInput(f"payload.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    async def _edit(self, command: EditCommand) -> None:
        # Whoever sends the command redacts too; one that was given by other means is none the less cleaned here.
        text = redact(command.text, self._context.settings.historian.redact_jobs)
        (vector,) = await vectors_for([text], self._context)
        if not await asyncio.to_thread(self._context.events.edit, command.event_id, text, vector):
            raise InvalidInput(f"event_id: {command.event_id!r} does not exist; `historian events list` shows those that do")

    async def _forget(self, command: ForgetCommand) -> None:
        await asyncio.to_thread(self._context.events.forget, EventFilter(None, event_ids=tuple(command.event_ids)))

    async def _roll_back(self, command: RollbackCommand, job: Job) -> None:
        profile = await asyncio.to_thread(
            self._context.profiles.rollback, command.key, command.revision, now=self._now(job), job_id=job.job_id
        )
        await index_profile(profile, self._context)

    async def _roll_back_article(self, command: RollbackArticleCommand, job: Job) -> None:
        await asyncio.to_thread(self._articles.rollback, command.key, command.revision, now=self._now(job), job_id=job.job_id)

    def _now(self, job: Job) -> str:
        return datetime.fromtimestamp(self._context.clock(), ZoneInfo(job.timezone)).isoformat(timespec="seconds")

    async def _index(self, command: IndexCommand) -> None:
        work = self._notes.remove if command.remove else self._notes.run
        await work(Path(command.folder), notes_scope(command.notes_scope))
