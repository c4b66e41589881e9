"""The jobs of the queue as JSON data."""

from __future__ import annotations

from typing import Any

from ...schema.job import Job
from ...schema.protocols import JobQueue


def job_entries(queue: JobQueue, limit: int | None) -> list[dict[str, Any]]:
    """Return jobs with `state`; failed ones with `error`, `failed_at` (epoch seconds), `filed` and file `name` too.

    At most `limit` of each state, oldest first.
    """
    most = limit or 1_000_000
    entries = [_entry(job, state) for state in ("processing", "pending") for job in queue.jobs(state, most)]
    for failed in queue.failed()[:most]:
        about = {"error": failed.error, "failed_at": failed.failed_at, "filed": failed.filed}
        entries.append({**_entry(failed.job, "failed"), "name": failed.name, **about})
    return entries


def _entry(job: Job | None, state: str) -> dict[str, Any]:
    return {"state": state, "name": "", **(job.model_dump() if job is not None else {"job_id": ""})}
