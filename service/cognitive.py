"""CognitiveService: the memory that a bot opens and calls."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..schema.errors import HistorianError
from ..schema.language import LanguageChoice
from ..schema.scope import Scope
from ..schema.settings import Settings
from ..schema.settings.source import find_config, load_settings
from .event_access import EventAccess
from .handing_over import HandingOver
from .operating import Operating
from .reply import ReplyContext
from .running.lifecycle import Lifecycle

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


class CognitiveService(EventAccess, Operating, HandingOver):
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
        super().__init__(
            Lifecycle(settings, work=worker, clock=clock, config=config, models=models)
        )
        self._languages = self.lifecycle.languages
        self._reply = ReplyContext(self.lifecycle)
        self.hooks = self.lifecycle.hooks

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
            log.warning(
                "waiting messages could not be released and stay on disk until they are due: %s",
                error,
            )
        finally:
            await self.lifecycle.aclose(timeout_seconds)

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
