"""The checkpoints of running jobs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


class OpenCheckpoints(Protocol):
    """Checkpoints that are open. The thread of a job is its id. Errors are raised as CheckpointError."""

    @property
    def saver(self) -> BaseCheckpointSaver[str]:
        """The saver that graphs are compiled with."""

    async def drop(self, job_id: str) -> None:
        """Delete the checkpoints of a finished job."""

    async def sweep(self, living: Callable[[], Collection[str]]) -> int:
        """Delete the checkpoints of all jobs but the `living` ones. Return how many jobs that were.

        `living` returns the ids of all jobs in any queue; it is called in a thread, after the checkpoints have been listed, so
        that a job which another worker begins meanwhile keeps its own.
        """
