"""Memory as an MCP server: one conversation, chosen when the server starts, for any client that speaks the protocol.

>>> async with McpMemory(settings, Scope.group("100"), language="en") as memory:               # doctest: +SKIP
...     await serve_stdio(make_mcp_server(memory))

Tools: `recall`, `search_events`, `get_profile`, `search_profiles`, and, where writing is allowed, `remember`. No argument of a
call names the conversation, so that nothing a client or its model writes reads another one; users in
`cognitive.query.admin_user_ids` have no more rights here either. The SDK comes with the extra `mcp` and is imported
when a server is made.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from ... import __version__
from ...schema.errors import HistorianError, InvalidInput, SettingsError
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...service.cognitive import CognitiveService
from ...service.data_directory import data_directory
from ...service.recall.reader import MemoryReader
from ...text.language import Language
from ..langchain.argument_problems import problem, unknown_tool
from ..langchain.end_tool import EndArguments
from ..langchain.memory import Memory
from ..langchain.tools import ToolAnswer, answer_memory_call, memory_tool_schemas
from .texts import ANSWERS, ARGUMENTS, INSTRUCTIONS, RecallArguments, own_tools

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"

SHARED_TOOLS = ("search_events", "get_profile", "search_profiles")
"""The tools for bots' models that are offered here too: those that ask nothing beyond what `McpMemory` binds to its scope."""


@dataclass(frozen=True)
class Writer:
    """Who is named in what `remember` hands over: the names belonging to the ids of the scope, and the assistant's own."""

    user_name: str = ""
    group_name: str = ""
    bot_name: str = ""


class McpMemory:
    """The memory of one conversation, opened with the first call that finds a data directory.

    With a `writer` it takes notes too: the directory is made where there is none, and the historian runs in this process
    unless another one owns the directory. Without, nothing is made and nobody is replaced.
    """

    def __init__(self, settings: Settings, scope: Scope, *, language: Language = "zh", writer: Writer | None = None) -> None:
        if writer is not None and not scope.user_id:
            raise InvalidInput("a group alone remembers nothing: say whose words these are as well, with the id of a user")
        self.settings = settings
        self.scope = scope
        self.language = language
        self.writer = writer
        self._service: CognitiveService | None = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Open what is there, so that the first call finds it warm. Raises StorageError."""
        if await self._opened() is None:
            log.warning("nothing is stored yet in %s; it is looked for again with every call", data_directory(self.settings))
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.aclose()

    async def reading(self) -> Memory:
        """Return what the tools read: the service, or a reader that finds nothing while nothing is stored."""
        return await self._opened() or MemoryReader(self.settings)

    async def recall(self, query: str, top_k: int | None = None) -> str:
        """What a bot would be given before it replies to `query`; "" for nothing."""
        service = await self._opened()
        return "" if service is None else await service.build_context(query, self.scope, top_k=top_k)

    async def remember(self, action_summary: str, new_info: list[str]) -> str | None:
        """Hand over what was done and learnt; None where that was nothing. Raises InvalidInput, StorageError."""
        service = await self._opened()
        if service is None or self.writer is None:
            raise HistorianError("this server only reads")
        return await service.enqueue_job(
            action_summary,
            new_info,
            request_type=self.scope.request_type,
            user_id=self.scope.user_id,
            group_id=self.scope.group_id,
            user_name=self.writer.user_name,
            group_name=self.writer.group_name,
            bot_name=self.writer.bot_name or None,
        )

    async def _opened(self) -> CognitiveService | None:
        async with self._opening:
            if self._service is None and (self.writer is not None or await asyncio.to_thread(self._is_stored)):
                service = CognitiveService.open(self.settings, worker=self.writer is not None)
                await service.start()
                self._service = service
            return self._service

    def _is_stored(self) -> bool:
        return data_directory(self.settings).is_dir()


def make_mcp_server(memory: McpMemory) -> Server[Any]:
    """The server over an opened memory. Raises SettingsError that names the extra where the SDK is missing."""
    try:
        from mcp import MCPError, types
        from mcp.server.lowlevel import Server
    except ImportError as error:
        raise SettingsError(
            f'the MCP server needs the SDK "mcp", version 2.3 or later ({error}): pip install "langgraph-historian[mcp]"'
        ) from None

    tools = {tool.name: tool for tool in _tools(memory)}

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(tools.values()))

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, unknown_tool(params.name, ", ".join(tools), memory.language))
        answer = await _answer(memory, params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], is_error=answer.is_error)

    return Server(
        "historian",
        version=__version__,
        instructions=INSTRUCTIONS[memory.language],
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout, until it closes them."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_http(server: Server[Any], port: int, listening: Callable[[str], None]) -> None:
    """Serve streamable HTTP on loopback until SIGINT or SIGTERM; `listening` is told the URL. Port 0 takes a free one.

    Requests that a web page could have made (a foreign `Host` or `Origin`) are refused. Raises InvalidInput where the port
    is taken.
    """
    import uvicorn

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
            listener.listen()  # before anybody is told the address: who comes too early waits instead of being refused
        except OSError as error:
            raise InvalidInput(f"port {port}: {error.strerror or error}; choose another, or 0 for a free one") from None
        application = server.streamable_http_app(host=LOOPBACK)
        http = uvicorn.Server(uvicorn.Config(application, log_config=None, access_log=False, timeout_graceful_shutdown=2))

        def stop() -> None:
            http.should_exit = True

        loop = asyncio.get_running_loop()
        for one in (signal.SIGINT, signal.SIGTERM):
            # uvicorn raises the signal once more when it has ended: taken here, the stores are closed after it.
            with suppress(NotImplementedError):
                loop.add_signal_handler(one, stop)
        listening(f"http://{LOOPBACK}:{listener.getsockname()[1]}/mcp")
        await http.serve(sockets=[listener])


def _tools(memory: McpMemory) -> list[types.Tool]:
    from mcp import types

    shared = [schema for schema in memory_tool_schemas(memory.language) if schema["function"]["name"] in SHARED_TOOLS]
    schemas = [*shared, *own_tools(memory.language, writing=memory.writer is not None)]
    tools: list[types.Tool] = []
    for function in (schema["function"] for schema in schemas):
        name, is_writing = function["name"], function["name"] == "remember"
        hints = types.ToolAnnotations(
            read_only_hint=not is_writing, destructive_hint=False if is_writing else None, open_world_hint=False
        )
        schema = function["parameters"]
        tools.append(types.Tool(name=name, description=function["description"], input_schema=schema, annotations=hints))
    return tools


async def _answer(memory: McpMemory, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    """Carry out one call. Never raises for what the client wrote."""
    language = memory.language
    try:
        if name in SHARED_TOOLS:
            reading = await memory.reading()
            return await answer_memory_call(reading, name, arguments, memory.scope, language=language, here_alone=True)
        if name == "recall":
            asked = RecallArguments.model_validate(arguments)
            return ToolAnswer(await memory.recall(asked.query, asked.top_k) or ANSWERS["nothing"][language])
        ending = EndArguments.model_validate(arguments)
        job_id = await memory.remember(ending.action_summary, ending.new_info)
    except (InvalidInput, ValidationError) as error:
        log.info("%s: the arguments are wrong: %s", name, problem(error, "en"))
        return ToolAnswer(ANSWERS["wrong"][language] + problem(error, language, ARGUMENTS), is_error=True)
    except HistorianError as error:
        log.error("%s: %s", name, error)
        return ToolAnswer(ANSWERS["failed"][language], is_error=True)
    outcome = "disabled" if not memory.settings.cognitive.enabled else "empty" if job_id is None else "kept"
    return ToolAnswer(ANSWERS[outcome][language])
