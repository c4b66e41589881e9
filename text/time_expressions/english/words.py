"""English time words: the builders of readings for the patterns in tokens.toml."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...borders import BEGINS, ENDS
from ...word_lists import in_full, word_tables
from ..engine import Builder, Tokens
from ..numerals import SIMPLE_CARDINALS, SIMPLE_ORDINALS
from ..reading import Clock, Edge, Ordinal, Stretch, TimeSpec, Unit, amount
from . import lexicon as lexicon
from .clocks import clock, spoken
from .counted import (
    counted,
    day_of,
    from_base,
    guess,
    lasting,
    length_of,
    number_of,
    step_of,
    stretch,
    stretch_after,
    unit_of,
)
from .dates import (
    date_of,
    dated,
    day_of_this_month,
    days_of,
    feast_of,
    month_of,
    quarter,
    slash,
    weekday_of,
)
from .pieces import LISTS, PIECES, VAGUE, WRITTEN, one_of

_WORDS = word_tables("time_expressions/english/words.toml")


LISTS |= {
    "OPEN": "|".join(in_full(pattern, PIECES) for pattern in _WORDS["open"]),
}


def _stepped(unit: str, step: int) -> TimeSpec | None:
    """Return the unit `step` units from the current one."""
    match lexicon.UNITS.get(unit, "week" if unit.startswith("work") else unit):
        case "week":
            return TimeSpec(week=step)
        case "weekend":
            return TimeSpec(week=step, weekend=True)
        case "month":
            return TimeSpec(month=("rel", step))
        case "year":
            return TimeSpec(year=("rel", step))
        case "quarter":
            return TimeSpec(quarter=("rel", step))
        case _:
            return TimeSpec(shift=0) if unit == "day" and not step else None


def _pointed(reading: TimeSpec, step: int) -> TimeSpec:
    """Return a month, season or feast: of this year (`step` 0), the last (-1), the next (1)."""
    return (
        replace(reading, manner="last" if step < 0 else "next")
        if step
        else replace(reading, year=("rel", 0))
    )


def _this_day(match: re.Match[str]) -> TimeSpec | None:
    step, manner = step_of(match["mod"]), match["mod"]
    if match["weekday"]:
        weekday = lexicon.WEEKDAYS[match["weekday"]]
        near = manner in ("past", "coming", "upcoming") or " " in manner
        if near:
            return TimeSpec(weekday=weekday, manner="past" if step < 0 else "coming")
        return TimeSpec(weekday=weekday, week=step)
    if match["month"]:
        name = match["month"]
        if name in ("mar", "sep", "dec") or (name in ("may", "march") and not step):
            return None
        return _pointed(
            TimeSpec(
                month=("abs", lexicon.MONTHS[name]),
                day=day_of(match["day"]) if match["day"] else None,
            ),
            step,
        )
    if match["season"]:
        return _pointed(TimeSpec(season=lexicon.SEASONS[match["season"]]), step)
    return _pointed(feast_of(match), step) if " " not in manner or step else None


def _this_part(match: re.Match[str]) -> TimeSpec | None:
    """Return the reading of "last night", "this morning".

    Return None for "the next morning", which is counted from another time.
    """
    part = lexicon.PARTS[match["part"]]
    if match["mod"] != "next":
        return TimeSpec(shift=-(match["mod"] == "last"), part=part)
    return (
        TimeSpec(shift=1, part=part) if part in ("evening", "night") and not match["the"] else None
    )


_OVER = re.compile(r"(?:in|over|for|during|within|throughout) $")


def _this_unit(match: re.Match[str]) -> TimeSpec | None:
    mod, unit, step = match["mod"].rpartition(" ")[2], match["unit"], step_of(match["mod"])
    near = " " in match["mod"]
    if near and mod in ("last", "next"):
        mod = {"last": "past", "next": "coming"}[mod]
    if unit == "fortnight":
        return TimeSpec(
            stretch=Stretch("past" if step < 0 else "next", step or 1, amount(2, "week"))
        )
    if unit.startswith("work"):
        return TimeSpec(week=step, weekday=0, through=TimeSpec(week=step, weekday=4))
    kind = lexicon.UNITS[unit]
    if match["weekday"]:
        return (
            TimeSpec(week=step, weekday=lexicon.WEEKDAYS[match["weekday"].strip(" ,-")])
            if kind == "week"
            else None
        )
    if kind in ("hour", "minute"):
        fits = (
            step
            and not (kind == "minute" and mod == "last")
            and mod not in ("following", "coming", "upcoming")
        )
        return (
            TimeSpec(stretch=Stretch("past" if step < 0 else "next", step, amount(1, kind)))
            if fits
            else None
        )
    if kind == "decade" and step:
        return TimeSpec(
            stretch=Stretch("past" if step < 0 else "aligned", step, amount(1, "decade"))
        )
    over = mod == "last" and _OVER.search(match.string, max(0, match.start() - 12), match.start())
    if (mod == "past" or over) and match["the"] and kind in ("week", "month", "year"):
        return TimeSpec(stretch=Stretch("past", -1, amount(1, kind)))
    if kind == "weekend" and mod in ("past", "coming", "upcoming"):
        return TimeSpec(weekend=True, manner="past" if step < 0 else "coming")
    return _stepped(unit, step) if kind != "day" else None


def _to_date(match: re.Match[str]) -> TimeSpec:
    current = _stepped(match["unit"], 0) if match["unit"] else None
    return (
        replace(current, through=TimeSpec(now=True))
        if current is not None
        else TimeSpec(until_now=True)
    )


def _day_word(match: re.Match[str]) -> TimeSpec | None:
    if match["tonight"]:
        return TimeSpec(shift=0, part="night")
    return TimeSpec(
        shift=lexicon.DAYS[match["day"]],
        part={"am": "morning", "pm": "afternoon"}.get(match["half"]),  # type: ignore[arg-type]
    )


def _day_before(match: re.Match[str]) -> TimeSpec:
    talk = match.group().endswith(("conversation", "chat"))
    return TimeSpec(
        shift=(-1 if match["back"] else 1) * (1 if talk else 2),
        part=lexicon.PARTS.get(match["part"]),
    )


def _edge_word(match: re.Match[str]) -> Edge:
    return lexicon.EDGES[
        next(word for name, word in match.groupdict().items() if word and name != "unit")
    ]


def _edge_unit(match: re.Match[str]) -> TimeSpec | None:
    current = _stepped(match["unit"], 0)
    return replace(current, edge=_edge_word(match)) if current is not None else None


def _short_edge(match: re.Match[str]) -> TimeSpec | None:
    current = _stepped(lexicon.EDGE_SHORT[match["word"]], 0)
    return replace(current, edge="end") if current is not None else None


def _ordinal(match: re.Match[str]) -> TimeSpec | None:
    weekday = lexicon.WEEKDAYS[match["weekday"]] if match["weekday"] else None
    unit: Unit = "day" if weekday is not None else unit_of(match["unit"])[0]
    if match["count"]:
        count = int(number_of(match["count"]))
        return (
            TimeSpec(ordinal=Ordinal(count, unit, "last" if match["last"] else "first"))
            if not match["nth"]
            else None
        )
    nth = day_of(match["nth"]) if match["nth"] else 1
    return TimeSpec(ordinal=Ordinal(nth, unit, "nth_last" if match["last"] else "nth", weekday))


def _reading(**fields: object) -> Callable[[re.Match[str]], TimeSpec]:
    made = TimeSpec(**fields)  # type: ignore[arg-type]
    return lambda _: made


_BUILDERS: dict[str, Builder] = {
    "open": lambda _: TimeSpec(),
    "iso": lambda m: TimeSpec(
        year=("abs", int(m["year"])),
        month=("abs", max(1, min(12, int(m["month"])))),
        day=int(m["day"]),
    ),
    "full_date": lambda m: TimeSpec(year=("abs", 2000), month=("abs", 1), day=1),
    "slash": slash,
    "absolute_year": lambda m: TimeSpec(year=("abs", int(m["year"]))),
    "vague": lambda m: TimeSpec(vague=VAGUE[" ".join(m.group().split())]),
    "now": _reading(now=True),
    "ago": counted,
    "weekdays_ago": lambda m: TimeSpec(
        weekday=lexicon.WEEKDAYS[m["weekday"]], week=-int(number_of(m["count"])), manner="past"
    ),
    "guess": guess,
    "guess_ahead": guess,
    "within": lambda m: TimeSpec(stretch=Stretch("within", 1, length_of(m["length"]))),
    "in_length": counted,
    "day_before": _day_before,
    "step": lambda m: _stepped(m["unit"], -2 if m["back"] else 2),
    "day_from": from_base,
    "from": from_base,
    "lasting": lasting,
    "short_edge": _short_edge,
    "edge_unit": _edge_unit,
    "end_of_day": _reading(shift=0, edge="end"),
    "edge": lambda m: TimeSpec(edge=_edge_word(m)),
    "rest": lambda m: TimeSpec(shift=0) if m["today"] else TimeSpec(edge="rest"),
    "numbered_week": lambda m: TimeSpec(
        year=("rel", 0), ordinal=Ordinal(int(m["n"]), "week", "nth")
    ),
    "numbered_week_of": lambda m: TimeSpec(ordinal=Ordinal(int(m["n"]), "week", "nth")),
    "of_week": lambda m: TimeSpec(half=(0, m["unit"])),
    "ordinal": _ordinal,
    "stretch": stretch,
    "stretch_after": stretch_after,
    "this_day": _this_day,
    "this_part": _this_part,
    "this_unit": _this_unit,
    "unit_of": lambda m: _stepped(m["unit"], 0),
    "to_date": _to_date,
    "day": _day_word,
    "days_of_month": date_of,
    "date": date_of,
    "day_of_month": date_of,
    "month_year": lambda m: dated(month_of(m), m),
    "feast": lambda m: dated(feast_of(m), m) if "year" in m.re.groupindex else feast_of(m),
    "month": month_of,
    "day_of_this_month": day_of_this_month,
    "days": days_of,
    "number": lambda m: TimeSpec(day=day_of(m["day"] or m["alone"]), manner="bare"),
    "day_number": days_of,
    "weekday_number": lambda m: replace(weekday_of(m), day=day_of(m["day"]), manner=None),
    "weekday": weekday_of,
    "weekend": _reading(weekend=True, manner="bare"),
    "season": lambda m: dated(TimeSpec(season=lexicon.SEASONS[m["season"]]), m),
    "quarter": quarter,
    "noon": lambda m: TimeSpec(clock=Clock(0 if "midnight" in m.group() else 12)),
    "clock_between": clock,
    "clock": clock,
    "spoken": spoken,
    "part": lambda m: TimeSpec(part=lexicon.PARTS[m["part"]]),
}
"""The builders by token name. A token without a builder only looks like a time and is skipped."""

_PATTERNS = {name: in_full(pattern, PIECES | LISTS) for name, pattern in WRITTEN["tokens"].items()}
_STARTS = one_of(
    *_WORDS["starts"].split(),
    *SIMPLE_CARDINALS,
    *SIMPLE_ORDINALS,
    *lexicon.UNITS,
    *lexicon.MODIFIERS,
    *lexicon.TONIGHT,
    *(
        word
        for table in (
            lexicon.DAYS,
            lexicon.WEEKDAYS,
            lexicon.MONTHS,
            lexicon.SEASONS,
            lexicon.PARTS,
        )
        for word in table
    ),
    *(
        re.split("[ -]", phrase)[0]
        for phrase in (*lexicon.HOLIDAYS, *VAGUE, *(" ".join(words) for words in lexicon.NOW))
    ),
)
_BEGINS = (
    rf"(?<![a-z\d_])(?=\d|(?!an?\b[^ ])(?:{_STARTS})s?(?![a-z]))(?<![a-z]')(?<!\d[.,:/]){BEGINS}"
)
TOKENS = Tokens(_PATTERNS, _BUILDERS, "", begins=_BEGINS, ends=ENDS)
