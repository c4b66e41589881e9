"""Where an English expression ends: the words of time around it that belong to the same expression.

"Friday" stands inside "the Friday after Thanksgiving", "two days" inside "one or two days". Where the grammar has read only
a part of the longer expression, resolving that part would say something else. `torn` gives the words of the whole, so that
nobody touches it and the gate reports it.

What belongs to an expression is decided by its kind, not by its wording: a count, an ordinal or a unit linked to it, a name
that is picked out by another one (before, after, of), a length that is too long to lie within it ("a fortnight tomorrow"
is a day, "two hours tomorrow" is not).
"""

from __future__ import annotations

import re

from ...word_lists import phrase_list, word_list
from ..numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from ..reading import Offset, Reading, amount
from ..tense import english_evidence, english_habit, english_present, is_monthly
from . import lexicon as lexicon
from .relative import RelativeTimes
from .words import Parsed

_ARTICLES = word_list("the a an this that")
_PICKED = word_list("before after of following preceding")
_GUESS = word_list("or to - –")
_BOUND = frozenset(phrase_list("less than, more than, at least, at most, nearly, almost"))
_RANK = {
    "minute": 0,
    "hour": 0,
    "day": 1,
    "workday": 1,
    "weekend": 1,
    "week": 2,
    "month": 3,
    "quarter": 4,
    "year": 5,
    "decade": 6,
}
_SLOT_RANK = (("clock", 0), ("part", 1), ("day", 1), ("weekday", 1), ("offset", 1), ("week", 2), ("month", 3), ("year", 5))
_NO_MODIFIER = lexicon.FUNCTION_WORDS | lexicon.MODIFIERS.keys() | lexicon.EDGE_SHORT.keys() | {"cob"}
_SINGLE = word_list("day weekday month manner")
_OWNERS = word_list("the my your his her our their its")
_NAMED = word_list("called named titled")
_CAPITALS = lexicon.WEEKDAYS.keys() | lexicon.MONTHS.keys() | {word for words in lexicon.HOLIDAYS for word in words}
_INSIDE = re.compile(r"[a-z0-9'’] $")
"""A capital after a word in lower case begins a name ("our band Last Tuesday"), not a sentence."""
_LEADS = word_list("is was are were be on by until till since for from to at and or of before after moved")
_EXACTLY = word_list("right just immediately straight directly shortly soon")
_IS = word_list("is was are were be been being 's")
_IN_NAMES = word_list("saint palm ash")


class Extents(RelativeTimes):
    """The words around an expression that belong to it."""

    def torn(self, reading: Reading, begin: int, after: int) -> tuple[int, int] | None:
        """Return the first word and the end of the longer expression of which [begin, after) is a part; None if it is whole."""
        left, right = self.left_of(reading, begin, after), self.right_of(reading, begin, after)
        if left is None and right is None:
            return None
        return begin if left is None else left, after if right is None else right

    def left_of(self, reading: Reading, begin: int, after: int) -> int | None:
        """Return the word where a longer expression begins that ends with this one."""
        before = self.word(begin - 1)
        if reading.slots <= {"clock", "part"} and before != "at":
            return None
        if before in lexicon.MODIFIERS and (self.word(begin) in lexicon.WEEKDAYS or self.word(begin) in lexicon.MONTHS):
            return begin - 1
        if before in ("a", "an") and self.unit(begin) is not None:
            return begin - 1  # "a week before last"
        if self.word(begin) in _ARTICLES or before in _ARTICLES:
            at = begin - 1 if before in _ARTICLES else begin
        else:
            at = begin
        link = self.word(at - 1)
        if link == "to" and self.word(begin) == "last" and self.word(at - 2) in ENGLISH_ORDINALS:
            return at - 2  # "second to last Friday of March"
        if link in _PICKED or link == "from":
            measure = self.measure_before(at - 1)
            if measure is not None and not (link == "from" and self.is_rate(measure)):
                return measure
        listed = self.word(at - 2) in lexicon.WEEKDAYS and len(self.word(at - 2)) <= 3 and reading.weekday is not None
        if (
            listed
            and link in ("and", "or", ",", "/", "to", "till", "through", "-")
            and self.word(at - 3) not in lexicon.DATE_PREPOSITIONS | lexicon.UNITS.keys()
        ):
            return at - 2  # "Mon, Wed and Fri I train"
        if (self.word(at - 2), link) in _BOUND or (link,) in _BOUND or (link in ("over", "under") and reading.offset is not None):
            return at - 2 if (self.word(at - 2), link) in _BOUND else at - 1
        if link in ("on", "in") or link in _PICKED:
            lasting = self.length_before(reading, at - 1)
            if lasting is not None:
                return lasting
        if link in _GUESS and self.is_count(at) and self.is_count(at - 2):
            return at - 2
        hyphened = link == "-" and self.touches(begin) and self.touches(begin - 1) and not reading.now
        if hyphened and self.word(begin - 2) not in ("", "mid"):
            return begin - 2
        if at == begin:
            return self.touching_before(reading, begin, after)
        return None

    def touching_before(self, reading: Reading, begin: int, after: int) -> int | None:
        """Return the begin of what directly precedes an expression and belongs to it: an ordinal, a length, a date, a name."""
        before = self.word(begin - 1)
        length = self.length_before(reading, begin)
        if length is not None:
            return length
        same = before in ("time", "day") and self.word(begin - 2) in ("this", "same")
        if same or (before == "ish" and self.touches(begin - 1)):
            return begin - 2
        if (before in ENGLISH_ORDINALS or before == "one") and (
            self.word(begin) in lexicon.WEEKDAYS or reading.ordinal is not None
        ):
            return begin - 1
        at = begin - 1 - (before == "at")
        date = self.word(at)
        if "/" in date and date[0].isdecimal() and reading.slots <= {"clock", "part"}:
            return at
        is_weekday = self.word(begin) in lexicon.WEEKDAYS and reading.week is None
        named = is_weekday and self.capital(begin) and self.capital(begin - 1) and self.ends_no_sentence(begin - 2)
        if named and before.isalpha() and before not in _NO_MODIFIER:
            return begin - 1
        return begin - 1 if is_weekday and before in _IN_NAMES else None

    def ends_no_sentence(self, index: int) -> bool:
        """Return True if the word after `index` is not the first one of its sentence."""
        return index >= 0 and self.word(index) not in (".", "!", "?", '"', "“", ":")

    def measure_before(self, link: int) -> int | None:
        """Return the begin of "the day", "the Friday", "fifth last day" before its link to a name (before, after, of)."""
        at = link - 1
        word = self.word(at).removesuffix("s")
        is_part = word in lexicon.PARTS and (self.word(link) != "of" or word == "eve")
        measures = word in lexicon.WEEKDAYS or is_part or self.unit(at) is not None or self.word(at) in lexicon.EDGE_SHORT
        if not measures or (self.unit(at) is not None and self.length_at(at) and self.word(link) != "of"):
            return None  # "for two weeks before Monday" is a length and a day
        while self.is_count(at - 1) or self.word(at - 1) in _ARTICLES or self.word(at - 1) in lexicon.MODIFIERS:
            at -= 1
        return at

    def length_at(self, unit: int) -> bool:
        """Return True if a count stands before the unit at an index: "two weeks", and not "the week"."""
        return self.is_count(unit - 1) and self.word(unit - 1) not in ENGLISH_ORDINALS

    def length_before(self, reading: Reading, index: int) -> int | None:
        """Return the begin of a length before `index` that cannot lie within the expression: "a fortnight", "a week on"."""
        word = self.word(index - 1)
        rank = 2 if word.startswith("fortnight") else _RANK.get(lexicon.UNITS.get(word, ""), -1)
        if rank < 0:
            return None
        counted = self.word(index - 2)
        if not self.is_count(index - 2) and counted not in ("a", "an"):
            return index - 1 if word == "fortnight" else None
        inside = min((rank for slot, rank in _SLOT_RANK if slot in reading.slots), default=9)
        one = counted in ("a", "an", "one")
        return index - 2 if rank > inside or (rank == inside and not one and inside > 0) else None

    def is_count(self, index: int) -> bool:
        """Return True for a number, an ordinal, "few", "couple"."""
        word = self.word(index)
        return word in ENGLISH_CARDINALS or word in ENGLISH_ORDINALS or word.isdecimal() or word in ("few", "couple", "several")

    def counted_from_event(self, reading: Reading, begin: int) -> Parsed | None:
        """Return "two days before my birthday" as it is counted from the day after it ("on the 4th"), and its first word."""
        if not reading.slots <= _SINGLE or reading.absolute or reading.through is not None:
            return None
        end = begin - (self.word(begin - 1) in ("on", ","))
        links = [at for at in range(end - 5, end - 1) if self.word(at) in ("before", "after") and self.word(at + 1) in _OWNERS]
        link = links[-1] if links else None
        if link is None:
            return None
        sign, unit = -1 if self.word(link) == "before" else 1, self.word(link - 1)
        if self.word(link - 2) == "the" and (unit == "day" or unit in lexicon.PARTS):
            return Reading(offset=Offset(sign, amount(1, "day"), reading), part=lexicon.PARTS.get(unit)), link - 2
        for start in range(link - 4, link - 1):
            counted = self.length(start)
            if counted is not None and counted.after == link and counted.amount is not None and not counted.amount.minutes:
                return Reading(offset=Offset(sign, counted.amount, reading)), start
        return None

    def right_of(self, reading: Reading, begin: int, after: int) -> int | None:
        """Return the end of a longer expression that begins with this one."""
        if self.word(after) in _EXACTLY and self.word(after + 1) in ("before", "after"):
            after += 1  # "the Tuesday right after Labor Day"
        link, at = self.word(after), self.after_the(after + 1)
        if link == "-" and self.touches(after) and self.touches(after + 1) and self.word(after + 1).isalpha():
            return after + 2 if self.word(after + 1) in ("end", "ends") else None
        if (link == "but" and self.word(after + 1) == "one") or (link.isdecimal() and self.word(after + 1) == "ish"):
            return after + 2  # "next week but one", "tonight 8ish"
        if link == "or" and self.is_count(after + 1) and reading.slots <= {"offset", "stretch", "month", "year", "week"}:
            return after + 2
        if reading.weekday is not None and reading.month is None and link in lexicon.MONTHS and self.capital(after):
            return after + 1
        at_ordinal = self.after_the(after)
        if reading.weekday is not None and reading.day is None and reading.month is None and reading.ordinal is None:
            if self.ordinal(at_ordinal) is not None and self.word(at_ordinal + 1) not in ("of", "time", "floor"):
                return at_ordinal + 1  # "next Tuesday the 5th"
            if link == "just" and self.word(after + 1) == "gone":
                return after + 2
            if link in ("week", "fortnight", "last", "gone", "past", "next", "coming") and self.is_over(after + 1):
                return after + 1  # British: "Monday week"
            if self.word(begin - 1) == "the" and link in _PICKED:
                return self.name_at(at) or after + 1  # "the Monday after her birthday"
        if reading.shift in (-1, 0, 1) and link in ("week", "fortnight"):
            return after + 1
        if reading.weekend and link in ("before", "after") and self.word(after + 1) in _OWNERS and self.name_at(at) is None:
            return after + 3  # "the weekend before the wedding"
        picked = reading.manner == "bare" or self.word(begin) in ("the", "a")
        if link in ("before", "after") and picked and reading.clock is None:
            return self.name_at(at)
        if link in ("before", "after") and self.word(after + 1) in ("last", "next") and not self.word(after + 2).isalpha():
            return after + 2
        return None

    def is_over(self, index: int) -> bool:
        """Return True if no noun stands at an index with which the word before it would make a compound."""
        return not self.word(index).isalpha() or self.word(index) in lexicon.FUNCTION_WORDS

    def name_at(self, index: int) -> int | None:
        """Return the end of a name of a day or a longer period (not of a part of the day) that begins at a word."""
        if self.word(index) in ("next", "last"):
            return index + 1
        if self.word(index) in ("this", "that") and self.word(index + 1) == "one":
            return index + 2
        parsed = self.primary(index)
        if parsed is not None and parsed[0].has_day and not parsed[0].slots & {"vague", "now"}:
            return parsed[1]
        feast = self.holiday_words(index)
        return feast[2] if feast is not None else None

    def is_called(self, reading: Reading, begin: int, after: int) -> bool:
        """Return True for a weekday or month that is somebody's name ("is called Sunday"), and for a title in capitals."""
        if after - begin > 2 and self.is_title(begin + 1, after):
            return True  # "The Day After Tomorrow", at the start of a sentence too
        if begin and after - begin > 2 and self.capital(begin) and self.is_title(begin, after):
            return self.text[: self.starts[begin]].rstrip()[-1:] not in ("", ".", "!", "?")  # "The Day After Tomorrow"
        if self.words[begin] in lexicon.MODIFIERS and all(self.capital(at) for at in range(begin, after)):
            return self.word(begin - 1) not in _LEADS and _INSIDE.search(self.text, 0, self.starts[begin]) is not None
        if self.word(begin - 1) == "is" and self.word(begin - 2) == "name" and reading.slots <= {"weekday", "month", "manner"}:
            return True
        if not reading.slots <= {"weekday", "month", "manner"} or self.word(begin - 1) not in _NAMED:
            return False
        return self.word(begin - 1) != "called" or self.word(begin - 2) in _IS

    def is_title(self, begin: int, after: int) -> bool:
        """Return True if all words are in capitals, two of them words that are not always so: "The Day After Tomorrow"."""
        common = [at for at in range(begin, after) if self.words[at].isalpha() and self.words[at] not in _CAPITALS]
        return len(common) > 1 and all(self.capital(at) for at in common)

    def told(self, dated: int) -> list[tuple[int, int]]:
        """Return what nobody can resolve: "the day before" without a date before it in the text, "in the fall" of a story.

        `dated` is the offset of the first absolute date of the text (its length if there is none).
        """
        found = []
        for match in lexicon.TOLD["day_named"].finditer(self.text) if "Day" in self.text else ():
            key = tuple(self.words[self.words_before(match.start(1)) : self.words_before(match.end(1))])
            known = key in lexicon.HOLIDAYS or any(word in lexicon.WEEKDAYS or word in lexicon.MONTHS for word in key)
            if not known and not english_habit(self.spoken, match.start(), match.end()):
                found.append(match.span(1))
        for match in lexicon.TOLD["countdown"].finditer(self.lower):
            if english_evidence(self.spoken, match.start(1), match.end(1), wide=False) != "past":
                found.append(match.span(1))
        loose = [*lexicon.TOLD["loose"].finditer(self.lower), *lexicon.TOLD["before_event"].finditer(self.lower, 0, dated)]
        found += [match.span(1) for match in loose if not english_habit(self.spoken, *match.span())]
        if "the" not in self.words:
            return found
        found += [match.span(1) for match in lexicon.TOLD["counted"].finditer(self.lower, 0, dated)]
        found += [match.span(1) for match in lexicon.TOLD["season_before"].finditer(self.lower)]
        for match in lexicon.TOLD["season"].finditer(self.lower):
            verb = english_present(self.spoken, match.start(), match.end())
            narrated = english_evidence(self.spoken, match.start(), match.end()) != "none" or bool(verb and not is_monthly(verb))
            if narrated and not english_habit(self.spoken, match.start(), match.end()):
                found.append(match.span(match.lastindex or 0))
        return found
