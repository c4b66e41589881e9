"""While a model or the disk is away, claiming pauses: longer each time, never in step with others."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0
LONGEST_DISK_PAUSE_SECONDS = 60.0
"""The disk costs little to try, and whoever has made room wants to see it used."""


class Pause:
    """A time to wait: over as soon as it is by either of two clocks.

    One tells the time and may be set: back, and by it alone a pause of a second would last a day. The other (`elapsed`, by
    default `time.monotonic`) cannot be set, but stands still while the machine sleeps. Times are in seconds; a pause that was
    never begun is over.
    """

    def __init__(self, elapsed: Callable[[], float] | None = None) -> None:
        self._elapsed = elapsed or monotonic
        self._until = 0.0
        self._elapsed_until = 0.0

    def begin(self, now: float, seconds: float) -> None:
        """Let `seconds` pass from `now`, the time of the clock that may be set."""
        self._until = now + seconds
        self._elapsed_until = self._elapsed() + seconds

    def end(self) -> None:
        self._elapsed_until = 0.0

    def remaining(self, now: float) -> float:
        """How many seconds of it are left; 0 where it is over."""
        if not self._elapsed_until:
            return 0.0
        return max(min(self._until - now, self._elapsed_until - self._elapsed()), 0.0)


class Outage:
    """A pause with exponential backoff up to `longest` seconds and jitter (`random` gives numbers in [0, 1))."""

    def __init__(
        self,
        random: Callable[[], float],
        elapsed: Callable[[], float] | None = None,
        *,
        longest: float = LONGEST_PAUSE_SECONDS,
    ) -> None:
        self._random = random
        self._longest = longest
        self._failures = 0
        self._pause = Pause(elapsed)
        self.reason = ""

    @property
    def active(self) -> bool:
        return self._failures > 0

    @property
    def failures(self) -> int:
        """How often in a row it was tried in vain."""
        return self._failures

    def begin(self, now: float, reason: str, *, retry_after: float | None = None) -> float:
        """Note one more failure; returns for how many seconds from `now` nothing is tried.

        Failures of jobs that ran side by side, noticed while the pause lasts, do not lengthen it.
        """
        left = self._pause.remaining(now)
        if left > 0:
            return left
        self._failures += 1
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._failures - 1), self._longest)
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
