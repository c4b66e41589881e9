"""The result of a recall, and counts of recalls."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any, Literal

from ...retrieval.driver import HELD
from ...schema.hit import Hit
from ...schema.profile import Profile
from ...schema.summary import Article
from .late_embedder import LATE

FallbackLevel = Literal["hybrid", "keyword", "profiles", "empty"]


LATENCIES_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Recalled:
    """The result of a recall. `reasons` names what is missing and why; it is empty if nothing is
    missing."""

    level: FallbackLevel
    profiles: Sequence[Profile] = ()
    hits: Sequence[Hit] = ()
    article: Article | None = None
    reasons: Sequence[str] = ()

    @property
    def is_held(self) -> bool:
        """True if the database was unavailable and the hits come from the memory of this
        process."""
        return HELD in self.reasons


@dataclass
class RecallStatistics:
    """Counts since the start, and the durations in seconds of the last 1,000 recalls.
    Thread-safe."""

    levels: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES_KEPT))
    seconds_sum: float = 0.0
    embedder_late: int = 0
    """The number of recalls without vectors because the embedder was late."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, recalled: Recalled, seconds: float) -> None:
        """Count a recall that took `seconds`."""
        with self._lock:
            self.seconds.append(seconds)
            self.seconds_sum += seconds
            self.levels[recalled.level] += 1
            self.embedder_late += not LATE.isdisjoint(recalled.reasons)
            self.reasons.update(reason.partition(":")[0] for reason in recalled.reasons)

    def as_dict(self) -> dict[str, Any]:
        with self._lock:
            seconds, levels, reasons = list(self.seconds), dict(self.levels), dict(self.reasons)
        return {
            "levels": levels,
            "reasons": reasons,
            "seconds_sum": round(self.seconds_sum, 4),
            "seconds": quantiles_of(seconds),
        }


def quantiles_of(seconds: Sequence[float]) -> dict[str, float]:
    """Return `p50`, `p95` and `p99`; an empty dict for an empty sequence."""
    if not seconds:
        return {}
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [*seconds] * 99
    return {name: round(cuts[n], 6) for name, n in (("p50", 49), ("p95", 94), ("p99", 98))}
