"""English: from running text to readings.

The text is cut into words, numbers and marks once; a word that can begin or carry an expression of time starts a small
descent over the words around it ("two weeks" … "ago", "the end of" … "next month"), and neighbouring readings are merged
("9:30" + "last night", "Tuesday" + "of last week"). Every step looks at a bounded number of words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .chinese import Found
from .english_lexicon import (
    DATE_PREPOSITIONS,
    DAYS,
    DOUBTFUL_WEEKDAYS,
    EDGE_SHORT,
    EDGES,
    HOLIDAY_STARTS,
    HOLIDAYS,
    MODIFIERS,
    MONTHS,
    NOW,
    NOW_STARTS,
    PARTS,
    PLAIN_MONTHS,
    SEASONS,
    TONIGHT,
    UNITS,
    VAGUE,
    VAGUE_STARTS,
    WEEKDAYS,
)
from .numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS
from .reading import Amount, Clock, Edge, Offset, Ordinal, Part, Reading, Stretch, Unit, amount, merge
from .tense import english_evidence, english_habit

_ALNUM = re.compile(r"[a-z0-9]+")
_DIGIT_TRIGGER = re.compile(r"\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|2(?:n|mo|mr)", re.IGNORECASE)
_TRIGGERS = frozenset(
    word.partition("'")[0]
    for words in (
        DAYS, TONIGHT, WEEKDAYS, MONTHS, UNITS, SEASONS, PARTS, EDGE_SHORT,
        {start for start in HOLIDAY_STARTS if start not in ("new", "black", "good", "st", "earth", "mid")},
        """fortnight fortnights century centuries second seconds secs sec ago now rn atm recently lately soon currently shortly
        nowadays moment moments while present presently late date noon midnight midday oclock clock am pm long recent
        near past half workweek wkend days quarter this nye""".split(),
    )
    for word in words
)  # fmt: skip
"""Words without one of which there is no expression in a text: most sentences are left at this point."""
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ’", "abcdefghijklmnopqrstuvwxyz'")
_TOKEN = re.compile(
    r"(?:twenty|thirty|forty|fifty)-(?:one|two|three|four|five|six|seven|eight|nine|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)(?![a-z])"
    r"|[a-z]+(?:'[a-z]+)*'?"
    r"|\d{4}-\d{1,2}-\d{1,2}(?:t\d{1,2}:\d\d(?::\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?|\d{1,4}/\d{1,2}(?:/\d{2,4})?"
    r"|2(?:nite|night|day|moro|morrow|mrw|mro|nyt)(?![a-z])|\d{1,2}(?:st|nd|rd|th)(?![a-z])|\d+(?:\.\d+)?"
    r"|[^\sa-z\d]"
)

_Parsed = tuple[Reading, int]
_END = ""
_OWN_S = frozenset({"new year's", "valentine's", "mother's", "father's", "year's"})
_PLAIN_UNITS = frozenset({"day", "week", "month", "year", "hour", "minute"})
_HOUR_DOT_MINUTE = re.compile(r"\d{1,2}\.[0-5]\d")
_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_ANNIVERSARY = re.compile(r"birthday|bday|anniversary|born")
_OF_DAY = frozenset({"clock", "part", "weekday"})
_COUNTED_VAGUELY = frozenset({"few", "couple", "several", "some", "many", "handful"})
_PRONOUNS = frozenset("i you he she we they it there my our his her their the a an this that".split())
_FUNCTION = (
    frozenset(
        """and or but so at on in by for with to from of is was were are will would did do does has have had because if when
        while then since until till before after as about around not also again already too please can could should than
        through during over under went came got became began""".split()
    )
    | _PRONOUNS
)


def might_hold(text: str) -> bool:
    """A quick look: whether anything in the text could be a word of time."""
    if not _TRIGGERS.isdisjoint(_ALNUM.findall(text.lower())):
        return True
    return _DIGIT_TRIGGER.search(text) is not None


def find(text: str) -> list[Found]:
    """English expressions of a text that need a reference."""
    return _Sentence(text).find()


@dataclass(frozen=True, slots=True)
class _Counted:
    """A count of units that may be no number ("a few weeks")."""

    amount: Amount | None
    words: str
    after: int
    unit: Unit


class _Sentence:
    """A text cut into words, and the descent over them. Methods take the index of a word and give a reading and the
    index after it, or None."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = text.translate(_LOWER)
        matches = list(_TOKEN.finditer(self.lower))
        self.words = [match.group() for match in matches]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        self.count = len(self.words)

    def word(self, index: int) -> str:
        """The word at an index; the empty string outside the text."""
        return self.words[index] if 0 <= index < self.count else _END

    def capital(self, index: int) -> bool:
        """Whether the word at an index is written with a capital."""
        return 0 <= index < self.count and self.text[self.starts[index]].isupper()

    def touches(self, index: int) -> bool:
        """Whether the word at `index` follows the one before it without a space."""
        return 0 < index < self.count and self.starts[index] == self.ends[index - 1]

    # ------------------------------------------------------------------------------------------------ the whole text

    def find(self) -> list[Found]:
        """All expressions that need a reference."""
        found: list[tuple[Reading, int, int]] = []
        after = 0
        for index, word in enumerate(self.words):
            if index < after or (word not in _BY_WORD and not word[0].isdigit()):
                continue
            parsed = self.expression(index)
            if parsed is not None:
                found.append((parsed[0], index, parsed[1]))
                after = parsed[1]
        return self.settle(self.ranges(found)) if found else []

    def expression(self, index: int) -> _Parsed | None:
        """The longest expression that begins at a word."""
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

    def extend(self, reading: Reading, index: int) -> _Parsed | None:
        """Merge what follows: "at 5pm", "of last week", "in the morning", "last year"."""
        skipped = 0
        connectors: list[str] = []
        while skipped < 3 and self.word(index + skipped) in (",", "at", "on", "in", "of", "the", "@", "around", "about", "from",
                                                             "between", "for", "(", "to", "-", "by"):
            connectors.append(self.word(index + skipped))
            skipped += 1
        for used in range(len(connectors), -1, -1):
            start = index + used
            between = tuple(connectors[:used])
            later = self.clock(start, after_day=reading.has_day) if self.clock_fits(between, reading) else None
            if later is None and between in ((), ("in", "the"), ("in",), (",",), ("on", "the"), ("at",)) and "part" not in reading.slots:
                later = self.part(start)
            if later is None and between in ((), ("on",), ("of",), (",",), ("in",), ("of", "the"), ("on", "the"), ("for",), (",", "on"), ("of", ","), ("the",), ("-",)):
                later = self.primary(start)
                if later is not None and between in (("in",), ("for",), ("the",)) and not reading.slots <= {"clock", "part"}:
                    if later[0].slots & {"part", "clock", "stretch", "offset"} or later[0].vague or later[0].now:
                        later = None
            if later is None:
                continue
            addition, after = later
            if between and between[0] == "of" and addition.absolute:
                return replace(addition, part=reading.part or addition.part), after
            if between == (",",) and not (
                {"weekday"} & (reading.slots | addition.slots) or {"clock"} & (reading.slots | addition.slots)
                or addition.year is not None or reading.slots <= {"clock", "part"}
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
                fits = gap in (("to",), ("until",), ("till",), ("til",), ("through",), ("thru",), ("-",), ("–",), ("—",), ("~",),
                               ("to", "the"), ("through", "the")) or (gap in (("and",), ("and", "the")) and led == "between")
                fits = fits or (gap == () and reading.until_now is True and led == "from")
                both = self.through(last, reading) if fits else None
                if both is not None:
                    joined[-1] = (both, last_begin, after)
                    continue
            joined.append((reading, begin, after))
        return [Found(reading, self.starts[begin], self.end_of(after - 1)) for reading, begin, after in joined]

    def end_of(self, index: int) -> int:
        """Where the word at an index ends, an 's left out: it stays in the sentence."""
        word = self.words[index]
        if word.endswith("'s") and word not in _OWN_S:
            return self.ends[index] - 2
        return self.ends[index] - 1 if word.endswith("s'") and word[:-2] not in _PLAIN_UNITS else self.ends[index]

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

    # ---------------------------------------------------------------------------------------------------- what stands

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
                kept.append(replace(item, tense=tense))
                if reading.has_day and not reading.vague and not reading.now:
                    anchor_end = item.end
        return kept

    def stands(self, item: Found, tense: str, anchored: bool) -> bool:
        """Whether an expression is one of a single time, seen from the reference."""
        reading, slots = item.reading, item.reading.slots
        if slots <= {"clock", "part"}:
            return not anchored and tense != "none" and not english_habit(self.lower, item.start, item.end)
        if slots & {"edge", "ordinal"} and not slots & {"year", "month", "week", "day", "holiday", "weekday"}:
            return False
        if reading.offset is not None and reading.offset.base is None and reading.offset.sign > 0:
            said = self.lower[item.start : item.end]
            return tense != "past" or said.endswith(("now", "today", "tomorrow", "hence"))
        if reading.stretch is not None and reading.stretch.direction == "within":
            return tense != "past"
        if reading.manner == "bare":
            if english_habit(self.lower, item.start, item.end) and reading.year is None:
                return False
            if reading.holiday is not None and reading.year is None:
                return tense != "none"
            if reading.month is not None and reading.through is None and _ANNIVERSARY.search(self.lower, max(0, item.start - 40), item.end + 24):
                return tense != "none" and "party" in self.lower
            if reading.weekday is not None and reading.through is not None and reading.through.manner == "bare":
                return tense != "none"
        return True

    # ----------------------------------------------------------------------------------------------------- primaries

    def primary(self, index: int) -> _Parsed | None:
        """One reading that begins at a word, without what could be merged to it."""
        word = self.word(index)
        if not word:
            return None
        for parse in _BY_WORD.get(word, ()):
            parsed = parse(self, index)
            if parsed is not None:
                return parsed
        if word[0].isdigit():
            for parse in _BY_DIGIT:
                parsed = parse(self, index)
                if parsed is not None:
                    return parsed
        return None

    def day_word(self, index: int) -> _Parsed | None:
        """today, tomorrow, yesterday, tonight and what chatters make of them."""
        word = self.word(index).removesuffix("'s").removesuffix("'")
        if word in DAYS:
            after = index + 1
            if self.word(after) in ("am", "pm") and word != "yest":
                part: Part = "morning" if self.word(after) == "am" else "afternoon"
                return Reading(shift=DAYS[word], part=part), after + 1
            return Reading(shift=DAYS[word]), after
        if word in TONIGHT:
            return Reading(shift=0, part="night"), index + 1
        return None

    def day_before(self, index: int) -> _Parsed | None:
        """(the) day before yesterday, day after tomorrow, week before last, week after next."""
        start = index + 1 if self.word(index) == "the" else index
        unit, link, what = self.word(start), self.word(start + 1), self.word(start + 2)
        if unit in ("day", "night", "morning", "evening", "afternoon"):
            part = PARTS.get(unit)
            if link == "before" and what in ("yesterday", "last"):
                return Reading(shift=-2, part=part), start + 3
            if link == "after" and DAYS.get(what) == 1:
                return Reading(shift=2, part=part), start + 3
            return None
        if link == "before" and what == "last":
            step = -2
        elif link == "after" and what == "next":
            step = 2
        else:
            return None
        reading = self.stepped(unit, step)
        return (reading, start + 3) if reading is not None else None

    @staticmethod
    def stepped(unit: str, step: int) -> Reading | None:
        """The unit `step` units from the current one."""
        match unit:
            case "week" | "wk":
                return Reading(week=step)
            case "weekend" | "wkend":
                return Reading(week=step, weekend=True)
            case "month":
                return Reading(month=("rel", step))
            case "year" | "yr":
                return Reading(year=("rel", step))
            case "quarter":
                return Reading(quarter=("rel", step))
            case _:
                return Reading(weekday=WEEKDAYS[unit], week=step) if unit in WEEKDAYS else None

    def number(self, index: int) -> tuple[float | None, int] | None:
        """A count: digits, words, "a", "a couple of", "half a", "one and a half". None as the value: no number ("a few")."""
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
        elif word.replace(".", "", 1).isdigit():
            value = float(word)
        if value is None or value > 1000:
            return None
        if self.word(after) == "and" and self.word(after + 1) == "a" and self.word(after + 2) == "half":
            return value + 0.5, after + 3
        return value, after

    def unit(self, index: int) -> tuple[Unit, float, int] | None:
        """A unit of time, how many of it the word means, and the index after it."""
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

    def length(self, index: int) -> _Counted | None:
        """A length of time: "two weeks", "an hour and a half", "2 years 1 month 21 days", "a few months"."""
        counted = self.number(index)
        if counted is None:
            return None
        count, at = counted
        if self.word(at) in ("more", "whole", "full", "short", "long"):
            at += 1
        unit = self.unit(at)
        if unit is None:
            return None
        name, factor, after = unit
        if count is None:
            return _Counted(None, self.text[self.starts[index] : self.ends[after - 1]].lower(), after, name)
        total = amount(count * factor, name)
        if self.word(after) == "and" and self.word(after + 1) == "a" and self.word(after + 2) == "half":
            total, after = amount((count + 0.5) * factor, name), after + 3
        for _ in range(2):
            gap = 1 if self.word(after) in ("and", ",") else 0
            if gap and self.word(after) == "," and self.word(after + 1) == "and":
                gap = 2
            more = self.number(after + gap)
            finer = self.unit(more[1]) if more is not None and more[0] is not None and self.word(after + gap) not in ("a",) else None
            if finer is None or more is None or more[0] is None:
                break
            total, after = total.plus(amount(more[0] * finer[1], finer[0])), finer[2]
        return _Counted(total, "", after, name)

    def counted(self, index: int) -> _Parsed | None:
        """A length with what makes it a point in time: ago, from now, later, before yesterday, after Christmas."""
        counted = self.length(index)
        if counted is None:
            return None
        after, word = counted.after, self.word(counted.after)
        sign, end = 0, after + 1
        base: Reading | None = None
        if word in ("ago", "earlier", "back") or (word == "prior" and self.word(end) != "to"):
            if word == "earlier" and self.word(end) == "than":
                return None
            if word == "back" and self.word(end) in ("to", "from", "in", "and", "home"):
                return None
            sign = -1
        elif word in ("hence",) or (word == "later" and self.word(end) not in ("than", "this", "today", "in", "on", "next", "tonight")):
            sign = 1
        elif word in ("starting", "beginning", "from", ",") and counted.amount is not None and (
            word in ("starting", "beginning") or self.word(index - 1) == "for"
        ):
            return self.length_from(counted.amount, end if word != "," else end + 1) if word != "," or self.word(end) == "from" else None
        elif word in ("from", "after", "before"):
            if word == "from" and self.word(end) in ("now", "rn"):
                sign, end = 1, end + 1
            else:
                inner = self.base(end)
                if inner is None or inner[0].slots <= {"clock", "part"} or inner[0].vague or inner[0].stretch:
                    return None
                base, end = inner
                sign = -1 if word == "before" else 1
                if base.now:
                    base = None
        if not sign:
            return None
        if counted.amount is None:
            if base is not None:
                return (Reading(year=("abs", 1)), end) if base.absolute else None
            if word in ("later", "hence"):
                return Reading(vague="future", vague_amount=counted.words), end
            coarse = counted.unit in ("week", "month", "year", "decade", "quarter")
            return Reading(vague="future" if sign > 0 else "past", vague_amount=counted.words if coarse else None), end
        return Reading(offset=Offset(sign, counted.amount, base)), end

    def base(self, index: int) -> _Parsed | None:
        """The day something is counted from, with its year; a weekday or clock time behind it is not part of it."""
        parsed = self.primary(index) or (self.primary(index + 1) if self.word(index) == "the" else None)
        if parsed is None:
            return None
        longer = self.extend(*parsed)
        if longer is not None and longer[0].slots - parsed[0].slots == {"year"}:
            return longer
        return parsed

    def length_from(self, total: Amount, index: int) -> _Parsed | None:
        """(for) 3 days starting next Monday, a week from tomorrow on: from the first day to the last."""
        inner = self.base(index + (self.word(index) in ("from", "on")))
        if inner is None or not (inner[0].has_day and not inner[0].slots & {"stretch", "vague", "through", "edge", "ordinal"}):
            return None
        if total.minutes:
            return None
        at_clock = self.clock(inner[1] + 1, after_day=True) if self.word(inner[1]) == "at" else None
        if at_clock is not None and at_clock[0].clock is not None and at_clock[0].clock_until is None:
            begin = replace(inner[0], clock=at_clock[0].clock)
            return replace(begin, through=Reading(offset=Offset(1, total, inner[0]), clock=at_clock[0].clock)), at_clock[1]
        last = replace(total, days=total.days - 1)
        return replace(inner[0], through=Reading(offset=Offset(1, last, inner[0]))), inner[1]

    def in_length(self, index: int) -> _Parsed | None:
        """in 10 minutes, in two weeks' time, within 9 months, within the next 10 months."""
        word = self.word(index)
        start = index + 1
        if word == "within":
            if self.word(start) == "the":
                start += 1
            if self.word(start) in ("next", "coming", "following"):
                start += 1
        if self.word(start) in ("about", "around", "like", "just", "exactly"):
            start += 1
        counted = self.length(start)
        if counted is None and word == "within" and self.unit(start) is not None:
            unit = self.unit(start)
            if unit is not None:
                total = amount(unit[1], unit[0])
                after = unit[2]
                if self.word(after) == "and":
                    more = self.length(after + 1)
                    if more is not None and more.amount is not None:
                        total, after = total.plus(more.amount), more.after
                return Reading(stretch=Stretch("within", 1, total)), after
        if counted is None:
            return None
        after = counted.after
        if self.word(after) in ("of", "or", "earlier", "ago", "later", "old", "before", "after") or self.word(after) == "'s":
            return None
        if self.word(after) == "time":
            after += 1
        elif self.word(after) == "from" and (self.word(after + 1) in ("now", "today")):
            after += 2
        if counted.amount is None:
            if word == "within":
                return None
            return Reading(vague="future", vague_amount=counted.words if counted.unit not in ("day", "hour", "minute") else None), after
        if word == "within":
            return Reading(stretch=Stretch("within", 1, counted.amount)), after
        if self.word(index - 1) in ("once", "twice", "times", "time", "than"):
            return None
        return Reading(offset=Offset(1, counted.amount)), after

    def modified(self, index: int) -> _Parsed | None:
        """this, last, next, past, coming … with a unit, a name or a count; "the" before it belongs to it."""
        start = index + 1 if self.word(index) in ("the", "these") else index
        word = self.word(start)
        if word not in MODIFIERS:
            return self.trailing_modifier(start) if self.word(index) == "the" else None
        step, manner = MODIFIERS[word], word
        at = start + 1
        if word == "this" and self.word(at) in ("past", "coming", "upcoming", "last", "next", "following"):
            step, manner = MODIFIERS[self.word(at)], {"last": "past", "next": "coming"}.get(self.word(at), self.word(at))
            at += 1
        name = self.word(at).removesuffix("'s").removesuffix("'")
        led_by_the = start != index
        if self.word(at) in ("same", "very"):
            return None
        counted = self.stretch(at, step, index)
        if counted is not None:
            return counted
        if name in WEEKDAYS:
            if name in DOUBTFUL_WEEKDAYS and manner == "this" and name in ("sun", "sat") and not self.capital(at):
                return None
            if manner in ("past", "coming", "upcoming"):
                return Reading(weekday=WEEKDAYS[name], manner="past" if step < 0 else "coming"), at + 1
            if led_by_the and manner in ("last", "next") and self.word(at + 1) == "of":
                return None
            return Reading(weekday=WEEKDAYS[name], week=step), at + 1
        if name in MONTHS and not (name == "may" and word in ("this", "current")) and name not in ("mar", "sep", "dec"):
            if name == "march" and not self.capital(at) and word == "this":
                return None
            day = self.number_of_day(at + 1)
            month = ("abs", MONTHS[name])
            if step == 0:
                reading = Reading(month=month, year=("rel", 0))
            else:
                reading = Reading(month=month, manner="last" if step < 0 else "next")
            if day is not None:
                return replace(reading, day=day[0]), day[1]
            return reading, at + 1
        if name in SEASONS and not (name in ("fall", "spring") and word in ("this", "following") and not self.season_fits(at)):
            season = SEASONS[name]
            if step == 0:
                return Reading(season=season, year=("rel", 0)), at + 1
            return Reading(season=season, manner="last" if step < 0 else "next"), at + 1
        if name in PARTS and name not in ("noon", "lunchtime", "eve"):
            return self.modified_part(name, word, step, at)
        feast = self.holiday_words(at)
        if feast is not None:
            key, label, after = feast
            if step == 0:
                return Reading(holiday=key, holiday_name=label, year=("rel", 0)), after
            return Reading(holiday=key, holiday_name=label, manner="last" if step < 0 else "next"), after
        return self.modified_unit(name, manner, step, at, led_by_the)

    def season_fits(self, index: int) -> bool:
        """Whether "this fall" / "this spring" is the season, and not a fall or a spring."""
        return self.word(index + 1) in _FUNCTION or not self.word(index + 1).isalpha()

    def modified_part(self, name: str, word: str, step: int, at: int) -> _Parsed | None:
        """last night, this morning; "next morning" is told from somewhere else and left alone."""
        part = PARTS[name]
        if word == "last" or (word == "this" and step == 0):
            return Reading(shift=step, part=part), at + 1
        if word == "next" and part in ("evening", "night") and self.word(at - 2) != "the":
            return Reading(shift=1, part=part), at + 1
        return None

    def modified_unit(self, name: str, manner: str, step: int, at: int, led_by_the: bool) -> _Parsed | None:
        """last week, this quarter, next decade, the past year."""
        after = at + 1
        if name in ("work", "working") and self.word(after) == "week":
            name, after = "workweek", after + 1
        elif name in ("calendar",) and self.word(after) == "year":
            name, after = "year", after + 1
        if manner in ("following", "past", "coming", "upcoming") and name in ("day", "minute"):
            return None
        match name:
            case "week" | "wk" | "workweek" | "weekend" | "wkend" | "month" | "year" | "yr" | "quarter":
                over = manner == "last" and self.word(at - 3) in ("in", "over", "for", "during", "within", "throughout")
                if (manner == "past" or over) and led_by_the and name in ("week", "month", "year"):
                    return Reading(stretch=Stretch("past", -1, amount(1, UNITS[name]))), after
                if name in ("weekend", "wkend") and manner in ("past", "coming", "upcoming"):
                    return Reading(weekend=True, manner="past" if step < 0 else "coming"), after
                if name == "workweek":
                    return Reading(week=step, half=None, through=Reading(week=step, weekday=4), weekday=0), after
                reading = self.stepped(name, step)
                if name in ("week", "wk") and reading is not None and self.word(after) in ("-", ",") and self.word(after + 1) in WEEKDAYS:
                    return replace(reading, weekday=WEEKDAYS[self.word(after + 1)]), after + 2
                return (reading, after) if reading is not None else None
            case "decade":
                if step == 0:
                    return None
                return Reading(stretch=Stretch("aligned", step, amount(1, "decade"))), after
            case "fortnight":
                return Reading(stretch=Stretch("past" if step < 0 else "next", step or 1, amount(2, "week"))), after
            case "hour" | "minute" if step and self.word(at - 2) != "a":
                if name == "minute" and manner == "last":
                    return None
                return Reading(stretch=Stretch("past" if step < 0 else "next", step, amount(1, UNITS[name]))), after
            case _:
                return None

    def stretch(self, at: int, step: int, index: int) -> _Parsed | None:
        """the past three days, next couple of weeks, last 3 months and 2 days, next 4 business days."""
        if not step or self.word(at) in ("a", "an") and self.word(at + 1) not in ("few", "couple"):
            return None
        counted = self.length(at)
        if counted is None:
            return None
        if counted.amount is None:
            if self.word(at) == "couple" or self.word(at + 1) == "couple":
                after = counted.after
                return self.made_stretch(amount(2, counted.unit), counted.unit, step, after)
            return Reading(vague="past" if step < 0 else "future"), counted.after
        if self.word(counted.after) in ("of",):
            return None
        if self.word(counted.after) == "ago":  # "the last 3 months and 2 days ago": two expressions
            number, unit = self.number(at), self.unit(at + 1)
            if number is None or unit is None or number[0] is None or number[1] != at + 1:
                return None
            return self.made_stretch(amount(number[0] * unit[1], unit[0]), unit[0], step, unit[2])
        return self.made_stretch(counted.amount, counted.unit, step, counted.after)

    @staticmethod
    def made_stretch(total: Amount, unit: Unit, step: int, after: int) -> _Parsed:
        """A stretch of whole quarters, decades or weekends, or one that begins or ends at the reference."""
        if unit in ("quarter", "decade", "weekend"):
            return Reading(stretch=Stretch("aligned", step, replace(total, unit=unit))), after
        return Reading(stretch=Stretch("past" if step < 0 else "next", step, total)), after

    def trailing_modifier(self, at: int) -> _Parsed | None:
        """(the) 3 next weeks, 5 past years, 10 previous weeks."""
        counted = self.number(at)
        if counted is None or counted[0] is None:
            return None
        word = self.word(counted[1])
        step = MODIFIERS.get(word, 0)
        unit = self.unit(counted[1] + 1)
        if not step or unit is None or not self.word(counted[1] + 1).endswith("s"):
            return None
        return self.made_stretch(amount(counted[0] * unit[1], unit[0]), unit[0], step, unit[2])

    def weekday(self, index: int) -> _Parsed | None:
        """A weekday by itself, with the day of the month if that is said (Monday 21st, Tue the 4th)."""
        word = self.word(index).removesuffix("'s")
        if word not in WEEKDAYS:
            return None
        before, following = self.word(index - 1), self.word(index + 1)
        if before in ("every", "each", "most", "any", "some", "alternate", "black", "good", "cyber", "easter", "other", "casual", "taco", "man"):
            return None
        if word in DOUBTFUL_WEEKDAYS or len(word) <= 3:
            fits = before in DATE_PREPOSITIONS or following in PARTS or following[:1].isdigit() or before in ("to", "-", "or", "and", "week")
            if before == "in" or before == "of" or not fits:
                return None
        if self.capital(index) and self.capital(index + 1) and following.isalpha() and following not in MONTHS and following not in _PRONOUNS:
            if following in PARTS and not self.capital(index + 2):
                pass
            elif self.starts[index + 1] - self.ends[index] == 1:
                return None
        reading = Reading(weekday=WEEKDAYS[word], manner="bare")
        if following == "the":
            day = self.ordinal(index + 2)
        else:
            day = self.ordinal(index + 1)
        if day is None and following.isdigit() and 1 <= int(following) <= 31 and not self.clock_suffix(index + 2)[0] and (
            self.word(index + 2) not in ("-", "to", ":") and not self.touches(index + 2)
        ) and int(following) > 12:
            day = (int(following), index + 2)
        if day is not None and self.word(day[1]) not in ("of", "floor", "time"):
            return replace(reading, day=day[0], manner=None), day[1]
        return reading, index + 1

    def ordinal(self, index: int) -> tuple[int, int] | None:
        """An ordinal of a day: 3rd, third, twenty third, twenty-third."""
        word = self.word(index)
        if word in ENGLISH_ORDINALS:
            return ENGLISH_ORDINALS[word], index + 1
        if word[:1] == "0" and word[1:] in ENGLISH_ORDINALS:
            return ENGLISH_ORDINALS[word[1:]], index + 1
        tens = ENGLISH_CARDINALS.get(word, 0)
        ones = ENGLISH_ORDINALS.get(self.word(index + 1), 99)
        if tens in (20, 30) and ones < 10 and not self.word(index + 1)[0].isdigit():
            return tens + ones, index + 2
        return None

    def number_of_day(self, index: int) -> tuple[int, int] | None:
        """What may follow a month's name: 5, 5th, the fifth, twenty nine."""
        at = index + 1 if self.word(index) == "the" else index
        if self.word(at) == "/":
            at += 1
        found = self.ordinal(at)
        if found is None:
            word = self.word(at)
            if word.isdigit() and len(word) <= 2:
                found = int(word), at + 1
            elif word in ENGLISH_CARDINALS:
                number = self.number(at)
                if number is not None and number[0] is not None and number[0] == int(number[0]):
                    found = int(number[0]), number[1]
        if found is None or not 1 <= found[0] <= 31:
            return None
        following = self.word(found[1])
        if following in UNITS or following in ("%", ":", "people", "times", "percent") or self.clock_suffix(found[1])[0]:
            return None
        if following == "." and self.touches(found[1]) and self.word(found[1] + 1).isdigit():
            return None
        return found

    def year_after(self, index: int) -> tuple[int, int] | None:
        """A year behind a date: 2024, ", 2024", "of 2024", '24."""
        at = index
        if self.word(at) in (",", "of", "in"):
            at += 1
        word = self.word(at)
        if len(word) == 4 and word.isdigit() and 1000 <= int(word) <= 2999:
            return int(word), at + 1
        if self.word(at) == "'" and len(self.word(at + 1)) == 2 and self.word(at + 1).isdigit():
            short = int(self.word(at + 1))
            return (2000 if short < 50 else 1900) + short, at + 2
        if word in ("nineteen", "twenty") and self.word(at + 1) in ENGLISH_CARDINALS and ENGLISH_CARDINALS[self.word(at + 1)] >= 10:
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

    def month(self, index: int) -> _Parsed | None:
        """A month, with its day and year if they are said."""
        word = self.word(index)
        number = MONTHS.get(word.removesuffix("'s"))
        if number is None:
            return None
        at = index + 1
        if self.word(at) == "." and self.touches(at) and len(word) <= 4 and self.word(at + 1)[:1].isalnum():
            at += 1
        before = self.word(index - 1)
        day = self.number_of_day(at)
        reading = Reading(month=("abs", number), manner="bare")
        if day is not None and not (word in ("may", "march") and not self.capital(index) and before in ("i", "you", "we", "they", "he", "she", "it", "to")):
            if day[0] > (29 if number == 2 else 30 if number in (4, 6, 9, 11) else 31):
                return None
            reading, at = replace(reading, day=day[0]), day[1]
            if self.word(at) in ("-", "–", "to", "through", "thru", "till", "until"):
                until = self.number_of_day(at + 1)
                if until is not None and until[0] > day[0] and self.word(until[1]) not in ("of", *MONTHS):
                    reading, at = replace(reading, through=replace(reading, day=until[0])), until[1]
            year = self.year_after(at)
            if year is not None:
                return replace(reading, year=("abs", year[0]), manner=None), year[1]
            return reading, at
        year = self.year_after(at)
        if year is not None:
            return Reading(month=("abs", number), year=("abs", year[0])), year[1]
        if word in PLAIN_MONTHS:
            return reading, at
        fits = before in ("in", "since", "until", "till", "during", "by", "of", "early", "late", "mid", "throughout", "before", "after", "from", "through", "around", "between") or (
            before in ("-",) and self.word(index - 2) == "mid"
        )
        if word in ("mar", "sep", "dec", "jun") and not self.capital(index):
            fits = before in ("in", "since")
        if word in ("may", "march", "april", "june", "august") and before in ("by", "of", "before", "after", "from", "around", "between"):
            after_it = self.word(at) in ("to", "until", "till", "and", "through") and (self.word(at + 1) in MONTHS or self.word(at + 1) in ("the", "now"))
            fits = (fits and self.capital(index) and not self.capital(index - 2)) or after_it
            fits = fits and self.word(at) not in ("'", "'s")
        if word == "may" and before in ("in", "since") and self.word(at) in ("be", "have", "not"):
            return None
        return (reading, at) if fits else None

    def day_of(self, index: int) -> _Parsed | None:
        """the 3rd of March, 2 July, the 15th of next month, on the 15th; first week of October, last Monday of May."""
        start = index + 1 if self.word(index) == "the" else index
        day = self.ordinal(start)
        plain = False
        if day is None and self.word(start).isdigit() and 1 <= int(self.word(start)) <= 31:
            day, plain = (int(self.word(start)), start + 1), True
        if day is not None:
            number, at = day
            spread = self.days_of(number, at)
            if spread is not None:
                return spread
            if self.word(at) == "day" and self.word(at + 1) == "of":
                at += 1
            has_of = self.word(at) == "of"
            month = MONTHS.get(self.word(at + has_of))
            if month is not None and not (plain and self.word(at) == "may" and not self.capital(at)):
                reading = Reading(month=("abs", month), day=number, manner="bare")
                end = at + has_of + 1
                if self.word(end) == "." and self.touches(end) and self.word(end + 1).isdigit():
                    end += 1
                year = self.year_after(end)
                if year is not None:
                    return replace(reading, year=("abs", year[0]), manner=None), year[1]
                return reading, end
            if not plain:
                inside = at + 1 if has_of else at
                which = self.relative_month(inside)
                if which is not None and (has_of or self.word(inside) in ("this", "next", "last")):
                    return Reading(month=which[0], day=number), which[1]
                if self.word(index) == "the" and self.word(index - 1) in ("on", "by", "until", "till", "since", "before", "after", "from") and (
                    self.word(at) in ("", ".", ",", "!", "?", "at", "and", "i", "we", "he", "she", "they", "so", "but", "because", "for", "with", "to")
                ):
                    return Reading(day=number, manner="bare"), at
        return self.ordinal_of(index)

    def days_of(self, number: int, index: int) -> _Parsed | None:
        """3 to 12 of September, 18 and 19 June, the ninth till the seventeenth of April."""
        if self.word(index) not in ("to", "-", "–", "and", "till", "until", "through", "thru"):
            return None
        at = index + 1 + (self.word(index + 1) == "the")
        until = self.ordinal(at)
        if until is None and self.word(at).isdigit() and len(self.word(at)) <= 2:
            until = int(self.word(at)), at + 1
        if until is None or not number < until[0] <= 31:
            return None
        end = until[1] + (self.word(until[1]) == "of")
        month = MONTHS.get(self.word(end))
        if month is None or until[0] > (29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31):
            return None
        reading = Reading(month=("abs", month), day=number, manner="bare")
        year = self.year_after(end + 1)
        if year is not None:
            reading, end = replace(reading, year=("abs", year[0]), manner=None), year[1] - 1
        return replace(reading, through=replace(reading, day=until[0])), end + 1

    def relative_month(self, index: int) -> tuple[tuple[str, int], int] | None:
        """(the) month, this month, last month, next month as a part of a longer expression."""
        word = self.word(index)
        if word in ("this", "last", "next", "the", "current") and self.word(index + 1) == "month":
            return ("rel", MODIFIERS.get(word, 0)), index + 2  # type: ignore[return-value]
        return None

    def ordinal_of(self, index: int) -> _Parsed | None:
        """the first week of July, last 3 weeks of this year, the 9th month of next year, last Friday of May."""
        start = index + 1 if self.word(index) == "the" else index
        word = self.word(start)
        last = word in ("last", "final")
        first = word in ("first", "1st")
        at = start + 1
        nth = 1
        if not last and not first:
            found = self.ordinal(start)
            if found is None:
                return None
            nth, at = found
        count: float | None = None
        if first or last:
            counted = self.number(at)
            if counted is not None and self.word(at) not in ("a", "an"):
                count, at = counted[0], counted[1]
                if count is None:
                    return None
        weekday = WEEKDAYS.get(self.word(at))
        unit = self.unit(at)
        if weekday is None and unit is None:
            return None
        end = at + 1 if unit is None else unit[2]
        if self.word(end) not in ("of", "in"):
            return None
        inner = self.expression_in(end + 1)
        if inner is None:
            return None
        within, after = inner
        name: Unit = unit[0] if unit is not None else "day"
        if count is not None:
            ordinal = Ordinal(int(count), name, "last" if last else "first")
        else:
            ordinal = Ordinal(1 if last else nth, name, "nth_last" if last else "nth", weekday)
        return replace(within, ordinal=ordinal), after

    def expression_in(self, index: int) -> _Parsed | None:
        """A month, year, quarter or week in which something longer lies; "the month" is the current one here."""
        at = index
        if self.word(at) in ("the", "this") and self.word(at + 1) in ("month", "year", "week", "quarter", "yr"):
            reading = self.stepped(self.word(at + 1), 0)
            return (reading, at + 2) if reading is not None else None
        if self.word(at) in ("month", "year", "week", "quarter") and self.word(index - 1) in ("of", "the"):
            reading = self.stepped(self.word(at), 0)
            return (reading, at + 1) if reading is not None else None
        parsed = self.expression(at)
        if parsed is None:
            word = self.word(at + 1 if self.word(at) == "the" else at)
            if word in MONTHS:
                return Reading(month=("abs", MONTHS[word]), manner="bare"), at + (2 if self.word(at) == "the" else 1)
            year = self.year_after(at)
            return (Reading(year=("abs", year[0])), year[1]) if year is not None else None
        if parsed[0].slots & {"vague", "now", "stretch", "offset", "clock", "part"}:
            return None
        return parsed

    def edge(self, index: int) -> _Parsed | None:
        """the end of next month, early next week, late last year, mid-July, earlier today, later this week, eod."""
        start = index + 1 if self.word(index) == "the" else index
        word = self.word(start)
        if word in EDGE_SHORT:
            unit = EDGE_SHORT[word]
            if unit == "day":
                return Reading(shift=0, edge="end"), start + 1
            reading = self.stepped(unit, 0)
            return (replace(reading, edge="end"), start + 1) if reading is not None else None
        edge: Edge | None = EDGES.get(word)
        if edge is None:
            return None
        at = start + 1
        if word in ("end", "start", "beginning", "begining", "middle", "close", "ending"):
            if self.word(at) != "of":
                return None
            at += 1
            if self.word(at) in ("day",) or (self.word(at) == "the" and self.word(at + 1) == "day"):
                at += self.word(at) == "the"
                if edge != "end" or self.word(index - 1) == "at" or self.word(at + 1) == "of":
                    return None  # "at the end of the day" is a manner of speaking
                return Reading(shift=0, edge=edge), at + 1
        elif word in ("earlier", "later"):
            at += self.word(at) == "in" or self.word(at) == "on"
            if self.word(at) == "the" and self.word(at + 1) == "day":
                return None
        elif word == "mid" and self.word(at) == "-":
            at += 1
        elif self.word(at) == "in":
            at += 1
        inner = self.expression_in(at)
        if inner is None or inner[0].edge is not None:
            return None
        reading, after = inner
        if reading.slots & {"part"} or reading.weekday is not None or reading.shift is not None:
            if word in ("end", "start", "beginning", "middle", "earlier", "later"):
                return replace(reading, edge=edge if reading.shift is not None and not reading.part else None), after
            return (reading, after) if reading.shift is not None or reading.weekday is not None else None
        return replace(reading, edge=edge), after

    def weekend(self, index: int) -> _Parsed | None:
        """(the) weekend by itself."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) not in ("weekend", "wkend"):
            return None
        if self.word(start - 1) in ("a", "every", "each", "long", "any", "'s", "whole", "of") or self.word(start + 1) in (
            "trip", "warrior", "getaway", "plans", "job", "project", "vibes", "break", "edition", "shift",
        ):  # fmt: skip
            return None
        if self.word(start + 1) == "of":
            inner = self.expression(start + 2)
            if inner is not None:
                return (inner[0], inner[1]) if inner[0].absolute else (replace(inner[0], weekend=True), inner[1])
            return None
        if self.word(start - 1) not in ("the", "on", "this", "over", "for", "during") and self.word(start - 1) not in _FUNCTION and start:
            return None
        return Reading(weekend=True, manner="bare"), start + 1

    def week_of(self, index: int) -> _Parsed | None:
        """the week of April 10th, week 31, the week of 2026-02-16 to 2026-02-22."""
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

    def current(self, index: int) -> _Parsed | None:
        """for the day, for the month: the current one; the rest of the week: from today to its end."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) in ("rest", "remainder", "remaining") and self.word(start + 1) == "of":
            inner = self.expression_in(start + 2)
            if inner is None and self.word(start + 2) in ("the", "this") and self.word(start + 3) == "day":
                return Reading(shift=0), start + 4
            if inner is not None and inner[0].slots & {"week", "month", "year"} and not inner[0].absolute and not inner[0].edge:
                return replace(inner[0], edge="rest"), inner[1]
            return None
        if self.word(index) == "the" and self.word(index - 1) == "for" and self.word(index + 2) not in ("of", "that", "when", "to", "in", "after", "before"):
            unit = self.word(start)
            if self.word(index + 2).isalpha() and self.word(index + 2) not in _FUNCTION:
                return None
            if unit == "day":
                return Reading(shift=0), start + 1
            reading = self.stepped(unit, 0) if unit in ("week", "month", "year", "quarter") else None
            return (reading, start + 1) if reading is not None else None
        if self.words[index : index + 3] in (["year", "to", "date"], ["month", "to", "date"]) or (
            self.words[start : start + 3] in (["year", "to", "date"], ["month", "to", "date"])
        ):
            reading = self.stepped(self.word(start), 0)
            return (replace(reading, through=Reading(now=True)), start + 3) if reading is not None else None
        return None

    def holiday_words(self, index: int) -> tuple[str, str, int] | None:
        """A feast's key, name and the index after it; the longest name wins."""
        if self.word(index) not in HOLIDAY_STARTS:
            return None
        for size in (4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in HOLIDAYS:
                return *HOLIDAYS[key], index + size
        return None

    def holiday(self, index: int) -> _Parsed | None:
        """A feast, with its year if that is said."""
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
        if following.isalpha() and following not in _FUNCTION and following not in MODIFIERS and following not in DAYS and (
            following not in PARTS and following not in ("early", "late")
        ):
            return None
        if key == "new_year" and label == "New Year" and self.word(index - 1) in ("the", "a", "happy"):
            return None
        if self.word(index - 1) in ("happy", "merry", "a"):
            return None
        return Reading(holiday=key, holiday_name=label, manner="bare"), after

    def season(self, index: int) -> _Parsed | None:
        """A season of a year that is said (summer 2024, the summer of 2024); a bare one is no single time."""
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

    def quarter(self, index: int) -> _Parsed | None:
        """Q2, Q2 2025, the second half of last year."""
        word = self.word(index)
        if word == "q" and self.touches(index + 1) and self.word(index + 1) in ("1", "2", "3", "4"):
            number = int(self.word(index + 1))
            year = self.year_after(index + 2)
            if year is not None:
                return Reading(quarter=("abs", number), year=("abs", year[0])), year[1]
            return Reading(quarter=("abs", number), manner="bare"), index + 2
        start = index + 1 if word == "the" else index
        if self.word(start) in ("first", "second", "1st", "2nd") and self.word(start + 1) == "half" and self.word(start + 2) == "of":
            inner = self.expression_in(start + 3)
            which = 1 if self.word(start) in ("first", "1st") else 2
            if inner is not None and inner[0].slots == {"year"}:
                return replace(inner[0], half=(which, "year")), inner[1]
            if inner is not None and inner[0].month is not None and inner[0].day is None and inner[0].edge is None:
                return replace(inner[0], half=(which, "month")), inner[1]
        return None

    def numeric(self, index: int) -> _Parsed | None:
        """2026-02-20, 5/3/18, and 5/3 where a preposition shows that it is a date."""
        word = self.word(index)
        if "-" in word and word[0].isdigit() and len(word) >= 8:
            year, month, day = (int(part) for part in word.split("t")[0].split("-"))
            if not (1 <= month <= 12 and 1 <= day <= 31):
                return None
            return Reading(year=("abs", year), month=("abs", month), day=day), index + 1
        if word.isdigit() and len(word) == 4 and 1500 <= int(word) <= 2199 and self.word(index - 1) in ("in", "since", "of", "until", "by", "year"):
            return Reading(year=("abs", int(word))), index + 1
        if "/" not in word:
            return None
        parts = [int(part) for part in word.split("/")]
        if len(parts) == 3:
            return Reading(year=("abs", parts[2] + (0 if parts[2] > 99 else 2000)), month=("abs", max(1, min(12, parts[0]))), day=1), index + 1
        if self.word(index - 1) not in ("on", "by", "since", "until", "before", "after", "from", "till") and self.word(index - 1) not in WEEKDAYS:
            return None
        first, second = parts
        if first > 12:
            first, second = second, first
        if not 1 <= first <= 12 or not 1 <= second <= (29 if first == 2 else 30 if first in (4, 6, 9, 11) else 31):
            return None
        return Reading(month=("abs", first), day=second, manner="bare"), index + 1

    # ------------------------------------------------------------------------------------------------- time of the day

    def clock_suffix(self, index: int) -> tuple[str, int]:
        """am, pm, a.m., p (directly behind a number): "am" or "pm", and the index after it."""
        word = self.word(index)
        if word in ("am", "pm"):
            return word, index + 1
        if word in ("a", "p"):
            if self.word(index + 1) == "." and self.word(index + 2) == "m" and self.touches(index + 1):
                end = index + 3
                return word + "m", end + (self.word(end) == "." and self.touches(end))
            if self.touches(index) and not self.touches(index + 1) or (self.touches(index) and self.word(index + 1) in (".", ",", "?", "!")):
                return word + "m", index + 1
        return "", index

    def hour(self, index: int) -> tuple[int, int, int] | None:
        """An hour and minute in digits or words, and the index after it."""
        word = self.word(index)
        if ":" in word and word[0].isdigit():
            parts = [int(part) for part in word.split(":")]
            return (parts[0], parts[1], index + 1) if parts[0] < 25 and parts[1] < 60 else None
        if word.isdigit() and len(word) <= 2:
            hour = int(word)
            return (hour, 0, index + 1) if hour <= 24 else None
        if word.isdigit() and len(word) in (3, 4) and self.clock_suffix(index + 1)[0]:
            hour, minute = divmod(int(word), 100)
            return (hour, minute, index + 1) if hour <= 12 and minute < 60 else None
        if _HOUR_DOT_MINUTE.fullmatch(word) and self.clock_suffix(index + 1)[0]:
            hour, minute = (int(part) for part in word.split("."))
            return hour, minute, index + 1
        value = ENGLISH_CARDINALS.get(word)
        if value is None or not 1 <= value <= 12:
            return None
        tens = ENGLISH_CARDINALS.get(self.word(index + 1), 0)
        if tens in (10, 15, 20, 30, 40, 45, 50) or 20 < tens < 60:
            return int(value), tens, index + 2
        if self.word(index + 1) == "-" and ENGLISH_CARDINALS.get(self.word(index + 2), 0) in (10, 15, 20, 30, 40, 45, 50):
            return int(value), ENGLISH_CARDINALS[self.word(index + 2)], index + 3
        return int(value), 0, index + 1

    def clock(self, index: int, after_day: bool = False) -> _Parsed | None:
        """A clock time or a stretch of them. Without am, pm or a colon only `after_day` (tomorrow at 5)."""
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
        if self.word(at) in ("o'clock", "oclock"):
            at, firm = at + 1, True
            suffix, at = (suffix, at) if suffix else self.clock_suffix(at)
        until: Clock | None = None
        link = self.word(at)
        if link in ("to", "-", "–", "until", "till", "til") or (link == "and" and self.word(index - 1) == "between"):
            end = self.hour(at + 1)
            if end is not None:
                other, end_at = self.clock_suffix(end[2])
                if other or firm or after_day:
                    until = self.made_clock(end[0], end[1], "pm" if other == suffix == "am" and end[0] == 12 else other)
                    if not suffix and other:
                        suffix = other if hour % 12 <= end[0] % 12 or other == "am" else ("am" if other == "pm" and hour < 12 else suffix)
                    at, firm = end_at, firm or bool(other)
        if not firm and not after_day:
            return None
        if not firm and (word in ENGLISH_CARDINALS or word.isdigit()):
            following = self.word(at)
            if self.word(index - 1) not in ("at", "around", "about", "from", "between", "@", "by") and until is None and not self.part_follows(at):
                return None
            if following in UNITS or following in ("people", "times", "%", "of") or (following.isalpha() and following not in _FUNCTION and following not in DAYS and following not in TONIGHT and following not in PARTS and following not in WEEKDAYS and following not in MODIFIERS):
                return None
            if hour > 24:
                return None
        return Reading(clock=self.made_clock(hour, minute, suffix), clock_until=until), at

    def part_follows(self, index: int) -> bool:
        """Whether "in the morning" or the like stands here."""
        return self.word(index) == "in" and self.word(index + 1) == "the" and self.word(index + 2) in PARTS

    @staticmethod
    def made_clock(hour: int, minute: int, suffix: str) -> Clock:
        """A clock time; without am or pm an hour of 1 to 12 may be of either half of the day."""
        if suffix:
            return Clock(hour % 12 + (12 if suffix == "pm" else 0) if hour <= 12 else hour, minute)
        return Clock(hour, minute, known=hour > 12 or hour == 0)

    def spoken_clock(self, index: int) -> _Parsed | None:
        """half past seven, quarter to eight, twenty past 8, ten to nine."""
        at = index
        if self.word(at) == "a" and self.word(at + 1) == "quarter":
            at += 1
        minutes: float | None
        if self.word(at) == "half":
            minutes, at = 30, at + 1
        elif self.word(at) == "quarter":
            minutes, at = 15, at + 1
        else:
            counted = self.number(at)
            if counted is None or counted[0] is None or self.word(at) in ("a", "an") or not 0 < counted[0] < 60:
                return None
            minutes, at = counted
            at += self.word(at) in ("minutes", "min", "mins", "minute")
        link = self.word(at)
        if link not in ("past", "to", "after", "till") or (link in ("to", "till", "after") and minutes not in (5, 10, 15, 20, 25)):
            return None
        if link == "to" and self.word(index - 1) in ("from",):
            return None
        if link in ("to", "after", "till") and self.word(at - 1).isdigit():
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

    def clock_alone(self, index: int) -> _Parsed | None:
        """A clock time that begins an expression: firm by itself, or with a day right behind it (6 this morning)."""
        firm = self.clock(index)
        if firm is not None:
            return firm
        if not self.word(index)[:1].isdigit() and self.word(index) not in ENGLISH_CARDINALS:
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
        if day[0].part is None and before not in ("at", "around", "about", "from", "between", "by", "till", "until", "@") and reading.clock_until is None:
            return None
        joined = merge(reading, day[0])
        return (joined, day[1]) if joined is not None else None

    def part(self, index: int) -> _Parsed | None:
        """A part of the day."""
        at = index + (self.word(index) in ("early", "late"))
        part = PARTS.get(self.word(at))
        if part is None or self.word(at) in ("eve",):
            return None
        return Reading(part=part), at + 1

    def part_alone(self, index: int) -> _Parsed | None:
        """in the morning, and what may follow (in the morning at 7)."""
        if self.word(index) == "in" and self.word(index + 1) == "the" and self.word(index + 2) in PARTS:
            return Reading(part=PARTS[self.word(index + 2)]), index + 3
        if self.word(index) == "the" and self.word(index + 1) in PARTS and self.word(index + 2) == "of":
            inner = self.expression(index + 3)
            if inner is not None and inner[0].part is None and inner[0].clock is None:
                joined = merge(inner[0], Reading(part=PARTS[self.word(index + 1)]))
                return (joined, inner[1]) if joined is not None else None
        return None

    # --------------------------------------------------------------------------------------------------- vague and now

    def vague(self, index: int) -> _Parsed | None:
        """recently, the other day, just now, soon …"""
        if self.word(index) not in VAGUE_STARTS:
            return None
        for size in (5, 4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in VAGUE:
                break
        else:
            return None
        before, following = self.word(index - 1), self.word(index + size)
        if key == ("soon",) and (before in ("as", "too", "so", "how", "very", "pretty") or following in ("after", "as", "enough")):
            return None
        if key == ("long", "ago") and before in ("how", "so", "too", "not"):
            return None
        if key == ("shortly",) and following in ("after", "before"):
            return None
        if key == ("of", "late") and following in ("night", "nights"):
            return None
        if key == ("other", "day") and before in ("every", "each", "any", "some", "no"):
            return None
        if key == ("the", "other", "day") and before == "on":
            return None
        if key[0] == "in" and key[-1] in ("bit", "while") and english_evidence(self.lower, self.starts[index], self.ends[index + size - 1]) != "future":
            return None  # "haven't seen you in a while"
        return Reading(vague=VAGUE[key]), index + size  # type: ignore[arg-type]

    def now(self, index: int) -> _Parsed | None:
        """now, right now, currently, at the moment …; not the "now" of "now that", "for now", "now and then"."""
        if self.word(index) not in NOW_STARTS:
            return None
        for size in (5, 4, 3, 2, 1):
            key = tuple(self.words[index : index + size])
            if len(key) == size and key in NOW:
                break
        else:
            return None
        before, following = self.word(index - 1), self.word(index + size)
        if key == ("now",) and (
            before in ("for", "just", "day", "and", "even", "right", "now", "here", "know") and before != "and"
            or following in ("that", "now")
            or (following in ("and",) and self.word(index + 2) in ("then", "again"))
            or (following == "," and (index == 0 or before in (".", "!", "?")))
            or (index == 0 and following in ("let", "let's", "look", "listen", "this", "what", "who", "how"))
        ):
            return None
        return Reading(now=True), index + size

    def to_date(self, index: int) -> _Parsed | None:
        """to date, till date: up to the reference."""
        if self.word(index) in ("to", "till") and self.word(index + 1) == "date" and self.word(index - 1) not in (
            "up", "want", "going", "used", "need", "how", "able", "like", "likes", "wants", "start", "started", "way",
        ) and self.word(index + 2) not in _PRONOUNS:  # fmt: skip
            return Reading(until_now=True), index + 2
        return None

    def week_number(self, index: int) -> _Parsed | None:
        """week 27 (of last year)."""
        start = index + 1 if self.word(index) == "the" else index
        if self.word(start) == "week" and self.word(start + 1).isdigit() and 1 <= int(self.word(start + 1)) <= 53:
            reading, at = Reading(week_number=int(self.word(start + 1))), start + 2
            if self.word(at) == "of":
                inner = self.expression_in(at + 1)
                if inner is not None and inner[0].slots == {"year"}:
                    return replace(reading, year=inner[0].year), inner[1]
            before = self.word(index - 1)
            fits = before in ("in", "by", "until", "since") or start != index or self.word(at)[:1].isdigit() or before in WEEKDAYS
            return (reading, at) if fits and self.word(at) != "of" else None
        return None


_Parse = "type[_Sentence]"


def _starts() -> dict[str, tuple[object, ...]]:
    table: dict[str, list[object]] = {}

    def begin(words: object, *parsers: object) -> None:
        for word in words:  # type: ignore[attr-defined]
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
    return {word: tuple(dict.fromkeys(parsers)) for word, parsers in table.items()}


_BY_WORD = _starts()
_BY_DIGIT = (_Sentence.numeric, _Sentence.counted, _Sentence.trailing_modifier, _Sentence.day_of, _Sentence.clock_alone)
