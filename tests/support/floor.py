"""What this machine takes just now for a fixed piece of work: a floor for tests of time."""

from __future__ import annotations

import time
from collections.abc import Callable


def quickest(call: Callable[[], object], times: int = 10) -> float:
    """Return the least processor time (s) of several calls in this thread; what other processes take is not counted."""
    taken = []
    for _ in range(times):
        began = time.thread_time()
        call()
        taken.append(time.thread_time() - began)
    return min(taken)


def floor(characters: int) -> float:
    """Return the time (s) that counting so many characters takes, one after the other: about 0.1 ms for 2,000."""
    text = "tea " * (characters // 4)

    def count() -> dict[str, int]:
        found: dict[str, int] = {}
        for one in text:
            found[one] = found.get(one, 0) + 1
        return found

    return quickest(count)
