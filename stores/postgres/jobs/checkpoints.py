"""The checkpoints of running jobs in PostgreSQL, by `langgraph-checkpoint-postgres`.

Importing this module imports LangGraph. The tables of that package are in the schema of the memory.
A saver has one connection, and its calls wait for each other; therefore there are several savers.
Commits do not wait for the disk: a crash of the server may cost a step, which is then repeated.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver

from ....schema.errors import CheckpointError, StorageError
from ...threaded_saver import Lane, OpenCheckpoints, Saver, ThreadedSaver
from ..database import PostgresDatabase
from ..errors import explained
from ..transaction import milliseconds

LANES = 3
"""Number of savers per worker.

More savers than jobs that write at the same moment, on two processors, are no faster.
"""
_SETUP_SECONDS, _LOOK_SECONDS = 60.0, 0.05


@asynccontextmanager
async def open_checkpoints(database: PostgresDatabase) -> AsyncIterator[OpenCheckpoints]:
    """Open the checkpoints of a schema. Raises CheckpointError if they cannot be used now."""

    def translated(error: Exception) -> CheckpointError | None:
        return (
            CheckpointError(str(explained(error, database.name)))
            if isinstance(error, psycopg.Error)
            else None
        )

    async with AsyncExitStack() as stack:
        lanes = []
        loop = asyncio.get_running_loop()
        try:
            for n in range(LANES):
                thread = stack.enter_context(ThreadPoolExecutor(1, "checkpoints"))
                saver: PostgresSaver = await loop.run_in_executor(thread, _saver, database, n == 0)
                stack.push_async_callback(asyncio.to_thread, saver.conn.close)
                lanes.append(Lane(saver, thread))
        except (psycopg.Error, StorageError) as error:
            raise translated(error) or CheckpointError(str(error)) from error
        yield OpenCheckpoints(ThreadedSaver(lanes, translated), _threads)


def _saver(database: PostgresDatabase, set_up: bool) -> PostgresSaver:
    """Return a saver with its own connection. Creates the tables if `set_up` is True."""
    connection: Any = database.session()
    try:
        silence = milliseconds(database.silence_seconds)
        connection.execute(
            f"SET synchronous_commit = off; SET idle_in_transaction_session_timeout = {silence}".encode()
        )
        saver = PostgresSaver(connection)
        if set_up:
            _set_up(saver, connection, database.lock_key("checkpoints"))
    except BaseException:
        connection.close()
        raise
    return saver


def _set_up(saver: PostgresSaver, connection: psycopg.Connection[Any], key: int) -> None:
    """Create the tables, one process at a time.

    Other processes try the lock repeatedly instead of waiting inside a statement: CREATE INDEX
    CONCURRENTLY would wait for the end of that statement.
    """
    until = time.monotonic() + _SETUP_SECONDS
    while not _first(connection, "SELECT pg_try_advisory_lock(%s)", key):
        if time.monotonic() > until:
            raise CheckpointError(
                "another process has been creating the tables of checkpoints for too long"
            )
        time.sleep(_LOOK_SECONDS)
    try:
        saver.setup()
    finally:
        _first(connection, "SELECT pg_advisory_unlock(%s)", key)


def _first(connection: psycopg.Connection[Any], statement: str, key: int) -> bool:
    (result,) = connection.execute(statement.encode(), (key,)).fetchone() or (False,)
    return bool(result)


def _threads(saver: Saver) -> list[str]:
    assert isinstance(saver, PostgresSaver) and isinstance(saver.conn, psycopg.Connection)
    cursor = psycopg.Cursor[Any](saver.conn)
    return [
        thread_id
        for (thread_id,) in cursor.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
    ]
