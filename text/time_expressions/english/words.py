"""English time words: the builders of readings for the patterns in tokens.toml."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from ...borders import BEGINS, ENDS
from ...word_lists import in_full, in_pieces, word_tables
from ..calendar import longest_month
from ..engine import Builder, Tokens
from ..numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS, SIMPLE_CARDINALS, SIMPLE_ORDINALS
from ..reading import (
    Amount,
    Clock,
    Direction,
    Edge,
    Offset,
    Ordinal,
    Stretch,
    TimeSpec,
    Unit,
    amount,
)
from . import lexicon as lexicon

_WORDS = word_tables("time_expressions/english/words.toml")
_WRITTEN = word_tables("time_expressions/english/tokens.toml")
_STOP = r"\s*(?:[.,;:!?)]|$)"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"


def one_of(*phrases: str) -> str:
    """Return a pattern that matches the longest of some phrases, without a group around it.

    Phrases with the same beginning share it. For a long list this is ten times faster than one
    alternative per phrase.

    >>> re.match(one_of("mon", "day", "monday"), "mondays").group()
    'monday'
    """
    heads: dict[str, list[str]] = {}
    for phrase in phrases:
        if phrase:
            heads.setdefault(phrase[0], []).append(phrase[1:])
    return "|".join(
        re.escape(head) + _rest(sorted(set(tails))) for head, tails in sorted(heads.items())
    )


def _rest(tails: list[str]) -> str:
    if len(tails) == 1:
        return re.escape(tails[0])
    return f"(?:{one_of(*tails)}){'?' if not tails[0] else ''}"


_VAGUE: dict[str, Direction] = {
    " ".join(words): direction for words, direction in lexicon.VAGUE.items()
}
_CARDINAL = (
    rf"(?:{_TENS})[ -](?:one|two|three|four|five|six|seven|eight|nine)|{one_of(*SIMPLE_CARDINALS)}"
)
_ORDINALS = list(SIMPLE_ORDINALS)
HOURS = one_of(*list(ENGLISH_CARDINALS)[1:13])
_LISTS = {
    "STOP": _STOP,
    "CARDINAL": f"(?:{_CARDINAL})",
    "ONE_TO_TWELVE": HOURS,
    "ORDINALS": rf"(?:twenty|thirty)[ -](?:{one_of(*_ORDINALS[:9])})|{one_of(*_ORDINALS)}",
    "UNITS": one_of(*(word for word in lexicon.UNITS if word[-1] != "'")),
    "WEEKDAY": f"(?:{one_of(*lexicon.WEEKDAYS)})",
    "FULLDAY": f"(?:{one_of(*(word for word in lexicon.WEEKDAYS if len(word) > 4 and word != 'thurs'))})",
    "MONTH": f"(?:{one_of(*lexicon.MONTHS)})",
    "PLAIN_MONTH": f"(?:{one_of(*lexicon.PLAIN_MONTHS)})",
    "DAYS": f"(?:{one_of(*lexicon.DAYS)})",
    "TOMORROW": one_of(*(word for word, step in lexicon.DAYS.items() if step == 1)),
    "TONIGHT": f"(?:{one_of(*lexicon.TONIGHT)})",
    "SEASON": f"(?:{one_of(*lexicon.SEASONS)})",
    "PARTS": f"(?:{one_of(*(word for word in lexicon.PARTS if word != 'eve'))})",
    "FEAST": f"(?:{one_of(*lexicon.HOLIDAYS)})",
    "MODIFIER": one_of(*lexicon.MODIFIERS),
    "FUNCTION": one_of(*lexicon.FUNCTION_WORDS),
    "PRONOUN": one_of(*lexicon.PRONOUNS),
    "OWNER": "the|my|your|his|her|our|their|its",
    "NOWS": one_of(*(" ".join(words) for words in lexicon.NOW if words != ("now",))),
    "VAGUES": one_of(*_VAGUE),
    "NOWORD": r"[a-z\d'-]+",
    "SAYINGS": "|".join(_WORDS["sayings"]),
}  # fmt: skip
_PIECES = in_pieces(_WRITTEN["pieces"], _LISTS)
_LISTS |= {
    "OPEN": "|".join(in_full(pattern, _PIECES) for pattern in _WORDS["open"]),
}


def _number(word: str) -> float:
    """Return the value of a count: digits, words, "a", "half a", "one and a half"."""
    whole = word.strip().removesuffix(" and a half")
    if whole in ("half a", "half an", "a half"):
        return 0.5
    if whole.endswith("hundred"):
        return 100
    count = {"a": 1, "an": 1}.get(whole) or ENGLISH_CARDINALS.get(whole.replace(" ", "-"))
    return (float(whole) if count is None else count) + (0.5 if word.endswith(" half") else 0)


def _unit(word: str) -> tuple[Unit, float]:
    """Return a unit and its factor: a fortnight is two weeks, a second is 1/60 of a minute."""
    word = word.strip().removesuffix("'").removesuffix("'s")
    if word.startswith(("business", "work")):
        return "workday", 1
    if word.startswith("fortnight"):
        return "week", 2
    if word.startswith("centur"):
        return "year", 100
    if word.startswith("sec"):
        return "minute", 1 / 60
    return lexicon.UNITS[word], 1


_UNIT_ALONE = re.compile(in_full("<UNIT>(?![a-z])", _PIECES))
_PART_OF_LENGTH = re.compile(
    in_full("(?P<n><N>)[ -]?(?:<LONG> )?(?P<unit><UNIT>)(?P<half> and a half)?", _PIECES)
)


def _length(text: str) -> Amount:
    """Return a length of time: "an hour and a half", "2 years 1 month 21 days", "week"."""
    parts = []
    for part in _PART_OF_LENGTH.finditer(f"a {text}" if _UNIT_ALONE.match(text) else text):
        unit, factor = _unit(part["unit"])
        parts.append(amount((_number(part["n"]) + (0.5 if part["half"] else 0)) * factor, unit))
    return reduce(Amount.plus, parts)


def _day(word: str) -> int:
    word = word.removeprefix("the ").lstrip("0")
    return (
        int(word)
        if word.isdecimal()
        else ENGLISH_ORDINALS.get(word.replace(" ", "-")) or int(_number(word))
    )


def _year(word: str) -> int:
    word = word.strip(" ,").removeprefix("of ").removeprefix("in ").strip()
    if word[0] == "'":
        return (2000 if word[1:] < "50" else 1900) + int(word[1:])
    if word.isdecimal():
        return int(word)
    return 2000 + int(ENGLISH_CARDINALS[word.removeprefix("twenty ").replace(" ", "-")])


def _dated(reading: TimeSpec, match: re.Match[str]) -> TimeSpec:
    """Return a reading with the year and the weekend of its match."""
    if match["year"]:
        reading = replace(reading, year=("abs", _year(match["year"])), manner=None)
        if reading.through is not None:
            reading = replace(reading, through=replace(reading.through, year=reading.year))
    return (
        replace(reading, weekend=True)
        if match.re.groupindex.get("weekend") and match["weekend"]
        else reading
    )


# ------------------------------------------------------------------------------------ counted times


def _counted(match: re.Match[str]) -> TimeSpec:
    """Return the reading of "two days ago", "in 10 minutes", "two days before yesterday"."""
    groups = match.groupdict()
    shift = lexicon.DAYS.get(groups.get("day") or "", 0)
    sign = -1 if groups.get("back") or groups.get("base") == "before" else 1
    base = TimeSpec(shift=shift) if shift else None
    return TimeSpec(offset=Offset(sign, _length(match["length"]), base))


def _guess(match: re.Match[str]) -> TimeSpec:
    """Return the reading of a vague count: "a few weeks ago", "in two or three days"."""
    groups = match.groupdict()
    direction: Direction = "past" if groups.get("back") else "future"
    words = match["words"].rstrip("'")
    coarse = re.search(r"\b(?:hour|hr|min)", words) is None
    if (groups.get("in") or "").startswith("within"):
        words = f"within {words}"
    return TimeSpec(vague=direction, vague_amount=words if coarse else None)


def _from(match: re.Match[str]) -> TimeSpec:
    """Return the reading of a head with an offset: "two weeks after Christmas".

    The base is empty; it is filled with the time that follows.
    """
    groups = match.groupdict()
    length = _length(groups.get("length") or "day")
    base = Offset(-1 if match["way"] == "before" else 1, length, TimeSpec())
    return TimeSpec(offset=base, part=lexicon.PARTS.get(groups.get("part") or ""))


def _lasting(match: re.Match[str]) -> TimeSpec:
    """Return the reading of the head of "3 days starting next Monday".

    It has the length, counted from the time that follows.
    """
    return TimeSpec(
        through=TimeSpec(offset=Offset(1, _length(match["length"] or match["for"]), TimeSpec()))
    )


def _made_stretch(length: Amount, unit: Unit, step: int) -> TimeSpec:
    if unit in ("quarter", "decade", "weekend"):
        return TimeSpec(stretch=Stretch("aligned", step, replace(length, unit=unit)))
    return TimeSpec(stretch=Stretch("past" if step < 0 else "next", step, length))


def _step(word: str) -> int:
    """Return the step of this (0), last (-1) or next (1).

    "This past" and "this coming" have the step of their second word.
    """
    return lexicon.MODIFIERS[word.rpartition(" ")[2]]


def _stretch(match: re.Match[str]) -> TimeSpec | None:
    step = _step(match["mod"])
    if not step:
        return None
    if match["couple"]:
        unit, factor = _unit(match["unit"])
        return _made_stretch(amount(2 * factor, unit), unit, step)
    if words := match["words"]:
        known = " " in words or words in ("days", "weeks", "months", "years")
        return (
            TimeSpec(vague="past" if step < 0 else "future", vague_amount=f"the {words}")
            if known
            else None
        )
    length = _length(match["length"])
    return (
        None
        if match["length"].startswith(("a ", "an "))
        else _made_stretch(length, length.unit, step)
    )


def _stretch_after(match: re.Match[str]) -> TimeSpec:
    unit, factor = _unit(match["unit"])
    return _made_stretch(amount(_number(match["count"]) * factor, unit), unit, _step(match["mod"]))


# --------------------------------------------------------------------------------- this, last, next


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
    step, manner = _step(match["mod"]), match["mod"]
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
                day=_day(match["day"]) if match["day"] else None,
            ),
            step,
        )
    if match["season"]:
        return _pointed(TimeSpec(season=lexicon.SEASONS[match["season"]]), step)
    return _pointed(_feast(match), step) if " " not in manner or step else None


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
    mod, unit, step = match["mod"].rpartition(" ")[2], match["unit"], _step(match["mod"])
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


# -------------------------------------------------------------------------------------------- heads


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
    unit: Unit = "day" if weekday is not None else _unit(match["unit"])[0]
    if match["count"]:
        count = int(_number(match["count"]))
        return (
            TimeSpec(ordinal=Ordinal(count, unit, "last" if match["last"] else "first"))
            if not match["nth"]
            else None
        )
    nth = _day(match["nth"]) if match["nth"] else 1
    return TimeSpec(ordinal=Ordinal(nth, unit, "nth_last" if match["last"] else "nth", weekday))


_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def _quarter(match: re.Match[str]) -> TimeSpec:
    word = match["number"]
    reading = TimeSpec(quarter=("abs", _QUARTERS.get(word) or int(word[0])), manner="bare")
    return _dated(reading, match) if "year" in match.re.groupindex else reading


# -------------------------------------------------------------------------------------------- dates


def _month_day(first: str, second: str) -> TimeSpec | None:
    month, day = int(first), int(second)
    return (
        TimeSpec(month=("abs", month), day=day, manner="bare")
        if day <= longest_month(month)
        else None
    )


def _slash(match: re.Match[str]) -> TimeSpec | None:
    month, day = (number for number in match.groups() if number)
    return _month_day(month, day) if int(month) <= 12 else _month_day(day, month)


def _date(match: re.Match[str]) -> TimeSpec | None:
    """Return the reading of "March 5", "5th of March", "March 5 to 8, 2024", "3 to 12 of March".

    Return None for a day that the month does not have.
    """
    month, day = lexicon.MONTHS[match["month"]], _day(match["day"])
    if not 1 <= day <= longest_month(month):
        return None
    reading = TimeSpec(month=("abs", month), day=day, manner="bare")
    until = _day(match["until"]) if match.groupdict().get("until") else 0
    if until > day and until <= longest_month(month):
        reading = replace(reading, through=replace(reading, day=until))
    return _dated(reading, match)


def _days(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(day=_day(match["day"]), manner="bare")


def _month(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(month=("abs", lexicon.MONTHS[match["month"]]), manner="bare")


def _day_of_this_month(match: re.Match[str]) -> TimeSpec:
    if match["mod"] == "the":
        return TimeSpec(day=_day(match["day"]), manner="bare")
    return TimeSpec(
        month=("rel", lexicon.MODIFIERS[match["mod"].removeprefix("the ")]), day=_day(match["day"])
    )


def _feast(match: re.Match[str]) -> TimeSpec:
    key, label = lexicon.HOLIDAYS[match["feast"]]
    return TimeSpec(holiday=key, holiday_name=label, manner="bare")


def _weekday(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(weekday=lexicon.WEEKDAYS[match["weekday"].rstrip(".")], manner="bare")


# -------------------------------------------------------------------------------------------- hours


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
    return int(ENGLISH_CARDINALS[hour_word]), int(_number(minutes)) if minutes else 0


def _half_of(word: str | None) -> str:
    found = re.search(r"([ap])(?:\.?m|$)", word or "")
    return found[1] if found is not None else ""


def _clock(match: re.Match[str]) -> TimeSpec | None:
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


def _spoken(match: re.Match[str]) -> TimeSpec | None:
    """Return the reading of "half past seven", "ten to nine", British "half eight"."""
    if match["hour2"]:
        return TimeSpec(clock=made_clock(int(_number(match["hour2"])), 30, ""))
    minutes = {"half": 30, "quarter": 15}.get(match["minutes"]) or int(_number(match["minutes"]))
    clock = made_clock(int(_number(match["hour"])), 0, _half_of(match["half"]))
    total = clock.hour * 60 + (minutes if match["link"] == "past" else -minutes)
    return (
        TimeSpec(clock=Clock(total // 60 % 24, total % 60, clock.known)) if minutes < 60 else None
    )


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
    "slash": _slash,
    "absolute_year": lambda m: TimeSpec(year=("abs", int(m["year"]))),
    "vague": lambda m: TimeSpec(vague=_VAGUE[" ".join(m.group().split())]),
    "now": _reading(now=True),
    "ago": _counted,
    "weekdays_ago": lambda m: TimeSpec(
        weekday=lexicon.WEEKDAYS[m["weekday"]], week=-int(_number(m["count"])), manner="past"
    ),
    "guess": _guess,
    "guess_ahead": _guess,
    "within": lambda m: TimeSpec(stretch=Stretch("within", 1, _length(m["length"]))),
    "in_length": _counted,
    "day_before": _day_before,
    "step": lambda m: _stepped(m["unit"], -2 if m["back"] else 2),
    "day_from": _from,
    "from": _from,
    "lasting": _lasting,
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
    "stretch": _stretch,
    "stretch_after": _stretch_after,
    "this_day": _this_day,
    "this_part": _this_part,
    "this_unit": _this_unit,
    "unit_of": lambda m: _stepped(m["unit"], 0),
    "to_date": _to_date,
    "day": _day_word,
    "days_of_month": _date,
    "date": _date,
    "day_of_month": _date,
    "month_year": lambda m: _dated(_month(m), m),
    "feast": lambda m: _dated(_feast(m), m) if "year" in m.re.groupindex else _feast(m),
    "month": _month,
    "day_of_this_month": _day_of_this_month,
    "days": _days,
    "number": lambda m: TimeSpec(day=_day(m["day"] or m["alone"]), manner="bare"),
    "day_number": _days,
    "weekday_number": lambda m: replace(_weekday(m), day=_day(m["day"]), manner=None),
    "weekday": _weekday,
    "weekend": _reading(weekend=True, manner="bare"),
    "season": lambda m: _dated(TimeSpec(season=lexicon.SEASONS[m["season"]]), m),
    "quarter": _quarter,
    "noon": lambda m: TimeSpec(clock=Clock(0 if "midnight" in m.group() else 12)),
    "clock_between": _clock,
    "clock": _clock,
    "spoken": _spoken,
    "part": lambda m: TimeSpec(part=lexicon.PARTS[m["part"]]),
}
"""The builders by token name. A token without a builder only looks like a time and is skipped."""

_PATTERNS = {
    name: in_full(pattern, _PIECES | _LISTS) for name, pattern in _WRITTEN["tokens"].items()
}
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
        for phrase in (*lexicon.HOLIDAYS, *_VAGUE, *(" ".join(words) for words in lexicon.NOW))
    ),
)
_BEGINS = (
    rf"(?<![a-z\d_])(?=\d|(?!an?\b[^ ])(?:{_STARTS})s?(?![a-z]))(?<![a-z]')(?<!\d[.,:/]){BEGINS}"
)
TOKENS = Tokens(_PATTERNS, _BUILDERS, "", begins=_BEGINS, ends=ENDS)
