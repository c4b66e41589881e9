"""Who works on a memory, and what only one process at a time may do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from ..errors import StorageError


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a memory, for messages. `started_at` is ISO 8601 with offset, `command` the name of the program.

    `worker` is False for a command that owns the memory for a moment. `index` tells which file it has open, if it is one.
    """

    pid: int
    host: str
    started_at: str
    command: str
    worker: bool = False
    index: str = ""

    @property
    def is_suspended(self) -> bool:
        """Return True if the process is known to be stopped, so that nothing goes on."""
        return False

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.started_at} ({self.command})"


class Ownership(Protocol):
    """The right to do what one process at a time may do: idle work, forgetting, a change of the embedding model.

    A context manager, entered after `acquire`. It ends with the process for whatever reason.
    """

    @property
    def is_held(self) -> bool:
        """Return True while this object holds it. Cheap; False as soon as it is known to be lost."""

    def acquire(self, now: float, *, worker: bool = False) -> Self:
        """Become the owner; no effect if held. `now` (seconds since the epoch) is told as the start time. Returns itself.

        Raises OwnerLockHeld that names the owner, or StorageError.
        """

    def release(self) -> None:
        """Release it; no effect if it is not held."""

    def __enter__(self) -> Self:
        if not self.is_held:
            raise StorageError("the ownership is not held: acquire(now) it before entering it")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


class Workers(Protocol):
    """Processes at work on one memory."""

    many: bool
    """True if several processes may run a worker at the same time; then one of them is the owner, who does the idle work.
    False if the owner is the only worker."""

    def ownership(self) -> Ownership:
        """Return an ownership that is not acquired yet."""

    def owner(self) -> Owner | None:
        """Return the running owner, or None. Ignores owners that have died."""

    def at_work(self, give_up: Callable[[], bool] = bool) -> AbstractContextManager[None]:
        """Entered by a worker for as long as jobs run or checkpoints are open. Blocks while another process is `alone`.

        Raises StorageError if `give_up` returns True meanwhile.
        """

    def alone(self) -> AbstractContextManager[None]:
        """Entered by the owner for what no job may run beside, on any machine. Blocks until no worker is `at_work`.

        Never entered inside of `at_work`. Raises StorageError if a worker does not yield within ninety seconds.
        """

    def must_yield(self) -> bool:
        """Return True if somebody waits to be `alone`: workers then let their jobs go back, and leave `at_work`. Cheap."""

    def reembedding(self, now: float) -> AbstractContextManager[None]:
        """Entered by whoever makes the vectors of another model, one process at a time; `now` is told as the start time.

        Raises OwnerLockHeld that names that process as far as it is known, or StorageError.
        """

    def listening(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `wake`, in any thread, when another process has handed over a job, as far as the queue can tell."""
