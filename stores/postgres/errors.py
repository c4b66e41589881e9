"""Converts errors of PostgreSQL to errors of Historian with a remedy.

No message contains a password.
"""

from __future__ import annotations

import re

import psycopg

from ...schema.errors import DatabaseAway, StorageError

_REMEDIES = (
    (
        "password authentication failed|no password supplied|authentication failed",
        "check user and password in stores.url",
    ),
    (
        r"database .* does not exist",
        "create it (`createdb NAME`), or set another database in stores.url",
    ),
    (r"role .* does not exist", "create the role, or name another user in stores.url"),
    (
        r"extension .* is not available|vector\.control",
        "install pgvector on the database server (package postgresql-NN-pgvector)",
    ),
    (
        r"type .*vec(tor)?\W.* does not exist",
        "pgvector 0.7 or newer is needed, in the schema public: `ALTER EXTENSION vector UPDATE` or `SET SCHEMA public`",
    ),
    (
        "permission denied to create extension",
        "let a superuser run `CREATE EXTENSION vector` in this database once",
    ),
    ("permission denied", "let the owner of the schema, or of the database, grant it to this user"),
    (
        "too many (connections|clients)|connection slots",
        "lower stores.pool_max, or put PgBouncer in front of the server",
    ),
    (
        "idle-in-transaction timeout",
        "this process was suspended for longer than stores.worker_timeout_seconds; this "
        "transaction was not written",
    ),
    (
        "No space left|disk full",
        "free some space on the server's disk; this transaction was not written",
    ),
    (
        "couldn't get a connection",
        "the server is unavailable, or stores.pool_max is too small for the concurrent queries",
    ),
    (
        "refused|could not|is the server running|timeout|timed out|closed|terminating|starting up|shutting down|unreachable|"
        "resolve|lost|reset",
        "check that the server runs and can be reached",
    ),
)


def is_away(error: BaseException) -> bool:
    """Return True if the server or the connection is unavailable: a retry may succeed later."""
    if isinstance(error, psycopg.errors.IdleInTransactionSessionTimeout):
        return True
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return False
    state = error.sqlstate or ""
    return not state or state.startswith(("08", "57P")) or state == "53300"


def explained(error: Exception, place: str) -> StorageError:
    """Return the error as StorageError, or DatabaseAway, with a remedy.

    `place` is the address without password.
    """
    text = " ".join(str(error).split()) or type(error).__name__
    remedy = next(
        (remedy for pattern, remedy in _REMEDIES if re.search(pattern, text, re.IGNORECASE)), None
    )
    kind = DatabaseAway if is_away(error) else StorageError
    return kind(f"{place}: {text}; {remedy or 'run `historian doctor` to test the database'}")
