"""The checkpoints of running jobs: one SQLite file, opened for the worker, with orphans removed."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ...stores.files.access import create_empty
from ...stores.sqlite.errors import explained, is_damage

log = logging.getLogger(__name__)

Result = TypeVar("Result")

OPENING_SECONDS, WRITING_SECONDS = 1.0, 5.0
"""How long somebody else's lock is waited for: before the next try to open, and by a job that is under way."""


class ThreadedSaver(SqliteSaver):
    """langgraph's saver, for an event loop: each call runs whole in one thread of its own.

    `AsyncSqliteSaver` changes threads for every statement, commit and cursor: four times a call, sixty times a job.
    """

    def __init__(self, connection: sqlite3.Connection, thread: ThreadPoolExecutor) -> None:
        super().__init__(connection)
        self._thread = thread

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self.in_thread(partial(self.get_tuple, config))

    async def alist(self, config: RunnableConfig | None, **which: Any) -> AsyncIterator[CheckpointTuple]:
        for found in await self.in_thread(lambda: list(self.list(config, **which))):
            yield found

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        return await self.in_thread(partial(self.put, config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self.in_thread(partial(self.put_writes, config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await self.in_thread(partial(self.delete_thread, thread_id))


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[ThreadedSaver]:
    """A saver over `path`. A damaged file is set aside as `*.damaged`: a lost checkpoint costs a model call, never a job.

    Raises StorageError where the file is sound as far as is known but cannot be used now: a full disk, somebody's lock, an
    I/O error. It stays as it is then.
    """
    with ThreadPoolExecutor(1, "checkpoints") as thread:
        loop = asyncio.get_running_loop()
        try:
            connection = await loop.run_in_executor(thread, _opened, path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise explained(error, path) from error
            try:
                aside = await asyncio.to_thread(_set_aside, path)
                log.warning("%s is damaged (%s); it is kept as %s and begun anew", path.name, error, aside.name)
                connection = await loop.run_in_executor(thread, _opened, path)
            except (sqlite3.Error, OSError) as second:
                raise explained(second, path) from second
        try:
            yield ThreadedSaver(connection, thread)
        finally:
            await loop.run_in_executor(thread, connection.close)


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


def _opened(path: Path) -> sqlite3.Connection:
    with suppress(OSError):  # what SQLite says of it names the remedy
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
    """Return the result of SQLite's check as the error that reading the damaged part would raise."""
    error = sqlite3.DatabaseError(f"database disk image is malformed: {found.splitlines()[0]:.200}")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


async def sweep_orphans(saver: ThreadedSaver, living: Collection[str]) -> int:
    """Delete the checkpoints of every job that is in no queue folder any more; returns how many jobs that were."""
    rows = await saver.in_thread(lambda: saver.conn.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall())
    orphans = [row[0] for row in rows if row[0] not in living]
    for thread_id in orphans:
        await saver.adelete_thread(thread_id)
    return len(orphans)
