"""How many items of a model's answers the checks take. A model of which they refuse most is rested for a while."""

from __future__ import annotations

import logging
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
    until: float
    taken: int = 0
    refused: int = 0

    @property
    def is_bad(self) -> bool:
        items = self.taken + self.refused
        return items >= LEAST_ITEMS and self.refused > MOST_REFUSED * items


class AnswerQuality:
    """The items taken and refused in the current hour, by purpose. `model` is the name for the log.

    An hour begins with its first item. Where more than half of at least 20 items were refused, the model rests for that
    purpose until the hour is over; then it is asked again.
    """

    def __init__(self, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._clock = clock
        self._hours: dict[str, _Hour] = {}
        self._told: set[str] = set()

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer. What makes the model rest is told in the log, once for each purpose."""
        now = self._clock()
        hour = self._hours.get(purpose)
        if hour is None or now >= hour.until:
            hour = self._hours[purpose] = _Hour(now + HOUR_SECONDS)
        was_bad = hour.is_bad
        hour.taken += taken
        hour.refused += refused
        if not hour.is_bad or was_bad:
            return
        told = "%s: of %d items of its answers (%s) the checks refused %d. It rests for %.0f min, the rules do its work; %s"
        items, minutes = hour.taken + hour.refused, (hour.until - now) / 60
        level = logging.INFO if purpose in self._told else logging.WARNING
        log.log(level, told, self._model, items, purpose, hour.refused, minutes, REMEDY)
        self._told.add(purpose)

    def resting(self) -> Mapping[str, float]:
        """Return the seconds that the model still rests, by purpose; a purpose for which it does not rest is left out."""
        now = self._clock()
        return {name: hour.until - now for name, hour in list(self._hours.items()) if hour.is_bad and hour.until > now}
