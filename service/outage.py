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
        self.until = 0.0
        self.reason = ""

    @property
    def active(self) -> bool:
        return self._failures > 0

    def begin(self, now: float, reason: str, *, retry_after: float | None = None) -> float:
        """Note one more failure; returns until when (seconds since the epoch) nothing is tried.

        Failures of jobs that ran side by side, noticed while the pause lasts, do not lengthen it.
        """
        if now < self.until:
            return self.until
        self._failures += 1
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (self._failures - 1), LONGEST_PAUSE_SECONDS)
        pause = max(pause * (0.5 + self._random()), retry_after or 0.0)
        self.until = now + pause
        self.reason = reason
        return self.until

    def end(self) -> None:
        self._failures = 0
        self.until = 0.0
        self.reason = ""
