"""Readings: the fields of a time expression before it is resolved at a reference time.

Grammars (`chinese`, `english`) convert words to readings; `resolution` converts a reading, a
reference and a tense to days or minutes. A reading with a given year is absolute. The grammars do
not report it, but they recognise it, so that the words around it (its clock time, its weekday) are
not read as relative times.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ..word_lists import by_word, word_list

Given = tuple[Literal["abs", "rel"], int]
"""A year, month or quarter: ("abs", 2026) as written, ("rel", -1) relative to the reference's."""
Unit = Literal[
    "minute", "hour", "day", "workday", "week", "weekend", "month", "quarter", "year", "decade"
]
Manner = Literal["bare", "last", "past", "next", "coming"]
"""How an instance of a recurring name (Friday, March, Christmas) is selected.

`bare`: by the tense. `last`, `next`: entirely before or after the current one. `past`, `coming`:
the nearest one, excluding today.
"""
Edge = Literal["start", "middle", "end", "earlier", "later", "rest"]
Direction = Literal["past", "now", "future"]
Tense = Literal["past", "future", "none", "perhaps past", "perhaps future"]
"""The tense of the clause around an expression.

With `perhaps`, a day in the direction of the tense is not accepted if the day in the other
direction is much nearer.
"""
Part = Literal["dawn", "morning", "noon", "afternoon", "evening", "night", "midnight"]


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. `known` is False if the hour may be a.m. or p.m. (八点, "at 7")."""

    hour: int
    minute: int = 0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time, in separate months, days, minutes and workdays.

    `unit` and `count` are those in the text.
    """

    unit: Unit
    count: float
    months: int = 0
    days: int = 0
    minutes: int = 0
    workdays: int = 0

    @property
    def simple(self) -> bool:
        """True if `count` and `unit` are the whole length, unlike in "5 years 1 month"."""
        return self.unit == "weekend" or self == replace(
            amount(self.count, self.unit), unit=self.unit
        )

    def plus(self, other: Amount) -> Amount:
        """Return the sum ("2 weeks and 2 days") with the unit of `other`."""
        months, days = self.months + other.months, self.days + other.days
        return Amount(
            other.unit,
            other.count,
            months,
            days,
            self.minutes + other.minutes,
            self.workdays + other.workdays,
        )


_IN_FINER: dict[str, tuple[str, int]] = {
    "hour": ("minutes", 60), "workday": ("workdays", 1), "week": ("days", 7), "weekend": ("days", 7),
    "quarter": ("months", 3), "year": ("months", 12), "decade": ("months", 120),
}  # fmt: skip
"""The field of `Amount` for a unit, and the size of one unit in this field."""


def amount(count: float, unit: Unit) -> Amount:
    """Return `count` of a unit; `count` may be a fraction.

    Half a month is 15 days, half a year 6 months, half a day 12 hours.
    """
    whole = int(count)
    match unit:
        case "minute":
            return Amount(unit, count, minutes=max(1, round(count)))
        case "day":
            return Amount(unit, count, days=whole, minutes=round((count - whole) * 24 * 60))
        case "month":
            return Amount(unit, count, months=whole, days=round((count - whole) * 30))
    name, factor = _IN_FINER[unit]
    return Amount(unit, count, **{name: round(count * factor)})


@dataclass(frozen=True, slots=True)
class Offset:
    """A point `amount` before (`sign` -1) or after (1) the reference or `base`."""

    sign: int
    amount: Amount
    base: TimeSpec | None = None
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """A length of time that ends or begins at the reference: "the past three days", 未来一周, 三天内."""

    direction: Literal["past", "next", "within", "remaining", "aligned"]
    sign: int
    amount: Amount


@dataclass(frozen=True, slots=True)
class Ordinal:
    """The first or last `count` units of a longer time ("first ten days of", 最后3周), or the nth."""

    count: int
    unit: Unit
    which: Literal["first", "last", "nth", "nth_last"]
    weekday: int | None = None


@dataclass(frozen=True, slots=True)
class TimeSpec:
    """The fields of one expression; None means not given."""

    year: Given | None = None
    month: Given | None = None
    day: int | None = None
    week: int | None = None
    shift: int | None = None
    weekday: int | None = None
    weekend: bool | None = None
    holiday: str | None = None
    holiday_name: str | None = None
    season: str | None = None
    season_name: str | None = None
    half: tuple[int, str] | None = None
    quarter: Given | None = None
    lunar: tuple[int, int] | None = None
    edge: Edge | None = None
    edge_name: str | None = None
    ordinal: Ordinal | None = None
    offset: Offset | None = None
    stretch: Stretch | None = None
    part: Part | None = None
    part_name: str | None = None
    clock: Clock | None = None
    clock_until: Clock | None = None
    manner: Manner | None = None
    vague: Direction | None = None
    vague_amount: str | None = None
    now: bool | None = None
    until_now: bool | None = None
    through: TimeSpec | None = None
    said_weekday: int | None = None
    """The weekday beside a date in the text. A date on another weekday is not resolved."""
    kept_slots: frozenset[str] | None = field(default=None, init=False, repr=False, compare=False)
    """Cache of `slots`."""

    @property
    def absolute(self) -> bool:
        """True if the expression needs no reference."""
        if self.offset is not None and self.offset.base is not None:
            return self.offset.base.absolute
        return self.year is not None and self.year[0] == "abs"

    @property
    def has_day(self) -> bool:
        """True if the expression names a day or a longer period, not only a time of day."""
        return bool(self.slots & _DAYLIKE)

    @property
    def slots(self) -> frozenset[str]:
        """The kinds of fields that are set."""
        if self.kept_slots is None:
            found = frozenset(
                [slot for name, slot in SLOT_NAMES if getattr(self, name) is not None]
            )
            object.__setattr__(self, "kept_slots", found)
            return found
        return self.kept_slots


@dataclass(frozen=True, slots=True)
class TimeToken:
    """A reading with its span and the tense of its clause.

    `understood` is False if only a part of the span was understood, or if its clause does not
    determine the day. Then the text is not changed and the gate reports the span.
    """

    reading: TimeSpec
    start: int
    end: int
    tense: Tense = "none"
    understood: bool = True


SLOT: dict[str, str] = by_word({
    "year": "year", "month": "month season half quarter season_name", "week": "week", "weekday": "weekday",
    "day": "day shift weekend holiday holiday_name lunar", "offset": "offset", "stretch": "stretch", "edge": "edge edge_name",
    "ordinal": "ordinal", "part": "part part_name", "clock": "clock clock_until", "manner": "manner",
    "vague": "vague vague_amount", "now": "now until_now", "through": "through",
})  # fmt: skip
SLOT_NAMES = tuple(SLOT.items())
_DAYLIKE = word_list("year month week day weekday offset stretch ordinal vague now edge")
TIME_OF_DAY = frozenset({"part", "clock"})
BARE_WEEKDAY = frozenset({"weekday", "manner"})
DAY_OF_WEEK = BARE_WEEKDAY | TIME_OF_DAY
"""Slots of a weekday with or without a part of the day or an hour."""


def plain(tense: Tense) -> Tense:
    """Return a tense without "perhaps"."""
    return "past" if tense == "perhaps past" else "future" if tense == "perhaps future" else tense


def is_absolute(reading: TimeSpec) -> bool:
    """Return True if the reading or the end of its range is absolute."""
    return reading.absolute or (reading.through is not None and reading.through.absolute)


def open_hour(reading: TimeSpec) -> Clock | None:
    """Return the clock time of a reading if no word of it shows the half of the day, else None.

    Only hours from 4 to 11 count. The words around may show the half: "I woke up at 7:30".
    """
    clock = reading.clock
    told = (
        clock is None or clock.known or reading.part is not None or reading.clock_until is not None
    )
    return clock if not told and clock is not None and 4 <= clock.hour < 12 else None
