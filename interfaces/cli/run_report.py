"""What a worker has done and what it cost, as data, as a table, and in a file that `historian stats` reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import table
from .language import either

if TYPE_CHECKING:
    from ...schema.protocols import ChatModel
    from ...service.jobs.statistics import WorkerStatistics

FILE_NAME = "last_run.json"

NOT_DONE = ("retried",)
"""Outcomes after which a job is still in the queue."""

CHINESE = {
    "filed": "已归档",
    "reflected": "已并入摘要",
    "duplicate": "重复",
    "command": "操作",
    "forgotten": "已遗忘",
    "retried": "重试",
    "failed": "失败",
    "rules": "规则",
    "model": "模型",
    "time": "时间规则",
    "none": "照原样",
}
"""Outcomes and writers, as a Chinese report names them."""


def jobs_done(statistics: WorkerStatistics) -> int:
    """Jobs that left the queue."""
    return sum(count for outcome, count in statistics.outcomes.items() if outcome not in NOT_DONE)


def make_report(statistics: WorkerStatistics, chat: ChatModel | None, seconds: float) -> dict[str, Any]:
    """The numbers of one run. Shares are of the filed records; usage is by purpose, in total and per job."""
    done = jobs_done(statistics)
    usage: dict[str, dict[str, float]] = {}
    for purpose, used in (chat.usage() if chat is not None else {}).items():
        usage[purpose] = {
            **asdict(used),
            "seconds": round(used.seconds, 3),
            "calls_per_job": round(used.calls / done, 3) if done else 0.0,
            "prompt_tokens_per_job": round(used.prompt_tokens / done, 1) if done else 0.0,
            "completion_tokens_per_job": round(used.completion_tokens / done, 1) if done else 0.0,
        }
    return {
        "done": done,
        "seconds": round(seconds, 3),
        "jobs_per_second": round(done / seconds, 2) if seconds > 0 else 0.0,
        "model": chat.model if chat is not None else "",
        **statistics.as_dict(),
        "usage": usage,
    }


def save_report(directory: Path, report: dict[str, Any]) -> None:
    """Keep a run's numbers. Raises StorageError."""
    from ...stores.files.durable import write_atomically

    write_atomically(directory / FILE_NAME, json.dumps(report, ensure_ascii=False, indent=1).encode())


def read_report(directory: Path) -> dict[str, Any] | None:
    """The numbers of the last run; None where there are none."""
    try:
        report = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def report_lines(report: dict[str, Any]) -> dict[str, str]:
    """The numbers for people."""
    jobs, writers = report.get("jobs", {}).items(), report.get("rewritten_by", {}).items()
    rate, seconds, events = report.get("jobs_per_second", 0), report.get("seconds", 0), report.get("events", 0)
    absolute, at_once = percent(report.get("absolute_share")), percent(report.get("first_pass_share"))
    return {
        either("任务", "jobs"): either(
            f"{'，'.join(f'{CHINESE.get(name, name)} {count}' for name, count in jobs) or '没有'}"
            f"（每秒 {rate} 个，{seconds} 秒）",
            f"{', '.join(f'{count} {name}' for name, count in jobs) or 'none'}  ({rate}/s, {seconds} s)",
        ),
        either("记录", "records"): either(
            f"{events} 条，没有相对说法的占 {absolute}，一次就通过的占 {at_once}",
            f"{events}, absolute {absolute}, at the first pass {at_once}",
        ),
        either("改写", "rewritten by"): either(
            "，".join(f"{CHINESE.get(name, name)} {count}" for name, count in writers),
            ", ".join(f"{name} {count}" for name, count in writers),
        )
        or "-",
        either("画像", "profiles"): str(report.get("profiles_written", 0)),
        either("模型", "model"): report.get("model") or either("没有（只用规则）", "none (rules alone)"),
    }


def usage_table(usage: dict[str, dict[str, float]]) -> Any:
    """Model usage by purpose for people."""
    rows = [
        (
            purpose,
            f"{used['calls']:.0f}",
            f"{used['failed_calls']:.0f}",
            f"{used['calls_per_job']:.2f}",
            f"{used['prompt_tokens_per_job']:.0f}",
            f"{used['completion_tokens_per_job']:.0f}",
            f"{used['seconds']:.1f} {either('秒', 's')}",
        )
        for purpose, used in usage.items()
    ]
    english = ("purpose", "calls", "failed", "calls/job", "prompt tokens/job", "answer tokens/job", "waited")
    chinese = ("用途", "调用", "失败", "调用/任务", "提示词 token/任务", "回答 token/任务", "等待")
    return table([either(*names) for names in zip(chinese, english, strict=True)], rows)


def percent(share: float | None) -> str:
    """A share as a percentage; - for none."""
    return "-" if share is None else f"{100 * share:.1f} %"
