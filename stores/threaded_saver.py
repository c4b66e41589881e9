"""Asynchronous checkpoints with savers that block. Importing this module imports LangGraph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

Result = TypeVar("Result")
Saver = BaseCheckpointSaver[Any]


class Lane(NamedTuple):
    """A saver with its own connection, and the only thread that uses it."""

    saver: Saver
    thread: ThreadPoolExecutor


class ThreadedSaver(BaseCheckpointSaver[Any]):
    """A checkpoint saver over several lanes. Each call runs in one thread from start to end.

    All checkpoints of a job use the same lane. The asynchronous savers of LangGraph change threads
    for every statement, commit and cursor (SQLite: sixty times per job), or need an event loop that
    is not the default on Windows (PostgreSQL). `explained` converts a database error to an error of
    Historian; it returns None for other errors.
    """

    def __init__(
        self, lanes: Sequence[Lane], explained: Callable[[Exception], Exception | None]
    ) -> None:
        super().__init__(serde=lanes[0].saver.serde)
        self._lanes = lanes
        self._explained = explained

    async def in_thread(self, thread_id: str, work: Callable[[Saver], Result]) -> Result:
        """Call `work` with the saver of a checkpoint thread, and return its result.

        Raises CheckpointError.
        """
        lane = self._lanes[crc32(thread_id.encode("utf-8", "surrogatepass")) % len(self._lanes)]
        try:
            return await asyncio.get_running_loop().run_in_executor(lane.thread, work, lane.saver)
        except Exception as error:
            if translated := self._explained(error):
                raise translated from error
            raise

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._lanes[0].saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self.in_thread(_thread_of(config), lambda saver: saver.get_tuple(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self.in_thread(
            _thread_of(config), lambda saver: saver.put(config, checkpoint, metadata, new_versions)
        )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self.in_thread(
            _thread_of(config), lambda saver: saver.put_writes(config, writes, task_id, task_path)
        )

    async def adelete_thread(self, thread_id: str) -> None:
        await self.in_thread(thread_id, lambda saver: saver.delete_thread(thread_id))


class OpenCheckpoints:
    """Open checkpoints. The checkpoint thread of a job is its id.

    Database errors are raised as CheckpointError. `threads` lists the ids of the jobs that have
    checkpoints.
    """

    def __init__(self, saver: ThreadedSaver, threads: Callable[[Saver], list[str]]) -> None:
        self.saver = saver
        self._threads = threads

    async def drop(self, job_id: str) -> None:
        """Delete the checkpoints of a finished job."""
        await self.saver.adelete_thread(job_id)

    async def sweep(self, living: Callable[[], Collection[str]]) -> int:
        """Delete the checkpoints of all jobs except the `living` ones.

        Return the number of jobs concerned.

        `living` returns the ids of all jobs in any queue. It is called in a thread, after the
        checkpoints have been listed, so that the checkpoints of a job that another worker begins
        meanwhile are not deleted.
        """
        listed = await self.saver.in_thread("", self._threads)
        known = await asyncio.to_thread(living)
        orphans = [one for one in listed if one not in known]
        for thread_id in orphans:
            await self.drop(thread_id)
        return len(orphans)


def _thread_of(config: RunnableConfig | None) -> str:
    return str(config["configurable"]["thread_id"]) if config else ""
