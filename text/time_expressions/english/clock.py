"""English clock times and parts of the day."""

from __future__ import annotations

import re

from ...word_lists import word_list
from ..numerals import ENGLISH_CARDINALS
from ..reading import Clock, Reading
from .lexicon import DAYS, FUNCTION_WORDS, MODIFIERS, PARTS, TONIGHT, UNITS, WEEKDAYS
from .words import Parsed, Words

_HOUR_DOT_MINUTE = re.compile(r"\d{1,2}\.[0-5]\d")
_SPOKEN_MINUTES = (10, 15, 20, 30, 40, 45, 50)
_DAY_AFTER_HALF = word_list("on this") | TONIGHT | DAYS.keys() | WEEKDAYS.keys()
CLOCK_PREPOSITIONS = word_list("at around about from between @ by")
_BEFORE_DOTTED = CLOCK_PREPOSITIONS | DAYS.keys() | TONIGHT | PARTS.keys() | WEEKDAYS.keys()
_NO_NOUN = FUNCTION_WORDS | DAYS.keys() | TONIGHT | PARTS.keys() | WEEKDAYS.keys() | MODIFIERS.keys()
"""Words that may follow "at 5"; any other noun is a count ("5 cats")."""


class Clocks(Words):
    """Parsers of clock times and parts of the day."""

    def hour(self, index: int) -> tuple[int, int, int] | None:
        """Return an hour and minute in digits or words, and the index after them: "7", "7:30", "seven thirty"."""
        word = self.word(index)
        if ":" in word and "-" not in word and word[0].isdecimal():
            parts = [int(part) for part in word.split(":")]
            return (parts[0], parts[1], index + 1) if parts[0] < 25 and parts[1] < 60 else None
        if word.isdecimal() and len(word) <= 2:
            hour = int(word)
            return (hour, 0, index + 1) if hour <= 24 else None
        if word.isdecimal() and len(word) in (3, 4) and self.clock_suffix(index + 1)[0]:
            hour, minute = divmod(int(word), 100)
            return (hour, minute, index + 1) if hour <= 12 and minute < 60 else None
        if _HOUR_DOT_MINUTE.fullmatch(word) and (self.clock_suffix(index + 1)[0] or self.word(index - 1) in _BEFORE_DOTTED):
            hour, minute = (int(part) for part in word.split("."))
            return hour, minute, index + 1
        value = ENGLISH_CARDINALS.get(word)
        if value is None or not 1 <= value <= 12:
            return None
        tens = ENGLISH_CARDINALS.get(self.word(index + 1), 0)
        if tens in _SPOKEN_MINUTES or 20 < tens < 60:
            return int(value), tens, index + 2
        if self.word(index + 1) == "-" and ENGLISH_CARDINALS.get(self.word(index + 2), 0) in _SPOKEN_MINUTES:
            return int(value), ENGLISH_CARDINALS[self.word(index + 2)], index + 3
        return int(value), 0, index + 1

    def clock(self, index: int, after_day: bool = False) -> Parsed | None:
        """Parse a clock time or a range: "5 pm", "9:30 to 11". Without am, pm or a colon only `after_day` ("tomorrow at 5")."""
        word = self.word(index)
        if not word:
            return None
        if word in ("noon", "midnight", "midday"):
            return Reading(clock=Clock(0 if word == "midnight" else 12)), index + 1
        if word == "12" and self.word(index + 1) in ("noon", "midnight"):
            return Reading(clock=Clock(12 if self.word(index + 1) == "noon" else 0)), index + 2
        spoken = self.spoken_clock(index)
        if spoken is not None:
            return spoken
        begin = self.hour(index)
        if begin is None:
            return None
        hour, minute, at = begin
        suffix, at = self.clock_suffix(at)
        firm = bool(suffix) or ":" in word
        if self.word(at) in ("o'clock", "oclock") or (":" in word and self.word(at) in ("hrs", "hours")):
            at, firm = at + 1, True
            suffix, at = (suffix, at) if suffix else self.clock_suffix(at)
        until: Clock | None = None
        link = self.word(at)
        if link in ("to", "-", "–", "until", "till", "til") or (link == "and" and self.word(index - 1) == "between"):
            end = self.hour(at + 1)
            if end is not None:
                other, end_at = self.clock_suffix(end[2] + (":" in self.word(at + 1) and self.word(end[2]) == "hrs"))
                if other or firm or after_day:
                    until = self.made_clock(end[0], end[1], "pm" if other == suffix == "am" and end[0] == 12 else other)
                    if not suffix and other:
                        same_half = hour % 12 <= end[0] % 12 or other == "am"
                        suffix = other if same_half else "am" if hour < 12 else ""
                    at, firm = end_at, firm or bool(other)
        if not firm and not after_day:
            return None
        if not firm and (word in ENGLISH_CARDINALS or word.isdecimal()):
            following = self.word(at)
            if self.word(index - 1) not in CLOCK_PREPOSITIONS and until is None and not self.part_follows(at):
                return None
            is_noun = following.isalpha() and following not in _NO_NOUN
            if following in UNITS or following in ("people", "times", "%", "of") or is_noun:
                return None
        return Reading(clock=self.made_clock(hour, minute, suffix), clock_until=until), at

    def part_follows(self, index: int) -> bool:
        """Return True if "in the morning", "in the evening" … begins at a word."""
        return self.word(index) == "in" and self.word(index + 1) == "the" and self.word(index + 2) in PARTS

    @staticmethod
    def made_clock(hour: int, minute: int, suffix: str) -> Clock:
        """Return a clock time; without am or pm an hour from 1 to 12 is ambiguous (`known` is False)."""
        if suffix:
            return Clock(hour % 12 + (12 if suffix == "pm" else 0) if hour <= 12 else hour, minute)
        return Clock(hour, minute, known=hour > 12 or hour == 0)

    def spoken_clock(self, index: int) -> Parsed | None:
        """Parse a spoken clock time: "half past seven", "quarter to eight", "twenty past 8", "ten to nine"."""
        at = index
        if self.word(at) == "a" and self.word(at + 1) == "quarter":
            at += 1
        minutes: float | None = {"half": 30, "quarter": 15}.get(self.word(at))
        if minutes is not None:
            at += 1
        else:
            counted = self.number(at)
            if counted is None or counted[0] is None or self.word(at) in ("a", "an") or not 0 < counted[0] < 60:
                return None
            minutes, at = counted
            at += self.word(at) in ("minutes", "min", "mins", "minute")
        link = self.word(at)
        number = int(link) if link.isdecimal() else int(ENGLISH_CARDINALS.get(link, 0))
        fits = self.word(at + 1) in _DAY_AFTER_HALF or (self.word(index - 1) in CLOCK_PREPOSITIONS and self.unit(at + 1) is None)
        if fits and minutes == 30 and at == index + 1 and 1 <= number <= 12:
            return Reading(clock=self.made_clock(number, 30, "")), at + 1  # British: "half eight tonight"
        if link != "past":
            if link not in ("to", "after", "till") or minutes not in (5, 10, 15, 20, 25) or self.word(at - 1).isdecimal():
                return None
            if link == "to" and self.word(index - 1) == "from" and self.word(at - 1) != "quarter":
                return None
        hour = self.hour(at + 1)
        if hour is None or not 1 <= hour[0] <= 12 or minutes is None:
            return None
        suffix, end = self.clock_suffix(hour[2])
        if self.word(end) in ("o'clock", "oclock"):
            end += 1
        if not suffix and link == "to" and self.word(end) in UNITS:
            return None
        clock = self.made_clock(hour[0], 0, suffix)
        total = clock.hour * 60 + (int(minutes) if link in ("past", "after") else -int(minutes))
        return Reading(clock=Clock(total // 60 % 24, total % 60, clock.known)), end

    def part(self, index: int) -> Parsed | None:
        """Parse a part of the day: "morning", "late afternoon"."""
        at = index + (self.word(index) in ("early", "late"))
        part = PARTS.get(self.word(at))
        return (Reading(part=part), at + 1) if part is not None and self.word(at) != "eve" else None
