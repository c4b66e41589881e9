"""`historian stats`: how much there is, what waits, and what the last run cost."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console import counted, fields
from ..invocation import Shell, command
from ..language import both, either
from ..opening import opened_stores
from ..root import app
from ..run_report import read_report, report_lines, usage_table
from .jobs import said_counts

MOST_COUNTED = 10_000
"""Records without a vector are counted up to so many."""


@command(app, "stats", zh="用数字看队列、记录、画像和上一次后台运行。")
def stats(
    shell: Shell,
    prometheus: Annotated[
        bool,
        typer.Option(
            "--prometheus",
            help=both("用 Prometheus 的文本格式输出指标。", "As metrics in Prometheus' text format."),
            show_default=False,
        ),
    ] = False,
) -> None:
    """Show the queue, the records, the profiles and the last worker run in numbers."""
    if not shell.needs_data():
        if shell.json:
            shell.emit(data_dir=str(shell.directory), exists=False)
        return
    report = collect(shell)
    if prometheus:
        _print_metrics(report)
        return
    if shell.json:
        shell.emit(**report)
        return
    queue, events = report["queue"], report["events"]
    waiting = said_counts(queue["pending"], queue["processing"], queue["failed"])
    if queue["pending"]:
        age = duration(queue["oldest_pending_seconds"])
        waiting += either(f"；最早的等了 {age}", f"; the oldest waits {age}")
    made_by = report["vectors"]
    shown: dict[str, Any] = {
        either("数据", "data"): f"{report['data_dir']}  ({size(report['bytes'])})",
        either("记忆", "memory"): either("开着", "on")
        if report["enabled"]
        else either("已关闭（cognitive.enabled = false）", "switched off (cognitive.enabled = false)"),
        either("占用", "owner"): report["owner"]
        or either(
            "没有进程：任务等到机器人或 `historian worker` 运行时再做", "nobody: jobs wait until a bot or `historian worker` runs"
        ),
        either("队列", "queue"): waiting,
        either("记录", "records"): either(
            f"{events['count']} 条，在 {events['scopes']} 个会话里；{events['relative']} 条还有相对说法，"
            f"{events['without_vector']} 条没有向量",
            f"{events['count']} in {counted(events['scopes'], 'conversation')}, {events['relative']} not absolute, "
            f"{events['without_vector']} without a vector",
        ),
        either("画像", "profiles"): str(report["profiles"]),
        either("向量", "vectors"): named_vectors(made_by["model"], made_by["dimension"])
        if made_by
        else either("还没有", "none yet"),
    }
    shell.out.print(fields(shown))
    if report["last_run"]:
        shell.say(either("\n`historian worker` 的上一次运行：", "\nThe last run of `historian worker`:"))
        shell.out.print(fields(report_lines(report["last_run"])))
        if report["last_run"].get("usage"):
            shell.out.print(usage_table(report["last_run"]["usage"]))


def _print_metrics(report: dict[str, Any]) -> None:
    from ....service.telemetry.metrics import metrics_text

    last = report["last_run"] or {}
    known = {"queue": report["queue"], "events": report["events"]["count"], "worker": last, "usage": last.get("usage")}
    sys.stdout.write(metrics_text(known))


def collect(shell: Shell) -> dict[str, Any]:
    """All numbers, as JSON data."""
    from ....schema.event import EventFilter
    from ....stores.files.owner_lock import owner_of

    with opened_stores(shell) as parts:
        counts = parts.queue.counts(time.time())
        total = parts.events.count()
        fingerprint = parts.events.fingerprint()
        owner = owner_of(shell.directory)
        return {
            "data_dir": str(shell.directory),
            "exists": True,
            "enabled": shell.settings.cognitive.enabled,
            "bytes": sum(file.stat().st_size for file in shell.directory.rglob("*") if _is_file(file)),
            "owner": str(owner) if owner else "",
            "queue": {
                "pending": counts.pending,
                "processing": counts.processing,
                "failed": counts.failed,
                "oldest_pending_seconds": round(counts.oldest_pending_seconds, 3),
            },
            "events": {
                "count": total,
                "scopes": len(parts.events.scopes()),
                "relative": parts.events.count(EventFilter(None, is_absolute=False)),
                "without_vector": len(parts.events.without_vector(MOST_COUNTED)),
            },
            "profiles": len(parts.profiles.keys()),
            "vectors": {"model": fingerprint[0], "dimension": fingerprint[1]} if fingerprint else None,
            "last_run": read_report(shell.directory),
        }


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # gone since it was listed
        return False


def named_vectors(model: str, dimension: int) -> str:
    """Whose vectors, for people."""
    return either(f"{model}，{dimension} 维", f"{model}, {dimension} dimensions")


def size(number: float) -> str:
    """Bytes for people."""
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def duration(seconds: float) -> str:
    """Seconds for people."""
    for unit, length in ((either("天", "days"), 86_400), (either("小时", "h"), 3600), (either("分钟", "min"), 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} {either('秒', 's')}" if seconds >= 1 else f"{1000 * seconds:.0f} {either('毫秒', 'ms')}"
