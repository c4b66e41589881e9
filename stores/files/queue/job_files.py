"""The files of the queue: their names, what is in them, and why one of them is no job.

A pending or claimed job is the job's own JSON. A job that was given up is wrapped: `{"error", "failed_at", "filed",
"job"}`. Every step of a job's life rewrites its file where it lies or renames it, so it is in one folder at any time.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....schema.errors import InvalidInput
from ....schema.job import JOB_SCHEMA_VERSION, MAX_JOB_BYTES, Job, clean_text, parse_job
from ..durable import storage_error

SUFFIX = ".json"
REASON_SUFFIX = ".reason"
PREFIX_DIGITS = 13
"""Digits of the milliseconds in a name; enough until the year 2286, and longer ones still sort by value."""

MAX_ERROR_CHARACTERS = 1000
ROOM = 4096
"""Bytes that `put` leaves free below MAX_JOB_BYTES for attempts, not_before and an error of 1,000 characters."""
_WRAPPER_BYTES = 2 * ROOM

_NAME = re.compile(r"(?P<prefix>[0-9]{13,})-(?P<job_id>.+)\.json", re.DOTALL)
# Not the file's fault: the process or the machine is short of something for the moment.
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN}


class Unreadable(Exception):
    """A file in the queue that is no job this version can run; the message says why.

    `may_be_a_job`: it could be one to a newer version or with other permissions, so it must not be thrown away.
    """

    def __init__(self, message: str, *, may_be_a_job: bool = False) -> None:
        super().__init__(message)
        self.may_be_a_job = may_be_a_job


class Gone(Exception):
    """The file is not there any more: another thread or process took it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What is written beside a job that was given up. `failed_at` is in seconds since the epoch."""

    error: str
    failed_at: float
    filed: bool


def file_name(prefix: int, job_id: str) -> str:
    """The name of a job's file: milliseconds, zero-padded, then the job's id."""
    return f"{prefix:0{PREFIX_DIGITS}d}-{job_id}{SUFFIX}"


def name_prefix(name: str) -> int:
    """The milliseconds of a file name; 0 where it has none (a file that was put there by hand comes first)."""
    match = _NAME.fullmatch(name)
    return int(match["prefix"]) if match else 0


def name_job_id(name: str) -> str:
    """The job id that a file name shows; the whole stem where it is not of the usual form."""
    match = _NAME.fullmatch(name)
    return match["job_id"] if match else name.removesuffix(SUFFIX)


def order(name: str) -> tuple[int, str]:
    """What names are sorted by, oldest first: a prefix of more digits is the later one, and what has none comes first."""
    return name.find("-"), name


def list_names(folder: Path) -> list[str]:
    """The visible entries of a queue folder in no order, reasons left out; empty where there is no folder.

    Raises StorageError.
    """
    try:
        return [n for n in os.listdir(folder) if n[0] != "." and not n.endswith(REASON_SUFFIX)]  # noqa: PTH208 - names
    except FileNotFoundError:
        return []
    except OSError as error:
        raise storage_error("list", folder, error) from error


def read_job(path: Path) -> Job:
    """The job in a pending or claimed file. Raises Unreadable, Gone or StorageError (short of files or memory)."""
    return job_in(_read_document(path, MAX_JOB_BYTES))


def read_any(path: Path) -> tuple[Job, Failure | None]:
    """As `read_job`, but takes a wrapped job too, and returns what was written beside it."""
    document = _read_document(path, MAX_JOB_BYTES + _WRAPPER_BYTES)
    if not ("job" in document and "failed_at" in document):
        return job_in(document), None
    inner = document["job"]
    if not isinstance(inner, dict):
        raise Unreadable(f"its 'job' is {type(inner).__name__}, expected an object")
    try:
        failure = Failure(str(document.get("error", "")), float(document["failed_at"]), document.get("filed") is True)
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(f"its 'failed_at' is {document['failed_at']!r:.40}, expected seconds since the epoch") from None
    return job_in(inner), failure


def job_in(document: dict[str, Any]) -> Job:
    """A JSON object as a job; raises Unreadable that names the field, or the version this code does not know."""
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
    """The job as the bytes of its file. Raises InvalidInput where it holds what no UTF-8 file can."""
    try:
        return job.to_json().encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"job {job.job_id}: holds {error.object[error.start]!r}, half of a character; remove it (str.encode('utf-8') fails)"
        ) from None


def encode_failed(job: Job, failure: Failure) -> bytes:
    """A given-up job with its failure, as the bytes of its file."""
    document = {
        "error": failure.error,
        "failed_at": failure.failed_at,
        "filed": failure.filed,
        "job": job.model_dump(),
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def short_error(error: str) -> str:
    """An error message as it is stored: without control characters, at most 1,000 characters."""
    cleaned = clean_text(error)
    return cleaned if len(cleaned) <= MAX_ERROR_CHARACTERS else cleaned[: MAX_ERROR_CHARACTERS - 1] + "…"


def _read_document(path: Path, limit: int) -> dict[str, Any]:
    data = _read_bytes(path, limit)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error!s:.200}") from None
    if not isinstance(document, dict):
        raise Unreadable(f"holds a JSON {type(document).__name__}, expected an object")
    return document


def _read_bytes(path: Path, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes; larger ones and other things are not opened at all."""
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
