"""Calendar arithmetic: months, weeks, lunar dates, holidays and seasons, in days.

Weeks begin on Monday. Lunar dates and solar terms (清明, 冬至) come from `lunar_python`, which computes new moons and the
longitude of the sun, imported when first needed; Easter follows the anonymous Gregorian algorithm (Meeus, Astronomical
Algorithms, chapter 8).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache

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


_FIXED = {
    "new_year": (1, 1), "australia": (1, 26), "groundhog": (2, 2), "valentine": (2, 14), "women": (3, 8),
    "arbor": (3, 12), "pi": (3, 14), "patrick": (3, 17), "fools": (4, 1), "water": (4, 13), "earth_day": (4, 22),
    "anzac": (4, 25), "labour": (5, 1), "youth": (5, 4), "cinco": (5, 5), "nurses": (5, 12), "may_20": (5, 20),
    "children": (6, 1), "shopping_618": (6, 18), "juneteenth": (6, 19), "canada": (7, 1), "party": (7, 1),
    "independence": (7, 4), "bastille": (7, 14), "army": (8, 1), "teachers": (9, 10), "national": (10, 1),
    "halloween": (10, 31), "guy_fawkes": (11, 5), "remembrance": (11, 11), "veterans": (11, 11), "singles": (11, 11),
    "double_12": (12, 12), "christmas_eve": (12, 24), "christmas": (12, 25), "boxing": (12, 26),
    "new_year_eve": (12, 31),
}  # fmt: skip
_LUNAR = {"spring": (1, 1), "lantern": (1, 15), "dragon_boat": (5, 5), "qixi": (7, 7), "ghost": (7, 15),
          "mid_autumn": (8, 15), "double_ninth": (9, 9), "dragon_head": (2, 2), "winter_clothes": (10, 1)}  # fmt: skip
_NTH = {
    "mlk": (1, 0, 3), "presidents": (2, 0, 3), "mothers": (5, 6, 2), "memorial": (5, 0, -1), "fathers": (6, 6, 3),
    "melbourne_cup": (11, 1, 1), "labor": (9, 0, 1), "columbus": (10, 0, 2), "thanksgiving": (11, 3, 4),
}  # fmt: skip
_COUNTED = {
    "eve": ("spring", -1), "easter": ("easter", 0), "good_friday": ("easter", -2), "easter_monday": ("easter", 1),
    "shrove_tuesday": ("easter", -47), "ash_wednesday": ("easter", -46),
    "whit_monday": ("easter", 50),
    "black_friday": ("thanksgiving", 1), "cyber_monday": ("thanksgiving", 4),
}  # fmt: skip
"""Feasts at a fixed distance in days from another one."""
_TERMS = {
    "spring_begins": "立春", "spring_equinox": "春分", "qingming": "清明", "summer_begins": "立夏",
    "summer_solstice": "夏至", "autumn_begins": "立秋", "autumn_equinox": "秋分", "winter_begins": "立冬",
}  # fmt: skip
_NO_DAY = frozenset({"diwali", "eid", "ramadan", "hanukkah", "passover", "holi", "yom_kippur", "rosh_hashanah"})
"""Feasts of other calendars, whose days are not known here."""


@lru_cache(maxsize=1024)
def holiday(name: str, year: int) -> date | None:
    """Return the day of a holiday in a year; None if it is unknown (lunar feasts outside 1900 to 2099, Diwali).

    "eve" (除夕) and "laba" of 2026 are the days before the Spring Festival of 2026, even if they fall in the last days of
    the previous year.
    """
    try:
        if name in _FIXED:
            return date(year, *_FIXED[name])
        if name in _LUNAR:
            return lunar_day(year, *_LUNAR[name])
        if name in _NTH:
            return nth_weekday(year, *_NTH[name])
        if name in _COUNTED:
            other, days = _COUNTED[name]
            day = easter(year) if other == "easter" else holiday(other, year)
            return day + timedelta(days=days) if day is not None else None
        if name in _TERMS:
            return _solar_terms(year)[_TERMS[name]]
        if name == "winter_solstice":
            return _solar_terms(year + 1)["冬至"]  # the table of a year begins in the December before
        if name in ("laba", "little_year"):
            return lunar_day(year - 1, 12, 8 if name == "laba" else 23)
        if name in _NO_DAY:
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
