"""The checkpoints of running jobs: one SQLite file, opened for the worker, with orphans removed."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from ...stores.files.access import create_empty
from ...stores.sqlite.errors import explained, is_damage

log = logging.getLogger(__name__)


OPENING_SECONDS, WRITING_SECONDS = 1.0, 5.0
"""How long somebody else's lock is waited for: before the next try to open, and by a job that is under way."""


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """A saver over `path`. A damaged file is set aside as `*.damaged`: a lost checkpoint costs a model call, never a job.

    Raises StorageError where the file is sound as far as is known but cannot be used now: a full disk, somebody's lock, an
    I/O error. It stays as it is then.
    """
    try:
        saver = await _opened(path)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise explained(error, path) from error
        try:
            aside = await asyncio.to_thread(_set_aside, path)
            log.warning("%s is damaged (%s); it is kept as %s and begun anew", path.name, error, aside.name)
            saver = await _opened(path)
        except (sqlite3.Error, OSError) as second:
            raise explained(second, path) from second
    try:
        yield saver
    finally:
        await saver.conn.close()


def _set_aside(path: Path) -> Path:
    """Rename the file, and its log with it: together they are what can still be read of it."""
    aside = path.with_suffix(path.suffix + ".damaged")
    for companion in ("-wal", "-shm"):
        aside.with_name(aside.name + companion).unlink(missing_ok=True)
    path.replace(aside)
    log_of = path.with_name(path.name + "-wal")
    if log_of.exists():
        log_of.replace(aside.with_name(aside.name + "-wal"))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return aside


async def _opened(path: Path) -> AsyncSqliteSaver:
    with suppress(OSError):  # what SQLite says of it names the remedy
        await asyncio.to_thread(create_empty, path)
    connection = await aiosqlite.connect(path, timeout=OPENING_SECONDS)
    try:
        await connection.execute("PRAGMA journal_mode=WAL")
        await connection.execute("PRAGMA synchronous=NORMAL")
        found = await (await connection.execute("PRAGMA quick_check(1)")).fetchone()
        if found is not None and found[0] != "ok":
            raise _malformed(str(found[0]))
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
        await connection.execute(f"PRAGMA busy_timeout = {WRITING_SECONDS * 1000:.0f}")
    except BaseException:
        await connection.close()
        raise
    return saver


def _malformed(found: str) -> sqlite3.DatabaseError:
    """Return the result of SQLite's check as the error that reading the damaged part would raise."""
    error = sqlite3.DatabaseError(f"database disk image is malformed: {found.splitlines()[0]:.200}")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


async def sweep_orphans(saver: AsyncSqliteSaver, living: Collection[str]) -> int:
    """Delete the checkpoints of every job that is in no queue folder any more; returns how many jobs that were."""
    rows = await (await saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints")).fetchall()
    orphans = [row[0] for row in rows if row[0] not in living]
    for thread_id in orphans:
        await saver.adelete_thread(thread_id)
    return len(orphans)
