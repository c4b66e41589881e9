"""While a model or the disk is away, claiming pauses: longer each time, never in step with others."""

from __future__ import annotations

from collections.abc import Callable

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0


class Pause:
    """A time to wait, by a clock that others may set.

    A clock set back within the pause begins it anew, so that no pause ever becomes much longer than it was meant to be; one
    set forward ends it early. Times are in seconds since the epoch; a pause that was never begun is over.
    """

    def __init__(self) -> None:
        self._began = 0.0
        self._seconds = 0.0

    @property
    def until(self) -> float:
        """When it ends, as far as the clock is not set."""
        return self._began + self._seconds

    def begin(self, now: float, seconds: float) -> None:
        self._began, self._seconds = now, seconds

    def end(self) -> None:
        self._seconds = 0.0

    def remaining(self, now: float) -> float:
        """How many seconds of it are left; 0 where it is over."""
        if self._seconds and now < self._began:
            self._began = now
        return max(self.until - now, 0.0) if self._seconds else 0.0


class Outage:
    """A pause with exponential backoff and jitter (`random` gives numbers in [0, 1))."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._failures = 0
        self._pause = Pause()
        self.reason = ""

    @property
    def active(self) -> bool:
        return self._failures > 0

    def begin(self, now: float, reason: str, *, retry_after: float | None = None) -> float:
        """Note one more failure; returns for how many seconds from `now` nothing is tried.

        Failures of jobs that ran side by side, noticed while the pause lasts, do not lengthen it.
        """
        left = self._pause.remaining(now)
        if left > 0:
            return left
        self._failures += 1
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._failures - 1), LONGEST_PAUSE_SECONDS)
        pause = max(pause * (0.5 + self._random()), retry_after or 0.0)
        self._pause.begin(now, pause)
        self.reason = reason
        return pause

    def remaining(self, now: float) -> float:
        """How many seconds are left in which nothing is tried; 0 where the pause is over, also before the first failure."""
        return self._pause.remaining(now)

    def end(self) -> None:
        self._failures = 0
        self._pause.end()
        self.reason = ""
