"""The files of the queue: names, contents, and the reasons why a file is not a valid job.

A pending or claimed file holds the JSON of the job. A failed job is wrapped: `{"error", "failed_at", "filed", "job"}`.
Each state change rewrites the file in place or renames it, so that it is in one folder at any time.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ....schema.errors import InvalidInput
from ....schema.job import JOB_SCHEMA_VERSION, MAX_JOB_BYTES, Job, clean_text, parse_job
from ....schema.protocols import FailedJob
from ..durable import explaining, storage_error

SUFFIX = ".json"
REASON_SUFFIX = ".reason"
PREFIX_DIGITS = 13
"""Digits of the milliseconds in a name: enough until the year 2286; longer prefixes still sort by value."""

MAX_ERROR_CHARACTERS = 1000
ROOM = 4096
"""Bytes that `put` leaves free below MAX_JOB_BYTES for attempts, not_before and an error of 1,000 characters."""
_WRAPPER_BYTES = 2 * ROOM

_NAME = re.compile(r"(?P<prefix>[0-9]{13,})-(?P<job_id>.+)\.json", re.DOTALL)
# Temporary lack of resources: the file itself is not at fault.
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN}


class Unreadable(Exception):
    """A file in the queue that is not a job this version can run; the message gives the reason.

    `may_be_a_job`: a newer version or other permissions could make it readable, so it must not be deleted.
    """

    def __init__(self, message: str, *, may_be_a_job: bool = False) -> None:
        super().__init__(message)
        self.may_be_a_job = may_be_a_job


class Gone(Exception):
    """The file does not exist any more: another thread or process moved or removed it."""


def file_name(prefix: int, job_id: str) -> str:
    """Return the file name of a job: zero-padded milliseconds, then the job id."""
    return f"{prefix:0{PREFIX_DIGITS}d}-{job_id}{SUFFIX}"


def name_prefix(name: str) -> int:
    """Return the milliseconds of a file name; 0 if it has none (a file added by hand sorts first)."""
    match = _NAME.fullmatch(name)
    return int(match["prefix"]) if match else 0


def name_job_id(name: str) -> str:
    """Return the job id in a file name; the whole stem if the name has another form."""
    match = _NAME.fullmatch(name)
    return match["job_id"] if match else name.removesuffix(SUFFIX)


def order(name: str) -> tuple[int, str]:
    """Return the sort key of a name, oldest first: a longer prefix is later, a name without one comes first."""
    return name.find("-"), name


def list_names(folder: Path) -> list[str]:
    """Return the visible entries of a queue folder, unordered and without `.reason` files; empty if it does not exist.

    Raises StorageError.
    """
    with explaining("list", folder), suppress(FileNotFoundError):
        return [n for n in os.listdir(folder) if n[0] != "." and not n.endswith(REASON_SUFFIX)]  # noqa: PTH208 - names
    return []


def read_job(path: Path) -> Job:
    """Return the job in a pending or claimed file. Raises Unreadable, Gone, or StorageError (out of files or memory)."""
    return job_in(_read_document(path, MAX_JOB_BYTES))


def read_any(path: Path) -> tuple[Job, FailedJob | None]:
    """Return the job in a file of any state, and what is stored of its failure if it is wrapped. Raises as `read_job`."""
    document = _read_document(path, MAX_JOB_BYTES + _WRAPPER_BYTES)
    if not ("job" in document and "failed_at" in document):
        return job_in(document), None
    inner = document["job"]
    if not isinstance(inner, dict):
        raise Unreadable(f"its 'job' is {type(inner).__name__}, expected an object")
    try:
        failed_at = float(document["failed_at"])
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(f"its 'failed_at' is {document['failed_at']!r:.40}, expected seconds since the epoch") from None
    job = job_in(inner)
    return job, FailedJob(path.name, job, str(document.get("error", "")), failed_at, document.get("filed") is True)


def job_in(document: dict[str, Any]) -> Job:
    """Parse a JSON object as a job. Raises Unreadable that names the invalid field or the unknown version."""
    version = document.get("schema_version", JOB_SCHEMA_VERSION)
    if isinstance(version, int) and version > JOB_SCHEMA_VERSION:
        raise Unreadable(
            f"schema_version {version} is newer than {JOB_SCHEMA_VERSION}, the newest this version knows; "
            "upgrade, then `historian jobs retry`",
            may_be_a_job=True,
        )
    if version != JOB_SCHEMA_VERSION:
        raise Unreadable(f"schema_version {version!r:.40}: expected {JOB_SCHEMA_VERSION}")
    try:
        return parse_job(document)
    except InvalidInput as error:
        raise Unreadable(f"not a valid job: {error}") from None
    except RecursionError:
        raise Unreadable("not a valid job: nested too deeply") from None


def encode_job(job: Job) -> bytes:
    """Return the content of the file of a job. Raises InvalidInput for text that cannot be encoded as UTF-8."""
    try:
        return job.to_json().encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"job {job.job_id}: holds {error.object[error.start]!r}, a lone surrogate; remove it (str.encode('utf-8') fails)"
        ) from None


def encode_new(job: Job) -> bytes:
    """Return the content of a job that is handed over. Raises InvalidInput for one that is too large, and as `encode_job`."""
    data = encode_job(job)
    if len(data) > MAX_JOB_BYTES - ROOM:
        raise InvalidInput(
            f"job {job.job_id}: {len(data)} bytes, at most {MAX_JOB_BYTES - ROOM} are allowed; "
            "shorten its texts or its recent_messages"
        )
    return data


def encode_failed(job: Job, failed: FailedJob) -> bytes:
    """Return the content of the file of a failed job."""
    wrapped = {"error": failed.error, "failed_at": failed.failed_at, "filed": failed.filed, "job": job.model_dump()}
    return json.dumps(wrapped, ensure_ascii=False, separators=(",", ":")).encode()


def drop_oldest(known: dict[str, Any], limit: int) -> None:
    """Remove the entry inserted first if a dictionary holds more than `limit`."""
    if len(known) > limit:
        del known[next(iter(known))]


def short_error(error: str) -> str:
    """Return an error message in the form that is stored: no control characters, at most 1,000 characters."""
    cleaned = clean_text(error)
    return cleaned if len(cleaned) <= MAX_ERROR_CHARACTERS else cleaned[: MAX_ERROR_CHARACTERS - 1] + "…"


def _read_document(path: Path, limit: int) -> dict[str, Any]:
    """Return the JSON object in a regular file of at most `limit` bytes. Larger files and other types are not opened."""
    data = _read_bytes(path, limit)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error!s:.200}") from None
    if not isinstance(document, dict):
        raise Unreadable(f"holds a JSON {type(document).__name__}, expected an object")
    return document


def _read_bytes(path: Path, limit: int) -> bytes:
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            kind = "folder" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "device or pipe"
            raise Unreadable(f"a {kind}, expected a regular file")
        if path.suffix != SUFFIX:
            raise Unreadable(f"not a job file: its name does not end in {SUFFIX}")
        if status.st_size > limit:
            raise Unreadable(f"{status.st_size} bytes, at most {limit} are allowed")
        with path.open("rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise Gone(path.name) from None
    except OSError as error:
        if error.errno in _PASSING:
            raise storage_error("read", path, error) from error
        raise Unreadable(f"cannot be read: {error.strerror or error}", may_be_a_job=True) from None
