"""Calendar arithmetic: months, weeks, lunar dates, holidays and seasons, in days.

Weeks begin on Monday. Lunar dates and solar terms (清明, 冬至) come from `lunar_python`, which computes new moons and the
longitude of the sun, imported when first needed; Easter follows the anonymous Gregorian algorithm (Meeus, Astronomical
Algorithms, chapter 8).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache

from ..word_lists import word_tables

Days = tuple[date, date]
"""First and last day, both included."""


def add_months(day: date, months: int) -> date:
    """Return the day `months` later (earlier if negative), clipped to the last day of the month."""
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
    if nth < 0:
        last = month_days(year, month)[1]
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


@lru_cache(maxsize=256)
def lunar_day(year: int, month: int, day: int) -> date:
    """Return the solar date of a Chinese lunar date. Raises ValueError outside 1900 to 2100 or if there is no such day."""
    from lunar_python import Lunar

    if not 1900 <= year <= 2100:
        raise ValueError(f"lunar year {year} is outside 1900 to 2100")
    try:
        solar = Lunar.fromYmd(year, month, day).getSolar()
    except Exception as error:  # the library raises bare Exceptions for days that do not exist
        raise ValueError(f"there is no lunar date {year}-{month}-{day}: {error}") from None
    return date(solar.getYear(), solar.getMonth(), solar.getDay())


def last_lunar_day(year: int) -> date:
    """Return the last day of a lunar year (除夕), the day before the next lunar year begins."""
    return lunar_day(year + 1, 1, 1) - timedelta(days=1)


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


@lru_cache(maxsize=64)
def _solar_terms(year: int) -> dict[str, date]:
    """Return the days of the solar terms of a year, by their Chinese names (大雪 of December is named by its pinyin)."""
    from lunar_python import Lunar

    table = Lunar.fromYmd(year, 6, 1).getJieQiTable()
    return {name: date(day.getYear(), day.getMonth(), day.getDay()) for name, day in table.items()}


def feast_at(name: str, zone: str) -> str:
    """Return the key of a feast as it is kept in a time zone: Mother's Day is Mothering Sunday in London."""
    regions = word_tables("time_expressions/feasts.toml")["regions"]
    return next((there[name] for there in regions if name in there and zone in there["zones"].split()), name)


def season_at(name: str, zone: str) -> str:
    """Return the northern season whose days are those of a season in a time zone: summer in Sydney is winter in Rome."""
    south = zone in word_tables("time_expressions/feasts.toml")["south"]["zones"].split() and name in SEASONS
    return SEASONS[SEASONS.index(name) - 2] if south else name


@lru_cache(maxsize=1024)
def holiday(name: str, year: int) -> date | None:
    """Return the day of a holiday in a year; None if it is unknown (lunar feasts outside 1900 to 2099, Diwali).

    "eve" (除夕) and "laba" of 2026 are the days before the Spring Festival of 2026, even if they fall in the last days of
    the previous year.
    """
    feasts = word_tables("time_expressions/feasts.toml")
    try:
        if name in feasts["fixed"]:
            return date(year, *feasts["fixed"][name])
        if name in feasts["lunar"]:
            return lunar_day(year, *feasts["lunar"][name])
        if name in feasts["nth"]:
            return nth_weekday(year, *feasts["nth"][name])
        if name in feasts["counted"]:
            other, days = feasts["counted"][name]
            day = easter(year) if other == "easter" else holiday(other, year)
            return day + timedelta(days=days) if day is not None else None
        if name in feasts["solar"]["terms"].split():
            return _solar_terms(year)[name]
        if name == "冬至":
            return _solar_terms(year + 1)[name]  # the table of a year begins in the December before
        if name in ("laba", "little_year"):
            return lunar_day(year - 1, 12, 8 if name == "laba" else 23)
        if name in feasts["solar"]["unknown"].split():
            return None
        raise KeyError(name)
    except ValueError:
        return None


SEASONS = ("spring", "summer", "autumn", "winter")


def season_days(season: str, year: int) -> Days:
    """Return the meteorological season of the northern hemisphere; the winter of a year begins in its December."""
    first = 3 + 3 * SEASONS.index(season)
    begin = date(year, first, 1)
    return begin, add_months(begin, 3) - timedelta(days=1)


def quarter_days(year: int, quarter: int) -> Days:
    """Return the first and last day of a quarter (1 to 4)."""
    begin = date(year, 3 * quarter - 2, 1)
    return begin, add_months(begin, 3) - timedelta(days=1)
