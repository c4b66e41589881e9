"""English clock times: the builders of readings."""

from __future__ import annotations

import re

from ..numerals import ENGLISH_CARDINALS
from ..reading import Clock, TimeSpec
from . import lexicon as lexicon
from .counted import number_of


def made_clock(hour: int, minute: int, suffix: str) -> Clock:
    """Return a clock time; `suffix` is "a", "p" or "".

    Without a suffix, `known` is False for hours from 1 to 12.
    """
    if suffix:
        return Clock(hour % 12 + (12 if suffix == "p" else 0) if hour <= 12 else hour, minute)
    return Clock(hour, minute, known=hour > 12 or hour == 0)


_DIGITS = re.compile(r"(\d{1,2})(?:[:.]?([0-5]\d))?(?::\d\d)?")


def _time(word: str) -> tuple[int, int] | None:
    digits = _DIGITS.fullmatch(word)
    if digits is not None:
        hour, minute = int(digits[1]), int(digits[2] or 0)
        return (hour, minute) if hour <= 24 and minute < 60 else None
    hour_word, _, minutes = word.replace("-", " ", 1).partition(" ")
    if hour_word.isdecimal():
        return None
    return int(ENGLISH_CARDINALS[hour_word]), int(number_of(minutes)) if minutes else 0


def _half_of(word: str | None) -> str:
    found = re.search(r"([ap])(?:\.?m|$)", word or "")
    return found[1] if found is not None else ""


def clock(match: re.Match[str]) -> TimeSpec | None:
    begin = _time(match["begin"])
    until = _time(match["until"]) if match["until"] else None
    if begin is None:
        return None
    groups = match.groupdict()
    half, last = _half_of(groups.get("half")), _half_of(groups.get("last"))
    end = None
    if until is not None:
        end = made_clock(*until, "p" if last == half == "a" and until[0] == 12 else last)
        if last and not half:
            half = (
                last
                if begin[0] % 12 <= until[0] % 12 or last == "a"
                else "a"
                if begin[0] < 12
                else ""
            )
    return TimeSpec(clock=made_clock(*begin, half), clock_until=end)


def spoken(match: re.Match[str]) -> TimeSpec | None:
    """Return the reading of "half past seven", "ten to nine", British "half eight"."""
    if match["hour2"]:
        return TimeSpec(clock=made_clock(int(number_of(match["hour2"])), 30, ""))
    minutes = {"half": 30, "quarter": 15}.get(match["minutes"]) or int(number_of(match["minutes"]))
    clock = made_clock(int(number_of(match["hour"])), 0, _half_of(match["half"]))
    total = clock.hour * 60 + (minutes if match["link"] == "past" else -minutes)
    return (
        TimeSpec(clock=Clock(total // 60 % 24, total % 60, clock.known)) if minutes < 60 else None
    )
