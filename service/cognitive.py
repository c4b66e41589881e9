"""CognitiveService: what a bot holds in its hand."""

from __future__ import annotations

import asyncio
import logging
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self
from zoneinfo import ZoneInfo

from ..retrieval.formatting import format_memories, format_summaries
from ..retrieval.portraits import readable_profile, search_portraits
from ..retrieval.search import search_events
from ..schema.errors import HistorianError, OwnerLockHeld, StorageError
from ..schema.event import EventFilter
from ..schema.hit import Hit, ProfileHit
from ..schema.job import Job, parse_job
from ..schema.profile import Profile
from ..schema.protocols import JobQueue
from ..schema.scope import EntityType, Scope
from ..schema.settings import Settings
from ..schema.settings_source import load_settings
from ..stores.end_summaries import EndSummaries
from ..text.language import detect_language
from ..text.redaction import redact
from .hooks import Hooks
from .local_time import local_timezone
from .ownership import TAKE_OVER_SECONDS, owned_worker
from .parts import Parts, data_directory, open_parts, open_queue
from .worker import HistorianWorker

if TYPE_CHECKING:
    from .observation import Observation

log = logging.getLogger(__name__)

SETTLED_POLL_SECONDS = 0.02


class CognitiveService:
    """Long-term memory over one data directory.

    >>> async with CognitiveService.open("config.toml") as memory:            # doctest: +SKIP
    ...     await memory.enqueue_job("我给他推荐了《三体》", ["他喜欢科幻"], request_type="private", user_id="42")
    ...     prompt = await memory.build_context("推荐一本书", Scope.private("42"))

    With `worker=True` the historian runs inside this process as long as the service is open (where another process
    owns the directory already, this one waits to take over and meanwhile reads and enqueues). With `worker=False` it
    never does. No method of the reply path (`build_context`) raises.
    """

    def __init__(self, settings: Settings, *, worker: bool = True, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self._with_worker = worker
        self._clock = clock
        self._queue: JobQueue | None = None
        self._parts: Parts | None = None
        self._worker: HistorianWorker | None = None
        self._background: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._observation: Observation | None = None
        self.hooks = Hooks()
        self._closing = asyncio.Event()
        self._end_summaries = EndSummaries(data_directory(settings) / "end_summaries.json")

    @classmethod
    def open(
        cls,
        config: str | Path | Settings | None = None,
        *,
        worker: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """A service for a configuration file, for settings, or for what `config.toml` and the environment say.

        Enter it with `async with`, or call `start()` and later `aclose()`. Raises SettingsError.
        """
        settings = config if isinstance(config, Settings) else load_settings(config)
        return cls(settings, worker=worker, clock=clock)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Open the stores, start the worker, warm up the embedder in the background. A second call changes nothing."""
        if self._queue is not None or not self.settings.cognitive.enabled:
            return
        self._queue = await asyncio.to_thread(open_queue, self.settings, self._clock)
        try:
            self._parts = await asyncio.to_thread(open_parts, self.settings, queue=self._queue, clock=self._clock)
        except StorageError as error:
            log.error("memory cannot be read, only plain summaries are: %s. Jobs are accepted and wait on disk", error)
            return
        from .observation import make_observation  # imported here: memory that is switched off costs nothing

        self._observation = make_observation(self._parts, random=random.random)
        await self._observation.start()
        if self._with_worker:
            self._background = asyncio.create_task(self._work(self._parts), name="historian")
        self._warming = asyncio.create_task(self._warm(self._parts), name="historian warm-up")

    async def aclose(self, timeout_seconds: float = 10.0) -> None:
        """Stop the worker (what is running may finish within the bound), close everything."""
        self._closing.set()
        if self._observation is not None:
            await self._observation.aclose(timeout_seconds / 2)
        if self._worker is not None:
            await self._worker.stop(timeout_seconds)
        for task in (self._warming, self._background):
            if task is not None:
                if task is self._warming:
                    task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._background = self._warming = None
        if self._parts is not None:
            await self._parts.aclose()
        self._parts = self._queue = self._observation = None

    async def enqueue_job(self, action_summary: str = "", new_info: Sequence[str] | str = (), **fields: Any) -> str | None:
        """Hand over what the bot did (`action_summary`) and what it learnt (`new_info`, a list of short statements).

        `fields` are those of a job: `request_type`, `user_id`, `group_id`, `user_name`, `group_name`, `bot_name`,
        `bot_id`, `sender_id`, `request_id`, `end_seq`, `timestamp` (default: now), `timezone`, `recent_messages`, `force`.
        When this returns, the job is on disk; nothing else was touched. The same `request_id` and `end_seq` again give
        the same id and no second job. Returns None, and writes nothing, where there is nothing to say.

        Raises InvalidInput that names the field, StorageError where the disk refuses.
        """
        job = redacted(self._make_job(action_summary, new_info, fields), self.settings.historian.redact_jobs)
        if job.is_empty:
            return None
        if not self.settings.cognitive.enabled:
            await asyncio.to_thread(self._end_summaries.add, [job])
            return None
        job_id = await asyncio.to_thread(self._opened_queue().put, job)
        if self._worker is not None:
            self._worker.wake()
        return job_id

    @property
    def observation(self) -> Observation | None:
        """What takes observations, for callers outside the event loop; None where memory is off or not open."""
        return self._observation

    async def on_tool_executed(
        self, name: str, arguments: object, result: object, *, scope: Scope | None = None, session_id: str = ""
    ) -> None:
        """Note what a tool was given and what it returned or raised. Takes microseconds: the rest happens behind.

        It is kept for `scope` (or for the one that `session_id` is bound to), redacted, and read nowhere else. Raises
        InvalidInput where there is neither.
        """
        if self._observation is not None:
            self._observation.observe_tool(name, arguments, result, scope=scope, session_id=session_id)

    def feed_message(
        self, role: str, content: object, session_id: str = "", *, scope: Scope | None = None, name: str = ""
    ) -> None:
        """Note what was said in a session; `scope` binds the session the first time. As `on_tool_executed`."""
        if self._observation is not None:
            self._observation.observe_message(role, content, session_id, scope=scope, name=name)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every accepted job is done with (filed or given up); False where that takes longer than the bound."""
        try:
            async with asyncio.timeout(timeout_seconds):
                while self._queue is not None:
                    counts = await asyncio.to_thread(self._queue.counts, self._clock())
                    if counts.pending + counts.processing == 0:
                        return True
                    await asyncio.sleep(SETTLED_POLL_SECONDS)
        except TimeoutError:
            return False
        return True

    async def build_context(
        self,
        query: str,
        scope: Scope,
        *,
        language: Literal["zh", "en"] | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
    ) -> str:
        """The few things worth remembering for a reply, as one quoted block for a user-role message; "" for none.

        Never raises and never takes longer than `recall_timeout_seconds`: what is ready then is used.
        """
        spoken = language or detect_language(query)
        budget = max_tokens or self.settings.query.max_context_tokens
        parts = self._parts
        try:
            if parts is None:
                summaries = await asyncio.to_thread(self._end_summaries.of, scope.key)
                return format_summaries(summaries, language=spoken, max_tokens=budget)
            profiles = await asyncio.to_thread(self._profiles_for, parts, scope)
        except HistorianError as error:
            log.warning("recall gives nothing: %s", error)
            return ""
        hits: list[Hit] = []
        try:
            async with asyncio.timeout(self._recall_timeout(parts)):
                hits = await self.search_events(query, scope, top_k=top_k or self.settings.query.auto_top_k)
        except (TimeoutError, HistorianError) as error:
            log.warning("recall gives portraits alone: %s", str(error) or "out of time")
        return format_memories(profiles, hits, language=spoken, max_tokens=budget)

    async def search_events(self, query: str, scope: Scope, *, top_k: int | None = None, **conditions: Any) -> list[Hit]:
        """Events of a scope that fit `query`, best first. `conditions` are those of `EventFilter`, but its scope."""
        parts = self._parts
        if parts is None:
            return []
        return await search_events(
            query,
            EventFilter(scope.key, **conditions),
            events=parts.events,
            embedder=parts.embedder,
            settings=self.settings.query,
            top_k=top_k or self.settings.query.tool_default_top_k,
        )

    async def get_profile(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None:
        """The portrait of a user or group as far as `scope` may read it: its layers as one; None where there is none."""
        parts = self._parts
        if parts is None:
            return None
        rule = self.settings.cognitive.profile.profile_layers
        return await asyncio.to_thread(readable_profile, parts.profiles, scope, entity_type, entity_id, rule)

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]:
        """Portraits that fit `query` and may be read in `scope`, best first."""
        parts = self._parts
        if parts is None:
            return []
        return await search_portraits(
            query,
            scope,
            profiles=parts.profiles,
            index=parts.profile_index,
            embedder=parts.embedder,
            settings=self.settings.query,
            rule=self.settings.cognitive.profile.profile_layers,
            top_k=top_k or self.settings.query.profile_top_k,
        )

    async def stats(self) -> dict[str, Any]:
        """Queue, events, worker and model usage in numbers, as JSON data."""
        if self._queue is None:
            return {"enabled": self.settings.cognitive.enabled}
        counts = await asyncio.to_thread(self._queue.counts, self._clock())
        report: dict[str, Any] = {
            "enabled": True,
            "data_dir": str(data_directory(self.settings)),
            "queue": {
                "pending": counts.pending,
                "processing": counts.processing,
                "failed": counts.failed,
                "oldest_pending_seconds": round(counts.oldest_pending_seconds, 3),
            },
        }
        if self._parts is not None:
            report["events"] = await asyncio.to_thread(self._parts.events.count)
            report["models"] = model_names(self._parts)
            report["usage"] = usage_report(self._parts)
        if self._observation is not None:
            report["observation"] = self._observation.statistics.as_dict()
        if self._worker is not None:
            report["worker"] = self._worker.statistics.as_dict()
            report["outage"] = self._worker.outage
        return report

    def _opened_queue(self) -> JobQueue:
        if self._queue is None:
            raise HistorianError("the service is not open; use `async with CognitiveService.open(…)` or call `start()`")
        return self._queue

    def _make_job(self, action_summary: str, new_info: Sequence[str] | str, fields: Mapping[str, Any]) -> Job:
        return make_job(
            {
                **fields,
                "action_summary": action_summary or fields.get("action_summary", ""),
                "new_info": [new_info] if isinstance(new_info, str) else list(new_info) or fields.get("new_info", []),
            },
            self.settings,
            self._clock,
        )

    def _recall_timeout(self, parts: Parts) -> float:
        configured = self.settings.query.recall_timeout_seconds
        if configured != "auto":
            return configured
        return 0.8 if parts.embedder is not None and parts.embedder.is_remote else 0.15

    def _profiles_for(self, parts: Parts, scope: Scope) -> list[Profile]:
        rule = self.settings.cognitive.profile.profile_layers
        wanted: list[tuple[EntityType, str]] = [("user", scope.user_id)] if scope.user_id else []
        if scope.group_id:
            wanted.append(("group", scope.group_id))
        found = [readable_profile(parts.profiles, scope, kind, entity_id, rule) for kind, entity_id in wanted]
        return [profile for profile in found if profile is not None]

    async def _warm(self, parts: Parts) -> None:
        if parts.embedder is not None:
            try:
                await parts.embedder.embed_query("warm-up")
            except HistorianError as error:
                log.warning("the embedder is not ready: %s", error)

    async def _work(self, parts: Parts) -> None:
        """Be the worker as soon as no other process is, until the service closes."""
        said = False
        while not self._closing.is_set():
            with ExitStack() as stack:
                try:
                    worker = await asyncio.to_thread(stack.enter_context, owned_worker(parts, random=random.random))
                except OwnerLockHeld as error:
                    if not said:
                        log.warning("this process reads and enqueues only: %s", error)
                        said = True
                    await self._rest(TAKE_OVER_SECONDS)
                    continue
                self._worker = worker
                try:
                    await worker.run()
                except Exception:
                    # Whatever it was, jobs are on disk: begin anew rather than leave the bot without a historian.
                    log.exception("the historian stopped unexpectedly and is started again")
                    await self._rest(TAKE_OVER_SECONDS)
                finally:
                    self._worker = None

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return


def make_job(data: Mapping[str, Any], settings: Settings, clock: Callable[[], float]) -> Job:
    """A job from what a bot gave, completed with what the settings know: time, time zone, bot name, a request id."""
    timezone = data.get("timezone") or (
        local_timezone() if settings.cognitive.timezone == "local" else settings.cognitive.timezone
    )
    complete = {
        "request_id": uuid.uuid4().hex,
        "request_type": "group" if data.get("group_id") not in (None, "") else "private",
        "bot_name": settings.cognitive.bot_name,
        **{key: value for key, value in data.items() if value is not None},
        "timezone": timezone,
    }
    if not complete.get("timestamp"):
        complete["timestamp"] = datetime.fromtimestamp(clock(), ZoneInfo(str(timezone))).isoformat()
    return parse_job(complete)


def redacted(job: Job, level: Literal["secrets", "all", "none"]) -> Job:
    """The job without secrets (and, with `all`, without personal data): what is handed over is cleaned before it lies on disk."""
    if level == "none":
        return job
    messages = [m.model_copy(update={"text": redact(m.text, level)}) for m in job.recent_messages]
    return job.model_copy(
        update={
            "action_summary": redact(job.action_summary, level),
            "new_info": [redact(item, level) for item in job.new_info],
            "recent_messages": messages,
        }
    )


def model_names(parts: Parts) -> dict[str, str]:
    """The models in use; an empty string for none."""
    return {
        "chat": parts.chat.model if parts.chat is not None else "",
        "embedding": parts.embedder.model if parts.embedder is not None else "",
    }


def usage_report(parts: Parts) -> dict[str, dict[str, float]]:
    """Model usage by purpose."""
    if parts.chat is None:
        return {}
    return {
        purpose: {
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "seconds": round(usage.seconds, 3),
        }
        for purpose, usage in parts.chat.usage().items()
    }
