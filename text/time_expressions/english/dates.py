"""English dates, months, quarters, feasts and weekdays: the builders of readings."""

from __future__ import annotations

import re
from dataclasses import replace

from ..calendar import longest_month
from ..reading import TimeSpec
from . import lexicon as lexicon
from .counted import day_of, year_of


def dated(reading: TimeSpec, match: re.Match[str]) -> TimeSpec:
    """Return a reading with the year and the weekend of its match."""
    if match["year"]:
        reading = replace(reading, year=("abs", year_of(match["year"])), manner=None)
        if reading.through is not None:
            reading = replace(reading, through=replace(reading.through, year=reading.year))
    return (
        replace(reading, weekend=True)
        if match.re.groupindex.get("weekend") and match["weekend"]
        else reading
    )


_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def quarter(match: re.Match[str]) -> TimeSpec:
    word = match["number"]
    reading = TimeSpec(quarter=("abs", _QUARTERS.get(word) or int(word[0])), manner="bare")
    return dated(reading, match) if "year" in match.re.groupindex else reading


def _month_day(first: str, second: str) -> TimeSpec | None:
    month, day = int(first), int(second)
    return (
        TimeSpec(month=("abs", month), day=day, manner="bare")
        if day <= longest_month(month)
        else None
    )


def slash(match: re.Match[str]) -> TimeSpec | None:
    month, day = (number for number in match.groups() if number)
    return _month_day(month, day) if int(month) <= 12 else _month_day(day, month)


def date_of(match: re.Match[str]) -> TimeSpec | None:
    """Return the reading of "March 5", "5th of March", "March 5 to 8, 2024", "3 to 12 of March".

    Return None for a day that the month does not have.
    """
    month, day = lexicon.MONTHS[match["month"]], day_of(match["day"])
    if not 1 <= day <= longest_month(month):
        return None
    reading = TimeSpec(month=("abs", month), day=day, manner="bare")
    until = day_of(match["until"]) if match.groupdict().get("until") else 0
    if until > day and until <= longest_month(month):
        reading = replace(reading, through=replace(reading, day=until))
    return dated(reading, match)


def days_of(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(day=day_of(match["day"]), manner="bare")


def month_of(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(month=("abs", lexicon.MONTHS[match["month"]]), manner="bare")


def day_of_this_month(match: re.Match[str]) -> TimeSpec:
    if match["mod"] == "the":
        return TimeSpec(day=day_of(match["day"]), manner="bare")
    return TimeSpec(
        month=("rel", lexicon.MODIFIERS[match["mod"].removeprefix("the ")]),
        day=day_of(match["day"]),
    )


def feast_of(match: re.Match[str]) -> TimeSpec:
    key, label = lexicon.HOLIDAYS[match["feast"]]
    return TimeSpec(holiday=key, holiday_name=label, manner="bare")


def weekday_of(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(weekday=lexicon.WEEKDAYS[match["weekday"].rstrip(".")], manner="bare")
