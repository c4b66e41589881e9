"""Judgement of English time expressions in their clauses: which ones mean a single time."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from ...word_lists import word_list
from .. import tense as verbs
from ..engine import Beside, FoldedText, not_understood
from ..reading import (
    BARE_WEEKDAY,
    DAY_OF_WEEK,
    TIME_OF_DAY,
    Clock,
    Tense,
    TimeSpec,
    TimeToken,
    is_absolute,
    open_hour,
)
from . import lexicon as lexicon
from .joining import is_head

_DAY_NUMBER = frozenset({"day", "manner"})
_BY_TENSE = DAY_OF_WEEK | {"month", "day", "ordinal"}
"""Slots of a time whose day is determined only by the tense: "in June", "on Tuesday at 8"."""
_NAMED = BARE_WEEKDAY | {"month", "day"}
_NEVER_CAPITAL = (
    lexicon.TONIGHT | lexicon.DAYS.keys() | word_list("now currently recently lately soon")
)
_AFTER_FEAST = (
    lexicon.FUNCTION_WORDS | lexicon.MODIFIERS.keys() | lexicon.DAYS.keys() | lexicon.PARTS.keys()
)
_AFTER_FEAST |= {"", "early", "late"}
_NEXT_WORD = re.compile(r"[ -]([A-Za-z']+)")


@dataclass(frozen=True)
class _Place:
    """An expression in its context."""

    said: FoldedText
    item: TimeToken
    earlier: TimeToken | None

    @cached_property
    def tense(self) -> Tense:
        """The tense of the clause; if it has none, "future" if the sentence is in the future."""
        own = verbs.english_tense(self.said.spoken, self.item.start, self.item.end)
        return "future" if own == "none" and self.around == "future" else own

    @cached_property
    def around(self) -> Tense:
        """The tense of the sentence."""
        return verbs.english_sentence_tense(self.said.spoken, self.item.start, self.item.end)

    @cached_property
    def words(self) -> str:
        """The expression in lower case."""
        return self.said.low[self.item.start : self.item.end]

    @cached_property
    def next_word(self) -> str:
        """The word after the expression without its ending in 's, or ""."""
        found = _NEXT_WORD.match(self.said.text, self.item.end)
        return found[1].partition("'")[0] if found is not None else ""

    def is_habit(self) -> bool:
        """Return True if the clause describes a habit."""
        return verbs.is_english_habit(self.said.spoken, self.item.start, self.item.end)

    def before(self, name: str) -> bool:
        """Return True if the text before the expression matches the pattern `name` of `AROUND`."""
        start = self.item.start
        return lexicon.AROUND[name].search(self.said.low, max(0, start - 60), start) is not None

    def after(self, name: str) -> bool:
        """Return True if the text after the expression matches the pattern `name` of `AROUND`."""
        return lexicon.AROUND[name].match(self.said.low, self.item.end) is not None


def judge(
    said: FoldedText, item: TimeToken, earlier: TimeToken | None, beside: Beside
) -> TimeToken | None:
    place, reading = _Place(said, item, earlier), item.reading
    dated = earlier is not None and is_absolute(earlier.reading)
    if (
        dated
        and place.tense == "past"
        and (_is_ahead(reading) or (not reading.slots and place.words.startswith("the ")))
    ):
        return None  # "On 2026-02-10 he left, two days later he called": counted from that day
    if not reading.slots:
        return None if place.is_habit() else item
    if _is_no_time(place) or _is_named(place) or is_head(reading) or _is_habitual(place):
        return None
    meant = _meant(place)
    if meant is None or not item.understood or _is_unsure(place, meant):
        return not_understood(item)
    return replace(item, reading=_in_its_half(place, meant), tense=_direction(place))


def _is_no_time(place: _Place) -> bool:
    """Return True if an expression only looks like a time in its context.

    Examples: "it's Monday", "an Easter egg", "5 in a day".
    """
    reading, slots, words = place.item.reading, place.item.reading.slots, place.words
    if slots == {"part"}:
        return not words.startswith("in the ") or place.tense == "none"
    if slots <= BARE_WEEKDAY | {"part"} and place.before("no_weekday"):
        return True
    if (
        slots <= _NAMED
        and reading.manner == "bare"
        and (place.before("liked") or place.after("favourite"))
    ):
        return True  # "I love October", "have you watched Wednesday", "May is her favourite month"
    if reading.holiday is not None and slots == _DAY_NUMBER:  # before a noun: "an Easter egg"
        return place.next_word.islower() and place.next_word not in _AFTER_FEAST | lexicon.HELD
    if words.startswith("in ") and slots <= {"offset", "vague"} and place.before("lasted"):
        return True
    return (
        words.startswith("the ")
        and len(words) < 12
        and slots <= {"week", "month", "year"}
        and place.before("of")
    )


def _is_named(place: _Place) -> bool:
    """Return True if an expression is part of a name or title.

    Examples: "Now" in mid-sentence, "called Sunday", "Friday Harbor".
    """
    text, item = place.said.text, place.item
    words = text[item.start : item.end].split()
    first, capitals = words[0].lower(), all(word[:1].isupper() for word in words)
    if capitals and text[max(0, item.start - 40) : item.start].rstrip(" \t")[-1:].isalnum():
        title = len(words) > 1 and first in lexicon.MODIFIERS and not place.before("leads")
        if title or (first in _NEVER_CAPITAL and words[0].istitle()):
            return True
    if (
        not item.reading.slots <= {"weekday", "month", "manner", "part"}
        or item.reading.day is not None
    ):
        return False
    if place.before("named"):
        return True
    word = place.next_word.lower()
    known = (
        word in lexicon.MONTHS
        or word in lexicon.PRONOUNS
        or word in lexicon.MODIFIERS
        or word in lexicon.PARTS
    )
    return (
        capitals
        and place.next_word[:1].isupper()
        and not known
        and text[item.end] == " "
        and not place.before("led_by_on")
    )


def _is_habitual(place: _Place) -> bool:
    """Return True if an expression means no single time.

    Examples: "on Friday I usually run", "her birthday is on March 3rd".
    """
    reading = place.item.reading
    if reading.slots <= TIME_OF_DAY:
        return place.earlier is not None or place.is_habit()
    if reading.manner != "bare" or reading.year is not None:
        return False
    if place.is_habit() and not place.before("begins"):
        return True
    return reading.month is not None and reading.through is None and place.before("anniversary")


def _is_unsure(place: _Place, meant: TimeSpec) -> bool:
    """Return True if the clause does not determine which instance of a name is meant."""
    reading, slots, tense = place.item.reading, place.item.reading.slots, place.tense
    bare = reading.manner == "bare" and reading.year is None
    numbered = bare and meant.month is None and reading.day is not None and slots <= _DAY_NUMBER
    monthly = numbered or (reading.ordinal is not None and place.words.endswith(" the month"))
    if tense == "none" and (monthly or slots <= TIME_OF_DAY):
        return True  # it may be on every day or in every month: "I get paid on the 25th"
    if (
        reading.holiday is not None
        and slots == _DAY_NUMBER
        and place.next_word.lower() in lexicon.HELD
    ):
        return True  # "Easter lunch is at ours"
    if slots == BARE_WEEKDAY and place.before("by_weekday") and place.after("names_thing"):
        return True
    if _is_ahead(reading):  # counted from now or from a narrated day: "a few days later she called"
        later = (
            place.words.endswith(" later")
            and tense != "future"
            and not (reading.offset and reading.offset.amount.minutes)
        )
        return later or (
            tense == "past" and not place.words.endswith(("now", "today", "tomorrow", "hence"))
        )
    if tense == "past":
        by_tense = bare and reading.shift is None and reading.week is None and slots <= _BY_TENSE
        return by_tense and verbs.is_arranged(place.said.low, place.item.start)
    return tense == "none" and bare and slots <= _BY_TENSE and place.around == "past"


def _is_ahead(reading: TimeSpec) -> bool:
    """Return True for a time that is counted forward: "in two weeks", "within a month", "soon"."""
    counted = reading.offset is not None and reading.offset.base is None and reading.offset.sign > 0
    return (
        counted
        or reading.vague == "future"
        or (reading.stretch is not None and reading.stretch.direction == "within")
    )


def _meant(place: _Place) -> TimeSpec | None:
    """Return the reading of a bare name after the day that was named before it.

    "I fly next Thursday, back on Sunday": the first Sunday after that day. "From 3 December, back
    on the 7th": the 7th of that month. Return None if the name is ambiguous.
    """
    reading, earlier = place.item.reading, place.earlier
    if (
        earlier is None
        or reading.manner not in (None, "bare")
        or reading.slots <= TIME_OF_DAY
        or reading.through
    ):
        return reading
    told = earlier.reading
    dated = told.month is not None and told.day is not None
    if reading.weekday is not None and reading.slots <= DAY_OF_WEEK:
        if (
            told.week is None
            or told.weekday is None
            or place.tense == ("future" if told.week < 0 else "past")
        ):
            return None if told.week or dated else reading
        return (
            replace(reading, week=told.week, manner=None)
            if reading.weekday > told.weekday
            else None
        )
    if reading.slots <= _DAY_NUMBER and told.month is not None:
        later = (told.day or 31) < (reading.day or 0)
        return (
            replace(reading, month=told.month, year=told.year, manner=told.manner)
            if later
            else None
        )
    of_year = told.year not in (None, ("rel", 0))
    return None if of_year and reading.month is not None and reading.year is None else reading


def _in_its_half(place: _Place, reading: TimeSpec) -> TimeSpec:
    """Return a reading with its open hour in the half of the day that the activity shows.

    Example: "I woke up at 7:30".
    """
    clock = open_hour(reading)
    if clock is None:
        return reading
    if place.before("morning"):
        return replace(reading, clock=replace(clock, known=True))
    late = clock.hour > 7 and place.before("bedtime")
    return replace(reading, clock=Clock(clock.hour + 12, clock.minute)) if late else reading


def _direction(place: _Place) -> Tense:
    """Return the tense that selects one of several instances of a name."""
    reading, tense = place.item.reading, place.tense
    if tense == "none" and (reading.ordinal is not None or reading.holiday is not None):
        return "future"
    dated = reading.day is not None or reading.holiday is not None
    return "perhaps past" if tense == "past" and reading.manner == "bare" and dated else tense
