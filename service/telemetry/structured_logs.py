"""Logs as JSON lines, each with the id of its job if there is one.

    {"time": "2026-02-21T09:30:00.123+00:00", "level": "warning", "logger": "historian.service.jobs.worker",
     "message": "…", "job_id": "r1-0"}

Records of level INFO and above contain ids, counts and reasons, but no content of messages. A
reason may quote the answer of an endpoint to a refused request.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

_job: ContextVar[str] = ContextVar("historian_job", default="")


@contextmanager
def about_job(job_id: str) -> Iterator[None]:
    """Add the job's id to all records that are logged inside the `with` block, in this task and in
    the tasks and threads that it starts."""
    token = _job.set(job_id)
    try:
        yield
    finally:
        _job.reset(token)


class JobIdFilter(logging.Filter):
    """Adds `job_id` to every record; "" outside of a job. For handlers with their own format."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "job_id"):
            record.job_id = _job.get()
        return True


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object. Tracebacks are in `traceback`, times are UTC."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        job_id = getattr(record, "job_id", "") or _job.get()
        if job_id:
            line["job_id"] = job_id
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def json_handler(stream: TextIO | None = None) -> logging.Handler:
    """Return a handler that writes JSON lines, by default to stderr:
    `logging.getLogger().addHandler(json_handler())`."""
    handler = logging.StreamHandler(stream if stream is not None else sys.stderr)
    handler.addFilter(JobIdFilter())
    handler.setFormatter(JsonLines())
    return handler
