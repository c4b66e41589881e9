"""Pauses while a model or the disk is unavailable, with exponential backoff and jitter."""

from __future__ import annotations

import random
from time import monotonic

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0
LONGEST_DISK_PAUSE_SECONDS = 60.0
"""Shorter than for models: a write is cheap to retry, and freed space should be used soon."""
LONGEST_RETRY_AFTER_SECONDS = 600.0
"""The longest pause in seconds that a server is granted. After it the server is probed anyway: it
may be back earlier, or the requested pause may be wrong by hours."""
_MOST_DOUBLINGS = 64
"""Bound of the exponent: the pause has reached its limit long before. Without this bound a long
outage would overflow the float."""


def doubled(first: float, failures: int, longest: float) -> float:
    """Return the pause in seconds after `failures` failures in a row (at least 1): `first` after
    the first failure, doubled after each further one, at most `longest`."""
    return min(first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS), longest)


class Pause:
    """A pause that is over as soon as one of two clocks has passed its end.

    The wall clock may be set back: a pause of a second would then last a day. The monotonic clock
    cannot be set, but may stop while the machine sleeps. Times are in seconds. A pause that was
    never begun is over.
    """

    def __init__(self) -> None:
        self._until = 0.0
        self._elapsed_until = 0.0

    def begin(self, now: float, seconds: float) -> None:
        """Begin a pause of `seconds` at `now`, the time of the wall clock."""
        self._until = now + seconds
        self._elapsed_until = monotonic() + seconds

    def end(self) -> None:
        self._elapsed_until = 0.0

    def remaining(self, now: float) -> float:
        """Return the seconds that are left; 0 if the pause is over."""
        if not self._elapsed_until:
            return 0.0
        return max(min(self._until - now, self._elapsed_until - monotonic()), 0.0)


def jitter() -> float:
    """Return a random factor between 0.5 and 1.5, so that processes do not retry all at once."""
    return 0.5 + random.random()


class Outage:
    """A pause with exponential backoff up to `longest` seconds and jitter."""

    def __init__(self, *, longest: float = LONGEST_PAUSE_SECONDS) -> None:
        self._longest = longest
        self.failures = 0
        """The number of failures in a row."""
        self._pause = Pause()
        self.reason = ""

    @property
    def active(self) -> bool:
        return self.failures > 0

    def begin(self, now: float, reason: str, *, retry_after: float | None = None) -> float:
        """Count a failure and return the seconds from `now` until the next try.

        Failures during the pause (of jobs that ran concurrently) are not counted and do not extend
        the pause. The pause is at least `retry_after`, the seconds that a server asks for, of which
        at most LONGEST_RETRY_AFTER_SECONDS are granted.
        """
        left = self._pause.remaining(now)
        if left > 0:
            return left
        self.failures += 1
        pause = doubled(FIRST_PAUSE_SECONDS, self.failures, self._longest)
        pause = max(pause * jitter(), min(retry_after or 0.0, LONGEST_RETRY_AFTER_SECONDS))
        self._pause.begin(now, pause)
        self.reason = reason
        return pause

    def remaining(self, now: float) -> float:
        """Return the seconds until the next try; 0 if the pause is over or nothing has failed."""
        return self._pause.remaining(now)

    def end(self) -> None:
        self.failures = 0
        self._pause.end()
        self.reason = ""
