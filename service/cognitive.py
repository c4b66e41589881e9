"""CognitiveService: the memory that a bot opens and calls."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Never, Self

from ..schema.errors import HistorianError
from ..schema.job import Job, RecentMessage
from ..schema.language import LanguageChoice
from ..schema.scope import RequestType, Scope, checked_scope
from ..schema.settings import Settings
from ..schema.settings.source import find_config, load_settings
from ..schema.talk import SAID_BY_PEOPLE
from .event_access import EventAccess
from .incoming_messages import Message, read_messages
from .intake import checked_length, kept, make_job, refuse_unknown
from .operating import Operating
from .reply import ReplyContext
from .running.lifecycle import Lifecycle
from .silence import SilenceTimers
from .talk import Gathering, Wordings, talk_jobs

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

    from ..models.given import GivenModels
    from .observation.queue import Observation

log = logging.getLogger(__name__)

Query = str | Mapping[str, Any] | Sequence[Any]
"""What was said: a text, a message, or several."""


class ObservationReceipt:
    """The result of `CognitiveService.on_tool_executed`. Awaiting it does nothing; it is for bots that await the call."""

    def __await__(self) -> Generator[None]:
        yield from ()


class CognitiveService(EventAccess, Operating):
    """Long-term memory over one data directory.

    >>> async with CognitiveService.open("config.toml") as memory:            # doctest: +SKIP
    ...     await memory.enqueue_job("我给他推荐了《三体》", ["他喜欢科幻"], request_type="private", user_id="42")
    ...     prompt = await memory.build_context("推荐一本书", Scope.private("42"))

    With `worker=True` the historian runs in this process while the service is open. If another process owns the
    directory, this one reads and enqueues, and takes over when the owner ends. With `worker=False` it only reads and
    enqueues. The methods of the reply path (`build_context`, `build_messages`, `get_memory_context`) never raise.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        worker: bool = True,
        clock: Callable[[], float] = time.time,
        config: Path | None = None,
        models: GivenModels | None = None,
    ) -> None:
        self.lifecycle = Lifecycle(settings, work=worker, clock=clock, config=config, models=models)
        """Internal: the open stores, the worker and the settings in force. May change in any release."""
        self._languages = self.lifecycle.languages
        self._reply = ReplyContext(self.lifecycle)
        self.hooks = self.lifecycle.hooks
        self._gathering = Gathering()
        self._wordings = Wordings()
        self._silence = SilenceTimers(self._look_through)

    @classmethod
    def open(
        cls,
        config: str | Path | Settings | None = None,
        *,
        worker: bool = True,
        clock: Callable[[], float] = time.time,
        chat_model: BaseChatModel | None = None,
        embeddings: Embeddings | None = None,
        reranker: BaseDocumentCompressor | None = None,
    ) -> Self:
        """Return a service for a configuration file, for settings, or for what `config.toml` and the environment say.

        `chat_model`, `embeddings` and `reranker` are objects of LangChain, of whatever provider; each takes the place of the
        model that the settings name for it, and stays yours to close. Stored vectors belong to the embeddings that made them.

        Enter it with `async with`, or call `start()` and later `aclose()`. While it is open, the file is checked every two
        seconds: hot keys apply at once; a change of another key is logged as needing a restart. Raises SettingsError,
        InvalidInput.
        """
        models = None
        if chat_model is not None or embeddings is not None or reranker is not None:
            from ..models.given import GivenModels

            models = GivenModels(chat_model, embeddings, reranker).checked()
        if isinstance(config, Settings):
            return cls(config, worker=worker, clock=clock, models=models)
        path = find_config(config, os.environ, Path.cwd())
        return cls(load_settings(path), worker=worker, clock=clock, config=path, models=models)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    @property
    def settings(self) -> Settings:
        """The settings in force; hot keys follow the configuration file."""
        return self.lifecycle.settings

    async def start(self) -> None:
        """Open the stores, start the worker, warm up the embedder in the background. A second call changes nothing.

        If the database cannot be used, or nothing can be written, that is logged, the reply path returns what is left,
        and the stores are tried again. After any other error, or a cancellation, nothing stays open and it may be called
        again. If the event loop of an earlier start has ended without `aclose`, everything is opened in this one.
        """
        await self.lifecycle.start()

    async def ready(self, timeout_seconds: float = 5.0) -> bool:
        """Wait until everything that the first recall needs is loaded. Return False if that takes longer than the bound.

        Call it when the bot starts: an earlier question is answered with what is ready by then, perhaps by keywords.
        """
        if self.lifecycle.opened is None or self.lifecycle.opened.warming.done():
            return True
        done, _ = await asyncio.wait({self.lifecycle.opened.warming}, timeout=timeout_seconds)
        return bool(done)

    async def aclose(self, timeout_seconds: float = 10.0) -> None:
        """Stop the worker (running jobs may finish within the bound), end the hooks, close everything.

        An error of one part is raised after all the others are closed. They are closed after a cancellation too; then
        observations that are not stored yet are given up, and their number is logged.
        """
        try:
            await self._silence.aclose()
            if self.lifecycle.has_outlived_loop:
                await self.start()
            if self.lifecycle.started:
                await self.flush()
        except HistorianError as error:
            log.warning("messages wait on disk as long as they would have: %s", error)
        finally:
            await self.lifecycle.aclose(timeout_seconds)

    async def enqueue_job(
        self,
        action_summary: str = "",
        new_info: Sequence[str] | str = (),
        *,
        request_type: RequestType | None = None,
        user_id: str | int | None = None,
        group_id: str | int | None = None,
        sender_id: str | int | None = None,
        bot_id: str | int | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        request_id: str | int | None = None,
        end_seq: int | None = None,
        timestamp: str | float | datetime | None = None,
        timezone: str | None = None,
        recent_messages: Sequence[RecentMessage | Mapping[str, Any]] | None = None,
        force: bool | None = None,
        tags: Sequence[str] | str = (),
        metadata: Mapping[str, Any] | None = None,
        expires_at: str | float | date | datetime | None = None,
        **unknown: Never,
    ) -> str | None:
        """Hand over what the bot did (`action_summary`) and what it learnt (`new_info`, a list of short statements).

        - `user_id`: whom the bot talked with; in a group, the sender, for which `sender_id` is another name.
        - `group_id`: the group. `request_type`: `"group"` or `"private"`; default: whether there is a group.
        - `user_name`, `group_name`, `bot_name`: names to write instead of "he", "here", "I". `bot_id`: the bot's own id.
        - `request_id`, `end_seq`: identify the job. The same pair again returns the same id and makes no second job.
        - `timestamp`: when it was said, ISO 8601 with offset, an aware datetime, or seconds since 1970; default: now.
          `timezone`: IANA name; default: the configured one.
        - `recent_messages`: the last messages, oldest first: `{sender_id, sender_name, text, at}`.
        - `force`: the turn ended on purpose without a reply.
        - `tags`: at most 12 texts of at most 32 characters, kept in lower case. `metadata`: a JSON object of at most 2 KB. The
          events that are made of it bear both; searches and lists can be narrowed by them. Neither stands in the block.
        - `expires_at`: when it is to be forgotten, in the future: ISO 8601 with offset, an aware datetime, a day (to its end in
          `timezone`), or seconds since 1970. From then on nothing finds it, and it is deleted soon after.

        When this returns, the job is on disk, redacted. Returns its id; None, and writes nothing, if there is nothing to
        remember. Raises InvalidInput that names the field, StorageError if the disk refuses.
        """
        turn = {
            "action_summary": action_summary,
            "new_info": kept(new_info),
            "request_type": request_type,
            "user_id": user_id,
            "group_id": group_id,
            "sender_id": sender_id,
            "bot_id": bot_id,
            "user_name": user_name,
            "group_name": group_name,
            "bot_name": bot_name,
            "request_id": request_id,
            "end_seq": end_seq,
            "timestamp": timestamp,
            "timezone": timezone,
            "recent_messages": kept(recent_messages),
            "force": force,
            "tags": kept(tags) or None,
            "metadata": metadata,
            "expires_at": expires_at,
        }
        refuse_unknown(unknown, tuple(turn), Job.model_fields)
        settings, lifecycle = self.settings, self.lifecycle
        job = await lifecycle.in_thread(make_job, {**unknown, **turn}, settings, lifecycle.clock)
        characters = checked_length(job)
        ids = await lifecycle.hand_over([job], settings.historian.redact_jobs, characters=characters)
        return next(iter(ids), None)

    async def update_memory(
        self,
        states: object,
        user_id: str | int,
        scope: Scope | None = None,
        *,
        threshold: int | None = None,
        reflect: bool = False,
        request_id: str | int | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        bot_name: str | None = None,
        timestamp: str | float | datetime | None = None,
        timezone: str | None = None,
        **unknown: Never,
    ) -> str | None:
        """Hand over what was said in a running conversation, for the assistant's own memory of `user_id`.

        `states` are messages in any form that `remember` takes; `scope` is the conversation
        (default: the private chat with that user). They wait on disk until they hold `threshold` tokens (default:
        `cognitive.shortterm.summary_token_threshold`), then become a dated summary. With `reflect` the article about the
        person is rewritten now, if these states are significant. The other parameters are those of `enqueue_job`.

        When this returns, the job is on disk, redacted; the same `request_id` again returns the same id and makes no second
        job. Returns None, and writes nothing, if nothing was said. Raises InvalidInput, StorageError.
        """
        from .recall.articles import read_states, states_job

        names = {"user_name": user_name, "group_name": group_name, "bot_name": bot_name}
        fields = {**unknown, **names, "request_id": request_id, "timestamp": timestamp, "timezone": timezone}
        lifecycle = self.lifecycle
        said = await lifecycle.in_thread(read_states, kept(states))
        job = await lifecycle.in_thread(
            states_job,
            said,
            str(user_id),
            scope,
            self.settings,
            lifecycle.clock,
            threshold,
            reflect,
            fields,
            characters=sum(len(one.text) for one in said),
        )
        return None if job is None else next(iter(await lifecycle.hand_over([job])), None)

    async def remember(
        self,
        messages: object,
        scope: Scope,
        *,
        bot_id: str | int | None = None,
        bot_name: str | None = None,
        user_name: str | None = None,
        group_name: str | None = None,
        timezone: str | None = None,
        **unknown: Never,
    ) -> list[str]:
        """Hand over talk as it is: every message is filed in its own words, and what a model takes out of it beside it.

        `messages` is one message or several: LangChain messages, those of OpenAI and Ollama, OneBot's events, its arrays of
        segments and its CQ strings, a LangGraph state `{"messages": …}`, pairs `(role, text)`, text (said by the user), or
        dicts `{role, content, sender_id, name, id, at, reply_to, edited_at, tags, metadata, expires_at}`, other keys of which
        are ignored. `at` is ISO 8601 with offset, or seconds since 1970 (from 100,000,000,000 on milliseconds); default: now.
        `tags`, `metadata` and `expires_at` are as in `enqueue_job`; an edit without them keeps those of the message, and a
        message that has expired by now is not kept. What is no text becomes a placeholder (`[image]`); thoughts of a model,
        memory's own blocks and reminders of frameworks are left out.

        In a group every message of a person needs its `sender_id`, or `scope` the speaker's. A message with an `id` that was
        handed over before is not taken again; with other words it replaces the former ones. `forget_message` withdraws it.

        When this returns, the messages are on disk, redacted, all of them or none (of a call that fails, PostgreSQL may keep
        the first ones: with their `id`s they are taken once all the same); they are filed right behind that. A model
        looks through those of a conversation together (`cognitive.talk`), or at `flush` or `aclose`. Without one, what
        people ask to have remembered ("remember that …", 记住…) becomes a line of their profile, in the words as said. Returns
        the jobs' ids, one for each message that is kept; the log tells of one without words. Raises InvalidInput, StorageError.
        """
        lifecycle = self.lifecycle
        names = {"bot_name": bot_name, "user_name": user_name, "group_name": group_name}
        given = {**unknown, **names, "bot_id": bot_id, "timezone": timezone}
        fields = {name: value for name, value in given.items() if value is not None}
        said = await lifecycle.in_thread(read_messages, kept(messages))
        characters = sum(len(one.text) for one in said)
        jobs = await lifecycle.in_thread(self._talk, said, scope, fields, characters=characters)
        ids = await lifecycle.hand_over(jobs)
        if ids:
            said_by_people = [job.payload["text"] for job in jobs if job.payload.get("role") == SAID_BY_PEOPLE]
            lifecycle.languages.hear(scope.key, said_by_people)
            if self._gathers:
                lifecycle.at_home(self._listen, scope.key, self.settings.cognitive.talk.silence_seconds)
        return ids

    def _talk(self, said: Sequence[Message], scope: Scope, fields: Mapping[str, Any]) -> list[Job]:
        """Return the jobs of messages, in the order of their wordings, each with the time when it is due. Blocking."""
        settings, clock = self.settings, self.lifecycle.clock
        made = zip(talk_jobs(said, scope, settings, clock, fields), said, strict=True)
        jobs = [self._wordings.in_turn(job, one.edited_at, clock()) for job, one in made]
        kept_jobs = [job for job in jobs if not job.has_expired(clock())]
        return [self._gathering.due(job, clock(), settings, gathers=self._gathers) for job in kept_jobs]

    @property
    def _gathers(self) -> bool:
        """False if this process knows that no model looks through talk: then no message waits for others."""
        opened = self.lifecycle.opened
        return opened is None or (opened.parts.chat is not None and self.settings.historian.rewrite_mode != "rules")

    add = remember

    async def forget_message(self, message_id: str | int | Sequence[str | int], scope: Scope) -> int:
        """Withdraw a message of a conversation, or several, for good: by the id that the platform gives it.

        It goes with the events and lines of profiles that rest on it alone, filed or not, and whoever hands it over again
        finds it withdrawn. Returns how many messages and events are gone; 0 for a message that is unknown, which may still come
        and is not kept then. Where nothing but a token's requests says who speaks, only what such requests handed over goes.
        Raises InvalidInput, StorageError, and HistorianError if memory is off or not open.
        """
        from .withdrawal import withdraw

        return await withdraw(self.lifecycle, message_id, scope)

    async def flush(self, scope: Scope | None = None) -> None:
        """Let the messages that wait in `scope` (default: in every conversation of this process) be looked through now."""
        await self._look_through(None if scope is None else checked_scope(scope).key)

    async def _look_through(self, scope_key: str | None) -> None:
        gathered = self._gathering.flushed(scope_key)
        for key in gathered if scope_key is None else [scope_key]:
            self.lifecycle.at_home(self._silence.end, key)
            await self.lifecycle.hasten(key)

    def _listen(self, scope_key: str, seconds: float) -> None:
        """Wait for silence in a conversation in which messages wait; no longer in another one."""
        if self._gathering.waits(scope_key):
            self._silence.heard(scope_key, seconds)
        else:
            self._silence.end(scope_key)

    @property
    def observation(self) -> Observation | None:
        """The observation queue, for callers outside the event loop; None if memory is off or not open, or its loop has ended."""
        opened = self.lifecycle.opened
        return None if opened is None or self.lifecycle.has_outlived_loop else opened.observation

    def on_tool_executed(
        self, name: str, arguments: object, result: object, *, scope: Scope | None = None, session_id: str = ""
    ) -> ObservationReceipt:
        """Note what a tool was given and what it returned or raised. Takes microseconds; `await` on the result is optional.

        It is kept for `scope` (or for the one that `session_id` is bound to), redacted, and read nowhere else. Raises
        InvalidInput if neither is given.
        """
        if self.observation is None:
            self.lifecycle.not_observed()
        else:
            self.observation.observe_tool(name, arguments, result, scope=scope, session_id=session_id)
        return ObservationReceipt()

    def feed_message(
        self, role: str, content: object, session_id: str = "", *, scope: Scope | None = None, name: str = ""
    ) -> None:
        """Note what was said in a session; `scope` binds the session the first time. As `on_tool_executed`.

        `content` is text or its parts (content blocks, OneBot segments), which are read as in `remember`.
        """
        if self.observation is None:
            self.lifecycle.not_observed()
        else:
            self.observation.observe_message(role, content, session_id, scope=scope, name=name)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every accepted job is filed or given up, and what is filed has its vectors, as long as an embedder of this
        process gets on with them. Return False if jobs are left after the bound.
        """
        return await self.lifecycle.settled(timeout_seconds)

    async def build_context(
        self,
        query: Query,
        scope: Scope,
        *,
        language: LanguageChoice | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> str:
        """Return the few things worth remembering for a reply, as one quoted block for a user-role message; "" for none.

        `query` is what was said, or the messages of the turn, in any form that `remember` takes; `context` is what was said
        before, for queries too short to search with. Never raises and never takes longer than `recall_timeout_seconds`: what
        is ready by then is used.
        """
        request = self._reply.request(query, scope, top_k, context)
        return await self._reply.block(request, language, max_tokens)

    def get_memory_context(
        self,
        query: Query,
        scope: Scope,
        *,
        language: LanguageChoice | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> str:
        """`build_context` for synchronous code; "" for none. Never raises.

        Blocks the calling thread, and a running event loop with it, for at most `recall_timeout_seconds` and 0.25 s; in
        asynchronous code use `build_context`.
        """
        request = self._reply.request(query, scope, top_k, context)
        return self._reply.block_now(request, language, max_tokens)

    async def build_messages(
        self,
        query: Query,
        scope: Scope,
        *,
        language: LanguageChoice | None = None,
        top_k: int | None = None,
        max_tokens: int | None = None,
        context: Sequence[str] = (),
    ) -> list[dict[str, str]]:
        """`build_context` as messages to put before the user's own: one of the role `user`, or none.

        OpenAI clients and LangChain's chat models both take them. Memory never speaks as `system`: it holds what users said.
        """
        text = await self.build_context(query, scope, language=language, top_k=top_k, max_tokens=max_tokens, context=context)
        return [{"role": "user", "content": text}] if text else []

    def prefetch(self, query: str | Sequence[str], scope: Scope, *, context: Sequence[str] = ()) -> asyncio.Task[None] | None:
        """Begin a recall while the message is still coming in: embed what is said so far, load the scope into memory.

        Returns at once; the task need not be awaited. Returns None if memory is switched off or not open.
        """
        opened = self.lifecycle.opened
        return None if opened is None else opened.recall.prefetch(query, scope, context=context)
