"""English grammar: what two words of time say together, and which expressions of a sentence mean a single time.

A head ("the end of", "two weeks after", "first Friday of") is a word of time too; the time that follows is its base. What
stands between two words that are one expression is a comma or a few small words ("tomorrow at 5", "Tuesday of last week").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from ...piecewise import matches
from ...word_lists import word_list
from .. import tense as verbs
from ..engine import Beside, Grammar, Said, not_understood
from ..engine import find as find_all
from ..reading import (
    BARE_WEEKDAY,
    DAY_OF_WEEK,
    TIME_OF_DAY,
    Amount,
    Clock,
    Found,
    Offset,
    Reading,
    Tense,
    clash,
    is_absolute,
    merge,
    open_hour,
)
from . import lexicon as lexicon
from .words import HOURS, TOKENS

_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_BEFORE_CLOCK = re.compile(r"[ ,]*(?:(?:at around|at about|at|@|around|from|between|for|about|by) ?)?")
_BEFORE_PART = re.compile(r",? (?:in the |on the |in |at )?")
_BEFORE_DAY = re.compile(r" ?,? ?| (?:on the|of the|on|of|for|the|in) |, on | - |, of ")
_RANGE = re.compile(r"(?: (?:to|until|till|til|through|thru)(?: the)? | ?[-–—~] ?)$")
_TOUCH = re.compile(r" ?|-| (?:(?:right |just )?(?:before|after|following|preceding|of)|on) (?:the )?")
_NO_BASE = word_list("vague now stretch clock part through")
_WEAK_AFTER = word_list("part clock stretch offset vague now")
_DAY_NUMBER = frozenset({"day", "manner"})
_BY_TENSE = DAY_OF_WEEK | {"month", "day", "ordinal"}
"""What a time is made of whose day is told by the tense alone: "in June", "on Tuesday at 8"."""
_LIKED = BARE_WEEKDAY | {"month", "day"}
_LONGER = frozenset({"year", "month", "week", "day", "holiday", "weekday"})
_AND = (" and ", " or ", ", ", " and on ", " or on ")
_NEVER_CAPITAL = lexicon.TONIGHT | lexicon.DAYS.keys() | word_list("now currently recently lately soon")
_CAPITALS = lexicon.WEEKDAYS.keys() | lexicon.MONTHS.keys() | {word for name in lexicon.HOLIDAYS for word in name.split()}
_AFTER_FEAST = lexicon.FUNCTION_WORDS | lexicon.MODIFIERS.keys() | lexicon.DAYS.keys() | lexicon.PARTS.keys()
_AFTER_FEAST |= {"", "early", "late"}
_BE = word_list("am is are isn't aren't i'm you're we're they're") | {""}
_HABITUAL = word_list("work works train trains teach teaches play plays check checks visit visits")
_NEXT_WORD = re.compile(r"[ -]([A-Za-z']+)")
_ALNUM = re.compile(r"[a-z0-9]+")
_QUICK = re.compile(
    r"\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|(?:\b(?:in|at|around|about|from|between|by)|@) ?\d"
    rf"|\b(?:at|around|about) (?:{HOURS})\b"
)
_KEYS = {word for phrase in lexicon.HOLIDAYS for word in re.split("[^a-z]", phrase)} - word_list("day of the new s st b may")
_KEYS |= lexicon.KEYS
_FOLD = str.maketrans("’", "'")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def might_hold(text: str) -> bool:
    """Return False if no word of the text can be part of an expression of time (a fast pre-check)."""
    low = text.lower()
    return any(word.group() in _KEYS for word in matches(_ALNUM, low)) or any(matches(_QUICK, low))


def find(text: str, is_content: Callable[[Found], bool]) -> list[Found]:
    """Return the English expressions of a text that need a reference, without those for which `is_content` is True."""
    right, slips = lexicon.corrected(text.translate(_FOLD))
    low = right.translate(_LOWER)
    said = Said(right, low, verbs.without_names(right, low))
    if not slips:
        return find_all(_GRAMMAR, said, is_content)

    def at_home(item: Found) -> Found:
        """Return an expression with its place in the text before its slips were corrected."""
        start, end = (at - sum(more for slip, more in slips if slip < at) for at in (item.start, item.end))
        return replace(item, start=start, end=end)

    return [at_home(item) for item in find_all(_GRAMMAR, said, lambda item: is_content(at_home(item)))]


# ---------------------------------------------------------------------------------------------------------- together


def _join(said: Said, first: Found, second: Found) -> Reading | None:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if len(gap) > 12 or not (a.slots and b.slots):
        return None
    if _is_head(a) or _is_head(b):
        return _with_base(a, b) if gap in (" ", " the ", "-", " on ", " this ") else None
    words, fits = gap.split(), _BEFORE_DAY
    if b.slots <= TIME_OF_DAY:
        fits = _BEFORE_PART if b.clock is None else _BEFORE_CLOCK
        if b.slots & a.slots or a.absolute:
            return None
    elif words in (["in"], ["for"]) and b.month is None and b.year is None:
        return None
    if not fits.fullmatch(gap):
        return None
    if words in (["in"], ["for"], ["the"]) and not a.slots <= TIME_OF_DAY and b.slots & _WEAK_AFTER:
        return None
    if words[:1] == ["of"] and b.absolute:
        return replace(b, part=a.part or b.part)
    named = (a.slots | b.slots) & {"weekday", "clock"} or b.year is not None or a.slots <= TIME_OF_DAY
    if (words == [","] and not named) or (b.manner == "bare" and b.month is not None and a.week is not None):
        return None
    return merge(a, b)


def _is_head(reading: Reading) -> bool:
    """Return True for a reading that says nothing without the time that follows it."""
    base = reading.offset.base if reading.offset is not None else None
    half = reading.half is not None and (reading.half[0] == 0 or reading.slots == {"month"})
    alone = reading.slots <= {"edge", "ordinal"} or reading.slots == {"through"}
    return (base is not None and not base.slots) or half or alone


def _with_base(head: Reading, base: Reading) -> Reading | None:
    """Return "two weeks after" + "Christmas" as one reading, None if the second is no base of the first."""
    if not _is_head(head) or not base.has_day or base.slots & _NO_BASE or _is_head(base):
        return None
    if base.absolute:
        return base
    if head.offset is not None:
        return replace(head, offset=replace(head.offset, base=base)) if base.offset is None else None
    if base.ordinal is not None or base.edge is not None:
        return None
    if head.through is not None and head.through.offset is not None:
        lasts = head.through.offset
        until = replace(lasts, base=base, amount=replace(lasts.amount, days=lasts.amount.days - 1))
        return replace(base, through=Reading(offset=until)) if not lasts.amount.minutes else None
    if head.half is not None:
        which, unit = head.half
        if which:
            unit = "year" if base.slots == {"year"} else "month" if base.month and base.day is None else ""
            return replace(base, half=(which, unit)) if unit else None
        dated = base.month is not None and base.day is not None and base.week is None
        return replace(base, weekend=True) if unit == "weekend" else replace(base, week=0) if dated and unit else None
    if head.ordinal is not None:
        return replace(base, ordinal=head.ordinal)
    if head.edge == "rest" and not base.slots & {"week", "month", "year"}:
        return None
    return replace(base, edge=head.edge if base.weekday is None else None)  # "early Monday": the word stays


def _through(said: Said, first: Found, second: Found) -> Reading | None:
    """Return "Monday to Friday", "between 3 March and 12 March" as one reading, None if they are no ends of a range."""
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    between = gap in (" and ", " and the ") and said.low.endswith("between ", 0, first.start)
    to_date = gap == " " and b.until_now and said.low.endswith("from ", 0, first.start)
    if not (between or to_date or _RANGE.match(gap)) or not (a.slots and b.slots) or a.through:
        return None
    if (a.slots | b.slots) & {"vague", "stretch"} or _is_head(a) or _is_head(b):
        return None
    if any(one.part is not None and one.clock is None for one in (a, b)):
        return None  # "from Monday evening to Tuesday morning" stays two expressions: a range of days would lose the parts
    if b.slots <= TIME_OF_DAY:
        told = a.clock is not None and b.clock is not None and not a.slots <= TIME_OF_DAY
        return replace(a, clock_until=b.clock) if told else None
    if a.slots <= TIME_OF_DAY:
        if a.clock is None or b.clock is None or b.shift is None:
            return None
        if b.shift and not said.low.startswith(("noon", *"0123456789"), second.start):
            return replace(a, shift=0, through=b)  # "2pm till tomorrow 4:30pm"
        return replace(b, clock=replace(a.clock, known=a.clock.known or b.clock.known), clock_until=b.clock)
    if b.now or b.until_now:
        return replace(a, through=Reading(now=True))
    if b.week is not None and a.week is None and a.weekday is not None and b.weekday is not None:
        a = replace(a, week=b.week, manner=None)
    if a.month is not None or b.month is not None:  # one of them has the month or the year of the other
        a = replace(a, year=a.year or (b.year if a.day or a.month else None), month=a.month or (b.month if a.day else None))
        b = replace(b, year=b.year or (a.year if b.day or b.month else None), month=b.month or (a.month if b.day else None))
    return replace(a, through=b) if b.day is None or b.month is not None or b.shift is not None else None


def _touches(said: Said, first: Found, second: Found) -> bool:
    gap, a, b = said.low[first.end : second.start], first.reading, second.reading
    if not _TOUCH.fullmatch(gap):
        return False
    if not (a.slots and b.slots):
        return gap in ("", " ", "-", " on ") and not (a.slots | b.slots) <= TIME_OF_DAY
    if _is_head(a) or _is_head(b) or is_absolute(a) or is_absolute(b):
        return a.offset is not None and _is_head(a)
    if gap.startswith(" on"):
        return False
    if len(gap) > 1:
        return a.has_day and b.has_day and not (a.slots | b.slots) & {"clock", "vague", "now"}
    return clash(a, b)


# ------------------------------------------------------------------------------------------------------------ judged


@dataclass(frozen=True)
class _Place:
    """An expression where it stands, with what the words around it tell."""

    said: Said
    item: Found
    earlier: Found | None
    beside: Beside

    @cached_property
    def tense(self) -> Tense:
        """The tense of the clause, if it has none that of its sentence."""
        return verbs.english_evidence(self.said.spoken, self.item.start, self.item.end)

    @cached_property
    def own(self) -> Tense:
        """The tense of the clause."""
        return verbs.english_evidence(self.said.spoken, self.item.start, self.item.end, wide=False)

    @cached_property
    def verb(self) -> str:
        """The verb in the present that governs the expression, else the empty string."""
        return verbs.english_present(self.said.spoken, self.item.start, self.item.end)

    @cached_property
    def habit(self) -> bool:
        """True if the clause describes a habit."""
        return verbs.english_habit(self.said.spoken, self.item.start, self.item.end)

    @cached_property
    def words(self) -> str:
        """The expression in lower case."""
        return self.said.low[self.item.start : self.item.end]

    @cached_property
    def following(self) -> str:
        """The word behind the expression without its ending in 's, else the empty string."""
        found = _NEXT_WORD.match(self.said.text, self.item.end)
        return found[1].partition("'")[0] if found is not None else ""

    def before(self, name: str) -> bool:
        """Return True if what stands before the expression ends as the pattern of that name tells."""
        start = self.item.start
        return lexicon.AROUND[name].search(self.said.low, max(0, start - 60), start) is not None

    def after(self, name: str) -> bool:
        """Return True if what stands behind the expression begins as the pattern of that name tells."""
        return lexicon.AROUND[name].match(self.said.low, self.item.end) is not None

    def near(self, name: str) -> bool:
        """Return True if the pattern of that name is found close to the expression."""
        around = self.said.low[max(0, self.item.start - 40) : self.item.end + 24]
        return lexicon.AROUND[name].search(around) is not None

    @cached_property
    def daily(self) -> bool:
        """True if a verb in the present or a word of habit tells what is done at an hour each day: "it closes at 3"."""
        return self.habit or self.after("on_every") or (self.verb not in _BE and not self.verb.endswith("ing"))


def _judge(said: Said, item: Found, earlier: Found | None, beside: Beside) -> Found | None:
    place, reading = _Place(said, item, earlier, beside), item.reading
    if not reading.slots:
        told = earlier is not None and is_absolute(earlier.reading) and place.tense == "past"
        return None if place.habit or (told and place.words.startswith("the ")) else item
    if _is_no_time(place) or _is_named(place) or _is_head(reading) or _has_its_day_beside(place):
        return None
    if place.before("hyphen"):
        return not_understood(item)  # "pre-Christmas"
    meant = _meant(place)
    if not (_stands(place) if meant is reading or meant is None else not place.habit):
        return not_understood(item) if _is_undecided(place) else None
    if meant is None or not item.understood or _is_unsure(place):
        hour = reading.clock is not None and reading.slots <= TIME_OF_DAY
        return None if hour and place.daily else not_understood(item)
    carried = meant.month is not reading.month and place.own == "none"  # "the 12th of May, back on the 20th"
    tense = earlier.tense if carried and earlier is not None else _direction(place)
    return replace(item, reading=_in_its_half(place, meant), tense=tense)


def _is_no_time(place: _Place) -> bool:
    """Return True for what only looks like time where it stands: "it's Monday", "an Easter egg", "twice a week"."""
    reading, slots, words = place.item.reading, place.item.reading.slots, place.words
    if slots == {"part"}:
        return not words.startswith("in the ")
    if slots <= BARE_WEEKDAY | {"part"}:
        return place.before("no_weekday")
    if slots == {"clock"} and not place.item.understood and reading.clock is not None:  # "wake me at 6", "from 3 to 4 people"
        return reading.clock.hour > 12 or not (place.before("at_hour") and place.after("after_hour"))
    if reading.holiday is not None and slots == _DAY_NUMBER and reading.manner == "bare":
        part = place.following.lower() not in _AFTER_FEAST | lexicon.HELD
        name = place.following[:1].isupper() and (place.item.start == 0 or place.before("leads"))
        return place.before("no_feast") or (part and not name)
    if words in ("in a bit", "in a while", "in a little while"):
        return place.tense != "future"
    if words.startswith("in ") and slots <= {"offset", "vague"}:
        often = words.startswith(("in a ", "in one ")) and place.before("count")  # "5 in a day"
        other = often or place.before("lasted") or place.before("times") or place.before("put")
        return reading.vague is None and other
    if words.startswith("the ") and len(words) < 12 and place.before("of"):
        return slots <= {"week", "month", "year", "day"} and reading.day is None  # "the song of the week"
    return False


def _is_named(place: _Place) -> bool:
    """Return True for a name or a title that holds words of time: "Now" in mid-sentence, "called Sunday", "Friday Harbor"."""
    text, item = place.said.text, place.item
    words = text[item.start : item.end].split()
    inside = text[max(0, item.start - 40) : item.start].rstrip(" \t")[-1:]
    first, capitals = words[0].lower(), all(word[:1].isupper() for word in words)
    if len(words) == 1 and first in _NEVER_CAPITAL and words[0].istitle():
        return inside.isalnum() or inside == ","
    if len([word for word in words[1:] if word[:1].isupper() and word.lower() not in _CAPITALS]) > 1:
        return True
    if capitals and len(words) > 1 and first in lexicon.MODIFIERS:
        return inside.isalnum() and not place.before("leads")
    if not item.reading.slots <= {"weekday", "month", "manner", "part"} or item.reading.day is not None:
        return False
    if place.before("named"):
        return True
    if not capitals or not place.following[:1].isupper() or place.before("led_by_on"):
        return False
    word = place.following.lower()
    known = word in lexicon.MONTHS or word in lexicon.PRONOUNS or word in lexicon.MODIFIERS
    return not known and word not in lexicon.PARTS and text[item.end] == " "


def _has_its_day_beside(place: _Place) -> bool:
    """Return True for the name of a feast beside its day: "Thanksgiving is tomorrow", "it's on Friday, Halloween"."""
    item, earlier, (_, following), low = place.item, place.earlier, place.beside, place.said.low
    if item.reading.holiday is None or item.reading.year is not None:
        return False
    if earlier is not None and lexicon.AROUND["same_day"].fullmatch(low, earlier.end, item.start):
        return True
    day = following if following is not None and following.reading.has_day else None
    return day is not None and lexicon.AROUND["same_day"].fullmatch(low, item.end, day.start) is not None


def _stands(place: _Place) -> bool:
    """Return True if an expression means a single time as seen from the reference, not a habit or a narrated time."""
    reading, slots, words, tense = place.item.reading, place.item.reading.slots, place.words, place.tense
    if tense == "past" and (reading.vague == "future" or words.startswith(("following", "the following"))):
        return False  # counted from another time in the story: "a few days later she called"
    if slots <= TIME_OF_DAY:
        return place.earlier is None and tense != "none" and not place.habit and not place.after("on_every")
    if slots & {"edge", "ordinal"} and not slots & _LONGER:
        return False
    if reading.season is not None and reading.year is None and reading.manner is None:
        return False
    said = reading.offset
    if said is not None and said.base is None and said.sign > 0:
        fronted = place.said.low.startswith(",", place.item.end) and place.before("fronted")
        told = place.own if words.startswith("in ") and not fronted else tense  # "in three weeks it opens, I got goggles"
        return told != "past" or words.endswith(("now", "today", "tomorrow", "hence"))
    if reading.stretch is not None and reading.stretch.direction == "within":
        return tense != "past"
    if said is not None and said.base is not None and said.base.holiday is not None:
        return not place.before("anniversary")  # each year's
    if slots <= _LIKED and reading.week is None and reading.shift is None and place.before("liked"):
        return False  # "I love October", "Have you watched Wednesday?"
    return reading.manner != "bare" or _stands_bare(place)


def _stands_bare(place: _Place) -> bool:
    reading = place.item.reading
    if reading.year is None and place.habit and not place.before("begins"):
        return False
    if reading.holiday is not None and reading.year is None:
        return place.tense != "none"
    in_one_month = reading.month is not None and reading.through is None and reading.said_weekday is None
    if in_one_month and place.near("anniversary"):
        return place.tense != "none" and place.near("party")
    if reading.weekday is not None and reading.through is not None and reading.through.manner == "bare":
        return place.tense != "none" or place.before("away")
    return True


def _is_undecided(place: _Place) -> bool:
    """Return True for a feast of which the clause does not say whether it is that of one year: "on Labor Day he grills".

    An hour is of one day unless a verb in the present tells what is done each day: "lunch at noon?", "we open at 8 am".
    """
    reading = place.item.reading
    if place.tense != "none":
        return False
    if reading.slots <= TIME_OF_DAY:
        hour = reading.clock is not None and (place.before("at") or re.search(r":|\d ?[ap]\.?m|clock", place.words))
        return bool(hour) and place.earlier is None and not place.daily
    if reading.weekday is not None and reading.through is not None:  # "Monday to Friday" is a habit
        led = place.before("range_end") or not place.verb
        return (reading.weekday, reading.through.weekday) != (0, 4) and led and not place.habit
    if reading.holiday is None or reading.year is not None or place.earlier is not None:
        return False
    generic = (place.before("fronted") and place.after("is_next")) or place.before("spoken_of")
    return not generic and not place.habit


def _is_unsure(place: _Place) -> bool:
    """Return True if the clause does not say which day of its name an expression means."""
    reading, slots, tense, words = place.item.reading, place.item.reading.slots, place.tense, place.words
    numbered = reading.day is not None and slots <= _DAY_NUMBER
    verb = place.verb if tense == "none" else ""
    if (numbered and verbs.is_monthly(verb)) or (verb and reading.ordinal and place.words.endswith(" the month")):
        return True
    if reading.holiday is not None and slots == _DAY_NUMBER:  # "Easter Monday Sheila is …", "Easter lunch is at ours"
        return place.following.lower() not in _AFTER_FEAST and not place.before("led_by_on")
    if slots == BARE_WEEKDAY:
        if tense == "past" and place.after("owns"):
            return True  # "Checked Saturday's weather": the day of what it was done to may lie ahead
        if place.after("names_thing") and place.before("by_weekday"):
            return True
        if tense == "none" and (_is_timetable(place) or (verb in _HABITUAL and reading.manner == "bare")):
            return True
    if words.endswith(" later") and tense != "future" and reading.offset and not reading.offset.amount.minutes:
        return True  # from now, or from what was told
    bare = reading.manner == "bare" and slots <= _BY_TENSE and reading.year is None
    by_tense = reading.shift is None and reading.week is None and reading.year is None and slots <= _BY_TENSE
    if by_tense and tense == "past" and verbs.is_arranged(place.said.low, place.item.start):
        return True
    elsewhere = place.earlier is None and (numbered or (bare and place.before("clause")))
    return elsewhere and tense == "past" and place.own == "none"


def _is_timetable(place: _Place) -> bool:
    """Return True for one of two weekdays that are joined by "and": "I work on Tuesday and Thursday"."""
    for one, other in ((place.beside[0], place.item), (place.item, place.beside[1])):
        pair = one is not None and other is not None and one.reading.slots == other.reading.slots == BARE_WEEKDAY
        if pair and one and other and place.said.low[one.end : other.start] in _AND:
            return bool(place.verb or verbs.english_present(place.said.spoken, one.start, one.end))
    return False


def _meant(place: _Place) -> Reading | None:
    """Return a bare name as it is meant after the day that was named before it, None if nobody can tell.

    "I fly next Thursday, back on Sunday": the first Sunday from then on. "From 3 December, back on the 7th": of that month.
    """
    reading, earlier = place.item.reading, place.earlier
    if earlier is None or reading.manner not in (None, "bare") or reading.slots <= TIME_OF_DAY or reading.through:
        return reading
    told = earlier.reading
    dated = told.month is not None and told.day is not None
    if reading.weekday is not None and reading.slots <= DAY_OF_WEEK:
        if told.weekday is None or told.month is not None or told.slots & {"through", "offset", "ordinal"}:
            return None if told.week or dated else reading
        if place.said.low[earlier.end : place.item.start] in _AND:
            return replace(reading, week=told.week, manner=None) if told.week is not None else reading
        if told.week is None and (told.manner != "bare" or "past" in (earlier.tense, place.own)):
            return reading
        if reading.weekday <= told.weekday:
            return None if told.week else reading
        base = replace(told, part=None, clock=None, clock_until=None)
        return replace(reading, offset=Offset(1, Amount("month", 0), base), manner=None)
    if reading.slots <= _DAY_NUMBER and told.month is not None:
        later = (told.day or 31) < (reading.day or 0)
        return replace(reading, month=told.month, year=told.year, manner=told.manner) if later else None
    of_year = told.year not in (None, ("rel", 0))
    return None if of_year and reading.month is not None and reading.year is None else reading


def _in_its_half(place: _Place, reading: Reading) -> Reading:
    """Return a clock time in the half of the day of what is done then: "I woke up at 7:30"."""
    clock = open_hour(reading)
    if clock is None:
        return reading
    if place.before("morning"):
        return replace(reading, clock=replace(clock, known=True))
    late = clock.hour > 7 and place.before("bedtime")
    return replace(reading, clock=Clock(clock.hour + 12, clock.minute)) if late else reading


def _direction(place: _Place) -> Tense:
    """Return the tense that chooses among several days of the name.

    A feast, "this weekend" and what begins "in three weeks" are in the past only where their own clause is.
    """
    reading, tense, own = place.item.reading, place.tense, place.own
    base = reading.offset.base if reading.offset is not None else None
    feast = any(one is not None and one.holiday is not None and one.year is None for one in (reading, base))
    if feast and place.after("comes"):
        return "future"
    if feast and own == "past" and place.before("got_for"):
        return "perhaps past"  # "got him a grill for Father's Day"
    if feast or (reading.weekend and reading.week == 0):
        return own if own != "none" or reading.weekend else "none" if tense == "past" else "future"
    dated = reading.manner == "bare" and reading.said_weekday is None and bool(reading.slots & {"month", "day"})
    if dated and tense == "past" and reading.day is not None:
        return "perhaps past"  # "office closed Dec 23 – Jan 2"
    return "perhaps future" if tense == "none" and dated and place.verb else tense


def _parts(said: Said, end: int, start: int) -> bool:
    return _SENTENCE_BREAK.search(said.low, end, start) is not None


_GRAMMAR = Grammar(TOKENS, _join, _through, _touches, _parts, _judge)
