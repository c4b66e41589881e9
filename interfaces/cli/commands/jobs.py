"""`historian jobs`: what waits, what runs, what was given up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text

from ..console import counted, fields, short, table
from ..invocation import CommandFailed, Shell, command, group
from ..language import both, either
from ..opening import opened_queue
from ..root import app

if TYPE_CHECKING:
    from ....schema.job import Job
    from ....schema.protocols import FailedJob, JobQueue

jobs = group(
    app,
    "jobs",
    both("队列里的任务：等着的、在做的、放弃了的。", "Jobs in the queue: what waits, what runs, what was given up."),
)

STATE_STYLES = {"pending": "yellow", "processing": "cyan", "failed": "red"}


@command(jobs, "list", zh="列出任务，最早的在前。")
def list_jobs(
    shell: Shell,
    state: Annotated[
        Literal["all", "pending", "processing", "failed"],
        typer.Option("--state", help=both("只要这种状态的。", "Only jobs in this state.")),
    ] = "all",
    limit: Annotated[
        int, typer.Option("--limit", min=1, help=both("每种状态最多多少个。", "At most so many of each state."))
    ] = 50,
) -> None:
    """List jobs, oldest first."""
    if not shell.needs_data():
        return
    queue = opened_queue(shell)
    found = [entry for entry in entries_of(queue, limit) if state in ("all", entry["state"])]
    if shell.json:
        for entry in found:
            shell.emit(**entry)
        return
    if not found:
        if state == "all":
            shell.say(either("没有任务", "no jobs"))
        else:
            shell.say(either(f"没有 {state} 的任务", f"no {state} jobs"))
        return
    rows = [
        (
            entry["job_id"] or entry["name"],
            Text(entry["state"], STATE_STYLES[entry["state"]]),
            _scope(entry),
            entry.get("timestamp", "")[:16].replace("T", " "),
            short(_what(entry), 200),
        )
        for entry in found
    ]
    columns = either("任务 状态 会话 时间 内容", "job state scope time what").split()
    shell.out.print(table(columns, rows, wide=columns[-1]))
    counts = queue.counts(time.time())
    shell.say("\n" + said_counts(counts.pending, counts.processing, counts.failed))


@command(jobs, "show", zh="查看一个任务和它带着的一切。")
def show_job(
    shell: Shell, job_id: Annotated[str, typer.Argument(metavar="JOB", help=both("任务的 id。", "The job's id."))]
) -> None:
    """Show one job, with everything it carries."""
    queue = opened_queue(shell) if shell.needs_data() else None
    found = [entry for entry in (entries_of(queue, None) if queue else []) if job_id in (entry["job_id"], entry["name"])]
    if not found:
        raise CommandFailed(
            either(
                f"队列里没有任务 {job_id!r}；`historian jobs list` 列出队列里的，"
                f"`historian events list --job {job_id}` 列出它归档的记录",
                f"job {job_id!r} is not in the queue; `historian jobs list` shows those that are, and "
                f"`historian events list --job {job_id}` what was filed of it",
            )
        )
    if shell.json:
        shell.emit(**found[0])
        return
    shown = {key: value for key, value in found[0].items() if value not in ("", [], {}, None, 0, 0.0, False) or key == "filed"}
    for key in ("new_info", "recent_messages"):
        if key in shown:
            shown[key] = "\n".join(_line_of(item) for item in shown[key])
    shell.out.print(fields(shown))


@command(jobs, "retry", zh="把失败的任务放回队列，尝试次数从头算起。")
def retry_jobs(
    shell: Shell,
    job_id: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help=both("要放回的失败任务。", "The failed job to bring back."), show_default=False),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help=both("放回所有失败的任务。", "Bring all failed jobs back."), show_default=False)
    ] = False,
) -> None:
    """Bring failed jobs back into the queue, with their attempts forgotten."""
    if (job_id is None) != every:
        shell.fail(
            either(
                "请说明是哪个：`historian jobs retry JOB`，或 `historian jobs retry --all`",
                "say which: `historian jobs retry JOB`, or `historian jobs retry --all`",
            ),
            2,
        )
    count = opened_queue(shell).retry_failed(job_id) if shell.needs_data() else 0
    if job_id is not None and count == 0:
        raise CommandFailed(
            either(
                f"失败的任务里没有 {job_id!r}；`historian jobs list --state failed` 列出它们",
                f"job {job_id!r} is not among the failed ones; `historian jobs list --state failed` shows them",
            )
        )
    if shell.json:
        shell.emit(retried=count)
    shell.say(either(f"{count} 个任务已放回队列", f"{counted(count, 'job')} put back into the queue"))


def said_counts(pending: int, processing: int, failed: int) -> str:
    """How many jobs are in which state, for people."""
    return either(
        f"等待 {pending}，处理中 {processing}，失败 {failed}", f"{pending} pending, {processing} processing, {failed} failed"
    )


def entries_of(queue: JobQueue, limit: int | None) -> list[dict[str, Any]]:
    """Jobs as JSON data with `state`; failed ones with `error`, `failed_at` (epoch seconds), `filed` and file `name` too."""
    most = limit or 1_000_000
    entries: list[dict[str, Any]] = []
    for state in ("processing", "pending"):
        entries += [_entry(job, state) for job in queue.jobs(state, most)]
    entries += [_failed_entry(failed) for failed in queue.failed()[:most]]
    return entries


def _entry(job: Job, state: str) -> dict[str, Any]:
    return {"state": state, "name": "", **job.model_dump()}


def _failed_entry(failed: FailedJob) -> dict[str, Any]:
    job = failed.job.model_dump() if failed.job is not None else {"job_id": ""}
    about = {"error": failed.error, "failed_at": failed.failed_at, "filed": failed.filed}
    return {"state": "failed", "name": failed.name, **job, **about}


def _scope(entry: dict[str, Any]) -> str:
    if entry.get("kind", "remember") not in ("remember", "states"):
        return either("操作", "command")
    return f"g:{entry['group_id']}" if entry.get("group_id") else f"p:{entry['user_id']}" if entry.get("user_id") else ""


def _what(entry: dict[str, Any]) -> str:
    if entry["state"] == "failed":
        return str(entry["error"])
    if entry.get("kind") == "states":
        said = [str(one.get("text", "")) for one in entry["payload"].get("states", [])]
        return either(f"{len(said)} 句对话：", f"{counted(len(said), 'state')}: ") + " / ".join(said)
    if entry.get("kind") != "remember":
        return f"{entry.get('kind')}: {entry.get('payload')}"
    attempt = entry["attempts"] + 1
    again = either(f"第 {attempt} 次", f"attempt {attempt}")
    error = f"[{again}: {entry['last_error']}] " if entry.get("last_error") else ""
    return error + " / ".join([entry["action_summary"], *entry["new_info"]]).strip(" /")


def _line_of(item: object) -> str:
    if isinstance(item, dict):
        return f"{item.get('sender_name') or item.get('sender_id')}: {item.get('text')}"
    return f"- {item}"
