"""Checkpoints for an event loop, by savers that block. Importing this imports LangGraph."""

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
    """A saver with a connection of its own, and the one thread that uses it."""

    saver: Saver
    thread: ThreadPoolExecutor


class ThreadedSaver(BaseCheckpointSaver[Any]):
    """One saver over several lanes; a job's checkpoints always take the same one. Each call runs whole in one thread.

    The asynchronous savers change threads for every statement, commit and cursor (SQLite: sixty times a job), or need an event
    loop that Windows does not use by default (PostgreSQL). `explained` makes an error of the database one of Historian; it
    returns None for others.
    """

    def __init__(self, lanes: Sequence[Lane], explained: Callable[[Exception], Exception | None]) -> None:
        super().__init__(serde=lanes[0].saver.serde)
        self._lanes = lanes
        self._explained = explained

    async def in_thread(self, thread_id: str, work: Callable[[Saver], Result]) -> Result:
        """Return what `work` returns for the saver of a thread of checkpoints. Raises CheckpointError."""
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
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: ChannelVersions
    ) -> RunnableConfig:
        return await self.in_thread(_thread_of(config), lambda saver: saver.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self.in_thread(_thread_of(config), lambda saver: saver.put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await self.in_thread(thread_id, lambda saver: saver.delete_thread(thread_id))


class OpenCheckpoints:
    """Checkpoints that are open. The thread of a job is its id. Errors are raised as CheckpointError.

    `threads` lists the jobs that have any.
    """

    def __init__(self, saver: ThreadedSaver, threads: Callable[[Saver], list[str]]) -> None:
        self.saver = saver
        self._threads = threads

    async def drop(self, job_id: str) -> None:
        """Delete the checkpoints of a finished job."""
        await self.saver.adelete_thread(job_id)

    async def sweep(self, living: Callable[[], Collection[str]]) -> int:
        """Delete the checkpoints of all jobs but the `living` ones. Return how many jobs that were.

        `living` returns the ids of all jobs in any queue; it is called in a thread, after the checkpoints have been listed, so
        that a job which another worker begins meanwhile keeps its own.
        """
        listed = await self.saver.in_thread("", self._threads)
        known = await asyncio.to_thread(living)
        orphans = [one for one in listed if one not in known]
        for thread_id in orphans:
            await self.drop(thread_id)
        return len(orphans)


def _thread_of(config: RunnableConfig | None) -> str:
    return str(config["configurable"]["thread_id"]) if config else ""
