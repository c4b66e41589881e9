"""`historian migrate`: summaries that a bot kept before, as records."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..console import fields
from ..invocation import FAILED, CommandFailed, Shell, command
from ..language import both, either
from ..opening import without_models
from ..root import app
from ..scopes import GroupOption, UserOption, scope_of

if TYPE_CHECKING:
    from ....service.entity_data.migration import MigrationReport

NUMBERS = {
    "taken": ("迁入", "taken"),
    "known": ("已有", "known"),
    "forgotten": ("已遗忘", "forgotten"),
    "bad": ("有错", "bad"),
}
"""What the report counts, in Chinese and in English."""


@command(
    app,
    "migrate",
    zh="把机器人以前存的摘要变成记录。\n\n"
    '可以是 {summary 或 text, timestamp, user_id, group_id, ...} 的列表、按会话分的列表（{"g:7001": [...]}），或 JSON 行。'
    "没有写会话的条目由 --group 或 --user 指定。规则当场归档；加 --rewrite 则交给史官，等 `historian worker` 做到。"
    "同一个文件再来一次，崩溃之后也一样，不会多出什么。用不了的条目报出编号，退出码 1。",
)
async def migrate(
    shell: Shell,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.json", help=both("旧摘要，如 end_summaries.json。", "Old summaries, such as end_summaries.json.")
        ),
    ],
    group: GroupOption = None,
    user: UserOption = None,
    rewrite: Annotated[
        bool,
        typer.Option(
            "--rewrite",
            help=both("交给史官改写：作为任务放进队列。", "Let the historian rewrite them: as jobs in the queue."),
            show_default=False,
        ),
    ] = False,
) -> None:
    """Make records of summaries that a bot kept before.

    A list of {summary or text, timestamp, user_id, group_id, ...}, lists by conversation ({"g:7001": [...]}), or JSON lines.
    --group or --user names the conversation of entries that do not. They are filed by the rules at once, or with --rewrite
    by the historian, as `historian worker` gets to them. The same file again, also after a crash, changes nothing more.
    Entries that cannot be used are named with their number, and the status is 1.
    """
    from ....service.components import open_parts, open_queue
    from ....service.entity_data.migration import Migration

    if not shell.settings.cognitive.enabled:
        raise CommandFailed(
            either(
                "记忆已关闭（cognitive.enabled = false）；打开它才能迁入摘要",
                "memory is switched off (cognitive.enabled = false); switch it on to take summaries in",
            )
        )
    settings = without_models(shell.settings)
    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    progress = Progress(
        TextColumn(either("迁入", "taking in")),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=shell.err,
        transient=True,
        disable=shell.json or not shell.err.is_terminal,
    )
    started = time.monotonic()
    try:
        with progress:
            task = progress.add_task("", total=None)
            report = await Migration(parts, settings, rewrite=rewrite, scope=scope_of(group, user)).run(
                file, on_progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
    finally:
        await parts.aclose()
    _print(shell, file, report, time.monotonic() - started, rewrite=rewrite)
    if report.bad:
        raise typer.Exit(FAILED)


def _print(shell: Shell, file: Path, report: MigrationReport, seconds: float, *, rewrite: bool) -> None:
    for bad in report.bad:
        if shell.json:
            shell.emit(where=bad.where, error=bad.error)
        else:
            shell.err.print(f"{file}: {bad.where}: {bad.error}", soft_wrap=True, style="red")
    numbers = {"taken": report.taken, "known": report.known, "forgotten": report.forgotten, "bad": len(report.bad)}
    if shell.json:
        shell.emit(file=str(file), seconds=round(seconds, 3), **numbers)
        return
    rate = report.taken / seconds if seconds > 0 else 0.0
    shown = {either(*NUMBERS[name]): str(count) for name, count in numbers.items() if count or name == "taken"}
    time_taken = either(f"{seconds:.1f} 秒（每秒 {rate:.0f} 条）", f"{seconds:.1f} s ({rate:.0f}/s)")
    shell.out.print(fields({**shown, either("用时", "time"): time_taken}))
    if rewrite and report.taken:
        shell.say(
            either(
                "\n它们在队列里等着；运行中的机器人或 `historian worker --drain` 会归档",
                "\nThey wait in the queue; a running bot or `historian worker --drain` files them",
            )
        )
