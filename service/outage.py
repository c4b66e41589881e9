"""While a model or the disk is away, claiming pauses: longer each time, never in step with others."""

from __future__ import annotations

from collections.abc import Callable

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 300.0


class Outage:
    """A pause with exponential backoff and jitter (`random` gives numbers in [0, 1))."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._failures = 0
        self._begun = 0.0
        self.until = 0.0
        self.reason = ""

    @property
    def active(self) -> bool:
        return self._failures > 0

    def begin(self, now: float, reason: str, *, retry_after: float | None = None) -> float:
        """Note one more failure; returns until when (seconds since the epoch) nothing is tried.

        Failures of jobs that ran side by side, noticed while the pause lasts, do not lengthen it.
        """
        if self.remaining(now) > 0:
            return self.until
        self._failures += 1
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._failures - 1), LONGEST_PAUSE_SECONDS)
        pause = max(pause * (0.5 + self._random()), retry_after or 0.0)
        self._begun = now
        self.until = now + pause
        self.reason = reason
        return self.until

    def remaining(self, now: float) -> float:
        """Seconds for which nothing is tried yet; 0 where the pause is over, or none was.

        Where the clock was set back to before the pause began, the pause begins anew: it does not wait for the clock.
        """
        if now < self._begun:
            self._begun, self.until = now, now + (self.until - self._begun)
        return max(self.until - now, 0.0)

    def end(self) -> None:
        self._failures = 0
        self._begun = self.until = 0.0
        self.reason = ""


class Interval:
    """What is done every so many seconds. Where the clock was set back it is due at once, not when the time has caught up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._last: float | None = None

    def remaining(self, now: float) -> float:
        """Seconds until it is due; 0 where it is, or was never done."""
        if self._last is None or now < self._last:
            return 0.0
        return max(self._last + self._seconds - now, 0.0)

    def done(self, now: float) -> None:
        """It is due again after the interval."""
        self._last = now

    def again(self) -> None:
        """It is due at once."""
        self._last = None
