"""Counts of the items in a model's answers that the checks accept and refuse.

A model whose items are mostly refused is rested: it is not asked for a while.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

log = logging.getLogger(__name__)

HOUR_SECONDS = 3_600.0
LEAST_ITEMS = 20
"""Minimum number of items in an hour before a model can be rested."""
MOST_REFUSED = 0.5
"""A model is rested if more than this share of its items is refused."""
REMEDY = (
    "use a stronger model, or let the rules do the work: cognitive.historian.rewrite_mode = 'rules'"
)


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
    """Counts of accepted and refused items in the current hour, by purpose.

    `model` is the name for the log. An hour begins with its first item. If more than MOST_REFUSED
    of at least LEAST_ITEMS items are refused, the model is rested for that purpose until the hour
    ends.
    """

    def __init__(self, model: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._clock = clock
        self._hours: dict[str, _Hour] = {}
        self._told: set[str] = set()

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer. If this rests the model, log it (once as a warning)."""
        now = self._clock()
        hour = self._hours.get(purpose)
        if hour is None or now >= hour.until:
            hour = self._hours[purpose] = _Hour(now + HOUR_SECONDS)
        was_bad = hour.is_bad
        hour.taken += taken
        hour.refused += refused
        if not hour.is_bad or was_bad:
            return
        told = (
            "%s: the checks refused %d of %d items of its answers (%s). It is not used for this for "
            "%.0f min, and rules do its work; %s"
        )
        items, minutes = hour.taken + hour.refused, (hour.until - now) / 60
        level = logging.INFO if purpose in self._told else logging.WARNING
        log.log(level, told, self._model, hour.refused, items, purpose, minutes, REMEDY)
        self._told.add(purpose)

    def resting(self) -> Mapping[str, float]:
        """Return the remaining seconds of rest, by purpose. Purposes without rest are left out."""
        now = self._clock()
        return {
            name: hour.until - now
            for name, hour in list(self._hours.items())
            if hour.is_bad and hour.until > now
        }
