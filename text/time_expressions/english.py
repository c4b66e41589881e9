"""English: from running text to readings.

The text is cut into words, numbers and marks once; a word that can begin or carry an expression of time starts a small
descent over the words around it ("two weeks" … "ago", "the end of" … "next month"), and neighbouring readings are merged
("9:30" + "last night", "Tuesday" + "of last week"). Every step looks at a bounded number of words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from .english_lexicon import (
    DAYS,
    EDGE_SHORT,
    EDGES,
    HOLIDAY_STARTS,
    MODIFIERS,
    MONTHS,
    NOW_STARTS,
    PARTS,
    SEASONS,
    TONIGHT,
    UNITS,
    VAGUE_STARTS,
    WEEKDAYS,
)
from .english_relative import RelativeTimes
from .english_words import Parsed
from .numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from .reading import Found, Reading, merge
from .tense import english_evidence, english_habit

_ALNUM = re.compile(r"[a-z0-9]+")
_DIGIT_TRIGGER = re.compile(r"\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|2(?:n|mo|mr)", re.IGNORECASE)
# fmt: off
_TRIGGERS = frozenset(
    word.partition("'")[0]
    for words in (
        DAYS, TONIGHT, WEEKDAYS, MONTHS, UNITS, SEASONS, PARTS, EDGE_SHORT,
        {start for start in HOLIDAY_STARTS if start not in ("new", "black", "good", "st", "earth", "mid")},
        [
        "fortnight", "fortnights", "century", "centuries", "second", "seconds", "secs", "sec", "ago", "now", "rn",
        "atm", "recently", "lately", "soon", "currently", "shortly", "nowadays", "moment", "moments", "while",
        "present", "presently", "late", "date", "noon", "midnight", "midday", "oclock", "clock", "am", "pm", "long",
        "recent", "near", "past", "half", "workweek", "wkend", "days", "quarter", "this", "nye",
    ],
    )
    for word in words
)
# fmt: on
"""Words without one of which there is no expression in a text: most sentences are left at this point."""
_NEVER_CAPITAL = frozenset({*DAYS, *TONIGHT, "now", "currently", "recently", "lately", "soon"})
_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_END_OF_A_DAY = re.compile(
    r"(?:the )?(?:end|start|beginning) of (?:the )?day,? (?:on )?(?:\d{4}-|today\b|tomorrow\b|yesterday\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)"
)
"""The end of day tomorrow: the day beside it is the one, and it is resolved."""
_ON_EVERY = re.compile(r"\s+(?:on\s+)?(?:weekdays|weekends|workdays|\w{3,6}days|every|each|daily)\b")
_SUPERSTITION = re.compile(r"\b(?:an?|every|any|movie|film)\s+(?:the\s+)?friday|13th\s+(?:is|are|movie|film|brings|means)\b")
_AWAY = re.compile(
    r"\b(?:i|we|he|she|they|you|[a-z]+)(?:['’](?:m|re|s)|\s+(?:am|is|are|be))\s+(?:\w+\s+)?"
    r"(?:away|off|out of|in town|gone|busy|home|visiting|travel+ing|staying|on (?:holiday|vacation|leave|call))\b"
)
_ANNIVERSARY = re.compile(r"birthday|bday|anniversary|born")


def might_hold(text: str) -> bool:
    """A quick look: whether anything in the text could be a word of time."""
    if not _TRIGGERS.isdisjoint(_ALNUM.findall(text.lower())):
        return True
    return _DIGIT_TRIGGER.search(text) is not None


def find(text: str, is_content: Callable[[Found], bool]) -> list[Found]:
    """English expressions of a text that need a reference; none that `is_content` (a title, code), which anchors nothing."""
    return _Sentence(text).find(is_content)


class _Sentence(RelativeTimes):
    """A whole text: what its words give together, and what of that needs a reference."""

    def find(self, is_content: Callable[[Found], bool]) -> list[Found]:
        """All expressions that need a reference."""
        found: list[tuple[Reading, int, int]] = []
        after = 0
        for index, word in enumerate(self.words):
            if index < after or (word not in _BY_WORD and not word[0].isdecimal()):
                continue
            parsed = self.expression(index)
            if parsed is not None:
                found.append((parsed[0], index, parsed[1]))
                after = parsed[1]
        return self.settle([item for item in self.ranges(found) if not is_content(item)]) if found else []

    def expression(self, index: int) -> Parsed | None:
        """The longest expression that begins at a word. What is counted from what is counted ends at the third level."""
        if self.depth > 2:
            return None
        self.depth += 1
        try:
            return self.merged(index)
        finally:
            self.depth -= 1

    def merged(self, index: int) -> Parsed | None:
        """A primary with everything that could be merged to it."""
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
        connectors: list[str] = []
        while skipped < 3 and self.word(index + skipped) in (
            ",",
            "at",
            "on",
            "in",
            "of",
            "the",
            "@",
            "around",
            "about",
            "from",
            "between",
            "for",
            "(",
            "to",
            "-",
            "by",
        ):
            connectors.append(self.word(index + skipped))
            skipped += 1
        for used in range(len(connectors), -1, -1):
            start = index + used
            between = tuple(connectors[:used])
            later = self.clock(start, after_day=reading.has_day) if self.clock_fits(between, reading) else None
            if (
                later is None
                and between in ((), ("in", "the"), ("in",), (",",), ("on", "the"), ("at",))
                and "part" not in reading.slots
            ):
                later = self.part(start)
            if later is None and between in (
                (),
                ("on",),
                ("of",),
                (",",),
                ("in",),
                ("of", "the"),
                ("on", "the"),
                ("for",),
                (",", "on"),
                ("of", ","),
                ("the",),
                ("-",),
            ):
                later = self.primary(start)
                weak = between in (("in",), ("for",), ("the",)) and not reading.slots <= {"clock", "part"}
                if later is not None and weak and later[0].slots & {"part", "clock", "stretch", "offset", "vague", "now"}:
                    later = None
            if later is None:
                continue
            addition, after = later
            if between and between[0] == "of" and addition.absolute:
                return replace(addition, part=reading.part or addition.part), after
            if between == (",",) and not (
                {"weekday"} & (reading.slots | addition.slots)
                or {"clock"} & (reading.slots | addition.slots)
                or addition.year is not None
                or reading.slots <= {"clock", "part"}
            ):
                continue
            if addition.manner == "bare" and addition.month is not None and reading.week is not None:
                continue
            joined = merge(reading, addition)
            if joined is not None:
                return joined, after
        return None

    @staticmethod
    def clock_fits(between: tuple[str, ...], reading: Reading) -> bool:
        """Whether a clock time may follow a day after these words."""
        if "clock" in reading.slots:
            return False
        return between in (
            (), ("at",), ("@",), (",",), (",", "at"), ("at", "around"), ("at", "about"), ("around",), ("from",),
            ("between",), ("for",), ("about",), (",", "from"), ("by",),
        )  # fmt: skip

    def ranges(self, found: list[tuple[Reading, int, int]]) -> list[Found]:
        """Join "Monday to Friday", "from tomorrow until Thursday", "between 3 and 12 March"."""
        joined: list[tuple[Reading, int, int]] = []
        for reading, begin, after in found:
            if joined:
                last, last_begin, last_after = joined[-1]
                gap = tuple(self.words[last_after:begin])
                led = self.word(last_begin - 1)
                fits = gap in (
                    ("to",),
                    ("until",),
                    ("till",),
                    ("til",),
                    ("through",),
                    ("thru",),
                    ("-",),
                    ("–",),
                    ("—",),
                    ("~",),
                    ("to", "the"),
                    ("through", "the"),
                ) or (gap in (("and",), ("and", "the")) and led == "between")
                fits = fits or (gap == () and reading.until_now is True and led == "from")
                both = self.through(last, reading) if fits else None
                if both is not None:
                    joined[-1] = (both, last_begin, after)
                    continue
            joined.append((reading, begin, after))
        return [Found(reading, self.starts[begin], self.end_of(after - 1)) for reading, begin, after in joined]

    @staticmethod
    def through(first: Reading, second: Reading) -> Reading | None:
        """Both as the ends of one stretch."""
        if first.through or first.vague or second.vague or "stretch" in first.slots | second.slots:
            return None
        if any(one.part is not None and one.clock is None for one in (first, second)):
            return None  # "from Monday evening to Tuesday morning" says more apart than as two days
        if first.slots <= {"clock", "part"} and second.slots <= {"clock", "part"}:
            return None
        if second.slots <= {"clock", "part"}:
            if first.clock is not None and second.clock is not None:
                return replace(first, clock_until=second.clock)
            return None
        if first.slots <= {"clock", "part"}:
            if first.clock is None or second.clock is None or second.shift is None:
                return None
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
        """Those that need a reference, each with the tense its clause shows."""
        kept: list[Found] = []
        anchor_end = -1
        for item in found:
            reading = item.reading
            anchored = anchor_end >= 0 and _SENTENCE_BREAK.search(self.lower, anchor_end, item.start) is None
            if reading.absolute or (reading.through is not None and reading.through.absolute):
                anchor_end = item.end
                continue
            tense = english_evidence(self.lower, item.start, item.end)
            if self.stands(item, tense, anchored):
                kept.append(Found(reading, item.start, item.end, tense))
                if reading.has_day and not reading.vague and not reading.now:
                    anchor_end = item.end
        return kept

    def is_name(self, item: Found) -> bool:
        """Whether a lone word such as Today or Now is written as a name, with a capital within its sentence."""
        word = self.text[item.start : item.end]
        if not (word[:1].isupper() and word[1:].islower()) or word.lower() not in _NEVER_CAPITAL:
            return False
        before = self.text[: item.start].rstrip(" \t")[-1:]
        return before != "" and (before.isalnum() or before == ",")

    def stands(self, item: Found, tense: str, anchored: bool) -> bool:
        """Whether an expression is one of a single time, seen from the reference."""
        reading, slots = item.reading, item.reading.slots
        if self.is_name(item) or _END_OF_A_DAY.match(self.lower, item.start):
            return False
        if tense == "past" and (reading.vague == "future" or self.lower.startswith(("following", "the following"), item.start)):
            return False  # told from somewhere else: "a few days later she called"
        if slots <= {"clock", "part"}:
            if _ON_EVERY.match(self.lower, item.end):
                return False
            return not anchored and tense != "none" and not english_habit(self.lower, item.start, item.end)
        if slots & {"edge", "ordinal"} and not slots & {"year", "month", "week", "day", "holiday", "weekday"}:
            return False
        if reading.offset is not None and reading.offset.base is None and reading.offset.sign > 0:
            said = self.lower[item.start : item.end]
            return tense != "past" or said.endswith(("now", "today", "tomorrow", "hence"))
        if reading.stretch is not None and reading.stretch.direction == "within":
            return tense != "past"
        if (
            reading.day == 13
            and reading.weekday == 4
            and _SUPERSTITION.search(self.lower[max(0, item.start - 16) : item.end + 12])
        ):
            return False
        if reading.manner == "bare":
            if english_habit(self.lower, item.start, item.end) and reading.year is None:
                return False
            if reading.holiday is not None and reading.year is None:
                return tense != "none"
            if (
                reading.month is not None
                and reading.through is None
                and _ANNIVERSARY.search(self.lower, max(0, item.start - 40), item.end + 24)
            ):
                return tense != "none" and "party" in self.lower
            if reading.weekday is not None and reading.through is not None and reading.through.manner == "bare":
                return tense != "none" or _AWAY.search(self.lower, max(0, item.start - 40), item.start) is not None
        return True

    def primary(self, index: int) -> Parsed | None:
        """One reading that begins at a word, without what could be merged to it."""
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
        finally:
            self.depth -= 1
        return None

    def clock_alone(self, index: int) -> Parsed | None:
        """A clock time that begins an expression: firm by itself, or with a day right behind it (6 this morning)."""
        firm = self.clock(index)
        if firm is not None:
            return firm
        if not self.word(index)[:1].isdecimal() and self.word(index) not in ENGLISH_CARDINALS:
            return None
        loose = self.clock(index, after_day=True)
        before = self.word(index - 1)
        if loose is None or before not in ("at", "around", "about", "from", "between", "@", "by", "till", "until"):
            hour = self.hour(index)
            if loose is None and hour is not None and 1 <= hour[0] <= 24 and hour[1] == 0:
                loose = Reading(clock=self.made_clock(hour[0], 0, "")), hour[2]
            if loose is None:
                return None
        reading, after = loose
        at = after + (self.word(after) in ("on", ",", "in"))
        day = self.modified(at) or self.day_word(at)
        if day is None and before in ("at", "from", "between"):
            at = after + (self.word(after) == "on")
            day = self.weekday(at) if self.word(after) == "on" else None
        if day is None and self.part_follows(after):
            part = self.part(after + 2)
            if part is not None:
                return replace(reading, part=part[0].part), part[1]
        if day is None or day[0].clock is not None or not (day[0].shift is not None or day[0].weekday is not None):
            return None
        if (
            day[0].part is None
            and before not in ("at", "around", "about", "from", "between", "by", "till", "until", "@")
            and reading.clock_until is None
        ):
            return None
        joined = merge(reading, day[0])
        return (joined, day[1]) if joined is not None else None

    def part_alone(self, index: int) -> Parsed | None:
        """in the morning, and what may follow (in the morning at 7)."""
        if self.word(index) == "in" and self.word(index + 1) == "the" and self.word(index + 2) in PARTS:
            return Reading(part=PARTS[self.word(index + 2)]), index + 3
        if self.word(index) == "the" and self.word(index + 1) in PARTS and self.word(index + 2) == "of":
            inner = self.expression(index + 3)
            if inner is not None and inner[0].part is None and inner[0].clock is None:
                joined = merge(inner[0], Reading(part=PARTS[self.word(index + 1)]))
                return (joined, inner[1]) if joined is not None else None
        return None


_Parse = Callable[[_Sentence, int], "Parsed | None"]


def _starts() -> dict[str, tuple[_Parse, ...]]:
    table: dict[str, list[_Parse]] = {}

    def begin(words: Iterable[str], *parsers: _Parse) -> None:
        for word in words:
            table.setdefault(word, []).extend(parsers)

    s = _Sentence
    begin(VAGUE_STARTS, s.vague)
    begin(NOW_STARTS, s.now)
    begin(("in", "within"), s.in_length)
    begin(("in",), s.part_alone)
    begin(("the", "day", "night", "morning", "evening", "week", "weekend", "month", "year"), s.day_before)
    begin((*EDGES, *EDGE_SHORT, "the"), s.edge)
    begin(("the", "last", "first", "final", "1st", *ENGLISH_ORDINALS, "twenty", "thirty"), s.day_of)
    begin(("the", "first", "second", "1st", "2nd", "q"), s.quarter)
    begin((*MODIFIERS, "the", "these"), s.modified)
    begin(("the", "week"), s.week_of, s.week_number)
    begin(("the", "rest", "remainder", "remaining", "year", "month"), s.current)
    begin(("the", "weekend", "wkend"), s.weekend)
    begin(("the", *SEASONS), s.season)
    begin(("the",), s.part_alone)
    begin(DAYS, s.day_word)
    begin((f"{word}'s" for word in DAYS), s.day_word)
    begin(TONIGHT, s.day_word)
    begin((f"{word}'s" for word in TONIGHT), s.day_word)
    begin(HOLIDAY_STARTS, s.holiday)
    begin(MONTHS, s.month)
    begin((f"{word}'s" for word in MONTHS), s.month)
    begin(("half", "a", "an", "some", "many", "few", "couple", "several", *ENGLISH_CARDINALS), s.counted)
    begin(ENGLISH_CARDINALS, s.trailing_modifier, s.day_of)
    begin(("noon", "midnight", "midday", "half", "quarter", "a", *ENGLISH_CARDINALS), s.clock_alone)
    begin(WEEKDAYS, s.weekday)
    begin((f"{word}'s" for word in WEEKDAYS), s.weekday)
    begin(("to", "till"), s.to_date)
    digits = (s.numeric, s.counted, s.trailing_modifier, s.day_of, s.clock_alone)
    return {word: tuple(dict.fromkeys([*parsers, *(digits if word[0].isdecimal() else ())])) for word, parsers in table.items()}


_BY_WORD = _starts()
_BY_DIGIT = (_Sentence.numeric, _Sentence.counted, _Sentence.trailing_modifier, _Sentence.day_of, _Sentence.clock_alone)
