"""English grammar: from text to readings, by recursive descent.

The text is split once into words, numbers and marks. A word that can begin an expression of time starts the parser for
the words around it ("two weeks" … "ago", "the end of" … "next month"), and adjacent readings are merged ("9:30" + "last
night", "Tuesday" + "of last week"). Every step looks at a bounded number of words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import zip_longest

from ...word_lists import phrase_list, word_list
from ..numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from ..reading import Found, Reading, Tense, carried, clash, from_there, is_absolute, merge, open_hour
from ..tense import english_evidence, english_habit, english_present, is_arranged, is_monthly
from . import lexicon as lexicon
from .clock import CLOCK_PREPOSITIONS
from .extents import Extents
from .words import Parsed

_ALNUM = re.compile(r"[a-z0-9]+")
_DIGIT_TRIGGER = re.compile(
    r"[qQ][1-4]\b|\bin \d|\bat (?:\d|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|2(?:n|mo|mr)",
    re.IGNORECASE,
)
_TRIGGERS = word_list(
    "fortnight fortnights century centuries second seconds secs sec ago now rn atm recently lately soon currently shortly "
    "nowadays moment moments while present presently late date noon midnight midday oclock clock am pm long recent near past "
    "half workweek wkend wknd days quarter this nye bit term semester trimester break holidays hols payday few jiffy "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
_TRIGGERS |= {
    word.partition("'")[0]
    for words in (
        lexicon.DAYS,
        lexicon.TONIGHT,
        lexicon.WEEKDAYS,
        lexicon.MONTHS,
        lexicon.UNITS,
        lexicon.SEASONS,
        lexicon.PARTS,
        lexicon.EDGE_SHORT,
        lexicon.HOLIDAY_STARTS,
        lexicon.DECADES,
        lexicon.CORRECTED,
    )
    for word in words
    if word not in ("new", "black", "good", "st", "earth", "mid", "canada", "australia", "pi")
}
"""A text without any of these words holds no expression and is not parsed."""
_NEVER_CAPITAL = frozenset({*lexicon.DAYS, *lexicon.TONIGHT, "now", "currently", "recently", "lately", "soon"})
_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_CONNECTORS = word_list(", at on in of the @ around about from between for ( to - by")
_COMMA, _NOTHING = (",",), ()
_BEFORE_PART = frozenset([*phrase_list("in the, in, on the, at"), _COMMA, _NOTHING])
_BEFORE_PRIMARY = frozenset([*phrase_list("on, of, in, of the, on the, for, the, -"), (",", "on"), ("of", ","), _COMMA, _NOTHING])
_BEFORE_CLOCK = frozenset(
    [
        *phrase_list("at, @, at around, at about, around, from, between, for, about, by"),
        (",", "at"),
        (",", "from"),
        _COMMA,
        _NOTHING,
    ]
)
_RANGE_WORDS = frozenset(phrase_list("to, until, till, til, through, thru, -, –, —, ~, to the, through the"))
_DAY_NUMBER = frozenset({"day", "manner"})
_BY_TENSE = frozenset({"weekday", "month", "day", "manner", "clock", "part", "ordinal"})
"""What a time is made of whose day is told by the tense alone: "in June", "on Tuesday at 8"."""
_BARE_WEEKDAY = frozenset({"weekday", "manner"})
_AFTER_HOUR = word_list(". , ! ? ; ) then sharp please pls for or and if so to cos because outside") | {""}
_NOON = word_list("noon midday midnight")
_BE = word_list("am is are isn't aren't i'm you're we're they're") | {""}
_AROUND = lexicon.AROUND
_WEAK_AFTER_PREPOSITION = word_list("part clock stretch offset vague now")


def might_hold(text: str) -> bool:
    """Return False if no word of the text can be part of an expression of time (a fast pre-check)."""
    if not _TRIGGERS.isdisjoint(_ALNUM.findall(text.lower())):
        return True
    return _DIGIT_TRIGGER.search(text) is not None


def find(text: str, is_content: Callable[[Found], bool]) -> list[Found]:
    """Return the English expressions of a text that need a reference, without those for which `is_content` is True."""
    return _Sentence(text).find(is_content)


class _Sentence(Extents):
    """A whole text: the merged expressions of its words and the selection of those that need a reference."""

    def find(self, is_content: Callable[[Found], bool]) -> list[Found]:
        """Return all expressions that need a reference."""
        found: list[tuple[Reading, int, int]] = []
        after = 0
        for index, word in enumerate(self.words):
            if index < after or (word not in _BY_WORD and not word[0].isdecimal()):
                continue
            parsed = self.expression(index)
            if parsed is not None:
                found.append((parsed[0], index, parsed[1]))
                after = parsed[1]
        said = [match.span() for match in lexicon.TOLD["sayings"].finditer(self.lower)]
        items = [
            item
            for item in (self.extents(self.ranges(found)) if found else ())
            if not is_content(item) and not any(start < item.end and item.start < end for start, end in said)
        ]
        dated = min((item.start for item in items if is_absolute(item.reading)), default=len(self.text))
        told = [Found(Reading(), start, end, understood=False) for start, end in self.told(dated)]
        kept = self.settle(items)
        told = [self.beside(item, kept) for item in told if not is_content(item)]
        return sorted([*kept, *told], key=lambda item: item.start)

    def beside(self, told: Found, kept: list[Found]) -> Found:
        """Return "the evening before" as it is counted from a day of the same sentence."""
        words = self.words[self.words_before(told.start) : self.words_before(told.end)]
        earlier = next((one for one in reversed(kept) if one.end <= told.start), None)
        if earlier is None or len(words) != 3 or _SENTENCE_BREAK.search(self.lower, earlier.end, told.start) is not None:
            return told
        if words[1] != "day" and words[1] not in lexicon.PARTS:
            return told
        part = lexicon.PARTS.get(words[1])
        return from_there(earlier, told, before=words[2] == "before", part=part, part_name=None) or told

    def extents(self, found: list[tuple[Reading, int, int]]) -> list[Found]:
        """Return the expressions with their spans; one that is part of a longer expression as the whole, not understood."""
        items: list[Found] = []
        last_after = 0
        for index, (reading, begin, after) in enumerate(found):
            if begin < last_after or self.is_called(reading, begin, after):
                continue
            whole = None if is_absolute(reading) else self.torn(reading, begin, after)
            if whole is None and index + 1 < len(found) and found[index + 1][1] == after and clash(reading, found[index + 1][0]):
                whole = begin, found[index + 1][2]
            event = self.counted_from_event(reading, begin) if whole is None else None
            whole = (event[1], after) if event is not None else whole
            begin, last_after = whole or (begin, after)
            while items and whole is not None and items[-1].end > self.starts[begin]:
                begin = min(begin, self.words_before(items.pop().start))
            items.append(Found(reading, self.starts[begin], self.end_of(last_after - 1), understood=whole is None))
        return items

    def expression(self, index: int) -> Parsed | None:
        """Return the longest expression that begins at a word. Nested lengths ("two days after …") stop at level three."""
        if self.depth > 2:
            return None
        self.depth += 1
        try:
            return self.merged(index)
        finally:
            self.depth -= 1

    def merged(self, index: int) -> Parsed | None:
        """Return a primary with all following readings that can be merged with it."""
        parsed = self.primary(index)
        if parsed is None:
            return None
        reading, after = parsed
        for _ in range(4):
            longer = self.extend(reading, after)
            if longer is None:
                break
            reading, after = longer
        return reading, after

    def extend(self, reading: Reading, index: int) -> Parsed | None:
        """Merge what follows: "at 5pm", "of last week", "in the morning", "last year"."""
        skipped = 0
        while skipped < 3 and self.word(index + skipped) in _CONNECTORS:
            skipped += 1
        for used in range(skipped, -1, -1):
            start = index + used
            between = tuple(self.words[index:start])
            later = self.clock(start, after_day=reading.has_day) if self.clock_fits(between, reading) else None
            if later is None and between in _BEFORE_PART and "part" not in reading.slots:
                later = self.part(start)
            if later is None and between in _BEFORE_PRIMARY:
                later = self.primary(start)
                weak = between in (("in",), ("for",), ("the",)) and not reading.slots <= {"clock", "part"}
                if later is not None and weak and later[0].slots & _WEAK_AFTER_PREPOSITION:
                    later = None
            if later is None:
                continue
            addition, after = later
            if between and between[0] == "of" and addition.absolute:
                return replace(addition, part=reading.part or addition.part), after
            named = (reading.slots | addition.slots) & {"weekday", "clock"} or addition.year is not None
            if between == (",",) and not (named or reading.slots <= {"clock", "part"}):
                continue
            if addition.manner == "bare" and addition.month is not None and reading.week is not None:
                continue
            joined = merge(reading, addition)
            if joined is not None:
                return joined, after
        return None

    @staticmethod
    def clock_fits(between: tuple[str, ...], reading: Reading) -> bool:
        """Return True if a clock time may follow a day after these words: "tomorrow at 5"."""
        return "clock" not in reading.slots and between in _BEFORE_CLOCK

    def ranges(self, found: list[tuple[Reading, int, int]]) -> list[tuple[Reading, int, int]]:
        """Join "Monday to Friday", "from tomorrow until Thursday", "between 3 and 12 March"."""
        joined: list[tuple[Reading, int, int]] = []
        for reading, begin, after in found:
            if joined:
                last, last_begin, last_after = joined[-1]
                gap = tuple(self.words[last_after:begin])
                led = self.word(last_begin - 1)
                nth_last = self.word(begin) == "last" and self.word(last_after - 1) in ENGLISH_ORDINALS
                fits = (gap in _RANGE_WORDS and not nth_last) or (gap in (("and",), ("and", "the")) and led == "between")
                fits = fits or (gap == () and reading.until_now is True and led == "from")
                day_last = self.word(begin)[:1].isdecimal() or self.word(begin) in ENGLISH_CARDINALS or self.word(begin) in _NOON
                both = self.through(last, reading, day_last=day_last) if fits else None
                if both is not None:
                    joined[-1] = (both, last_begin, after)
                    continue
            joined.append((reading, begin, after))
        return joined

    @staticmethod
    def through(first: Reading, second: Reading, *, day_last: bool = False) -> Reading | None:
        """Return a reading from `first` through `second`, or None if they are not the ends of a range.

        `day_last`: the day stands after both clock times ("half past seven to 4pm tomorrow").
        """
        if first.through or first.vague or second.vague or "stretch" in first.slots | second.slots:
            return None
        if any(one.part is not None and one.clock is None for one in (first, second)):
            return None  # keep "from Monday evening to Tuesday morning" as two expressions: a range of days would lose the parts
        if first.slots <= {"clock", "part"} and second.slots <= {"clock", "part"}:
            return None
        if second.slots <= {"clock", "part"}:
            if first.clock is not None and second.clock is not None:
                return replace(first, clock_until=second.clock)
            return None
        if first.slots <= {"clock", "part"}:
            if first.clock is None or second.clock is None or second.shift is None:
                return None
            begins_before = (first.clock.hour, first.clock.minute) < (second.clock.hour, second.clock.minute)
            if day_last and (begins_before or not second.clock.known or second.clock.hour == 0):
                known = first.clock.known or second.clock.known
                return replace(second, clock=replace(first.clock, known=known), clock_until=second.clock)
            if second.shift == 0:
                return replace(second, clock=first.clock, clock_until=second.clock)
            return replace(first, shift=0, through=second)
        if second.now or second.until_now:
            return replace(first, through=Reading(now=True))
        inherited = second
        if first.year is not None and second.year is None and second.month is not None:
            inherited = replace(inherited, year=first.year)
        if second.year is not None and first.year is None and first.month is not None:
            first = replace(first, year=second.year)
        if second.day is not None and second.month is None and second.shift is None:
            if first.month is None:
                return None
            inherited = replace(inherited, month=first.month, year=first.year)
        if first.day is not None and first.month is None and second.month is not None:
            first = replace(first, month=second.month, year=second.year)
        return replace(first, through=inherited)

    def settle(self, found: list[Found]) -> list[Found]:
        """Return the expressions that need a reference, each with the tense of its clause."""
        kept: list[Found] = []
        anchor_end = -1
        earlier = Reading()  # the day that was named before
        for item, following in zip_longest(found, found[1:]):
            reading = item.reading
            anchored = anchor_end >= 0 and _SENTENCE_BREAK.search(self.lower, anchor_end, item.start) is None
            if is_absolute(reading):
                anchor_end, earlier = item.end, reading
                continue
            if not item.understood:
                if not self.is_habit(item):
                    kept.append(item)
                continue
            feast = reading.holiday is not None and reading.year is None
            if feast and self.stands_beside_its_day(item, anchor_end, following):
                continue
            tense = english_evidence(self.spoken, item.start, item.end)
            verb = self.present(item) if tense == "none" else ""
            numbered = reading.day is not None and reading.slots <= _DAY_NUMBER
            nth = verb and reading.ordinal is not None and self.lower.endswith(" the month", 0, item.end)
            if nth or (numbered and is_monthly(verb)):
                kept.append(replace(item, understood=False))
                continue
            meant = self.carried(item, earlier) if anchored else reading
            stands = self.stands(item, tense, anchored) if meant is reading else not self.is_habit(item)
            unsure = meant is not None and meant.firm is False and not (reading.clock is not None and self.is_daily(item))
            # "Checked Saturday's weather": what was done is past, the day of what it was done to may lie ahead.
            owned = reading.slots == _BARE_WEEKDAY and self.lower.startswith(("'s ", "’s "), item.end)
            unsure = unsure or (owned and tense == "past") or self.names_thing(item)
            by_tense = reading.shift is None and reading.week is None and reading.year is None and reading.slots <= _BY_TENSE
            unsure = unsure or (tense == "past" and by_tense and is_arranged(self.lower, item.start))
            # "Maybe for the gig on the 23rd, she promised to babysit": what was done is told of something else.
            if numbered and tense == "past" and not anchored:
                unsure = unsure or english_evidence(self.spoken, item.start, item.end, wide=False) == "none"
            if meant is None or unsure or (not stands and self.is_undecided(item, tense, anchored)):
                kept.append(replace(item, understood=False))
            elif stands:
                chosen = self.direction(item, tense)
                if (
                    kept
                    and meant.month is not reading.month
                    and english_evidence(self.spoken, item.start, item.end, wide=False) == "none"
                ):
                    chosen = kept[-1].tense  # "Booked for the 12th of May, back on the 20th"
                meant = self.in_its_half(item, meant)
                kept.append(replace(item, reading=meant, tense=chosen))
                self.leave_timetable(kept, verb)
                if reading.has_day and not reading.vague and not reading.now:
                    anchor_end, earlier = item.end, meant
        return kept

    def in_its_half(self, item: Found, reading: Reading) -> Reading:
        """Return a clock time in the half of the day of what is done then: "I woke up at 7:30"."""
        clock, before = open_hour(reading), self.lower[max(0, item.start - 32) : item.start]
        if clock is None:
            return reading
        if _AROUND["morning"].search(before):
            return replace(reading, clock=replace(clock, known=True))
        late = clock.hour > 7 and _AROUND["bedtime"].search(before) is not None
        return replace(reading, clock=replace(clock, hour=clock.hour + 12, known=True)) if late else reading

    def leave_timetable(self, kept: list[Found], verb: str) -> None:
        """Leave two bare weekdays of a verb in the present as they are: "I work on Tuesday and Thursday"."""
        pair = kept[-2:]
        bare = all(one.understood and one.tense == "none" and one.reading.slots == _BARE_WEEKDAY for one in pair)
        told = bare and len(pair) == 2 and self.lower[pair[0].end : pair[1].start] in (" and ", " and on ")
        if told and (verb or self.present(pair[0])):
            kept[-2:] = [replace(one, understood=False) for one in pair]

    def carried(self, item: Found, earlier: Reading) -> Reading | None:
        """Return the reading as it is meant after an earlier one of its sentence; an hour in words ("by noon") stays as it is."""
        if item.reading.clock is not None and not any(map(str.isdecimal, self.lower[item.start : item.end])):
            return item.reading
        own = english_evidence(self.spoken, item.start, item.end, wide=False)
        return carried(earlier, item.reading, "future" if own == "none" else own)

    def present(self, item: Found) -> str:
        """Return the verb in the present that governs an expression, else the empty string."""
        return english_present(self.spoken, item.start, item.end)

    def is_habit(self, item: Found) -> bool:
        """Return True if the clause of an expression describes a habit."""
        return english_habit(self.spoken, item.start, item.end)

    def is_daily(self, item: Found) -> bool:
        """Return True if a verb in the present or a word of habit tells what is done at an hour each day: "it closes at 3"."""
        verb = self.present(item)
        habit = self.is_habit(item) or _AROUND["on_every"].match(self.lower, item.end) is not None
        return habit or (verb not in _BE and not verb.endswith("ing"))

    def stands_beside_its_day(self, item: Found, anchor_end: int, following: Found | None) -> bool:
        """Return True for the name of a feast beside its day: "Thanksgiving is tomorrow", "it's on Friday, Halloween"."""
        if 0 <= anchor_end <= item.start and _AROUND["same_day"].fullmatch(self.lower, anchor_end, item.start):
            return True
        return (
            following is not None
            and following.reading.has_day
            and _AROUND["same_day"].fullmatch(self.lower, item.end, following.start) is not None
        )

    def direction(self, item: Found, tense: Tense) -> Tense:
        """Return the tense that chooses among several days of the name; `tense` is that of the whole sentence.

        A feast, "this weekend" and what begins "in three weeks" are in the past only where their own clause is.
        """
        reading = item.reading
        base = reading.offset.base if reading.offset is not None else None
        feast = base is not None and base.holiday is not None and base.year is None
        feast = feast or (reading.holiday is not None and reading.year is None)
        if feast and _AROUND["comes"].match(self.lower, item.end):
            return "future"
        if feast or (reading.weekend and reading.week == 0):
            own = english_evidence(self.spoken, item.start, item.end, wide=False)
            if feast and own == "past" and self.lower.endswith("for ", 0, item.start):
                return "perhaps past"  # "got him a grill for Father's Day"
            return own if own != "none" or reading.weekend else "none" if tense == "past" else "future"
        dated = reading.manner == "bare" and reading.said_weekday is None and bool(reading.slots & {"month", "day"})
        if dated and tense == "past" and reading.day is not None:
            return "perhaps past"  # "office closed Dec 23 – Jan 2"
        return "perhaps future" if tense == "none" and dated and self.present(item) else tense

    def names_thing(self, item: Found) -> bool:
        """Return True for a bare weekday by which something is called: "Ann's Monday class"."""
        bare = item.reading.slots == _BARE_WEEKDAY and item.reading.manner == "bare"
        named = bare and _AROUND["names_thing"].match(self.text, item.end) is not None
        return named and _AROUND["by_weekday"].search(self.lower, max(0, item.start - 30), item.start) is not None

    def is_name(self, item: Found) -> bool:
        """Return True if a single word such as Today or Now is a name, capitalised inside its sentence."""
        word = self.text[item.start : item.end]
        if not (word[:1].isupper() and word[1:].islower()) or word.lower() not in _NEVER_CAPITAL:
            return False
        before = self.text[: item.start].rstrip(" \t")[-1:]
        return before != "" and (before.isalnum() or before == ",")

    def is_undecided(self, item: Found, tense: Tense, anchored: bool) -> bool:
        """Return True for a feast of which the clause does not say whether it is that of one year: "on Labor Day he grills".

        An hour is of one day unless a verb in the present tells what is done each day: "lunch at noon?", "we open at 8 am".
        """
        if item.reading.slots <= {"clock", "part"}:
            hour = item.reading.clock is not None and tense == "none" and not anchored
            told = (
                _AROUND["hour"].search(self.lower, item.start, item.end)
                or self.word(self.words_before(item.start) - 1) in CLOCK_PREPOSITIONS
            )
            return bool(hour and told and not self.is_daily(item))
        days, until = item.reading.weekday, item.reading.through
        between = days is not None and until is not None and (days, until.weekday) != (0, 4)  # "Monday to Friday" is a habit
        between = between and (self.lower.endswith(("between ", "from "), 0, item.start) or not self.present(item))
        if item.reading.holiday is None or item.reading.year is not None or tense != "none" or anchored:
            return between and tense == "none" and not self.is_habit(item)
        fronted = self.text[: item.start].rstrip()[-1:] in ("", ".", "!", "?", "\n") and _AROUND["is_next"].match(
            self.lower, item.end
        )
        generic = fronted or _AROUND["spoken_of"].search(self.lower, max(0, item.start - 12), item.start)
        return not generic and not self.is_habit(item)

    def stands(self, item: Found, tense: Tense, anchored: bool) -> bool:
        """Return True if an expression means a single time as seen from the reference, not a habit or a narrated time."""
        reading, slots = item.reading, item.reading.slots
        if self.is_name(item):
            return False
        if tense == "past" and (reading.vague == "future" or self.lower.startswith(("following", "the following"), item.start)):
            return False  # counted from another time in the story: "a few days later she called"
        if slots - {"manner"} <= {"clock", "part"}:
            if _AROUND["on_every"].match(self.lower, item.end):
                return False
            return not anchored and tense != "none" and not self.is_habit(item)
        if slots & {"edge", "ordinal"} and not slots & {"year", "month", "week", "day", "holiday", "weekday"}:
            return False
        if reading.offset is not None and reading.offset.base is None and reading.offset.sign > 0:
            said = self.lower[item.start : item.end]
            fronted = self.lower.startswith(",", item.end) and self.text[: item.start].rstrip()[-1:] in ("", ".", "!", "?", "\n")
            if said.startswith("in ") and self.lower.endswith(("put ", "puts ", "putting "), 0, item.start):
                return False  # "I'd put in six years"
            if said.startswith("in ") and tense == "past" and not fronted:
                tense = english_evidence(self.spoken, item.start, item.end, wide=False)  # in three weeks it opens, I got goggles
            return tense != "past" or said.endswith(("now", "today", "tomorrow", "hence"))
        if reading.stretch is not None and reading.stretch.direction == "within":
            return tense != "past"
        if reading.offset is not None and reading.offset.base is not None and reading.offset.base.holiday is not None:
            return _AROUND["anniversary"].search(self.lower, max(0, item.start - 20), item.start) is None  # each year's
        around = self.lower[max(0, item.start - 16) : item.end + 12]
        if reading.day == 13 and reading.weekday == 4 and _AROUND["superstition"].search(around):
            return False
        if reading.weekday is not None and (
            _AROUND["is_a_night"].match(self.lower, item.end) or _AROUND["every_week"].match(self.lower, item.end)
        ):
            return False
        if reading.manner == "bare":
            if self.word(self.words_before(item.start) - 1) in lexicon.LIKE:
                return False  # "I love October", "Have you watched Wednesday?"
            habit = reading.year is None and self.is_habit(item)
            if habit and _AROUND["begins"].search(self.lower, max(0, item.start - 12), item.start) is None:
                return False
            if reading.holiday is not None and reading.year is None:
                return tense != "none"
            in_one_month = reading.month is not None and reading.through is None and reading.said_weekday is None
            if in_one_month and _AROUND["anniversary"].search(self.lower, max(0, item.start - 40), item.end + 24):
                return tense != "none" and "party" in self.lower
            if reading.weekday is not None and reading.through is not None and reading.through.manner == "bare":
                return tense != "none" or _AROUND["away"].search(self.lower, max(0, item.start - 40), item.start) is not None
        return True

    def primary(self, index: int) -> Parsed | None:
        """Return one reading that begins at a word, without the readings that can be merged with it."""
        word = self.word(index)
        if not word or self.depth > 6:
            return None
        self.depth += 1
        try:
            parsers = _BY_DIGIT if word[0].isdecimal() and word not in _BY_WORD else _BY_WORD.get(word, ())
            for parse in parsers:
                parsed = parse(self, index)
                if parsed is not None:
                    return parsed
            return None
        finally:
            self.depth -= 1

    def clock_alone(self, index: int) -> Parsed | None:
        """Parse a clock time at the start of an expression: "9:30", "6 pm", or followed by a day ("6 this morning")."""
        firm = self.clock(index)
        if firm is not None:
            return firm if self.word(index - 1) != "the" else None  # "the 8:15" is a train
        if not self.word(index)[:1].isdecimal() and self.word(index) not in ENGLISH_CARDINALS:
            return None
        before = self.word(index - 1)
        led = before in CLOCK_PREPOSITIONS or before in ("till", "until")
        loose = self.clock(index, after_day=True)
        if loose is None:
            hour = self.hour(index)
            if hour is None or not 1 <= hour[0] <= 24 or hour[1] != 0:
                return None
            loose = Reading(clock=self.made_clock(hour[0], 0, "")), hour[2]
        reading, after = loose
        at = after + (self.word(after) in ("on", ",", "in"))
        day = self.modified(at) or self.day_word(at)
        if day is None and before in ("at", "from", "between") and self.word(after) == "on":
            day = self.weekday(after + 1)
        part = self.part(after + 2) if day is None and self.part_follows(after) else None
        if part is not None:
            return replace(reading, part=part[0].part), part[1]
        at_hour = day is None and before == "at" and self.word(index) != "one" and self.word(after) in _AFTER_HOUR
        if at_hour and reading.clock is not None and reading.clock.hour <= 12:
            return replace(reading, firm=False), after  # "wake me up at 6"
        if day is None or day[0].clock is not None or not (day[0].shift is not None or day[0].weekday is not None):
            return None
        minutes = reading.clock is not None and reading.clock.minute and not reading.clock_until
        if day[0].part is None and not led and reading.clock_until is None and not minutes:
            return None
        return self.at(merge(reading, day[0]), day[1])

    def part_alone(self, index: int) -> Parsed | None:
        """Parse "in the morning" and "the morning of 5 May"."""
        if self.word(index) == "in" and self.word(index + 1) == "the" and self.word(index + 2) in lexicon.PARTS:
            return Reading(part=lexicon.PARTS[self.word(index + 2)]), index + 3
        named = self.word(index) == "the" and self.word(index + 1) in lexicon.PARTS and self.word(index + 1) != "eve"
        if named and self.word(index + 2) == "of":
            inner = self.expression(index + 3)
            if inner is not None and inner[0].part is None and inner[0].clock is None:
                return self.at(merge(inner[0], Reading(part=lexicon.PARTS[self.word(index + 1)])), inner[1])
        return None


_Parse = Callable[[_Sentence, int], "Parsed | None"]
_BY_DIGIT = (_Sentence.numeric, _Sentence.counted, _Sentence.trailing_modifier, _Sentence.day_of, _Sentence.clock_alone)


def _starts() -> dict[str, tuple[_Parse, ...]]:
    """Return the parsers to try at each word, in order."""
    s = _Sentence

    def owned(words: Iterable[str]) -> list[str]:
        return [form for word in words for form in (word, f"{word}'s")]

    rows: tuple[tuple[Iterable[str], tuple[_Parse, ...]], ...] = (
        (lexicon.VAGUE_STARTS, (s.vague,)),
        (lexicon.NOW_STARTS, (s.now,)),
        (("in", "within"), (s.in_length,)),
        (("in",), (s.part_alone,)),
        (("the", "day", "night", "morning", "evening", "week", "weekend", "month", "year"), (s.day_before,)),
        ((*lexicon.EDGES, *lexicon.EDGE_SHORT, "the"), (s.edge,)),
        (("the", "last", "first", "final", "1st", *ENGLISH_ORDINALS, "twenty", "thirty"), (s.day_of,)),
        (("the", "first", "second", "third", "fourth", "1st", "2nd", "q"), (s.quarter,)),
        ((*lexicon.MODIFIERS, "the", "these"), (s.modified,)),
        (("the", "week"), (s.week_of,)),
        (("the", "rest", "remainder", "remaining", "year", "month"), (s.current,)),
        (("the", "weekend", "wkend"), (s.weekend,)),
        (("the", *lexicon.SEASONS), (s.season,)),
        (("the",), (s.part_alone,)),
        (owned((*lexicon.DAYS, *lexicon.TONIGHT)), (s.day_word,)),
        (lexicon.HOLIDAY_STARTS, (s.holiday,)),
        (owned(lexicon.MONTHS), (s.month,)),
        (("half", "a", "an", "some", "many", "few", "couple", "several", *ENGLISH_CARDINALS), (s.counted,)),
        (ENGLISH_CARDINALS, (s.trailing_modifier, s.day_of)),
        (("noon", "midnight", "midday", "half", "quarter", "a", *ENGLISH_CARDINALS), (s.clock_alone,)),
        (owned(lexicon.WEEKDAYS), (s.weekday,)),
        (("to", "till"), (s.to_date,)),
    )
    table: dict[str, list[_Parse]] = {}
    for words, parsers in rows:
        for word in words:
            table.setdefault(word, []).extend(parsers)
    return {word: tuple(dict.fromkeys([*found, *(_BY_DIGIT if word[0].isdecimal() else ())])) for word, found in table.items()}


_BY_WORD = _starts()
