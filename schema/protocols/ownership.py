"""The processes that work on a memory, and the locks for work that only one process at a time may
do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from ..errors import StorageError


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a memory, for messages. `started_at` is ISO 8601 with offset, `command` the name
    of the program.

    `worker` is False for a command that owns the memory only briefly. `index` identifies the index
    file that a worker has open; "" otherwise.
    """

    pid: int
    host: str
    started_at: str
    command: str
    worker: bool = False
    index: str = ""

    @property
    def is_suspended(self) -> bool:
        """Return True if the process is known to be suspended, so that no work is done."""
        return False

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.started_at} ({self.command})"


class Ownership(Protocol):
    """The right to do work that only one process at a time may do: idle work, forgetting, a change
    of the embedding model.

    A context manager, entered after `acquire`. The ownership ends when the process ends, for
    whatever reason.
    """

    @property
    def is_held(self) -> bool:
        """Return True while this object holds the ownership. Cheap; False as soon as a loss is
        known.
        """

    def acquire(self, now: float, *, worker: bool = False) -> Self:
        """Become the owner and return self; no effect if already held. `now` (seconds since the
        epoch) is reported as the start time.

        Raises OwnerLockHeld that names the owner, or StorageError.
        """

    def release(self) -> None:
        """Release the ownership; no effect if it is not held."""

    def __enter__(self) -> Self:
        if not self.is_held:
            raise StorageError("the ownership is not held: call acquire(now) first")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class Workers(Protocol):
    """The processes that work on one memory."""

    many: bool
    """True if several processes may run a worker at the same time; one of them is the owner, which
    does the idle work. False if the owner is the only worker."""

    def ownership(self) -> Ownership:
        """Return an ownership that is not acquired yet."""

    def owner(self) -> Owner | None:
        """Return the running owner, or None. Ignores owners that have died."""

    def at_work(self, give_up: Callable[[], bool] = bool) -> AbstractContextManager[None]:
        """Context manager that a worker enters while jobs run or checkpoints are open. Blocks while
        another process is `alone`.

        Raises StorageError if `give_up` returns True meanwhile.
        """

    def alone(self) -> AbstractContextManager[None]:
        """Context manager that the owner enters for work during which no job may run on any
        machine. Blocks until no worker is `at_work`.

        Must not be entered inside of `at_work`. Raises StorageError if a worker does not leave
        `at_work` within ninety seconds.
        """

    def must_yield(self) -> bool:
        """Return True if a process waits to be `alone`. Workers then return their jobs to the queue
        and leave `at_work`. Cheap.
        """

    def reembedding(self, now: float) -> AbstractContextManager[None]:
        """Context manager of the process that computes the vectors of another model; one process at
        a time. `now` is reported as the start time.

        Raises OwnerLockHeld that names the other process as far as it is known, or StorageError.
        """

    def listening(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `wake`, in any thread, when another process has put a job into the queue, as far as
        the queue can tell.
        """
