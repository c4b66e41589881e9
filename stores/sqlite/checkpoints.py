"""The checkpoints of running jobs in one SQLite file, which the worker opens.

Importing this module imports LangGraph.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver

from ...schema.errors import CheckpointError
from ..files.access import create_empty
from ..threaded_saver import Lane, OpenCheckpoints, ThreadedSaver
from .errors import explained, is_damage, set_aside

log = logging.getLogger(__name__)

OPENING_SECONDS, WRITING_SECONDS = 1.0, 5.0
"""How long to wait for a lock of another process: when opening, and when a running job writes."""


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[OpenCheckpoints]:
    """Open the checkpoints in `path`. A damaged file is renamed to `*.damaged` and replaced.

    A lost checkpoint costs a model call, but never a job. Raises CheckpointError if the file cannot
    be used now although it is not known to be damaged (full disk, lock of another process, I/O
    error); it is then left unchanged. Also raised if a damaged file cannot be replaced.
    """
    with ThreadPoolExecutor(1, "checkpoints") as thread:
        loop = asyncio.get_running_loop()
        try:
            connection = await loop.run_in_executor(thread, _opened, path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise CheckpointError(str(explained(error, path))) from error
            try:
                aside = await asyncio.to_thread(set_aside, path)
                log.warning(
                    "%s is damaged (%s); it was renamed to %s, and a new file was created",
                    path.name,
                    error,
                    aside.name,
                )
                connection = await loop.run_in_executor(thread, _opened, path)
            except (sqlite3.Error, OSError) as second:
                raise CheckpointError(str(explained(second, path))) from second
        try:
            saver = ThreadedSaver(
                [Lane(SqliteSaver(connection), thread)], partial(_explained, path)
            )
            yield OpenCheckpoints(saver, lambda _: _threads(connection))
        finally:
            await loop.run_in_executor(thread, connection.close)


def _explained(path: Path, error: Exception) -> CheckpointError | None:
    return (
        CheckpointError(str(explained(error, path))) if isinstance(error, sqlite3.Error) else None
    )


def _threads(connection: sqlite3.Connection) -> list[str]:
    return [
        thread_id
        for (thread_id,) in connection.execute(
            "SELECT DISTINCT thread_id FROM checkpoints"
        ).fetchall()
    ]


def _opened(path: Path) -> sqlite3.Connection:
    with suppress(OSError):  # connecting fails too, with an error that names the remedy
        create_empty(path)
    connection = sqlite3.connect(path, timeout=OPENING_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone() or ("ok",)
        if found != "ok":
            raise _malformed(str(found))
        SqliteSaver(connection).setup()
        connection.execute(f"PRAGMA busy_timeout = {WRITING_SECONDS * 1000:.0f}")
    except BaseException:
        connection.close()
        raise
    return connection


def _malformed(found: str) -> sqlite3.DatabaseError:
    """Return the result of SQLite's check as the error that reading the damaged part would
    raise.
    """
    error = sqlite3.DatabaseError(f"database disk image is malformed: {found.splitlines()[0]:.200}")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
