"""What lies in `queue.sqlite`, for tests that look below the queue."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from historian.stores.sqlite.queue import QUEUE, open_queue_file


def rows(directory: Path, state: str | None = None) -> list[dict[str, Any]]:
    """The rows of a state, oldest first; none where there is no queue."""
    if not (directory / QUEUE).exists():
        return []
    with closing(sqlite3.connect(directory / QUEUE)) as connection:
        connection.row_factory = sqlite3.Row
        is_new = connection.execute("PRAGMA user_version").fetchone()[0] == 0
        found = (
            []
            if is_new
            else [dict(row) for row in connection.execute("SELECT * FROM jobs ORDER BY position")]
        )
    return [row for row in found if state in (None, row["state"])]


def put_broken(
    directory: Path, body: str = "{", *, state: str = "failed", job_id: str = "broken-0"
) -> None:
    """Add a row that is no job that this version knows."""
    row = {
        "job_id": job_id,
        "body": body,
        "state": state,
        "kind": "remember",
        "scope_key": "g:7",
        "entities": "[]",
    }
    row |= {"accepted_at": 0.0, "due": 0.0, "attempts": 0, "not_before": 0.0, "last_error": ""}
    if state == "failed":
        row |= {"failed_at": 1.0, "filed": 0}
    names = ", ".join(row)
    with closing(open_queue_file(directory / QUEUE)) as database, database.writing() as transaction:
        transaction.run(
            f"INSERT INTO jobs ({names}) VALUES ({', '.join(['%s'] * len(row))})",
            tuple(row.values()),
        )
