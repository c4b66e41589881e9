"""`historian export` and `historian import`: what is known of a person or a group as one file, and back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ....schema.errors import ForgottenHere
from ..console import fields
from ..invocation import CommandFailed, Shell, command
from ..language import both, either
from ..opening import opened_stores
from ..root import app
from .forget import IdArgument, KindArgument

COUNTS = {
    "events": ("记录", "records"),
    "profiles": ("画像", "profiles"),
    "jobs": ("任务", "jobs"),
    "summaries": ("纯文本摘要", "plain summaries"),
    "articles": ("篇章", "articles"),
    "dated_summaries": ("带日期的摘要", "dated summaries"),
    "buffered_states": ("对话缓冲", "buffered states"),
    "memory": ("MEMORY.md 的行", "lines of MEMORY.md"),
}
"""What an archive holds, as the two commands name it for people, in Chinese and in English."""


@command(
    app,
    "export",
    zh="把一个人或一个群的全部写进一个压缩包：记录、画像和旧版、任务、摘要、篇章。\n\n"
    "JSON 行和 Markdown 的 zip，不含向量。一个人的：他在每个会话里说的；一个群的：大家在那里说的。",
)
def export(
    shell: Shell,
    kind: KindArgument,
    entity_id: IdArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE.zip", help=both("要写的压缩包。", "The archive to write."))],
    force: Annotated[
        bool, typer.Option("--force", help=both("文件已存在就换掉。", "Replace the file if it exists."), show_default=False)
    ] = False,
) -> None:
    """Write everything of a person or a group into one archive: records, profiles with history, jobs, summaries, articles.

    A zip of JSON lines and Markdown, without vectors. Of a person: what they said in every conversation; of a group: what
    everybody said there.
    """
    from .... import __version__
    from ....schema.entity import Entity
    from ....service.entity_data.transfer import export as write

    entity = Entity(kind, entity_id)
    if not shell.needs_data():
        raise CommandFailed(either(f"没有 {entity.key} 的东西可以导出", f"there is nothing of {entity.key} to export"))
    with opened_stores(shell) as parts:
        manifest = write(parts, entity, file, version=__version__, replace=force)
    counts = {**manifest["counts"], "profiles": _each(manifest["profiles"]), "articles": _each(manifest["articles"])}
    if shell.json:
        shell.emit(file=str(file), entity=entity.key, **counts)
        return
    of = either("对象", "of")
    shell.out.print(
        fields({either("写到", "written"): file, of: entity.key, **{either(*COUNTS[name]): str(counts[name]) for name in COUNTS}})
    )


@command(
    app,
    "import",
    zh="把一个压缩包里的带回来。同一个包再导一次什么也不变；已有的从不覆盖。\n\n"
    "记录立刻可以按关键词找到，后台算好向量后也能按意思找到。",
)
def import_file(
    shell: Shell,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.zip", help=both("`historian export` 写的压缩包。", "An archive of `historian export`.")),
    ],
    even_forgotten: Annotated[
        bool,
        typer.Option(
            "--even-forgotten",
            help=both("在这里被遗忘过的人也带回来。", "Bring back who was forgotten here, too."),
            show_default=False,
        ),
    ] = False,
) -> None:
    """Bring back what an archive holds. The same archive again changes nothing; what is there is never overwritten.

    Records are found by keyword at once, and by meaning as soon as the worker has embedded them.
    """
    from ....service.entity_data.transfer import import_archive

    with opened_stores(shell) as parts:
        try:
            report = import_archive(parts, file, even_forgotten=even_forgotten)
        except ForgottenHere as error:
            raise CommandFailed(str(error)) from None
    if shell.json:
        shell.emit(file=str(file), **asdict(report))
        return
    texts = report.different_events
    changed = either(f"，其中 {texts} 条文字不同，保持原样", f", {texts} of them with another text, which stays") if texts else ""
    told = asdict(report)
    layers = {
        either(*COUNTS[what]): _added(told[what], told[f"known_{what}"]) + _different(told[f"different_{what}"])
        for what in ("articles", "dated_summaries", "buffered_states")
    }
    profiles = _added(report.profiles, report.known_profiles) + _different(len(report.different_profiles))
    shell.out.print(
        fields(
            {
                either("对象", "of"): report.entity,
                either(*COUNTS["events"]): _added(report.events, report.known_events) + changed,
                either(*COUNTS["profiles"]): profiles,
                either(*COUNTS["jobs"]): either(f"{report.jobs} 个放进队列", f"{report.jobs} put into the queue"),
                either(*COUNTS["summaries"]): either(f"添加 {report.summaries}", f"{report.summaries} added"),
                **layers,
            }
        )
    )


def _added(new: int, known: int) -> str:
    return either(f"添加 {new}，已有 {known}", f"{new} added, {known} known")


def _different(count: int) -> str:
    return either(f"，{count} 个不同，保持原样", f", {count} differ and stay as they are") if count else ""


def _each(entries: list[dict[str, Any]]) -> int:
    """How many profiles or articles the entries of a manifest are: each revision has one."""
    return len({tuple(value for key, value in entry.items() if key not in ("member", "revision")) for entry in entries})
