"""`historian forget`: everything of a person or a group, for good."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..console import counted, fields, short, table
from ..invocation import FAILED, Shell, command
from ..language import both, either
from ..opening import opened_stores, without_models
from ..root import app
from .events import YesOption

if TYPE_CHECKING:
    from ....schema.entity import Entity
    from ....service.components import Parts
    from ....stores.files.forget_requests import ForgetReport

KindArgument = Annotated[
    Literal["user", "group"],
    typer.Argument(metavar="user|group", help=both("一个人还是一个群。", "Whether a person or a group.")),
]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help=both("平台上的 id。", "The platform's id."))]

KINDS = {
    "events": ("记录", "record", "records"),
    "profiles": ("画像", "profile", "profiles"),
    "articles and summaries": ("篇章和摘要", "article or summary", "articles and summaries"),
    "jobs": ("任务", "job", "jobs"),
    "plain summaries": ("纯文本摘要", "plain summary", "plain summaries"),
    "lines of MEMORY.md": ("MEMORY.md 的行", "line of MEMORY.md", "lines of MEMORY.md"),
    "note files": ("笔记文件", "note file", "note files"),
}
"""What is kept of people: in Chinese, and one and several of it in English."""
EVERYBODY = {"checkpoint and damaged files": ("检查点和损坏的文件", "checkpoint or damaged file", "checkpoint and damaged files")}
"""What goes whenever anybody is forgotten, whether or not it was theirs."""


@command(
    app,
    "forget",
    zh="忘掉一个人或一个群：记录、画像和篇章连同旧版、任务、摘要、笔记、检查点。\n\n"
    "最后在数据目录的每个字节里找被忘掉的文字，剩下的会点名，退出码 1。别人记录里提到他们的会列出来，加 --mentions 一并删除。"
    "中途被杀掉，下次启动或再运行一次就做完。",
)
def forget(
    shell: Shell,
    kind: KindArgument,
    entity_id: IdArgument,
    mentions: Annotated[
        bool,
        typer.Option(
            "--mentions",
            help=both("别人记录里提到他们的也删除。", "Remove what the records of others say of them, too."),
            show_default=False,
        ),
    ] = False,
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0,
            help=both("最多等占用数据的进程多少秒。", "How long to wait for the process that owns the data."),
        ),
    ] = 300.0,
    yes: YesOption = False,
) -> None:
    """Forget a person or a group: records, profiles and articles with history, jobs, summaries, notes, checkpoints.

    In the end every byte below the data directory is searched for the forgotten texts, and what is left is named; then the
    status is 1. Records of others that mention them are listed, and removed with --mentions. Killed in between, it is
    finished by the next start or by the same command.
    """
    from ....schema.entity import Entity

    entity = Entity(kind, entity_id)
    if not shell.needs_data():
        if shell.json:
            shell.emit(entity=entity.key, done=True, clean=True, removed={})
        return
    if not yes and not shell.json and sys.stdin.isatty():
        question = either(
            f"永久忘掉 {shell.directory} 里的 {entity.key}？", f"Forget {entity.key} in {shell.directory} for good?"
        )
        typer.confirm(question, abort=True)
    report = asyncio.run(_forget(shell, entity, mentions, wait))
    if shell.json:
        shell.emit(**report.as_dict())
    else:
        _print(shell, report)
    if not report.clean:
        raise typer.Exit(FAILED)


async def _forget(shell: Shell, entity: Entity, mentions: bool, wait: float) -> ForgetReport:
    from ....service.components import open_parts, open_queue
    from ....service.entity_data.forgetting import forget

    settings = without_models(shell.settings)
    parts: Parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    try:
        return await forget(parts, entity, mentions=mentions, wait_seconds=wait)
    finally:
        await parts.aclose()


def _print(shell: Shell, report: ForgetReport) -> None:
    if not report.done:
        shell.say(
            either(
                f"{report.entity}：占用数据目录的进程还没有回答。它会做的，重启之后也会；其间不再归档他们的任何东西。再运行一次看报告",
                f"{report.entity}: the process that owns the data directory has not answered yet. It will do it, also after a "
                "restart; nothing more of them is filed meanwhile. Run this again to see the report",
            )
        )
        return
    if not (report.removed.keys() - EVERYBODY or report.mentions) and report.clean:
        shell.say(
            either(
                f"没有找到 {report.entity} 的任何东西：这里没有这个 id（请核对），或者早已忘掉。"
                "墓碑留着：之前的任务要是还会来，不会归档",
                f"nothing was found of {report.entity}: the id is unknown here (check it), or was forgotten before. A tombstone "
                "stays for it: should a job of the time before now still come, it is not filed",
            )
        )
        return
    names = {**KINDS, **EVERYBODY}
    removed = either("，", ", ").join(_counted(count, *names[kind]) for kind, count in report.removed.items())
    others = len(report.mentions) if not report.mentions_removed else 0
    nothing = (
        either(
            f"别人的 {others} 条记录提到 {report.entity}，见下面",
            f"{counted(others, 'record')} of others that {'mentions' if others == 1 else 'mention'} {report.entity}, see below",
        )
        if others
        else either("没有", "nothing")
    )
    left = "; ".join((*report.left, *report.unread)) or nothing
    too_short = either(
        f"；{report.too_short} 段文字太短，没法搜索", f"; {counted(report.too_short, 'text')} too short to search for"
    )
    shell.out.print(
        fields(
            {
                either("已忘掉", "forgotten"): report.entity,
                either("已删除", "removed"): removed or either("本来就没有", "nothing was kept"),
                either("已搜索", "searched"): f"{report.bytes_scanned / 1e6:.1f} MB" + (too_short if report.too_short else ""),
                either("剩下", "left"): left,
            }
        )
    )
    if report.mentions:
        was = (
            either("已删除", "removed")
            if report.mentions_removed
            else either("留着；--mentions 会删除", "left; --mentions removes them")
        )
        shell.say(
            either(
                f"\n别人的记录里提到 {report.entity} 的（{was}）：",
                f"\nRecords of others that mention {report.entity} ({was}):",
            )
        )
        columns = either("种类 记录 内容", "kind record text").split()
        shell.out.print(table(columns, _mention_rows(shell, report), wide=columns[-1]))


def _counted(count: int, zh: str, one: str, many: str) -> str:
    return either(f"{zh} {count}", counted(count, one, many))


def _mention_rows(shell: Shell, report: ForgetReport) -> list[tuple[str, str, str]]:
    ids = [item for kind, item in report.mentions if kind == "events"]
    with opened_stores(shell) as parts:
        texts = {event.event_id: event.text for event in parts.events.get(ids)}
    return [
        (either(*KINDS.get(kind, (kind, kind))[:2]), _named(kind, item), short(texts.get(item, ""), 200))
        for kind, item in report.mentions
    ]


def _named(kind: str, item: str) -> str:
    """What a record is called elsewhere on the command line."""
    from ....schema.profile import ProfileKey

    return str(ProfileKey.of_index_id(item)) if kind == "profiles" else item
