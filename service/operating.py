"""The methods for operators: search in all conversations, forgetting, commands, reprocessing, and
statistics."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..schema.entity import Entity
from ..schema.forgetting import ForgetReport
from ..schema.hit import Hit
from ..schema.job import DONE, Job
from ..schema.payloads import OPERATOR
from ..schema.scope import Scope
from .intake import Unredacted, make_job
from .report import service_report
from .running.lifecycle import Lifecycle
from .telemetry.metrics import metrics_text

if TYPE_CHECKING:
    from .upkeep.reprocessing import ReprocessReport

log = logging.getLogger(__name__)

CommandKind = Literal["rollback", "rollback_article", "index"]
COMMAND_LOOK_SECONDS = 0.02


class CommandResult(NamedTuple):
    """A command in the queue: the id of its job, and `done`, True if the command was carried
    out."""

    job_id: str
    done: bool


class Operating:
    """The methods of `CognitiveService` for operators. Never offer them to users."""

    lifecycle: Lifecycle

    async def search_everywhere(
        self, query: str, *, top_k: int | None = None, **conditions: Any
    ) -> list[Hit]:
        """Return the events of all conversations that match best. Never offer this to users."""
        opened = self.lifecycle.opened
        return (
            []
            if opened is None
            else await opened.recall.search_everywhere(query, top_k=top_k, **conditions)
        )

    async def forget_user(
        self, user_id: str, *, mentions: bool = False, wait_seconds: float = 60.0
    ) -> ForgetReport:
        """Delete all data of a user in all conversations permanently. With `mentions`, also delete
        events and other records of other people that mention the user.

        Afterwards the whole data directory is searched for the user's texts; `report.clean` is True
        if none is left. After the call no text is filed that the user said before it. Raises
        InvalidInput, StorageError.
        """
        return await self.forget(Entity("user", user_id), mentions, wait_seconds)

    async def forget_group(
        self, group_id: str, *, mentions: bool = False, wait_seconds: float = 60.0
    ) -> ForgetReport:
        """Delete all data of a group permanently. See `forget_user`."""
        return await self.forget(Entity("group", group_id), mentions, wait_seconds)

    async def forget(self, entity: Entity, mentions: bool, wait_seconds: float) -> ForgetReport:
        """Forget a user or a group. See `forget_user`."""
        from .entity_data.forgetting import forget

        opened = self.lifecycle.opened
        if opened is None:
            return await self._forget_on_disk(entity, mentions, wait_seconds)
        try:
            opened.observation.forget(entity)
        except Exception:
            # No error may prevent the tombstone that `forget` sets: with it the store refuses the
            # observations that are left in memory.
            log.exception(
                "unsaved observations of a %s could not be removed; the store will refuse them",
                entity.type,
            )
        wake = (
            self.lifecycle.worker.look_for_requests if self.lifecycle.worker is not None else None
        )
        report = await forget(
            opened.parts, entity, mentions=mentions, wait_seconds=wait_seconds, wake=wake
        )
        opened.recall.clear()
        return report

    async def _forget_on_disk(
        self, entity: Entity, mentions: bool, wait_seconds: float
    ) -> ForgetReport:
        """Forget the data on disk while memory is not open."""
        from .components import open_parts
        from .entity_data.forgetting import forget

        lifecycle = self.lifecycle
        parts = await asyncio.to_thread(open_parts, lifecycle.settings, clock=lifecycle.clock)
        try:
            return await forget(parts, entity, mentions=mentions, wait_seconds=wait_seconds)
        finally:
            await parts.aclose()

    async def command(
        self, kind: CommandKind, payload: Mapping[str, Any], *, wait_seconds: float = 5.0
    ) -> CommandResult:
        """Hand a command to the owner of the data directory, and wait at most `wait_seconds` for
        it.

        `schema/payloads.py` describes the payloads. The object that a payload names must exist,
        because a command that fails is retried like any job. Raises InvalidInput, StorageError, and
        HistorianError if memory is off or not open.
        """
        fields = {
            "kind": kind,
            "request_id": f"command-{uuid.uuid4().hex}",
            "user_id": OPERATOR,
            "payload": dict(payload),
        }
        job = make_job(fields, self.lifecycle.settings, self.lifecycle.clock)
        await self._hand_over([job])
        opened = self.lifecycle.in_use()
        has_run = partial(opened.parts.backend.ledger.has, DONE, job.job_id)
        try:
            async with asyncio.timeout(wait_seconds):
                while not await asyncio.to_thread(has_run):  # noqa: ASYNC110 - another process does it
                    await asyncio.sleep(COMMAND_LOOK_SECONDS)
        except TimeoutError:
            return CommandResult(job.job_id, done=False)
        return CommandResult(job.job_id, done=True)

    async def _hand_over(self, jobs: Sequence[Job]) -> list[Job]:
        """Put jobs of operators, which need no redaction, on disk."""
        return await self.lifecycle.hand_over(lambda: Unredacted(0, lambda: list(jobs)))

    async def reprocess(
        self,
        scope: Scope | None = None,
        *,
        before_version: str = "",
        dry_run: bool = False,
        wait_seconds: float = 3600.0,
        on_progress: Callable[[int], None] = lambda seen: None,
    ) -> ReprocessReport:
        """Rewrite stored events with the current rules or model, in one conversation or (None) in
        all.

        With `before_version` ("0.2") only events are rewritten that an earlier version of Historian
        wrote. Events are rewritten from their original input. Events from observations, summaries,
        notes and edits are unchanged. Former texts are stored as revisions.

        The run consists of jobs of the queue. It continues after a crash, and no event is processed
        twice. With `dry_run` nothing is written, and only the rules are used to find the changes.
        `on_progress` is called with the number of events checked so far. After `wait_seconds` the
        report so far is returned, with `done` False. Raises InvalidInput, StorageError.
        """
        from .upkeep.reprocessing import ReprocessReport, reprocess

        opened = self.lifecycle.opened
        if opened is None:
            return ReprocessReport("", done=True)
        return await reprocess(
            opened.parts,
            self._hand_over,
            scope=scope,
            before_version=before_version,
            dry_run=dry_run,
            wait_seconds=wait_seconds,
            on_progress=on_progress,
        )

    async def stats(self) -> dict[str, Any]:
        """Return statistics of queue, events, worker, recall and models, as JSON data."""
        return await service_report(self.lifecycle)

    async def metrics_text(self) -> str:
        """Return the numbers of `stats` in Prometheus' text format
        (`historian.METRICS_CONTENT_TYPE`), for the `/metrics` page of a bot."""
        return metrics_text(await self.stats())
