"""How many items of a model's answers the checks take. A model of which they refuse most is rested for a while."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

log = logging.getLogger(__name__)

HOUR_SECONDS = 3_600.0
LEAST_ITEMS = 20
"""Items of an hour before which nothing is said of a model."""
MOST_REFUSED = 0.5
"""The share of refused items up to which a model goes on."""

REMEDY = "take a stronger model, or leave the work to the rules: cognitive.historian.rewrite_mode = 'rules'"


@dataclass(slots=True)
class _Hour:
    begun: float
    taken: int = 0
    refused: int = 0

    @property
    def is_bad(self) -> bool:
        items = self.taken + self.refused
        return items >= LEAST_ITEMS and self.refused > MOST_REFUSED * items


class AnswerQuality:
    """The items taken and refused in the current hour, by purpose. Safe to use from several threads.

    An hour begins with its first item. Where more than half of at least 20 items were refused, the model rests for that
    purpose until the hour is over; then it is asked again. `model` is the name for the log.
    """

    def __init__(self, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._clock = clock
        self._hours: dict[str, _Hour] = {}
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer. What makes the model rest is told in the log, once for each purpose."""
        if not taken and not refused:
            return
        with self._lock:
            now = self._clock()
            hour = self._hours.get(purpose)
            if hour is None or now >= hour.begun + HOUR_SECONDS:
                hour = self._hours[purpose] = _Hour(now)
            was_bad = hour.is_bad
            hour.taken += taken
            hour.refused += refused
            if not hour.is_bad or was_bad:
                return
            is_new = purpose not in self._told
            self._told.add(purpose)
        log.log(
            logging.WARNING if is_new else logging.INFO,
            "%s: of %d items of its answers (%s) the checks refused %d. It rests for %.0f min, the rules do its work; %s",
            self._model,
            hour.taken + hour.refused,
            purpose,
            hour.refused,
            (hour.begun + HOUR_SECONDS - now) / 60,
            REMEDY,
        )

    def resting(self) -> Mapping[str, float]:
        """Return the seconds that the model still rests, by purpose; a purpose for which it does not rest is left out."""
        with self._lock:
            now = self._clock()
            left = {name: hour.begun + HOUR_SECONDS - now for name, hour in self._hours.items() if hour.is_bad}
        return {name: seconds for name, seconds in left.items() if seconds > 0}
