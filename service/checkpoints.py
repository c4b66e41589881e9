"""The checkpoints of jobs in flight: one SQLite file, opened for the worker and swept of orphans."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """A saver over `path`. A damaged file is set aside as `*.damaged`: a lost checkpoint costs a model call, never a job."""
    try:
        connection = await _connect(path)
    except sqlite3.DatabaseError as error:
        aside = await asyncio.to_thread(_set_aside, path)
        log.warning("%s is damaged (%s); it is kept as %s and begun anew", path.name, error, aside.name)
        connection = await _connect(path)
    try:
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
        yield saver
    finally:
        await connection.close()


def _set_aside(path: Path) -> Path:
    aside = path.with_suffix(path.suffix + ".damaged")
    path.replace(aside)
    for companion in ("-wal", "-shm"):
        path.with_name(path.name + companion).unlink(missing_ok=True)
    return aside


async def _connect(path: Path) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path)
    try:
        await connection.execute("PRAGMA journal_mode=WAL")
        await connection.execute("PRAGMA synchronous=NORMAL")
        await (await connection.execute("PRAGMA quick_check(1)")).fetchone()
        await (await connection.execute("SELECT count(*) FROM sqlite_master")).fetchone()
    except BaseException:
        await connection.close()
        raise
    return connection


async def sweep_orphans(saver: AsyncSqliteSaver, living: Collection[str]) -> int:
    """Delete the checkpoints of every job that is in no queue folder any more; returns how many jobs that were."""
    rows = await (await saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints")).fetchall()
    orphans = [row[0] for row in rows if row[0] not in living]
    for thread_id in orphans:
        await saver.adelete_thread(thread_id)
    return len(orphans)
