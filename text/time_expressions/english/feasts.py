"""English feasts, seasons, quarters, weekends and numbered weeks."""

from __future__ import annotations

from dataclasses import replace

from ...word_lists import word_list
from ..numerals import ENGLISH_ORDINALS
from ..reading import Reading
from .dates import Dates
from .lexicon import DAYS, FUNCTION_WORDS, HELD, HOLIDAY_STARTS, HOLIDAYS, MODIFIERS, PARTS, SEASONS
from .words import Parsed

_OF_ONE = word_list("the a an my our your his her their this that every each")
_OF_DAY = frozenset({"clock", "part", "weekday"})


class Feasts(Dates):
    """Parsers of feasts, seasons, quarters, weekends and numbered weeks."""

    def weekend(self, index: int) -> Parsed | None:
        """Parse "the weekend", "on the weekend", "the weekend of 5 May"."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) not in ("weekend", "wkend", "wknd"):
            return None
        if self.word(start - 1) in ("a", "that", "every", "each", "long", "any", "'s", "whole", "of") or self.word(start + 1) in (
            "trip", "warrior", "getaway", "plans", "job", "project", "vibes", "break", "edition", "shift",
        ):  # fmt: skip
            return None
        if self.word(start + 1) == "of":
            inner = self.expression(start + 2)
            if inner is not None:
                return (inner[0], inner[1]) if inner[0].absolute else (replace(inner[0], weekend=True), inner[1])
            return None
        if (
            self.word(start - 1) not in ("the", "on", "this", "over", "for", "during")
            and self.word(start - 1) not in FUNCTION_WORDS
            and start
        ):
            return None
        return Reading(weekend=True, manner="bare"), start + 1

    def week_of(self, index: int) -> Parsed | None:
        """Parse "the week of April 10th" and "the week of 2026-02-16 to 2026-02-22"."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) != "week":
            return None
        at = start + 1
        if self.word(at) == "of":
            inner = self.expression(at + 1 + (self.word(at + 1) == "the"))
            if inner is None or inner[0].day is None:
                return None
            if inner[0].absolute:
                return inner
            if inner[0].month is not None and inner[0].week is None and inner[0].through is None and not inner[0].slots & _OF_DAY:
                return replace(inner[0], week=0), inner[1]
        return None

    def clock_follows(self, index: int) -> bool:
        """Return True if a clock time begins at a word: "8 p.m.", "10:20"."""
        word = self.word(index)
        return word[:1].isdecimal() and "-" not in word and (":" in word or bool(self.clock_suffix(index + 1)[0]))

    def holiday_words(self, index: int) -> tuple[str, str, int] | None:
        """Return a feast's key, name and the index after it; the longest name wins."""
        if self.word(index) not in HOLIDAY_STARTS:
            return None
        for size in (4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in HOLIDAYS:
                return *HOLIDAYS[key], index + size
        return None

    def holiday(self, index: int) -> Parsed | None:
        """Parse a feast, with its year if given: "Christmas", "Easter 2024"."""
        feast = self.holiday_words(index)
        if feast is None:
            return None
        key, label, after = feast
        year = self.year_after(after)
        if year is not None:
            return Reading(holiday=key, holiday_name=label, year=("abs", year[0])), year[1]
        if self.word(after) in ("weekend",):
            return Reading(holiday=key, holiday_name=label, weekend=True, manner="bare"), after + 1
        if self.word(after) == "'s":
            return None
        following = self.word(after)
        led_by_on = self.word(index - 1) in ("on", "before", "after")
        if self.capital(after) and following.isalpha() and (led_by_on or index == 0) and following not in FUNCTION_WORDS:
            # "Easter Monday Sheila is …" may be a day, "Easter Bunny" is none
            return Reading(holiday=key, holiday_name=label, manner="bare", firm=None if led_by_on else False), after
        noun = following.removesuffix("'s")
        if noun in HELD and self.word(index - 1) not in _OF_ONE:
            return Reading(holiday=key, holiday_name=label, manner="bare", firm=False), after  # "Thanksgiving dinner is at ours"
        if (
            noun.isalpha()
            and noun not in FUNCTION_WORDS
            and following not in MODIFIERS
            and following not in DAYS
            and (following not in PARTS and following not in ("early", "late"))
        ):
            return None
        if key == "new_year" and label == "New Year" and self.word(index - 1) in ("the", "a", "happy"):
            return None
        if self.word(index - 1) in ("happy", "merry", "a", "an") or (key == "epiphany" and not self.capital(index)):
            return None
        return Reading(holiday=key, holiday_name=label, manner="bare"), after

    def season(self, index: int) -> Parsed | None:
        """Parse a season with its year: "summer 2024", "the summer of last year". A season without a year is not a date."""
        start = index + 1 if self.word(index) == "the" else index
        name = SEASONS.get(self.word(start))
        if name is None:
            return None
        year = self.year_after(start + 1)
        if year is not None:
            return Reading(season=name, year=("abs", year[0])), year[1]
        if self.word(start + 1) == "of":
            inner = self.modified(start + 2)
            if inner is not None and inner[0].year is not None and inner[0].slots == {"year"}:
                return Reading(season=name, year=inner[0].year), inner[1]
        return None

    def quarter(self, index: int) -> Parsed | None:
        """Parse "Q2", "Q2 2025", "the second half of last year"."""
        word = self.word(index)
        if word == "q" and self.touches(index + 1) and self.word(index + 1) in ("1", "2", "3", "4"):
            number = int(self.word(index + 1))
            year = self.year_after(index + 2)
            if year is not None:
                return Reading(quarter=("abs", number), year=("abs", year[0])), year[1]
            return Reading(quarter=("abs", number), manner="bare"), index + 2
        start = index + 1 if word == "the" else index
        nth = ENGLISH_ORDINALS.get(self.word(start), 9)
        if start > index and nth <= 4 and self.word(start + 1) == "quarter" and self.word(start + 2) != "of":
            return Reading(quarter=("abs", nth), manner="bare", firm=False), start + 2  # of a year, or of a game
        if (
            self.word(start) in ("first", "second", "1st", "2nd")
            and self.word(start + 1) == "half"
            and self.word(start + 2) == "of"
        ):
            inner = self.expression_in(start + 3)
            which = 1 if self.word(start) in ("first", "1st") else 2
            if inner is not None and inner[0].slots == {"year"}:
                return replace(inner[0], half=(which, "year")), inner[1]
            if inner is not None and inner[0].month is not None and inner[0].day is None and inner[0].edge is None:
                return replace(inner[0], half=(which, "month")), inner[1]
        return None
