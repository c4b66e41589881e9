"""CognitiveService: the memory that a bot opens and calls."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
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
from .intake import kept, read_job, refuse_unknown, unredacted
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
"""The texts or messages to which a reply is made: a text, a message, or several of them."""


class ObservationReceipt:
    """The result of `CognitiveService.on_tool_executed`. Awaiting it does nothing; this is for bots
    that await the call."""

    def __await__(self) -> Generator[None]:
        yield from ()


class CognitiveService(EventAccess, Operating):
    """Long-term memory over one data directory.

    >>> async with CognitiveService.open("config.toml") as memory:            # doctest: +SKIP
    ...     await memory.enqueue_job("我给他推荐了《三体》", ["他喜欢科幻"], request_type="private", user_id="42")
    ...     prompt = await memory.build_context("推荐一本书", Scope.private("42"))

    With `worker=True` the historian runs in this process while the service is open. If another
    process owns the directory, this process only reads and enqueues until the owner ends, and then
    takes over. With `worker=False` this process only reads and enqueues. The methods of the reply
    path (`build_context`, `build_messages`, `get_memory_context`) never raise.
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
        """Internal: the open stores, the worker and the settings in force. May change in any
        release."""
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
        """Return a service for a configuration file or a `Settings` object. Without either,
        `config.toml` and the environment are read.

        `chat_model`, `embeddings` and `reranker` are LangChain objects of any provider. Each
        replaces the model that the settings name for this purpose, and is not closed by the
        service. Stored vectors can be used only with the embeddings that made them.

        Enter the service with `async with`, or call `start()` and later `aclose()`. While the
        service is open, the file is checked every two seconds: changed hot keys apply at once; for
        other changed keys a log message asks for a restart. Raises SettingsError, InvalidInput.
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

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def settings(self) -> Settings:
        """The settings in force; hot keys follow the configuration file."""
        return self.lifecycle.settings

    async def start(self) -> None:
        """Open the stores, start the worker, and warm up the embedder in the background. A second
        call changes nothing.

        If the database cannot be used, or nothing can be written, this is logged, the reply path
        returns plain summaries, and the service tries again to open the stores. After any other
        error, or a cancellation, everything is closed, and `start` may be called again. If the
        event loop of an earlier start has ended without `aclose`, everything is opened in the
        running loop.
        """
        await self.lifecycle.start()

    async def ready(self, timeout_seconds: float = 5.0) -> bool:
        """Wait until everything that the first recall needs is loaded. Return False if this takes
        longer than `timeout_seconds`.

        Call this when the bot starts. Earlier recalls use only what is loaded by then, perhaps
        keywords alone.
        """
        if self.lifecycle.opened is None or self.lifecycle.opened.warming.done():
            return True
        done, _ = await asyncio.wait({self.lifecycle.opened.warming}, timeout=timeout_seconds)
        return bool(done)

    async def aclose(self, timeout_seconds: float = 10.0) -> None:
        """Stop the worker (running jobs may finish within `timeout_seconds`), stop the hooks, and
        close everything.

        An error of one part is raised after all other parts are closed. After a cancellation all
        parts are closed too; observations that are not stored yet are then lost, and their number
        is logged.
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
        """Hand over an action of the bot (`action_summary`) and the facts that the bot learnt
        (`new_info`, a list of short statements).

        - `user_id`: the user with whom the bot talked; in a group, the sender. `sender_id` is
          another name for it.
        - `group_id`: the group. `request_type`: `"group"` or `"private"`; default: `"group"` if
          there is a `group_id`.
        - `user_name`, `group_name`, `bot_name`: names that replace "he", "here" and "I" in events.
          `bot_id`: the bot's own id.
        - `request_id`, `end_seq`: identify the job. A second call with the same pair returns the
          same id and adds no second job.
        - `timestamp`: the time of the turn, as ISO 8601 with offset, aware datetime, or seconds
          since 1970; default: now. `timezone`: IANA name; default: the configured one.
        - `recent_messages`: the last messages, oldest first: `{sender_id, sender_name, text, at}`.
        - `force`: True if the turn ended on purpose without a reply.
        - `tags`: at most 12 texts of at most 32 characters, stored in lower case. `metadata`: a
          JSON object of at most 2 KB. Both are stored with the events of the job, for conditions of
          searches and lists. Neither appears in the block.
        - `expires_at`: the time, in the future, at which the events are deleted: ISO 8601 with
          offset, an aware datetime, a day (until its end in `timezone`), or seconds since 1970.
          From this time on no search finds them; they are deleted soon after.

        When this returns, the redacted job is on disk. Returns the id of the job; None, without
        writing anything, if there is nothing to remember. Raises InvalidInput that names the field,
        and StorageError if the job cannot be written.
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
        lifecycle = self.lifecycle
        jobs = await lifecycle.hand_over(
            partial(read_job, {**unknown, **turn}, self.settings, lifecycle.clock)
        )
        return jobs[0].job_id if jobs else None

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
        """Hand over messages of a running conversation, for the assistant's own memory of
        `user_id`.

        `states` are messages in any form that `remember` takes; `scope` is the conversation
        (default: the private chat with that user). The messages wait on disk until they have
        `threshold` tokens in total (default: `cognitive.shortterm.summary_token_threshold`). Then a
        dated summary is made of them. With `reflect` the article about the person is rewritten now,
        if these messages are significant. The other parameters are those of `enqueue_job`.

        When this returns, the redacted job is on disk. Returns the id of the job; None, without
        writing anything, if the messages are empty. A second call with the same `request_id`
        returns the same id and adds no second job. Raises InvalidInput, StorageError.
        """
        from .recall.articles import read_states, states_job

        names = {"user_name": user_name, "group_name": group_name, "bot_name": bot_name}
        fields = {
            **unknown,
            **names,
            "request_id": request_id,
            "timestamp": timestamp,
            "timezone": timezone,
        }
        lifecycle, given = self.lifecycle, kept(states)
        person, clock = str(user_id), lifecycle.clock

        def made(said: list[Message]) -> list[Job]:
            job = states_job(said, person, scope, self.settings, clock, threshold, reflect, fields)
            return [] if job is None else [job]

        jobs = await lifecycle.hand_over(lambda: unredacted(read_states(given), made))
        return jobs[0].job_id if jobs else None

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
        """Hand over messages. Each message is filed in its own words; a model, if there is one,
        also extracts events from the messages.

        `messages` is one message or several, as LangChain messages; messages of OpenAI or Ollama;
        OneBot events, arrays of segments or CQ strings; a LangGraph state `{"messages": …}`; pairs
        `(role, text)`; text (said by the user); or dicts `{role, content, sender_id, name, id, at,
        reply_to, edited_at, tags, metadata, expires_at}`, in which other keys are ignored.

        `at` is ISO 8601 with offset, or seconds since 1970 (milliseconds from 100,000,000,000 on);
        default: now. `tags`, `metadata` and `expires_at` are as in `enqueue_job`. An edit without
        them keeps those of the message. A message that has already expired is not stored. Content
        that is not text becomes a placeholder (`[image]`). The thoughts of a model, blocks of this
        memory and reminders added by frameworks are left out.

        In a group every message of a person needs a `sender_id`, or `scope` must name the speaker.
        A message with an `id` that was handed over before is not stored again; if its words differ,
        they replace the former ones. `forget_message` withdraws a message.

        When this returns, the redacted messages are on disk: all of them or none. (If a call fails,
        PostgreSQL may have stored the first ones. Messages with an `id` are not duplicated by a
        second call.) They are filed soon afterwards. A model reads the messages of a conversation
        together, when a limit in `cognitive.talk` is reached, or at `flush` or `aclose`. Without a
        model, a request to remember something ("remember that …", 记住…) becomes a line of the
        person's profile, in the original words.

        Returns the ids of the jobs, one per stored message. A message without words is logged.
        Raises InvalidInput, StorageError.
        """
        lifecycle = self.lifecycle
        names = {"bot_name": bot_name, "user_name": user_name, "group_name": group_name}
        given = {**unknown, **names, "bot_id": bot_id, "timezone": timezone}
        fields = {name: value for name, value in given.items() if value is not None}
        given_messages, made = kept(messages), partial(self._talk, scope=scope, fields=fields)
        jobs = await lifecycle.hand_over(lambda: unredacted(read_messages(given_messages), made))
        if jobs:
            said_by_people = [
                job.payload["text"] for job in jobs if job.payload.get("role") == SAID_BY_PEOPLE
            ]
            lifecycle.languages.hear(scope.key, said_by_people)
            if self._gathers:
                lifecycle.at_home(
                    self._listen, scope.key, self.settings.cognitive.talk.silence_seconds
                )
        return [job.job_id for job in jobs]

    def _talk(self, said: Sequence[Message], scope: Scope, fields: Mapping[str, Any]) -> list[Job]:
        """Return the jobs of messages that have not expired, each with its place in the order of
        wordings (`Wordings.in_turn`) and its due time (`Gathering.due`). Blocking."""
        settings, clock = self.settings, self.lifecycle.clock
        made = zip(talk_jobs(said, scope, settings, clock, fields), said, strict=True)
        jobs = [self._wordings.in_turn(job, one.edited_at, clock()) for job, one in made]
        kept_jobs = [job for job in jobs if not job.has_expired(clock())]
        return [
            self._gathering.due(job, clock(), settings, gathers=self._gathers) for job in kept_jobs
        ]

    @property
    def _gathers(self) -> bool:
        """False if no model reads talk, as far as this process knows; messages then do not wait for
        others."""
        opened = self.lifecycle.opened
        return opened is None or (
            opened.parts.chat is not None and self.settings.historian.rewrite_mode != "rules"
        )

    add = remember

    async def forget_message(
        self, message_id: str | int | Sequence[str | int], scope: Scope
    ) -> int:
        """Withdraw one or several messages of a conversation permanently. `message_id` is the id on
        the chat platform.

        A message is deleted whether it is filed or still waits, with the events and lines of
        profiles that only this message supports. If it is handed over again, it is not filed. If
        the speaker of `scope` is only asserted by the requests of a token, only messages that such
        requests handed over are withdrawn.

        Returns the number of deleted messages and events; 0 for an unknown message, which will not
        be filed if it arrives later. Raises InvalidInput, StorageError, and HistorianError if
        memory is off or not open.
        """
        from .withdrawal import withdraw

        return await withdraw(self.lifecycle, message_id, scope)

    async def flush(self, scope: Scope | None = None) -> None:
        """Release the waiting messages of `scope` (default: of all conversations of this process),
        so that a model reads them now."""
        await self._look_through(None if scope is None else checked_scope(scope).key)

    async def _look_through(self, scope_key: str | None) -> None:
        gathered = self._gathering.flushed(scope_key)
        for key in gathered if scope_key is None else [scope_key]:
            self.lifecycle.at_home(self._silence.end, key)
            await self.lifecycle.hasten(key)

    def _listen(self, scope_key: str, seconds: float) -> None:
        """Restart the silence timer of a conversation with waiting messages; stop it if none
        wait."""
        if self._gathering.waits(scope_key):
            self._silence.heard(scope_key, seconds)
        else:
            self._silence.end(scope_key)

    @property
    def observation(self) -> Observation | None:
        """The observation queue, for callers outside the event loop. None if memory is off or not
        open, or if its event loop has ended."""
        opened = self.lifecycle.opened
        return None if opened is None or self.lifecycle.has_outlived_loop else opened.observation

    def on_tool_executed(
        self,
        name: str,
        arguments: object,
        result: object,
        *,
        scope: Scope | None = None,
        session_id: str = "",
    ) -> ObservationReceipt:
        """Record the arguments of a tool call and its result or exception. Takes microseconds;
        `await` on the result is optional.

        The observation is redacted and stored for `scope` (or the scope to which `session_id` is
        bound), and is found in no other scope. Raises InvalidInput if neither is given.
        """
        if self.observation is None:
            self.lifecycle.not_observed()
        else:
            self.observation.observe_tool(
                name, arguments, result, scope=scope, session_id=session_id
            )
        return ObservationReceipt()

    def feed_message(
        self,
        role: str,
        content: object,
        session_id: str = "",
        *,
        scope: Scope | None = None,
        name: str = "",
    ) -> None:
        """Record a message of a session, like `on_tool_executed`. The first `scope` binds the
        session.

        `content` is text or message parts (content blocks, OneBot segments), read as in `remember`.
        """
        if self.observation is None:
            self.lifecycle.not_observed()
        else:
            self.observation.observe_message(role, content, session_id, scope=scope, name=name)

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until every accepted job is filed or has failed, and the filed events have vectors.

        Vectors are awaited only if this process runs the worker, and while its embedder makes
        progress. Return False if jobs are left after `timeout_seconds`.
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
        """Return the memories for a reply, as one quoted block for a message of the role `user`; ""
        if there are none.

        `query` is a text, or the messages of the turn, in any form that `remember` takes. `context`
        are the texts before it, for a query that is too short to search with. Never raises and
        never takes longer than `recall_timeout_seconds`: the block contains what is ready by then.
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
        """`build_context` for synchronous code. Never raises.

        Blocks the calling thread, and an event loop that runs in it, for at most
        `recall_timeout_seconds` plus 0.25 s; in asynchronous code use `build_context`.
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
        """Return the block of `build_context` as a list of one message of the role `user`, to put
        before the user's own message; [] if there are no memories.

        OpenAI clients and LangChain's chat models both accept this form. The role is never
        `system`, because the block contains words of users.
        """
        text = await self.build_context(
            query, scope, language=language, top_k=top_k, max_tokens=max_tokens, context=context
        )
        return [{"role": "user", "content": text}] if text else []

    def prefetch(
        self, query: str | Sequence[str], scope: Scope, *, context: Sequence[str] = ()
    ) -> asyncio.Task[None] | None:
        """Begin a recall while the message is still arriving: embed the text so far, and load the
        scope into memory.

        Returns at once; the task need not be awaited. Returns None if memory is switched off or not
        open.
        """
        opened = self.lifecycle.opened
        return None if opened is None else opened.recall.prefetch(query, scope, context=context)
