"""CognitiveService: what a bot holds in its hand."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from ..retrieval.prompt_block.formatting import format_memories, format_summaries
from ..retrieval.request import MOST_QUERIES, MOST_QUERY_CHARACTERS
from ..schema.entity import Entity
from ..schema.errors import HistorianError, StorageError
from ..schema.hit import Hit, ProfileHit
from ..schema.job import Job
from ..schema.profile import Profile
from ..schema.protocols import JobQueue, VectorIndex
from ..schema.scope import EntityType, Scope
from ..schema.settings import Settings
from ..schema.settings_source import find_config, load_settings
from ..stores.files.end_summaries import EndSummaries
from ..stores.files.forget_requests import ForgetReport
from ..text.language import detect_language
from .config_watch import ConfigWatch
from .data_directory import data_directory
from .intake import make_job, redacted
from .observation.hooks import Hooks
from .recall.arguments import count, is_conversation, known_language, question, texts
from .recall.fallback_levels import LOCAL_SECONDS, PlainMemory, in_thread
from .telemetry.metrics import metrics_text

if TYPE_CHECKING:
    from .background import Background
    from .components import Parts
    from .jobs.worker import HistorianWorker
    from .observation.queue import Observation
    from .recall.articles import TwoLayers
    from .recall.timed import Recall

log = logging.getLogger(__name__)

__all__ = ["CognitiveService", "make_job", "redacted"]

SETTLED_POLL_SECONDS = 0.02
REOPEN_SECONDS, LONGEST_REOPEN_SECONDS = 5.0, 60.0
"""When stores that could not be opened at the start are tried again: first, and at most."""
SYNCHRONOUS_SECONDS = 0.25
"""What a recall from synchronous code may take beyond its limit: a thread, an event loop, the rungs below the database."""


class CognitiveService:
    """Long-term memory over one data directory.

    >>> async with CognitiveService.open("config.toml") as memory:            # doctest: +SKIP
    ...     await memory.enqueue_job("我给他推荐了《三体》", ["他喜欢科幻"], request_type="private", user_id="42")
    ...     prompt = await memory.build_context("推荐一本书", Scope.private("42"))

    With `worker=True` the historian runs inside this process as long as the service is open (where another process
    owns the directory already, this one waits to take over and meanwhile reads and enqueues). With `worker=False` it
    never does. No method of the reply path (`build_context`) raises.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        worker: bool = True,
        clock: Callable[[], float] = time.time,
        config: Path | None = None,
    ) -> None:
        self.settings = settings
        self._watch = ConfigWatch(config, settings, self._apply) if config is not None else None
        self._with_worker = worker
        self._clock = clock
        self._started = False
        self._reopening: asyncio.Task[None] | None = None
        self._trouble: asyncio.Task[bool] | None = None
        self._unobserved = 0
        self._queue: JobQueue | None = None
        self._parts: Parts | None = None
        self._recall: Recall | None = None
        self._layers: TwoLayers | None = None
        self._background: Background | None = None
        self._warming: asyncio.Task[None] | None = None
        self._observation: Observation | None = None
        self.hooks = Hooks()
        self._end_summaries = EndSummaries(data_directory(settings) / "end_summaries.json")
        self._plain = PlainMemory(data_directory(settings), self._end_summaries)

    @classmethod
    def open(
        cls,
        config: str | Path | Settings | None = None,
        *,
        worker: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """A service for a configuration file, for settings, or for what `config.toml` and the environment say.

        Enter it with `async with`, or call `start()` and later `aclose()`. While it is open, a file is looked at every
        other second: hot keys apply at once, others say in the log that a restart is needed. Raises SettingsError.
        """
        if isinstance(config, Settings):
            return cls(config, worker=worker, clock=clock)
        path = find_config(config, os.environ, Path.cwd())
        return cls(load_settings(path), worker=worker, clock=clock, config=path)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Open the stores, start the worker, warm up the embedder in the background. A second call changes nothing.

        Where the database cannot be used, or nothing can be written at all, that is logged, the reply path gives what is
        left, and the stores are tried again from time to time. Where anything else ends it, a cancellation too, nothing stays
        open, and it may be called again.
        """
        if self._started or not self.settings.cognitive.enabled:
            return
        self._started = True
        try:
            await self._open_or_wait()
        except BaseException:
            self._started = False
            self._let_go()
            raise

    async def _open_or_wait(self) -> None:
        """Open everything; where the stores cannot be opened, give what is left and try again from time to time."""
        try:
            await self._open()
        except StorageError as error:
            log.error("memory cannot be read, only plain summaries are: %s. Jobs are accepted and wait on disk", error)
            if self._queue is not None:
                await asyncio.to_thread(self._plain.begin, self._queue)
            self._plain.database_away = True
            if self._started:
                self._reopening = asyncio.create_task(self._reopen(), name="historian reopening")

    async def _open(self) -> None:
        """Open everything and begin. Raises StorageError. Whatever ends it, nothing but the queue stays open then."""
        # Imported here, and in a thread: memory that is switched off costs nothing, and the loop goes on meanwhile.
        await asyncio.to_thread(_import_parts)
        from .background import Background
        from .components import open_parts, open_queue
        from .observation.queue import make_observation
        from .recall.articles import TwoLayers
        from .recall.timed import Recall

        if self._queue is None:
            self._queue = await asyncio.to_thread(open_queue, self.settings, self._clock)
        async with AsyncExitStack() as opened:
            parts = await _opened(partial(open_parts, self.settings, queue=self._queue, clock=self._clock))
            opened.push_async_callback(parts.aclose)
            recall = Recall(parts, lambda: self.settings, event_index=self._owned_index)
            opened.push_async_callback(recall.aclose)
            background = Background()
            opened.push_async_callback(background.stop, 0.0)
            await background.start(parts, work=self._with_worker, watch=self._watch)
            observation = make_observation(parts, random=random.random)
            observation.statistics.noted = observation.statistics.lost = self._unobserved
            opened.push_async_callback(observation.aclose, 0.0)
            await observation.start()
            if not self._started:  # closed meanwhile: nobody is left to close what would be opened now
                self._let_go()
                return
            opened.pop_all()
        parts.database.when_in_trouble = partial(self._database_in_trouble, asyncio.get_running_loop())
        self._layers = TwoLayers(parts, recall, lambda: self.settings)
        self._parts, self._recall, self._background, self._observation = parts, recall, background, observation
        self._warming = asyncio.create_task(recall.warm(), name="historian warm-up")

    async def ready(self, timeout_seconds: float = 5.0) -> bool:
        """Wait until what the first recall would wait for is loaded; False where that takes longer than the bound.

        For the start of a bot: a question that comes earlier is answered with what is ready by then, by keywords perhaps.
        """
        if self._warming is None:
            return True
        done, _ = await asyncio.wait({self._warming}, timeout=timeout_seconds)
        return bool(done)

    async def aclose(self, timeout_seconds: float = 10.0) -> None:
        """Stop the worker (what is running may finish within the bound), end the hooks, close everything.

        What goes wrong with one part is raised when all the others are closed. They are closed where the call is cancelled
        too; observations that are not stored by then are given up, and how many these were is logged.
        """
        async with AsyncExitStack() as stack:  # last in, first out, and each of them whatever the others raise
            stack.push_async_callback(self._close_parts, timeout_seconds)
            stack.callback(self.hooks.close)
            stack.push_async_callback(self._stop_reopening)

    async def _close_parts(self, timeout_seconds: float) -> None:
        async with AsyncExitStack() as stack:
            stack.callback(self._let_go)
            if self._parts is not None:
                stack.push_async_callback(self._parts.aclose)
            if self._recall is not None:
                stack.push_async_callback(self._recall.aclose)
            stack.push_async_callback(self._stop_warming)
            if self._background is not None:
                stack.push_async_callback(self._background.stop, timeout_seconds)
            if self._observation is not None:
                stack.push_async_callback(self._observation.aclose, timeout_seconds / 2)

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
        job_id = await asyncio.to_thread((await self._opened_queue()).put, job)
        if self._plain.database_away:
            await asyncio.to_thread(self._plain.add, job)
        self._wake()
        return job_id

    async def update_memory(
        self,
        states: object,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        threshold: int | None = None,
        reflect: bool = False,
        **fields: Any,
    ) -> str | None:
        """Hand over what was said in a running conversation, for the assistant's own memory of `user_id`.

        `states` are LangChain messages, mappings `{role, content, name?, at?}`, or text; `scope` the conversation (default:
        the private chat with that user). They wait on disk until there are `threshold` tokens of them (default:
        `cognitive.shortterm.summary_token_threshold`), then become a dated summary. With `reflect` the article about the
        person is rewritten now, if these states are significant. `fields`: `request_id`, `user_name`, `bot_name`,
        `group_name`, `timestamp`, `timezone`.

        When this returns, the job is on disk, redacted; the same `request_id` again gives the same id and no second job.
        Returns None, and writes nothing, where nothing was said. Raises InvalidInput, StorageError.
        """
        from .recall.articles import states_job

        job = states_job(
            states, str(user_id), scope, self.settings, self._clock, threshold=threshold, reflect=reflect, fields=fields
        )
        if job is None or not self.settings.cognitive.enabled:
            return None
        job_id = await asyncio.to_thread((await self._opened_queue()).put, job)
        self._wake()
        return job_id

    async def get_relevant_memories(
        self,
        user_input: str,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        deep: bool = False,
        max_tokens: int | None = None,
        language: Literal["zh", "en"] | None = None,
    ) -> str:
        """The assistant's article about `user_id` and the summaries, newest first, as one quoted block; "" for none.

        Summaries that the article has taken in come last, where there is room. Nothing is searched; with `deep` all summaries
        and what is known of the present are, and what fits `user_input` best comes first. `scope` as in `update_memory`.
        Never raises and never takes longer than `recall_timeout_seconds`.
        """
        if self._layers is None:
            return ""
        return await self._layers.relevant(
            "\n".join(texts(user_input)),
            str(user_id),
            scope,
            deep=deep,
            max_tokens=count(max_tokens),
            language=known_language(language),
        )

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
        if self._observation is None:
            self._not_observed()
        else:
            self._observation.observe_tool(name, arguments, result, scope=scope, session_id=session_id)

    def feed_message(
        self, role: str, content: object, session_id: str = "", *, scope: Scope | None = None, name: str = ""
    ) -> None:
        """Note what was said in a session; `scope` binds the session the first time. As `on_tool_executed`."""
        if self._observation is None:
            self._not_observed()
        else:
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
        query: str | Sequence[str],
        scope: Scope,
        *,
        language: Literal["zh", "en"] | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> str:
        """The few things worth remembering for a reply, as one quoted block for a user-role message; "" for none.

        `query` is what was said, or the messages of the turn; `context` what was said before, for queries too short to
        search with. Never raises and never takes longer than `recall_timeout_seconds`: what is ready then is used.
        """
        try:
            return await self._context(query, scope, language, top_k, max_tokens, context)
        except Exception:
            # The reply must go out whatever this is.
            log.exception("recall for %s gives nothing", scope)
            return ""

    async def _context(
        self, query: object, scope: Scope, language: object, top_k: object, max_tokens: object, context: object
    ) -> str:
        """As `build_context`, with arguments of any kind."""
        if not is_conversation(scope):
            log.warning("recall gives nothing: scope must be a Scope, got %s", type(scope).__name__)
            return ""
        asked = question(query)
        spoken = known_language(language) or self._language_for(asked)
        budget = count(max_tokens) or self.settings.query.max_context_tokens
        if self._recall is None:
            return await self._plain_summaries(scope, spoken, budget)
        recalled = await self._recall.context(asked, scope, top_k=count(top_k), context=texts(context))
        if not recalled.reasons:
            self._plain.database_away = False
        elif not recalled.hits and await self._database_is_away():
            hits = await asyncio.to_thread(self._plain.hits, scope)
            return format_memories(recalled.profiles, hits, language=spoken, max_tokens=budget, article=recalled.article)
        return format_memories(recalled.profiles, recalled.hits, language=spoken, max_tokens=budget, article=recalled.article)

    def get_memory_context(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        language: Literal["zh", "en"] | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> str:
        """`build_context` for code that cannot wait with `await`; "" for none. Never raises.

        It blocks the thread that calls it, a running event loop too, for at most `recall_timeout_seconds` and a little;
        in asynchronous code use `build_context`.
        """
        try:
            if self._recall is None:
                if not is_conversation(scope):
                    log.warning("recall gives nothing: scope must be a Scope, got %s", type(scope).__name__)
                    return ""
                spoken = known_language(language) or self._language_for(question(query))
                budget = count(max_tokens) or self.settings.query.max_context_tokens
                return format_summaries(self._plain.of(scope.key), language=spoken, max_tokens=budget)
            work = partial(
                self.build_context, query, scope, language=language, top_k=top_k, max_tokens=max_tokens, context=context
            )
            return in_thread(work, self._recall.time_limit() + SYNCHRONOUS_SECONDS) or ""
        except Exception:
            # The reply must go out whatever this is.
            log.exception("recall for %s gives nothing", scope)
            return ""

    async def build_messages(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        language: Literal["zh", "en"] | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> list[dict[str, str]]:
        """As `build_context`, as messages to put before the user's own: one of the role `user`, or none.

        OpenAI clients and LangChain's chat models both take them. Memory never speaks as `system`: it is what users said.
        """
        text = await self.build_context(query, scope, language=language, top_k=top_k, max_tokens=max_tokens, context=context)
        return [{"role": "user", "content": text}] if text else []

    def prefetch(self, query: str | Sequence[str], scope: Scope, *, context: Sequence[str] = ()) -> asyncio.Task[None] | None:
        """Begin a recall while the bot still receives: embed what is said so far, bring the scope into memory.

        Returns at once; the task that it gives need not be waited for. None where memory is switched off or not open.
        """
        return None if self._recall is None else self._recall.prefetch(query, scope, context=context)

    async def search_events(
        self,
        query: str | Sequence[str],
        scope: Scope,
        *,
        top_k: int | None = None,
        context: Sequence[str] = (),
        **conditions: Any,
    ) -> list[Hit]:
        """Events of a scope that fit `query`, best first; what waits to be filed is marked `pending`.

        `conditions` narrow: `user_id`, `sender_id`, `kind`, `source`, `time_from`, `time_to` (ISO 8601, dates or seconds
        since the epoch; a reversed range is swapped), `is_absolute`, and the fields of `EventFilter` but its scope.
        `top_k` is brought into 1 to 500. Raises InvalidInput for a condition that is none, StorageError.
        """
        if self._recall is None:
            return []
        return await self._recall.search(query, scope, top_k=top_k, context=context, **conditions)

    async def search_everywhere(self, query: str, *, top_k: int | None = None, **conditions: Any) -> list[Hit]:
        """Events of every conversation, for the operator alone: never offer this to users."""
        return [] if self._recall is None else await self._recall.search_everywhere(query, top_k=top_k, **conditions)

    async def get_profile(self, entity_type: EntityType, entity_id: str, scope: Scope) -> Profile | None:
        """The profile of a user or group as far as `scope` may read it: its layers as one; None where there is none."""
        return None if self._recall is None else await self._recall.profile(entity_type, entity_id, scope)

    async def search_profiles(self, query: str, scope: Scope, *, top_k: int | None = None) -> list[ProfileHit]:
        """Profiles that fit `query` and may be read in `scope`, best first."""
        return [] if self._recall is None else await self._recall.search_profiles(query, scope, top_k=top_k)

    async def forget_user(self, user_id: str, *, mentions: bool = False, wait_seconds: float = 60.0) -> ForgetReport:
        """Forget everything of a user, wherever they spoke, for good; `mentions`: what others' records say of them too.

        Afterwards the whole data directory is searched for what they said: `report.clean` says that nothing is left. From the
        moment of the call nothing that they said before it is filed. Raises InvalidInput, StorageError.
        """
        return await self._forget(Entity("user", user_id), mentions, wait_seconds)

    async def forget_group(self, group_id: str, *, mentions: bool = False, wait_seconds: float = 60.0) -> ForgetReport:
        """Forget everything that was said in a group, as `forget_user`."""
        return await self._forget(Entity("group", group_id), mentions, wait_seconds)

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
            try:
                report["events"] = await asyncio.to_thread(self._parts.events.count)
            except StorageError as error:
                report["events"], report["error"] = None, str(error)
            report["models"] = model_names(self._parts)
            report["usage"] = usage_report(self._parts)
        if self._recall is not None:
            report["recall"] = self._recall.as_dict()
        if self._observation is not None:
            report["observation"] = self._observation.statistics.as_dict()
        elif self._unobserved:
            report["observation"] = {"noted": self._unobserved, "lost": self._unobserved}
        if self._worker is not None:
            report["worker"] = self._worker.statistics.as_dict()
            report["outage"] = self._worker.outage
        return report

    async def metrics_text(self) -> str:
        """The numbers of `stats` in Prometheus' text format, for a bot's own `/metrics` (`service.metrics.CONTENT_TYPE`)."""
        return metrics_text(await self.stats())

    async def _stop_reopening(self) -> None:
        self._started = False
        tasks = [task for task in (self._reopening, self._trouble) if task is not None]
        self._reopening = self._trouble = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stop_warming(self) -> None:
        warming, self._warming = self._warming, None
        if warming is not None:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)

    def _let_go(self) -> None:
        self._parts = self._queue = self._recall = self._observation = self._layers = self._background = None

    async def _forget(self, entity: Entity, mentions: bool, wait_seconds: float) -> ForgetReport:
        from .entity_data.forgetting import forget

        if self._observation is not None:
            try:
                self._observation.forget(entity)
            except Exception:
                # The tombstone below turns away what stays in memory: nothing may keep it from being written.
                log.exception("what is held in memory of %s is turned away when it is stored", entity.type)
        parts, worker = self._parts, self._worker
        if parts is not None:
            wake = worker.look_for_requests if worker is not None else None
            report = await forget(parts, entity, mentions=mentions, wait_seconds=wait_seconds, wake=wake)
        else:  # switched off: what lies on disk is forgotten all the same
            from .components import open_parts, open_queue

            queue = await asyncio.to_thread(open_queue, self.settings, self._clock)
            parts = await asyncio.to_thread(open_parts, self.settings, queue=queue, clock=self._clock)
            try:
                report = await forget(parts, entity, mentions=mentions, wait_seconds=wait_seconds)
            finally:
                await parts.aclose()
        if self._recall is not None:
            self._recall.clear()
        return report

    async def _opened_queue(self) -> JobQueue:
        """Raises StorageError where its folders cannot be made."""
        if not self._started:
            raise HistorianError("the service is not open; use `async with CognitiveService.open(…)` or call `start()`")
        if self._queue is None:
            from .components import open_queue

            self._queue = await asyncio.to_thread(open_queue, self.settings, self._clock)
        return self._queue

    def _wake(self) -> None:
        """Let the worker look into the queue now."""
        if self._background is not None:
            self._background.wake()

    async def _reopen(self) -> None:
        """Try again, at growing intervals, until the stores can be opened."""
        pause = REOPEN_SECONDS
        while True:
            await asyncio.sleep(pause)
            try:
                await self._open()
            except StorageError as error:
                pause = min(2 * pause, LONGEST_REOPEN_SECONDS)
                log.warning("memory still cannot be read, next try in %.0f s: %s", pause, error)
            except Exception:
                # Nothing of this try stays open, so the next one begins as this one did.
                pause = min(2 * pause, LONGEST_REOPEN_SECONDS)
                log.exception("memory could not be opened, next try in %.0f s", pause)
            else:
                self._plain.database_away = False
                log.warning("memory can be read again")
                return

    def _not_observed(self) -> None:
        """Count what comes while the database cannot be used; nothing where memory is off or not open."""
        if self._started:
            self._unobserved += 1
            if self._unobserved == 1:
                log.warning("what is observed is not kept as long as the database cannot be used; `stats` counts it as lost")

    def _database_in_trouble(self, loop: asyncio.AbstractEventLoop) -> None:
        """Somebody had an error from the database, in whatever thread: look whether it can be used at all."""
        if not self._plain.database_away and self._started:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to ask
                loop.call_soon_threadsafe(self._look_into_trouble)

    def _look_into_trouble(self) -> None:
        if self._started and (self._trouble is None or self._trouble.done()):
            self._trouble = asyncio.create_task(self._database_is_away(), name="historian database")

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

    async def _plain_summaries(self, scope: Scope, language: Literal["zh", "en"], budget: int) -> str:
        """What is left where memory is switched off or cannot be opened."""
        if not self._started and self._plain.is_empty:
            return ""
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                summaries = await asyncio.to_thread(self._plain.of, scope.key)
        except (TimeoutError, HistorianError, OSError) as error:
            log.warning("recall gives nothing: %s", str(error) or "out of time")
            return ""
        return format_summaries(summaries, language=language, max_tokens=budget)

    def _language_for(self, query: str | Sequence[str]) -> Literal["zh", "en"]:
        """The language of what is written for a reply: the configured one, else that of the query."""
        configured = self.settings.cognitive.language
        if configured != "auto":
            return configured
        said = [query] if isinstance(query, str) else query
        return detect_language("\n".join(one[:MOST_QUERY_CHARACTERS] for one in said[-MOST_QUERIES:]))

    async def _database_is_away(self) -> bool:
        """Asked where a recall brought nothing, and said why: once the database is found unusable, MEMORY.md takes over."""
        parts = self._parts
        if parts is None:
            return True
        try:
            async with asyncio.timeout(LOCAL_SECONDS):
                return await asyncio.to_thread(self._plain.look_at, parts.events, parts.queue)
        except TimeoutError:
            return self._plain.database_away

    def _owned_index(self) -> VectorIndex | None:
        """Chroma's index, while this process is the one that owns it."""
        worker = self._worker
        return None if worker is None else worker.event_index

    def _apply(self, settings: Settings) -> None:
        """Take over settings whose hot keys have changed. Called from a thread: each step is one assignment."""
        self.settings = settings
        if self._background is not None:
            self._background.apply(settings)

    @property
    def _worker(self) -> HistorianWorker | None:
        """The worker of this process, while it is the one that owns the directory."""
        return None if self._background is None else self._background.worker


async def _opened(open_them: Callable[[], Parts]) -> Parts:
    """What a thread opens. A thread cannot be cancelled: what it opens after a cancellation is closed again."""
    opening = asyncio.create_task(asyncio.to_thread(open_them))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_again)
        await asyncio.wait([opening])
        raise


def _close_again(opening: asyncio.Task[Parts]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().events.close()  # the models have not been asked anything and hold no connection


def _import_parts() -> None:
    for module in ("background", "components", "observation.queue", "recall.articles", "recall.timed"):
        import_module(f".{module}", __package__)


def model_names(parts: Parts) -> dict[str, str]:
    """The models in use; an empty string for none."""
    return {
        "chat": parts.chat.model if parts.chat is not None else "",
        "embedding": parts.embedder.model if parts.embedder is not None else "",
        "rerank": parts.reranker.model if parts.reranker is not None else "",
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
            "failed_calls": usage.failed_calls,
        }
        for purpose, usage in parts.chat.usage().items()
    }
