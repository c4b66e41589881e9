"""What operators ask of an open memory: searches everywhere, forgetting, texts written anew, numbers."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..schema.commands import OPERATOR
from ..schema.entity import Entity
from ..schema.errors import HistorianError
from ..schema.forgetting import ForgetReport
from ..schema.hit import Hit
from ..schema.job import DONE
from ..schema.scope import Scope
from .intake import make_job
from .report import service_report
from .running.lifecycle import Lifecycle
from .telemetry.metrics import metrics_text

if TYPE_CHECKING:
    from .upkeep.reprocessing import ReprocessReport


CommandKind = Literal["rollback", "rollback_article", "index"]
COMMAND_LOOK_SECONDS = 0.02


class CommandResult(NamedTuple):
    """A command in the queue: its job's id, and True if it is carried out."""

    job_id: str
    done: bool


class Operating:
    """The methods of `CognitiveService` for operators. Never offer them to users."""

    lifecycle: Lifecycle

    async def search_everywhere(self, query: str, *, top_k: int | None = None, **conditions: Any) -> list[Hit]:
        """Return events of every conversation. For the operator alone: never offer this to users."""
        opened = self.lifecycle.opened
        return [] if opened is None else await opened.recall.search_everywhere(query, top_k=top_k, **conditions)

    async def forget_user(self, user_id: str, *, mentions: bool = False, wait_seconds: float = 60.0) -> ForgetReport:
        """Forget everything of a user, in every conversation, for good; with `mentions`, what others' events say of them too.

        Afterwards the whole data directory is searched for what they said: `report.clean` means that nothing is left. From
        the moment of the call nothing that they said before it is filed. Raises InvalidInput, StorageError.
        """
        return await self.lifecycle.forget(Entity("user", user_id), mentions, wait_seconds)

    async def forget_group(self, group_id: str, *, mentions: bool = False, wait_seconds: float = 60.0) -> ForgetReport:
        """Forget everything that was said in a group. As `forget_user`."""
        return await self.lifecycle.forget(Entity("group", group_id), mentions, wait_seconds)

    async def command(self, kind: CommandKind, payload: Mapping[str, Any], *, wait_seconds: float = 5.0) -> CommandResult:
        """Hand a command to the owner of the data directory, and wait for it. What a payload holds is in `schema/commands.py`.

        What it names must exist: a command that fails is tried again like any job. Raises InvalidInput, StorageError.
        """
        fields = {"kind": kind, "request_id": f"command-{uuid.uuid4().hex}", "user_id": OPERATOR, "payload": dict(payload)}
        ids = await self.lifecycle.hand_over([make_job(fields, self.lifecycle.settings, self.lifecycle.clock)])
        opened = self.lifecycle.opened
        if not ids or opened is None:
            raise HistorianError("memory is off or not open; use `async with CognitiveService.open(…)` or call `start()`")
        try:
            async with asyncio.timeout(wait_seconds):
                while not await asyncio.to_thread(opened.parts.backend.ledger.has, DONE, ids[0]):  # noqa: ASYNC110 - another process does it
                    await asyncio.sleep(COMMAND_LOOK_SECONDS)
        except TimeoutError:
            return CommandResult(ids[0], done=False)
        return CommandResult(ids[0], done=True)

    async def reprocess(
        self,
        scope: Scope | None = None,
        *,
        before_version: str = "",
        dry_run: bool = False,
        wait_seconds: float = 3600.0,
        on_progress: Callable[[int], None] = lambda seen: None,
    ) -> ReprocessReport:
        """Write what was filed anew, by today's rules or model: of one conversation, or of all; better rules mend old memory.

        `before_version` ("0.2") takes only what an earlier version of Historian wrote. The texts of jobs are written from the
        words as they were handed over; what was observed, summarised, noted or edited stays. Former texts are kept as revisions.
        It runs as jobs of the queue, goes on after a crash, and does nothing twice. With `dry_run` nothing is written, and the
        rules alone tell what would change. `on_progress` is told how many events are seen. After `wait_seconds` the report of
        what is done so far is returned, with `done` False. Raises InvalidInput, StorageError.
        """
        from .upkeep.reprocessing import ReprocessReport, reprocess

        opened = self.lifecycle.opened
        if opened is None:
            return ReprocessReport("", done=True)
        return await reprocess(
            opened.parts,
            self.lifecycle.hand_over,
            scope=scope,
            before_version=before_version,
            dry_run=dry_run,
            wait_seconds=wait_seconds,
            on_progress=on_progress,
        )

    async def stats(self) -> dict[str, Any]:
        """Return queue, events, worker and model usage in numbers, as JSON data."""
        return await service_report(self.lifecycle)

    async def metrics_text(self) -> str:
        """Return the numbers of `stats` in Prometheus' text format (`historian.METRICS_CONTENT_TYPE`), for a bot's `/metrics`."""
        return metrics_text(await self.stats())
