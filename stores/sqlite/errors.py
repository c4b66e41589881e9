"""Converts errors of SQLite to errors of Historian, with the file name and a remedy."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

from ...schema.errors import StorageError
from ..files.durable import READ_ONLY

_NOT_WRITABLE = "check that the directory exists and is writable"
_REMEDIES = (
    ("Read-only file system", READ_ONLY),
    (
        "locked|busy",
        "another process has been writing for too long; check which process uses the data directory",
    ),
    ("full", "free some space on the disk; this transaction was not written"),
    (
        "not a database|malformed|corrupt",
        "the file is damaged; stop the bot, then `historian restore BACKUP`, or move the file away to start a new one",
    ),
    ("unable to open|readonly", _NOT_WRITABLE),
)


def is_trouble(error: sqlite3.Error) -> bool:
    """Return True if the file may be unusable now: damaged, cannot be opened, or cannot be read."""
    return is_damage(error) or _primary_code(error) in (
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Return True if SQLite reports a damaged file (no database, or malformed), not a full disk,
    a lock or an I/O error.
    """
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def was_broken_off(error: sqlite3.Error) -> bool:
    """Return True if a progress handler interrupted the statement."""
    return _primary_code(error) == sqlite3.SQLITE_INTERRUPT


def _primary_code(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def explained(error: Exception, path: Path) -> StorageError:
    """Return the error as StorageError with the file name and a remedy."""
    text = str(error)
    otherwise = (
        _NOT_WRITABLE
        if isinstance(error, OSError)
        else "run `historian doctor` to test the data directory"
    )
    remedy = next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, text)), otherwise)
    if remedy == _NOT_WRITABLE and _is_read_only(path.parent):
        remedy = READ_ONLY
    return StorageError(f"{path}: {text}; {remedy}")


def set_aside(path: Path) -> Path:
    """Rename a damaged file to `*.damaged` and its log to `*.damaged-wal`. Return the new path.

    Both files are needed to recover data. Raises OSError.
    """
    aside = path.with_suffix(path.suffix + ".damaged")
    for companion in ("-wal", "-shm"):
        aside.with_name(aside.name + companion).unlink(missing_ok=True)
    path.replace(aside)
    log_of = path.with_name(path.name + "-wal")
    if log_of.exists():
        log_of.replace(aside.with_name(aside.name + "-wal"))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return aside


def _is_read_only(folder: Path) -> bool:
    try:
        return os.name != "nt" and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False
