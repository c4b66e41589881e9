"""The report of a run of the worker: JSON data, output, and the file for `historian stats`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .shell import Shell

if TYPE_CHECKING:
    from ...schema.protocols import ChatModel
    from ...service.jobs.statistics import WorkerStatistics

FILE_NAME = "last_run.json"

SHOWN = (
    *("jobs", "seconds", "jobs_per_second", "events", "absolute_share", "first_pass_share"),
    *("rewritten_by", "profiles_written", "model", "usage", "left"),
)
"""The keys of a report that are printed for people."""


def jobs_done(statistics: WorkerStatistics) -> int:
    """Return the number of jobs that left the queue."""
    return sum(count for outcome, count in statistics.outcomes.items() if outcome != "retried")


def make_report(
    statistics: WorkerStatistics, chat: ChatModel | None, seconds: float
) -> dict[str, Any]:
    """Return the numbers of one run as JSON data.

    Shares are fractions of the filed events. The model usage is given by purpose, in total and per
    job. Merge jobs are not counted in the per-job numbers: their usage is attributed to the jobs
    whose facts they merge.
    """
    done = jobs_done(statistics)
    jobs_without_merges = done - statistics.outcomes["merged"]
    usage: dict[str, dict[str, float]] = {}
    for purpose, used in (chat.usage() if chat is not None else {}).items():
        counts = {
            "calls": used.calls,
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
        }
        per_job = {
            f"{name}_per_job": round(n / jobs_without_merges, 3) if jobs_without_merges else 0.0
            for name, n in counts.items()
        }
        usage[purpose] = {**asdict(used), "seconds": round(used.seconds, 3), **per_job}
    return {
        "done": done,
        "seconds": round(seconds, 3),
        "jobs_per_second": round(done / seconds, 2) if seconds > 0 else 0.0,
        "model": chat.model if chat is not None else "",
        **statistics.as_dict(),
        "usage": usage,
    }


def save_report(directory: Path, report: dict[str, Any]) -> None:
    """Write the report of a run into the data directory. Raises StorageError."""
    from ...stores.files.durable import write_atomically

    write_atomically(
        directory / FILE_NAME, json.dumps(report, ensure_ascii=False, indent=1).encode()
    )


def read_report(directory: Path) -> dict[str, Any] | None:
    """Return the report of the last run; None if there is no readable one."""
    try:
        report = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def print_report(shell: Shell, report: dict[str, Any]) -> None:
    """Print the main numbers for people, or the whole report with `--json`."""
    shell.report(report, *SHOWN)
