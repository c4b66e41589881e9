"""Calendar arithmetic: months, weeks, lunar dates, holidays and seasons, in days.

Weeks begin on Monday. Lunar dates and solar terms (清明, 冬至) come from `lunar_python`, which computes
new moons and the longitude of the sun. It is imported on first use. Easter is computed by the
anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, chapter 8).
"""

from __future__ import annotations

from calendar import monthcalendar, monthrange
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from ..word_lists import phrase_list, word_tables

Days = tuple[date, date]
"""First and last day, both included."""


def add_months(day: date, months: int) -> date:
    """Return the day `months` later (earlier if negative), at most the last day of its month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_days(year: int, month: int) -> Days:
    """Return the first and last day of a month."""
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def longest_month(month: int) -> int:
    """Return the maximum number of days of a month: 29 for February."""
    return monthrange(2024, month)[1]


def week_days(day: date) -> Days:
    """Return Monday and Sunday of the week of `day`."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """Return the nth (from 1; -1 = last) weekday (0 = Monday) of a month."""
    days = [week[weekday] for week in monthcalendar(year, month) if week[weekday]]
    return date(year, month, days[nth - 1 if nth > 0 else nth])


def lunar_day(year: int, month: int, day: int) -> date:
    """Return the solar date of a Chinese lunar date.

    Raises ValueError for years outside 1900 to 2100, and if there is no such day.
    """
    from lunar_python import Lunar

    if not 1900 <= year <= 2100:
        raise ValueError(f"lunar year {year} is outside 1900 to 2100")
    if (month, day) == (12, 30):  # the last day of a month that may have 29 days
        return lunar_day(year + 1, 1, 1) - timedelta(days=1)
    try:
        solar = Lunar.fromYmd(year, month, day).getSolar()
    except Exception as error:  # the library raises bare Exceptions for days that do not exist
        raise ValueError(f"there is no lunar date {year}-{month}-{day}: {error}") from None
    return date(solar.getYear(), solar.getMonth(), solar.getDay())


def easter(year: int) -> date:
    """Return Easter Sunday of a Gregorian year."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    m = (32 + 2 * e + 2 * i - h - k) % 7
    n = (a + 11 * h + 22 * m) // 451
    month, day = divmod(h + m - 7 * n + 114, 31)
    return date(year, month, day + 1)


def feast_at(name: str, zone: str) -> str:
    """Return the key of a feast as it is celebrated in a time zone.

    Example: Mother's Day in London is Mothering Sunday.
    """
    regions = _FEASTS["regions"]
    return next(
        (there[name] for there in regions if name in there and zone in there["zones"].split()), name
    )


def season_at(name: str, zone: str) -> str:
    """Return the northern season that coincides with a season in a time zone.

    Example: summer in Sydney is winter in Rome.
    """
    south = zone in _FEASTS["south"]["zones"].split() and name in SEASONS
    return SEASONS[SEASONS.index(name) - 2] if south else name


@lru_cache(maxsize=1024)
def feast(name: str | tuple[int, int], year: int) -> date | None:
    """Return the day of a feast, or of a Chinese lunar month and day, in a year; None if unknown.

    "eve" (除夕) and "laba" of 2026 are the days before the Spring Festival of 2026, even if they are
    in the last days of the previous year. Raises KeyError for a name that is no feast.
    """
    try:
        if isinstance(name, tuple):
            return lunar_day(year, *name)
        kind, day = _DAYS[name]
        match kind:
            case "fixed":
                return date(year, *day)
            case "lunar":
                return lunar_day(year - (day[0] < 0), abs(day[0]), day[1])
            case "nth":
                return nth_weekday(year, *day)
            case "counted":
                other = easter(year) if day[0] == "easter" else feast(day[0], year)
                return other + timedelta(days=day[1]) if other is not None else None
            case "solar":
                return _solar_term(name, year)
        return None
    except ValueError:
        return None


def _solar_term(name: str, year: int) -> date:
    """Return the day of a solar term.

    The library's table for a year begins with 冬至, in December of the year before.
    """
    from lunar_python import Lunar

    day = Lunar.fromYmd(year + (name == "冬至"), 6, 1).getJieQiTable()[name]
    return date(day.getYear(), day.getMonth(), day.getDay())


_FEASTS = word_tables("time_expressions/feasts.toml")
_DAYS: dict[str, tuple[str, tuple[Any, ...]]] = {
    row[0]: (
        kind,
        tuple(int(value) if value.lstrip("-").isdecimal() else value for value in row[1:]),
    )
    for kind in ("fixed", "lunar", "nth", "counted")
    for row in phrase_list(_FEASTS[kind])
} | {name: (kind, ()) for kind in ("solar", "unknown") for name in _FEASTS[kind].split()}
SEASONS = ("spring", "summer", "autumn", "winter")


def season_days(season: str, year: int) -> Days:
    """Return the first and last day of a meteorological season of the northern hemisphere.

    The winter of a year begins in its December. Raises ValueError for school holidays, which differ
    between countries and schools.
    """
    begin = date(year, 3 + 3 * SEASONS.index(season), 1)
    return begin, add_months(begin, 3) - timedelta(days=1)


def quarter_days(year: int, quarter: int) -> Days:
    """Return the first and last day of a quarter (1 to 4)."""
    begin = date(year, 3 * quarter - 2, 1)
    return begin, add_months(begin, 3) - timedelta(days=1)
