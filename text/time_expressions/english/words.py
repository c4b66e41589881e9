"""English text split into words, with parsers of numbers, lengths of time and years."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from ...borders import LETTER
from ..numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from ..reading import Amount, Reading, Unit, amount
from ..tense import without_names
from .lexicon import CORRECTED, MODIFIERS, UNITS, WEEKDAYS

_TOKEN = re.compile(
    r"(?:twenty|thirty|forty|fifty)-(?:one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)(?![a-z])"
    rf"|(?u:[a-z]*+(?![a-z\d_]){LETTER}(?:(?!\d){LETTER})*)"  # "mañana" holds no English word
    r"|[a-z]+(?:'[a-z]+)*'?"
    r"|\d{4}-\d{1,2}-\d{1,2}(?:t\d{1,2}:\d\d(?::\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}/\d{1,2}(?:/\d{2,4})?"
    r"|2(?:nite|night|day|moro|morrow|mrw|mro|nyt)(?![a-z])|\d{1,2}(?:st|nd|rd|th)(?![a-z])|\d+(?:\.\d+)?"
    r"|[^\sa-z\d]",
    re.ASCII,
)
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ’", "abcdefghijklmnopqrstuvwxyz'")
_OWN_S = frozenset({"new year's", "valentine's", "mother's", "father's", "year's"})
_GUESS = frozenset({"or", "to", "-", "–", ","})
_PLAIN_UNITS = frozenset({"day", "week", "month", "year", "hour", "minute"})
_COUNTED_VAGUELY = frozenset({"few", "couple", "several", "some", "many", "handful"})
Parsed = tuple[Reading, int]
"""A reading and the index of the word after it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of units of time. `amount` is None if the count is vague ("a few weeks", kept in `words`); `reading` is set
    if the words are a complete expression ("two Saturdays ago")."""

    amount: Amount | None
    words: str
    after: int
    unit: Unit
    reading: Reading | None = None


class Words:
    """A text split into words. Parsers take the index of a word and return a result with the index after it, or None."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = text.translate(_LOWER)
        matches = list(_TOKEN.finditer(self.lower))
        self.words = [CORRECTED.get(word, word) for word in (match.group() for match in matches)]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self.count = len(self.words)
        self.depth = 0
        self.spoken = without_names(text, self.lower)

    def word(self, index: int) -> str:
        """Return the word at an index; the empty string outside the text."""
        return self.words[index] if 0 <= index < self.count else ""

    def words_before(self, offset: int) -> int:
        """Return the index of the word that begins at a character offset."""
        return bisect_left(self.starts, offset)

    def capital(self, index: int) -> bool:
        """Return True if the word at an index begins with a capital."""
        return 0 <= index < self.count and self.text[self.starts[index]].isupper()

    def touches(self, index: int) -> bool:
        """Return True if the word at `index` follows the previous one without a space."""
        return 0 < index < self.count and self.starts[index] == self.ends[index - 1]

    def after_the(self, index: int) -> int:
        """Return the index, or the next one if the word is "the"."""
        return index + (self.word(index) == "the")

    @staticmethod
    def at(reading: Reading | None, after: int) -> Parsed | None:
        """Return a reading with the index after it; None if the reading is None."""
        return (reading, after) if reading is not None else None

    def end_of(self, index: int) -> int:
        """Return the end of the word at an index without a possessive 's, which stays in the sentence."""
        word = self.words[index]
        if word.endswith("'s") and (word not in _OWN_S or (word == "year's" and self.word(index - 1) in MODIFIERS)):
            return self.ends[index] - 2
        return self.ends[index] - 1 if word.endswith("s'") and word[:-2] not in _PLAIN_UNITS else self.ends[index]

    def number(self, index: int) -> tuple[float | None, int] | None:
        """Parse a count: digits, words, "a", "half a", "one and a half". The value is None for "a few", "a couple of"."""
        word = self.word(index)
        if word == "half":
            if self.word(index + 1) in ("a", "an"):
                return 0.5, index + 2
            return None
        if word == "a" and self.word(index + 1) == "half":
            return 0.5, index + 2
        if word in ("a", "an") and self.word(index + 1) in ("few", "couple", "handful", "hundred"):
            if self.word(index + 1) == "hundred":
                return 100, index + 2
            return None, index + (3 if self.word(index + 2) == "of" else 2)
        if word in _COUNTED_VAGUELY:
            return None, index + (2 if self.word(index + 1) == "of" else 1)
        value: float | None = None
        after = index + 1
        if word in ("a", "an"):
            value = 1
        elif word in ENGLISH_CARDINALS:
            value = ENGLISH_CARDINALS[word]
            following = ENGLISH_CARDINALS.get(self.word(after), 0)
            if value >= 20 and value % 10 == 0 and 0 < following < 10:
                value, after = value + following, after + 1
        elif word.replace(".", "", 1).isdecimal():
            value = float(word)
        if value is None or value > 1000:
            return None
        if self.word(after) == "and" and self.word(after + 1) == "a" and self.word(after + 2) == "half":
            return value + 0.5, after + 3
        return value, after

    def unit(self, index: int) -> tuple[Unit, float, int] | None:
        """Return a unit of time, its multiplier (2 weeks for "fortnight") and the index after it."""
        word = self.word(index)
        if word in ("business", "working", "work") and self.word(index + 1) in ("day", "days"):
            return "workday", 1, index + 2
        word = word.removesuffix("'s")
        if word in ("fortnight", "fortnights"):
            return "week", 2, index + 1
        if word in ("century", "centuries"):
            return "year", 100, index + 1
        if word in ("second", "seconds", "secs"):
            return ("minute", 1 / 60, index + 1) if word != "second" or self.word(index + 1) in ("ago",) else None
        if word in UNITS:
            return UNITS[word], 1, index + 1
        return None

    def length(self, index: int) -> Counted | None:
        """Parse a length of time: "two weeks", "an hour and a half", "2 years 1 month 21 days", "a few months"."""
        counted = self.number(index)
        if counted is None:
            return None
        count, at = counted
        guess = self.number(at + 1) if self.word(at) in _GUESS else None
        if self.word(at) == "," and guess is not None and guess[0] != (count or 0) + 1:
            guess = None  # "three, four days", and no list
        if (self.word(at), self.word(at + 1)) == ("or", "so"):
            count, at = None, at + 2
        if count is not None and guess is not None and guess[0] is not None and self.unit(guess[1]) is not None:
            count, at = None, guess[1]  # "two or three weeks"
        if self.word(at) in ("more", "whole", "full", "short", "long"):
            at += 1
        weekday = WEEKDAYS.get(self.word(at).removesuffix("s"))
        if weekday is not None and self.word(at).endswith("days") and count and self.word(at + 1) == "ago":
            return Counted(None, "", at + 1, "day", Reading(weekday=weekday, week=-int(count), manner="past"))
        unit = self.unit(at)
        if unit is None:
            return None
        name, factor, after = unit
        if (self.word(after), self.word(after + 1)) == ("or", "so"):
            count, after = None, after + 2
        guess = self.number(after + 1) if self.word(after) == "or" else None
        if guess is not None and guess[0] is not None and self.word(after + 1) in ENGLISH_CARDINALS and not self.unit(guess[1]):
            count, after = None, guess[1]  # "a week or two"
        if count is None:
            return Counted(None, self.text[self.starts[index] : self.ends[after - 1]].lower().rstrip("'’"), after, name)
        total = amount(count * factor, name)
        if self.word(after) == "and" and self.word(after + 1) == "a" and self.word(after + 2) == "half":
            total, after = amount((count + 0.5) * factor, name), after + 3
        for _ in range(4):
            gap = 1 if self.word(after) in ("and", ",") else 0
            if gap and self.word(after) == "," and self.word(after + 1) == "and":
                gap = 2
            more = self.number(after + gap)
            finer = (
                self.unit(more[1]) if more is not None and more[0] is not None and self.word(after + gap) not in ("a",) else None
            )
            if finer is None or more is None or more[0] is None:
                break
            total, after = total.plus(amount(more[0] * finer[1], finer[0])), finer[2]
        return Counted(total, "", after, name)

    def ordinal(self, index: int) -> tuple[int, int] | None:
        """Parse an ordinal: "3rd", "third", "twenty third", "twenty-third"."""
        word = self.word(index)
        if word in ENGLISH_ORDINALS:
            return ENGLISH_ORDINALS[word], index + 1
        if word[:1] == "0" and word[1:] in ENGLISH_ORDINALS:
            return ENGLISH_ORDINALS[word[1:]], index + 1
        tens = ENGLISH_CARDINALS.get(word, 0)
        ones = ENGLISH_ORDINALS.get(self.word(index + 1), 99)
        if tens in (20, 30) and ones < 10 and not self.word(index + 1)[0].isdecimal():
            return tens + ones, index + 2
        return None

    def number_of_day(self, index: int) -> tuple[int, int] | None:
        """Parse the day after a month's name: "5", "5th", "the fifth", "twenty nine"."""
        at = index + 1 if self.word(index) == "the" else index
        if self.word(at) == "/":
            at += 1
        found = self.ordinal(at)
        if found is None:
            word = self.word(at)
            if word.isdecimal() and len(word) <= 2:
                found = int(word), at + 1
            elif word in ENGLISH_CARDINALS:
                number = self.number(at)
                if number is not None and number[0] is not None and number[0] == int(number[0]):
                    found = int(number[0]), number[1]
        if found is None or not 1 <= found[0] <= 31:
            return None
        following = self.word(found[1])
        if (
            (following in UNITS and following != "weekend")
            or following in ("%", ":", "people", "times", "percent")
            or self.clock_suffix(found[1])[0]
        ):
            return None
        if following == "." and self.touches(found[1]) and self.word(found[1] + 1).isdecimal():
            return None
        return found

    def year_after(self, index: int) -> tuple[int, int] | None:
        """Parse the year after a date: "2024", ", 2024", "of 2024", "'24", "twenty twenty-four"."""
        at = index
        if self.word(at) in (",", "of", "in"):
            at += 1
        word = self.word(at)
        if len(word) == 4 and word.isdecimal() and 1000 <= int(word) <= 2999:
            return int(word), at + 1
        if self.word(at) == "'" and len(self.word(at + 1)) == 2 and self.word(at + 1).isdecimal():
            short = int(self.word(at + 1))
            return (2000 if short < 50 else 1900) + short, at + 2
        if (
            word in ("nineteen", "twenty")
            and self.word(at + 1) in ENGLISH_CARDINALS
            and ENGLISH_CARDINALS[self.word(at + 1)] >= 10
        ):
            tail = self.number(at + 1)
            if tail is not None and tail[0] is not None:
                return (1900 if word == "nineteen" else 2000) + int(tail[0]), tail[1]
        if word == "two" and self.word(at + 1) == "thousand":
            end = at + 3 if self.word(at + 2) == "and" else at + 2
            tail = self.number(end)
            if tail is not None and tail[0] is not None and tail[0] < 100:
                return 2000 + int(tail[0]), tail[1]
            return 2000, at + 2
        return None

    def clock_suffix(self, index: int) -> tuple[str, int]:
        """Return "am", "pm" or "" and the index after it: "am", "a.m.", "p" directly after a number."""
        word = self.word(index)
        if word in ("am", "pm"):
            return word, index + 1
        if word in ("a", "p"):
            if self.word(index + 1) == "." and self.word(index + 2) == "m" and self.touches(index + 1):
                end = index + 3
                return word + "m", end + (self.word(end) == "." and self.touches(end))
            if (self.touches(index) and not self.touches(index + 1)) or (
                self.touches(index) and self.word(index + 1) in (".", ",", "?", "!")
            ):
                return word + "m", index + 1
        return "", index

    def primary(self, index: int) -> Parsed | None:
        """Return one reading that begins at a word. Implemented by the last subclass."""
        raise NotImplementedError

    def expression(self, index: int) -> Parsed | None:
        """Return the longest expression that begins at a word."""
        raise NotImplementedError

    def modified(self, index: int) -> Parsed | None:
        """Parse this, last, next … with a unit or a name."""
        raise NotImplementedError

    def extend(self, reading: Reading, index: int) -> Parsed | None:
        """Return a reading merged with the words that follow."""
        raise NotImplementedError
