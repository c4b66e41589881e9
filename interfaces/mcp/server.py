"""An MCP server for the memory of one conversation, which is chosen when the server starts.

>>> async with McpMemory(settings, Scope.group("100"), language="en") as memory:               # doctest: +SKIP
...     await serve_stdio(make_mcp_server(memory))

The tools are `recall`, `search_events`, `get_profile` and `search_profiles`. If writing is allowed,
there are also `remember`, `correct_memory`, `pin_memory`, `unpin_memory`, `list_pins` and
`forget_message`. No tool has an argument for the conversation, so a client or its model cannot read
another one. Users in `cognitive.query.admin_user_ids` have no additional rights here. The extra
`mcp` installs the SDK, which is imported when a server is made.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from ... import __version__
from ...schema.errors import HistorianError, InvalidInput, SettingsError
from ...schema.language import Language, LanguageChoice
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...service.cognitive import CognitiveService
from ...service.data_directory import data_directory
from ...service.languages import Languages
from ...service.recall.arguments import texts as texts_of
from ...service.recall.reader import MemoryReader
from ...service.recall.reading import Reading
from ..http_serving import listening_on, serve_until_stopped
from ..langchain.argument_problems import problem, unknown_tool
from ..langchain.tools import (
    CORRECTING_TOOL_NAMES,
    ToolAnswer,
    answer_memory_call,
    memory_tool_schemas,
)
from .texts import ANSWERS, ARGUMENTS, INSTRUCTIONS, RecallArguments, RememberArguments, own_tools
from .token import TokenRequired

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"

SHARED_TOOLS = ("search_events", "get_profile", "search_profiles")
"""The reading tools that are shared with `interfaces.langchain`."""
WRITING_TOOLS = (*CORRECTING_TOOL_NAMES, "forget_message")
"""The shared tools that are offered only together with `remember`."""
DESTRUCTIVE = ("correct_memory", "forget_message")

NEWEST_EVENTS = 20
"""Number of newest stored events that determine the language of a conversation at the start."""


@dataclass(frozen=True)
class Writer:
    """The names of user, group and assistant in the jobs of `remember`.

    If `bot_name` is None, it is the configured name.
    """

    user_name: str = ""
    group_name: str = ""
    bot_name: str | None = None


class McpMemory:
    """The memory of one conversation.

    With a `writer` the memory is writable: the data directory is created if it is missing, and the
    worker runs in this process unless another process owns the directory. Without a `writer` it is
    read-only, and is opened by the first call that finds stored data.

    `language` is the language of descriptions and answers, as in `CognitiveService.language_of`.
    "auto" is the language of the conversation (of its newest events, then of the texts in calls),
    else the configured one. None is the configured language, else that of the conversation.
    """

    def __init__(
        self,
        settings: Settings,
        scope: Scope,
        *,
        language: LanguageChoice | None = None,
        writer: Writer | None = None,
    ) -> None:
        if writer is not None and not scope.user_id:
            raise InvalidInput("writing to a group also needs the id of the user who speaks")
        self.settings = settings
        self.scope = scope
        self.language = language
        self.writer = writer
        self._languages = Languages(lambda: settings.cognitive.language)
        self._service: CognitiveService | None = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Open the memory if it exists, so that the first call is faster. Raises StorageError."""
        if await self.opened() is None:
            log.warning(
                "nothing is stored yet in %s; every call looks again", data_directory(self.settings)
            )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.aclose()

    async def reading(self) -> Reading:
        """Return the service, or, while nothing is stored, a reader without results."""
        return await self.opened() or MemoryReader(self.settings)

    def hear(self, *texts: str) -> None:
        """Note texts of the conversation, which determine its language."""
        self._languages.hear(self.scope.key, texts)

    def language_of(self, *texts: str) -> Language:
        """Return the language for answers.

        `texts` are the texts of a call. They are used if no text of the conversation was noted.
        """
        return self._languages.choose(self.language, self.scope.key, texts)

    async def remember(self, action_summary: str, new_info: list[str], **labels: Any) -> str | None:
        """Enqueue a job and return its id; None if there is nothing to remember.

        `labels` are further arguments of `enqueue_job`. Raises InvalidInput, StorageError, and
        HistorianError if the memory is read-only.
        """
        service = await self.opened()
        if service is None or self.writer is None:
            raise HistorianError("this server is read-only")
        where: dict[str, Any] = {"user_id": self.scope.user_id, "group_id": self.scope.group_id}
        return await service.enqueue_job(
            action_summary, new_info, **where, **asdict(self.writer), **labels
        )

    async def opened(self) -> CognitiveService | None:
        async with self._opening:
            if self._service is None and (
                self.writer is not None or await asyncio.to_thread(self._is_stored)
            ):
                service = CognitiveService.open(self.settings, worker=self.writer is not None)
                await service.start()
                self._service = service
                await self._hear_what_is_filed(service)
            return self._service

    async def _hear_what_is_filed(self, service: CognitiveService) -> None:
        try:
            events = await service.list_events(self.scope, limit=NEWEST_EVENTS)
        except HistorianError as error:  # each tool call reports the error, too
            log.warning("the language of what is filed is not known: %s", error)
        else:
            self.hear(*(event.text for event in events))

    def _is_stored(self) -> bool:
        return bool(self.settings.stores.url) or data_directory(self.settings).is_dir()


def make_mcp_server(memory: McpMemory) -> Server[Any]:
    """Return the server of an open memory.

    Raises SettingsError with the extra to install if the SDK is missing.
    """
    try:
        from mcp import MCPError, types
        from mcp.server.lowlevel import Server
    except ImportError as error:
        raise SettingsError(
            f'the MCP server needs the SDK "mcp", version 2.3 or later ({error}): pip install "langgraph-historian[mcp]"'
        ) from None

    names = [tool.name for tool in _tools(memory)]

    async def list_tools(
        context: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_tools(memory))

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in names:
            raise MCPError(
                types.INVALID_PARAMS,
                unknown_tool(params.name, ", ".join(names), memory.language_of()),
            )
        answer = await answer_call(memory, params.name, params.arguments or {})
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)], is_error=answer.is_error
        )

    return Server(
        "historian",
        version=__version__,
        instructions=INSTRUCTIONS[memory.language_of()],
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout, until the client closes them."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_http(
    server: Server[Any], port: int, token: str, listening: Callable[[str], None]
) -> None:
    """Serve streamable HTTP on 127.0.0.1 until SIGINT or SIGTERM.

    Port 0 selects a free port. `listening` is called with the URL. Clients must send
    `Authorization: Bearer {token}`. Requests with a foreign `Host` or `Origin` are refused too,
    because a web page could have sent them. Raises InvalidInput if the port is in use.
    """
    with listening_on(LOOPBACK, port) as listener:
        application = TokenRequired(server.streamable_http_app(host=LOOPBACK), token)
        url = f"http://{LOOPBACK}:{listener.getsockname()[1]}/mcp"
        await serve_until_stopped(application, listener, lambda: listening(url))


def _tools(memory: McpMemory) -> list[types.Tool]:
    from mcp import types

    language = memory.language_of()
    writing = memory.writer is not None
    names = (*SHARED_TOOLS, *WRITING_TOOLS)
    offered = memory_tool_schemas(language, may_correct=writing, may_withdraw=writing)
    shared = [schema for schema in offered if schema["function"]["name"] in names]
    schemas = [*shared, *own_tools(language, writing=writing)]
    tools: list[types.Tool] = []
    for function in (schema["function"] for schema in schemas):
        name = function["name"]
        is_writing = name != "list_pins" and name in ("remember", *WRITING_TOOLS)
        destructive = name in DESTRUCTIVE if is_writing else None
        hints = types.ToolAnnotations(
            read_only_hint=not is_writing, destructive_hint=destructive, open_world_hint=False
        )
        schema = function["parameters"]
        tools.append(
            types.Tool(
                name=name,
                description=function["description"],
                input_schema=schema,
                annotations=hints,
            )
        )
    return tools


async def answer_call(memory: McpMemory, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Carry out one tool call. Invalid arguments and errors of Historian give an error answer."""
    language = memory.language_of(*_texts(arguments))
    try:
        if name in (*SHARED_TOOLS, *WRITING_TOOLS):
            reading, may = await memory.reading(), memory.writer is not None
            options: dict[str, Any] = {"language": language, "here_alone": True}
            options |= {"may_correct": may, "may_withdraw": may}
            return await answer_memory_call(reading, name, arguments, memory.scope, **options)
        if name == "recall":
            asked = RecallArguments.model_validate(arguments)
            memory.hear(asked.query)
            language = memory.language_of()
            service = await memory.opened()
            options = {"top_k": asked.top_k, "language": language}
            block = (
                ""
                if service is None
                else await service.build_context(asked.query, memory.scope, **options)
            )
            return ToolAnswer(block or ANSWERS["nothing"][language])
        ending = RememberArguments.model_validate(arguments)
        memory.hear(ending.action_summary, *ending.new_info)
        language = memory.language_of()
        labels = {"tags": ending.tags, "metadata": ending.metadata, "expires_at": ending.expires_at}
        job_id = await memory.remember(ending.action_summary, ending.new_info, **labels)
    except (InvalidInput, ValidationError) as error:
        log.info("%s: the arguments are wrong: %s", name, problem(error, "en"))
        return ToolAnswer(
            ANSWERS["wrong"][language] + problem(error, language, ARGUMENTS), is_error=True
        )
    except HistorianError as error:
        log.error("%s: %s", name, error)
        return ToolAnswer(ANSWERS["failed"][language], is_error=True)
    outcome = (
        "disabled"
        if not memory.settings.cognitive.enabled
        else "empty"
        if job_id is None
        else "kept"
    )
    return ToolAnswer(ANSWERS[outcome][language])


def _texts(arguments: Mapping[str, Any]) -> list[str]:
    """Return the texts in the arguments of a call from which the language can be determined."""
    said = (
        arguments.get(name)
        for name in ("query", "about", "wrong", "text", "action_summary", "new_info")
    )
    return [text for one in said for text in texts_of(one)]
