"""What a worker has done and what it cost, as data, as a table, and in a file that `historian stats` reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import table

if TYPE_CHECKING:
    from ...schema.protocols import ChatModel
    from ...service.statistics import WorkerStatistics

FILE_NAME = "last_run.json"

NOT_DONE = ("retried",)
"""Outcomes after which a job is still in the queue."""


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
    from ...stores.durable import write_atomically

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
    outcomes = ", ".join(f"{count} {name}" for name, count in report.get("jobs", {}).items()) or "none"
    return {
        "jobs": f"{outcomes}  ({report.get('jobs_per_second', 0)}/s, {report.get('seconds', 0)} s)",
        "records": f"{report.get('events', 0)}, absolute {percent(report.get('absolute_share'))}, "
        f"at the first pass {percent(report.get('first_pass_share'))}",
        "rewritten by": ", ".join(f"{name} {count}" for name, count in report.get("rewritten_by", {}).items()) or "-",
        "portraits": str(report.get("portraits_written", 0)),
        "model": report.get("model") or "none (rules alone)",
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
            f"{used['seconds']:.1f} s",
        )
        for purpose, used in usage.items()
    ]
    columns = ("purpose", "calls", "failed", "calls/job", "prompt tokens/job", "answer tokens/job", "waited")
    return table(columns, rows)


def percent(share: float | None) -> str:
    """A share as a percentage; - for none."""
    return "-" if share is None else f"{100 * share:.1f} %"
