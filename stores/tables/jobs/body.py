"""The stored form of a job, and the error for stored data that is no valid job."""

from __future__ import annotations

from typing import Any

from ....schema.errors import InvalidInput
from ....schema.job import JOB_SCHEMA_VERSION, MAX_JOB_BYTES, Job, clean_text, parse_job

MAX_ERROR_CHARACTERS = 1000


class Unreadable(Exception):
    """Stored data is not a job that this version can run; the message gives the reason."""


def encode_new(job: Job) -> str:
    """Return a new job as JSON.

    Raises InvalidInput if it is too large or cannot be encoded as UTF-8.
    """
    text = job.to_json()
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"job {job.job_id}: contains {error.object[error.start]!r}, a lone surrogate; remove "
            "it (str.encode('utf-8') fails)"
        ) from None
    if size > MAX_JOB_BYTES:
        raise InvalidInput(
            f"job {job.job_id}: {size} bytes, at most {MAX_JOB_BYTES} are allowed; shorten its texts or its recent_messages"
        )
    return text


def job_in(document: dict[str, Any]) -> Job:
    """Parse a JSON object as a job.

    Raises Unreadable, which names the invalid field or the unknown version.
    """
    version = document.get("schema_version", JOB_SCHEMA_VERSION)
    if isinstance(version, int) and version > JOB_SCHEMA_VERSION:
        raise Unreadable(
            f"schema_version {version} is newer than {JOB_SCHEMA_VERSION}, the newest this version knows; "
            "upgrade, then `historian jobs retry`"
        )
    if version != JOB_SCHEMA_VERSION:
        raise Unreadable(f"schema_version {version!r:.40}: expected {JOB_SCHEMA_VERSION}")
    try:
        return parse_job(document)
    except InvalidInput as error:
        raise Unreadable(f"not a valid job: {error}") from None
    except RecursionError:
        raise Unreadable("not a valid job: nested too deeply") from None


def short_error(error: str) -> str:
    """Return an error message in its stored form: no control characters, limited length."""
    cleaned = clean_text(error)
    return (
        cleaned
        if len(cleaned) <= MAX_ERROR_CHARACTERS
        else cleaned[: MAX_ERROR_CHARACTERS - 1] + "…"
    )
