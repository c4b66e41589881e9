"""`historian mcp`: memory for clients of the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ....schema.errors import InvalidInput
from ..invocation import Shell, command
from ..language import both, either
from ..root import app
from ..scopes import GroupOption, scope_of

RECALL_SECONDS = 10.0
"""How long a recall may take: a client waits for a tool far longer than a chat waits for a reply."""


@command(app, "mcp", zh="用 MCP 服务器提供一个会话的记忆：--group ID 或 --user ID，只读。")
async def mcp(
    shell: Shell,
    group: GroupOption = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="ID",
            help=both(
                "和这个用户的私聊；与 --group 同用：提问的人。",
                "The private chat with this user; with --group: the one who asks.",
            ),
            show_default=False,
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            min=0,
            max=65535,
            help=both(
                "不用 stdin 和 stdout，改在 127.0.0.1 上提供 HTTP；0 取一个空闲端口。",
                "Serve HTTP on 127.0.0.1 in place of stdin and stdout; 0 takes a free port.",
            ),
            show_default=False,
        ),
    ] = None,
    allow_writes: Annotated[
        bool,
        typer.Option(
            "--allow-writes",
            help=both(
                "也提供工具 `remember`；史官就在这个进程里运行。", "Offer the tool `remember` too; the historian runs in here."
            ),
            show_default=False,
        ),
    ] = False,
    language: Annotated[
        Literal["zh", "en"] | None,
        typer.Option(
            "--language",
            help=both(
                "工具说明用的语言（否则用 cognitive.language，再否则 zh）。",
                "Of the tools' descriptions (else cognitive.language, else zh).",
            ),
            show_default=False,
        ),
    ] = None,
    user_name: Annotated[
        str,
        typer.Option(
            "--user-name", metavar="NAME", help=both("写下的内容里 --user 的名字。", "The name of --user in what is written.")
        ),
    ] = "",
    group_name: Annotated[
        str,
        typer.Option(
            "--group-name", metavar="NAME", help=both("写下的内容里 --group 的名字。", "The name of --group in what is written.")
        ),
    ] = "",
    bot_name: Annotated[
        str,
        typer.Option(
            "--bot-name",
            metavar="NAME",
            help=both(
                "写下的内容里助手的名字（否则用 cognitive.bot_name）。",
                "The assistant's name in what is written (else cognitive.bot_name).",
            ),
        ),
    ] = "",
) -> None:
    """Serve the memory of one conversation as an MCP server: --group ID or --user ID, read-only."""
    from ...mcp.server import McpMemory, Writer, make_mcp_server, serve_http, serve_stdio
    from .searching import patient

    scope = scope_of(group, user)
    if scope is None:
        raise InvalidInput(
            either(
                "哪个会话？请加 --group ID（再用 --user ID 说明谁在提问），或只加 --user ID",
                "which conversation? Add --group ID (with --user ID for the one who asks), or --user ID alone",
            )
        )
    if allow_writes and not scope.user_id:
        raise InvalidInput(
            either(
                "--allow-writes 只配了 --group：是谁说的话？请加 --user ID",
                "--allow-writes with --group alone: whose words are they? Add --user ID",
            )
        )
    configured = shell.settings.cognitive.language
    memory = McpMemory(
        patient(shell.settings, RECALL_SECONDS),
        scope,
        language=language or ("zh" if configured == "auto" else configured),
        writer=Writer(user_name, group_name, bot_name) if allow_writes else None,
    )
    server = make_mcp_server(memory)
    async with memory:
        if http is None:
            await serve_stdio(server)
        else:
            await serve_http(server, http, lambda url: shell.err.print(_listening(url), soft_wrap=True))


def _listening(url: str) -> str:
    return either(f"正在监听 {url}；按 Ctrl-C 停下", f"listening on {url}; Ctrl-C stops")
