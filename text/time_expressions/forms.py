"""The form of a resolved time in Chinese or English, without the sentence around it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime

from ..word_lists import word_list, word_tables
from .calendar import week_days
from .named_days import Resolved
from .reading import Clock, TimeSpec

_TABLES = word_tables("time_expressions/rendering.toml")
_NAMES = _TABLES["names"]
_MONTHS = _NAMES["months"].split()
WORDS = {name: word_list(words) for name, words in _TABLES["words"].items()}
_VAGUE = {
    language: [(re.compile(pattern, re.IGNORECASE), form) for pattern, form in rows]
    for language, rows in _TABLES["vague"].items()
}
_UNITS = {
    "year": "year",
    "decade": "year",
    "month": "month",
    "quarter": "month",
    "week": "around",
    "weekend": "weekend",
}
"""The form of a time that is counted in a unit coarser than a day: 三年前 is a year."""


def iso(moment: date) -> str:
    """Return a day as "2026-02-20" and a minute as "2026-02-20T17:05"."""
    if isinstance(moment, datetime):
        return (
            moment.strftime("%Y-%m-%dT%H:%M")
            if moment.year >= 1000
            else moment.isoformat(timespec="minutes")
        )
    return moment.isoformat()


def _kind(reading: TimeSpec, resolved: Resolved, language: str) -> str:
    """Return the name of the form of a time that is not vague and has no minutes."""
    said, stretch, granularity = reading.offset, reading.stretch, resolved.granularity
    if reading.until_now is not None:
        return "until_now"
    if reading.through is not None:
        return "range"
    if reading.now is not None:
        return "now"
    if (
        said is not None
        and said.base is None
        and reading.weekday is None
        and reading.part is None
        and not said.amount.days % 7
    ):
        unit = (
            "month" if said.amount.unit == "year" and said.amount.months % 12 else said.amount.unit
        )
        if unit in _UNITS:
            return _UNITS[unit]
    if said is not None and said.approximate:
        return "around"
    if stretch is not None:
        return (
            "within"
            if stretch.direction == "within"
            else "lasting"
            if stretch.amount.simple
            else "range"
        )
    if (
        reading.edge is not None
        and reading.ordinal is None
        and reading.edge != "rest"
        and reading.half is None
    ):
        named = reading.month is not None or (reading.year is not None and reading.quarter is None)
        if language == "zh":
            return (
                "edge"
                if named and reading.edge in _NAMES["zh_edges"] and reading.week is None
                else "range"
            )
        return "side" if reading.edge in ("earlier", "later") else "edge"
    if reading.holiday_name is not None and granularity in ("day", "part"):
        return "feast"
    if granularity == "half" and (
        reading.half is None or reading.half[1] not in ("year", "rolling")
    ):
        return (
            "half_month"
            if language == "en" and reading.half and reading.half[1] == "month"
            else "range"
        )
    if granularity == "part":
        return "noon" if language == "en" and reading.part == "noon" else "part"
    if granularity in _TABLES[language] and granularity != "day":
        return granularity
    return "day" if resolved.first == resolved.last else "range"


def form_of(reading: TimeSpec, resolved: Resolved, said: str, language: str, previous: str) -> str:
    """Return a time in its form; in English, `|` separates the preposition from the rest."""
    if (
        reading.vague is None
        and reading.now is None
        and reading.until_now is None
        and resolved.granularity == "minute"
    ):
        return _minutes(reading, resolved, said, language, previous)
    first, last = resolved.first, resolved.last
    english = language == "en"
    values: dict[str, object] = {
        "day": iso(first)[:10],
        "last": iso(last)[:10],
        "year": first.year,
        "month": _MONTHS[first.month - 1] if english else first.month,
        "quarter": (first.month + 2) // 3,
        "half": _half(reading, first, language),
        "the": "" if previous in ("the", "this", "that") else "the ",
        "from": "" if previous in ("from", "between") else "from",
        "to": "and" if previous == "between" else "to",
        "around": "" if previous in ("around", "about") else "around ",
        "about": "前后" if reading.offset is not None and reading.offset.approximate else "",
        "feast": _feast(reading),
        "edge": reading.edge_name
        or _NAMES[f"{language}_edges"].get(reading.edge or "", reading.edge),
        "season": _season(reading, language),
        "part": reading.part_name
        or _NAMES[f"{language}_parts"].get(reading.part or "", reading.part),
        "length": _length(reading),
        "side": "之前"
        if reading.vague == "past"
        else "之后"
        if reading.vague == "future"
        else "前后",
    }
    if reading.vague is not None:
        return _vague(reading, said, language, previous, values)
    kind = _kind(reading, resolved, language)
    if kind == "feast":
        part = values["part"] if reading.part is not None else ""
        values["part"] = f"the {part} of " * bool(part) if english else f" {part}" * bool(part)
    elif kind in ("edge", "side"):
        if (
            english
            and reading.month is None
            and reading.year is None
            and reading.week is None
            and first == last
        ):
            return (
                f"|{reading.edge} on {values['day']}"
                if kind == "side"
                else f"at|the {values['edge']} of {values['day']}"
            )
        values["unit"] = _unit(reading, resolved, language)
    return str(_TABLES[language][kind].format(**values))


def _unit(reading: TimeSpec, resolved: Resolved, language: str) -> str:
    """Return the time of which the expression is an edge (the year of 年底)."""
    names = ("week", "month", "quarter", "season")
    unit = next((name for name in names if getattr(reading, name) is not None), "year")
    whole = (
        Resolved(*week_days(resolved.first), unit)
        if unit == "week"
        else replace(resolved, granularity=unit)
    )
    return form_of(replace(reading, edge=None, edge_name=None), whole, "", language, "").rpartition(
        "|"
    )[2]


def _half(reading: TimeSpec, first: date, language: str) -> str:
    of_month = reading.half is not None and reading.half[1] == "month"
    begins = (first.day if of_month else first.month) == 1
    return ("first" if begins else "second") if language == "en" else "上" if begins else "下"


def _season(reading: TimeSpec, language: str) -> str:
    if language == "en":
        return (
            reading.season
            if reading.season and reading.season in _NAMES["zh_seasons"]
            else "summer"
        )
    name = reading.season_name or _NAMES["zh_seasons"].get(reading.season or "", "")
    return f"{name}天" if len(name) == 1 else name


def _feast(reading: TimeSpec) -> str:
    name = re.sub("^(?:农历|阴历|旧历)的?", "", reading.holiday_name or "")
    return f"农历{name}" if reading.lunar is not None and not name.startswith("大") else name


def _length(reading: TimeSpec) -> str:
    if reading.stretch is None:
        return ""
    count, unit = reading.stretch.amount.count, reading.stretch.amount.unit
    return f"{f'{count:g} ' * (count != 1)}{'working day' if unit == 'workday' else unit}{'s' * (count != 1)}"


def _vague(
    reading: TimeSpec, said: str, language: str, previous: str, values: dict[str, object]
) -> str:
    amount = reading.vague_amount
    if amount is not None and language == "en":
        about, exact = re.subn(" or so$", "", amount)
        return f"|{'about ' * exact}{about} {'after' if reading.vague == 'future' else 'before'} {values['day']}"
    if amount is not None and re.search("[月年周星礼天日]|久", amount):
        return f"{values['day']}的{amount}"
    for pattern, form in _VAGUE[language]:
        match = pattern.match(said)
        if match is not None and not (
            form.startswith("soon") and previous in WORDS["prepositions"]
        ):
            return "|" * (language == "en") + match.expand(form).format(**values)
    return str(_TABLES[language]["around"].format(**values))


def _minutes(reading: TimeSpec, resolved: Resolved, said: str, language: str, previous: str) -> str:
    """Return the form of a time with minutes.

    An hour that may be a.m. or p.m. is left as it is in the text.
    """
    first, last, english = resolved.first, resolved.last, language == "en"
    day, until, begin, end = iso(first)[:10], iso(last)[:10], iso(first)[11:], iso(last)[11:]
    if resolved.half_day_unknown and reading.clock is not None:
        begin = _said_clock(reading.clock, said, language)
        end = (
            _said_clock(reading.clock_until, said, language)
            if reading.clock_until is not None
            else begin
        )
    approximate = reading.offset is not None and reading.offset.approximate
    if reading.stretch is not None and reading.stretch.direction == "remaining":
        return f"截至{day} {begin}{said}"
    if english and first == last:
        led = f"|{day} {'from' if ' from ' in said.lower() else 'at'} {begin}"
        return led if previous == "on" else f"{'around' if approximate else 'at'}|{begin} on {day}"
    if english and previous == "on" and day == until:
        return f"|{day} from {begin} to {end}"
    if english:
        to = "and" if previous == "between" else "to"
        return f"from|{begin} {f'on {day} ' * (day != until)}{to} {end} on {until}"
    if first == last:
        return f"{day} {begin}{'前后' * approximate}"
    return f"{day} {begin}至{f'{until} ' * (day != until and not resolved.half_day_unknown)}{end}"


def _said_clock(clock: Clock, said: str, language: str) -> str:
    """Return a clock time that may be a.m. or p.m. as it is in the text: 8点半, 8:30, "8"."""
    if ":" in said or "：" in said or (language == "en" and clock.minute):
        return f"{clock.hour}:{clock.minute:02d}"
    if language == "en":
        return f"{clock.hour} o'clock" if "clock" in said else str(clock.hour)
    return f"{clock.hour}点{'半' if clock.minute == 30 else f'{clock.minute:02d}分' if clock.minute else ''}"
