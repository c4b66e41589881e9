"""`historian search` and `historian context`: what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ....schema.errors import InvalidInput
from ..console import short, table
from ..invocation import Shell, command
from ..language import both, either
from ..root import app
from ..scopes import (
    AllOption,
    FromOption,
    GroupOption,
    KindOption,
    NotesOption,
    ToOption,
    UserOption,
    conditions,
    required_scope,
    scope_of,
)
from .events import event_data

if TYPE_CHECKING:
    from ....schema.hit import Hit
    from ....schema.scope import Scope
    from ....schema.settings import Settings

PATIENCE_SECONDS = 60.0
"""How long `context` waits for a recall that begins cold; a bot that runs has its models warm."""

WARM_UP_SECONDS = 20.0
"""How long `search` waits for the embedder to be loaded, before it goes by keywords alone."""

QueryArgument = Annotated[str, typer.Argument(metavar="QUERY", help=both("要找什么。", "What to look for."))]


@command(app, "search", zh="在一个会话的记录里搜索，最相关的在前。")
async def search(
    shell: Shell,
    query: QueryArgument,
    group: GroupOption = None,
    user: UserOption = None,
    every: AllOption = False,
    notes: NotesOption = False,
    top_k: Annotated[
        int | None,
        typer.Option("--top-k", "-k", min=1, max=500, help=both("最多多少条。", "At most so many."), show_default=False),
    ] = None,
    time_from: FromOption = None,
    time_to: ToOption = None,
    kind: KindOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help=both("说明每条记录为什么排在那里。", "Say how each record came to its place."))
    ] = False,
) -> None:
    """Search the records of one conversation, best first."""
    scope = _notes_alone(group, user, every) if notes else required_scope(group, user, every)
    narrowed = conditions(shell.settings, group=group, user=user, time_from=time_from, time_to=time_to, kind=kind)
    if not shell.needs_data():
        return
    _say_if_off(shell)
    hits = await _found(shell.settings, query, scope, top_k, narrowed)
    if shell.json:
        for hit in hits:
            told = {"explain": hit.explain()} if explain else {}
            shell.emit(score=hit.score, scores=dict(hit.scores), pending=hit.pending, **event_data(hit.event), **told)
        return
    if not hits:
        shell.say(_nothing())
        return
    shell.out.print(hit_table(hits))
    if explain:
        for hit in hits:
            shell.out.print(Text(f"\n{hit.event.event_id}\n{hit.explain()}"), soft_wrap=True)


@command(app, "context", zh="打印机器人回复 QUERY 之前会得到的、放进提示词的文字。")
async def context(
    shell: Shell,
    query: QueryArgument,
    group: GroupOption = None,
    user: UserOption = None,
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k", "-k", min=1, max=500, help=both("最多多少条记录。", "At most so many records."), show_default=False
        ),
    ] = None,
) -> None:
    """Print what a bot would get for its prompt before it replies to QUERY."""
    from ....service.cognitive import CognitiveService

    scope = scope_of(group, user)
    if scope is None:
        raise InvalidInput(
            either(
                "哪个会话？请加 --group ID（再用 --user ID 说明谁在说话），或只加 --user ID",
                "which conversation? Add --group ID (with --user ID for the one who speaks), or --user ID alone",
            )
        )
    text = ""
    if shell.needs_data():
        _say_if_off(shell)
        async with CognitiveService.open(patient(shell.settings), worker=False) as memory:
            text = await memory.build_context(query, scope, top_k=top_k)
    if shell.json:
        shell.emit(context=text)
        return
    shell.out.print(Text(text) if text else Text(_nothing(), style="dim"), soft_wrap=True)


def _nothing() -> str:
    return either("这里不记得与此有关的事", "nothing is remembered of that here")


def _notes_alone(group: str | None, user: str | None, every: bool) -> Scope:
    from ....schema.scope import SHARED_NOTES

    if group is not None or user is not None or every:
        raise InvalidInput(
            either(
                "--notes 只搜共享笔记；一个会话的笔记用 --group 或 --user 就能搜到",
                "--notes are the shared ones; those of a conversation are found with --group or --user alone",
            )
        )
    return SHARED_NOTES


def _say_if_off(shell: Shell) -> None:
    if not shell.settings.cognitive.enabled:
        shell.err.print(
            either(
                "记忆已关闭（cognitive.enabled = false）：只有最近的纯文本摘要",
                "memory is switched off (cognitive.enabled = false): there are only the last plain summaries",
            )
        )


async def _found(settings: Settings, query: str, scope: Scope | None, top_k: int | None, narrowed: dict[str, Any]) -> list[Hit]:
    from ....service.cognitive import CognitiveService

    async with CognitiveService.open(patient(settings), worker=False) as memory:
        await memory.ready(WARM_UP_SECONDS)
        if scope is None:
            return await memory.search_everywhere(query, top_k=top_k, **narrowed)
        return await memory.search_events(query, scope, top_k=top_k, **narrowed)


def patient(settings: Settings, seconds: float = PATIENCE_SECONDS) -> Settings:
    """The same settings with time for a recall that begins cold."""
    query = settings.query.model_copy(update={"recall_timeout_seconds": seconds})
    return settings.model_copy(update={"cognitive": settings.cognitive.model_copy(update={"query": query})})


def hit_table(hits: list[Hit]) -> Any:
    """Hits as a table for people."""
    rows = [
        (
            f"{hit.score:.2f}",
            hit.event.timestamp_local[:16].replace("T", " "),
            hit.event.scope.key,
            Text.assemble(short(hit.event.text), (either("（尚未归档）", "  (not filed yet)") if hit.pending else "", "yellow")),
            hit.event.event_id,
        )
        for hit in hits
    ]
    columns = either("分数 时间 会话 内容 记录", "score time scope text record").split()
    return table(columns, rows, wide=columns[3])
