"""The report of a run of the worker: as data, for people, and in a file that `historian stats` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..texts import NAMES
from .invocation import Shell
from .language import later, listed, say

if TYPE_CHECKING:
    from ...schema.protocols import ChatModel
    from ...service.jobs.statistics import WorkerStatistics

FILE_NAME = "last_run.json"

WRITERS: Mapping[str, str] = NAMES["command_line"]["writers"]
"""The names of the writers of events in a report for people."""


def jobs_done(statistics: WorkerStatistics) -> int:
    """Return how many jobs left the queue."""
    return sum(count for outcome, count in statistics.outcomes.items() if outcome != "retried")


def make_report(statistics: WorkerStatistics, chat: ChatModel | None, seconds: float) -> dict[str, Any]:
    """Return the numbers of one run. Shares are of the filed events; usage is by purpose, in total and per job.

    Merges are no jobs of their own here: what they use is a part of what the jobs used whose facts they merge.
    """
    done = jobs_done(statistics)
    given = done - statistics.outcomes["merged"]
    usage: dict[str, dict[str, float]] = {}
    for purpose, used in (chat.usage() if chat is not None else {}).items():
        counts = {"calls": used.calls, "prompt_tokens": used.prompt_tokens, "completion_tokens": used.completion_tokens}
        per_job = {f"{name}_per_job": round(n / given, 3) if given else 0.0 for name, n in counts.items()}
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
    """Keep a run's numbers. Raises StorageError."""
    from ...stores.files.durable import write_atomically

    write_atomically(directory / FILE_NAME, json.dumps(report, ensure_ascii=False, indent=1).encode())


def read_report(directory: Path) -> dict[str, Any] | None:
    """Return the numbers of the last run; None if there are none."""
    try:
        report = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def print_report(shell: Shell, report: dict[str, Any], **more: str) -> None:
    """Print the numbers for people, with further fields; the usage of the model by purpose below."""
    jobs = listed([say("{n} {outcome}", n=n, outcome=say(name)) for name, n in report.get("jobs", {}).items()])
    writers = [f"{say(WRITERS.get(name, name))} {n}" for name, n in report.get("rewritten_by", {}).items()]
    rate = say(" ({rate} a second, {seconds} s)", rate=report.get("jobs_per_second", 0), seconds=report.get("seconds", 0))
    filed = later("{n}, absolute {absolute:percent}, at the first pass {first:percent}")
    shares = {"absolute": report.get("absolute_share"), "first": report.get("first_pass_share")}
    shell.fields(
        {
            "jobs": (jobs or say("none")) + rate,
            "events": say(filed, n=report.get("events", 0), **shares),
            "rewritten by": listed(writers) or "-",
            "profiles": str(report.get("profiles_written", 0)),
            "model": report.get("model") or say("none (rules alone)"),
            **more,
        }
    )
    if report.get("usage"):
        shell.out.print()
        columns = later("purpose|calls|failed|calls/job|prompt tokens/job|answer tokens/job|waited")
        shell.table(columns, [_usage_cells(purpose, used) for purpose, used in report["usage"].items()])


def _usage_cells(purpose: str, used: dict[str, float]) -> tuple[str, ...]:
    per_job = f"{used['calls_per_job']:.2f}", f"{used['prompt_tokens_per_job']:.0f}", f"{used['completion_tokens_per_job']:.0f}"
    return purpose, f"{used['calls']:.0f}", f"{used['failed_calls']:.0f}", *per_job, say("{n:.1f} s", n=used["seconds"])
