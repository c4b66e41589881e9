"""`historian mcp`: the MCP server (Model Context Protocol) for one conversation."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from ....schema.language import LanguageChoice
from ..console import plain
from ..invocation import command
from ..scopes import AskerOption, GroupOption, asked_scope
from ..shell import Shell, WrongUse
from .searching import patient

RECALL_SECONDS = 10.0
"""The time limit of a recall in seconds. It is longer than for a chat reply, because MCP clients
wait longer for a tool."""


@command("mcp")
async def mcp(
    shell: Shell,
    group: GroupOption = None,
    user: AskerOption = None,
    http: Annotated[
        int | None,
        Option(
            "--http",
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve HTTP on this port of 127.0.0.1 instead of stdin and stdout (0: a free port). "
            "Clients must send the token in HISTORIAN_MCP_TOKEN; if it is not set, a new token is "
            "printed.",
        ),
    ] = None,
    allow_writes: Annotated[
        bool,
        Option(
            "--allow-writes",
            help="Also offer the tool `remember`; its jobs are processed in this process.",
        ),
    ] = False,
    language: Annotated[
        LanguageChoice | None,
        Option(
            "--language",
            help="Language of the tools' texts; auto: the language of the conversation (default: cognitive.language).",
        ),
    ] = None,
    user_name: Annotated[
        str, Option("--user-name", metavar="NAME", help="The name of --user in stored texts.")
    ] = "",
    group_name: Annotated[
        str, Option("--group-name", metavar="NAME", help="The name of --group in stored texts.")
    ] = "",
    bot_name: Annotated[
        str,
        Option(
            "--bot-name",
            metavar="NAME",
            help="The assistant's name in stored texts (default: cognitive.bot_name).",
        ),
    ] = "",
) -> None:
    """Serve the memory of one conversation as an MCP server: --group ID or --user ID, read-only."""
    from ...mcp.server import McpMemory, Writer, make_mcp_server, serve_http, serve_stdio
    from ...mcp.token import http_token

    scope = asked_scope(group, user)
    if allow_writes and not scope.user_id:
        raise WrongUse("--allow-writes with --group also needs --user ID, the person who speaks")
    memory = McpMemory(
        patient(shell.settings, RECALL_SECONDS),
        scope,
        language=language,
        writer=Writer(user_name, group_name, bot_name or None) if allow_writes else None,
    )
    async with memory:
        server = make_mcp_server(memory)
        if http is None:
            await serve_stdio(server)
        else:
            token, is_new = http_token()

            def listening(url: str) -> None:
                shell.note("listening on {url}; Ctrl-C stops", url=url)
                shown = token if is_new else "$HISTORIAN_MCP_TOKEN"
                shell.note(
                    "clients send the header Authorization: Bearer {token}", token=plain(shown)
                )

            await serve_http(server, http, token, listening)
