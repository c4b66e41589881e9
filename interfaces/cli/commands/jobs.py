"""`historian jobs`: lists, shows and retries the jobs in the queue."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from rich.text import Text
from typer import Argument, Option

from ...lookups import found_job, retried
from ...texts import told_by
from ..console import Cell, minute, short
from ..invocation import command, group
from ..language import say
from ..opening import opened_queue
from ..shell import Shell, WrongUse

jobs = group("jobs", "Jobs in the queue: waiting, running and failed ones.")

STATE_STYLES = {"pending": "yellow", "processing": "cyan", "failed": "red"}


@command("list", jobs)
def list_jobs(
    shell: Shell,
    state: Annotated[
        Literal["all", "pending", "processing", "failed"],
        Option("--state", help="Only jobs in this state."),
    ] = "all",
    limit: Annotated[
        int, Option("--limit", min=1, help="Maximum number of jobs to show for each state.")
    ] = 50,
) -> None:
    """List jobs, oldest first."""
    shell.end_without_data()
    from ....service.inspection.json_data import job_entries

    queue = opened_queue(shell)
    found = [entry for entry in job_entries(queue, limit) if state in ("all", entry["state"])]
    empty = say("no jobs") if state == "all" else say("no {state} jobs", state=state)
    shell.rows(found, dict, "job|state|scope|time|content", _cells, empty=empty)
    if found:
        counts = queue.counts(time.time())
        shell.tell()
        told = "{pending} pending, {processing} processing, {failed} failed"
        shell.tell(told, pending=counts.pending, processing=counts.processing, failed=counts.failed)


@command("show", jobs)
def show_job(
    shell: Shell, job_id: Annotated[str, Argument(metavar="JOB", help="The job's id.")]
) -> None:
    """Show one job with all its fields."""
    shell.report(found_job(opened_queue(shell, create=False), job_id))


@command("retry", jobs)
def retry_jobs(
    shell: Shell,
    job_id: Annotated[str | None, Argument(metavar="JOB", help="The failed job to retry.")] = None,
    retry_all: Annotated[bool, Option("--all", help="Retry all failed jobs.")] = False,
) -> None:
    """Put failed jobs back into the queue and reset their attempt counts."""
    if (job_id is None) != retry_all:
        raise WrongUse(
            "give either a job or --all: `historian jobs retry JOB`, or `historian jobs retry "
            "--all`"
        )
    count = retried(opened_queue(shell, create=False), job_id)
    shell.result({"retried": count}, "{n} {n:job|jobs} put back into the queue", n=count)


def _cells(entry: dict[str, Any]) -> tuple[Cell, ...]:
    state = Text(entry["state"], STATE_STYLES[entry["state"]])
    return (
        entry["job_id"] or entry["name"],
        state,
        _scope(entry),
        minute(entry.get("timestamp", "")),
        short(_summary(entry), 200),
    )


def _scope(entry: dict[str, Any]) -> str:
    if entry.get("kind", "remember") not in ("remember", "states", "talk"):
        return say("command")
    return (
        f"g:{entry['group_id']}"
        if entry.get("group_id")
        else f"p:{entry['user_id']}"
        if entry.get("user_id")
        else ""
    )


def _summary(entry: dict[str, Any]) -> str:
    if entry["state"] == "failed":
        return str(entry["error"])
    said = told_by(entry)
    texts = " / ".join(said)
    if entry["kind"] == "states":
        return say("{n} {n:state|states}: {texts}", n=len(said), texts=texts)
    if entry["kind"] != "remember":
        return f"{entry['user_name'] or entry['user_id'] if entry['kind'] == 'talk' else entry['kind']}: {texts}"
    if not entry["last_error"]:
        return texts
    return say(
        "[attempt {n}: {error}] {texts}",
        n=entry["attempts"] + 1,
        error=entry["last_error"],
        texts=texts,
    )
