"""English grammar: what two words of time say together, and which expressions of a sentence mean a single time.

A head ("the end of", "two weeks after", "first Friday of") is a word of time too; the time that follows is its base. What
stands between two words that are one expression is a comma or a few small words ("tomorrow at 5", "Tuesday of last week").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ...word_lists import word_list
from ..engine import Beside, Grammar, Said, find as _find, not_understood
from ..reading import Amount, Clock, Found, Offset, Reading, Tense, clash, is_absolute, merge, open_hour
from ..tense import english_evidence, english_habit, english_present, is_arranged, is_monthly, without_names
from . import lexicon as lexicon
from .words import FEASTS, HOURS, TOKENS

_AROUND = lexicon.AROUND
_SENTENCE_BREAK = re.compile(r"[.!?\n]\s")
_BEFORE_CLOCK = re.compile(r"[ ,]*(?:,? ?(?:at around|at about|at|@|around|from|between|for|about|by) ?)?")
_BEFORE_PART = re.compile(r",? (?:in the |on the |in |at )?")
_BEFORE_DAY = re.compile(r" ?,? ?| (?:on the|of the|on|of|for|the|in) |, on | - |, of ")
_RANGE = re.compile(r"(?: (?:to|until|till|til|through|thru)(?: the)? | ?[-–—~] ?)$")
_TOUCH = re.compile(r" ?|-| (?:(?:right |just )?(?:before|after|following|preceding|of)|on) (?:the )?")
_TIME_OF_DAY = frozenset({"clock", "part"})
_HEAD = frozenset({"edge", "edge_name"})
_NO_BASE = word_list("vague now stretch clock part through")
_WEAK_AFTER = word_list("part clock stretch offset vague now")
_DAY_NUMBER = frozenset({"day", "manner"})
_BARE_WEEKDAY = frozenset({"weekday", "manner"})
_BY_TENSE = frozenset({"weekday", "month", "day", "manner", "clock", "part", "ordinal"})
"""What a time is made of whose day is told by the tense alone: "in June", "on Tuesday at 8"."""
_NEVER_CAPITAL = frozenset({*lexicon.DAYS, *lexicon.TONIGHT, "now", "currently", "recently", "lately", "soon"})
_BE = word_list("am is are isn't aren't i'm you're we're they're") | {""}
_WORD_BEFORE = re.compile(r"([a-z']+|\S)\s*$")
_AFTER_HOUR = re.compile(r"\s*(?:$|[.,!?;)]|(?:then|sharp|please|pls|for|and|or|if|so|to|cos|because|outside)\b)")


def might_hold(text: str) -> bool:
    """Return False if no word of the text can be part of an expression of time (a fast pre-check)."""
    low = text.lower()
    return not _KEYS.isdisjoint(_ALNUM.findall(low)) or _QUICK.search(low) is not None


def find(text: str, is_content: Callable[[Found], bool]) -> list[Found]:
    """Return the English expressions of a text that need a reference, without those for which `is_content` is True."""
    right, slips = lexicon.corrected(text.translate(_FOLD))
    low = right.translate(_LOWER)
    said = Said(right, low, without_names(right, low))
    if not slips:
        return _find(_GRAMMAR, said, is_content)

    def at_home(item: Found) -> Found:
        """Return an expression with its place in the text before its slips were corrected."""
        start, end = (place - sum(more for at, more in slips if at < place) for place in (item.start, item.end))
        return replace(item, start=start, end=end)

    return [at_home(item) for item in _find(_GRAMMAR, said, lambda item: is_content(at_home(item)))]


_FOLD = str.maketrans("’", "'")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _word_before(said: Said, start: int) -> str:
    found = _WORD_BEFORE.search(said.low, max(0, start - 16), start)
    return found[1] if found is not None else ""


# ---------------------------------------------------------------------------------------------------------- together


def _join(said: Said, first: Found, second: Found) -> Reading | None:
    gap = said.low[first.end : second.start]
    if len(gap) > 12 or not (first.reading.slots and second.reading.slots):
        return None
    a, b = first.reading, second.reading
    head = _with_base(a, b) if gap in (" ", " the ", "-", " on ", " this ") else None
    if head is not None or _is_head(a) or _is_head(b):
        return head
    if b.slots <= _TIME_OF_DAY:
        if not (_BEFORE_PART if b.clock is None else _BEFORE_CLOCK).fullmatch(gap) or b.slots & a.slots or a.absolute:
            return None
    elif a.slots <= _TIME_OF_DAY and not _BEFORE_DAY.fullmatch(gap):
        return None
    elif not _BEFORE_DAY.fullmatch(gap):
        return None
    words = gap.split()
    if words in (["in"], ["for"], ["the"]) and not a.slots <= _TIME_OF_DAY and b.slots & _WEAK_AFTER:
        return None
    if words in (["for"], ["in"]) and (b.month is None and b.year is None):
        return None
    if words and words[0] == "of" and b.absolute:
        return replace(b, part=a.part or b.part)
    named = (a.slots | b.slots) & {"weekday", "clock"} or b.year is not None
    if words == [","] and not (named or a.slots <= _TIME_OF_DAY):
        return None
    return None if b.manner == "bare" and b.month is not None and a.week is not None else merge(a, b)


def _is_head(reading: Reading) -> bool:
    """Return True for a reading that says nothing without the time that follows it."""
    base = reading.offset.base if reading.offset is not None else None
    lasting = reading.through is not None and len(reading.slots) == 1
    half = reading.half is not None and (reading.half[0] == 0 or reading.slots == {"month"})
    return (base is not None and not base.slots) or lasting or half or reading.slots <= {"edge", "ordinal"}


def _with_base(head: Reading, base: Reading) -> Reading | None:
    """Return "two weeks after" + "Christmas" as one reading, None if the first is no head or the second no base."""
    if not _is_head(head) or not base.has_day or base.slots & _NO_BASE or _is_head(base):
        return None
    if base.absolute:
        return base
    if head.offset is not None:
        return replace(head, offset=replace(head.offset, base=base)) if base.offset is None else None
    if head.through is not None:
        lasts = head.through.offset
        if lasts is None or lasts.amount.minutes or base.slots & {"edge", "ordinal"}:
            return None
        last = replace(lasts.amount, days=lasts.amount.days - 1)
        return replace(base, through=Reading(offset=replace(lasts, amount=last, base=base)))
    if head.half is not None and head.half[0] == 0:
        if head.half[1] == "weekend":
            return replace(base, weekend=True)
        dated = base.month is not None and base.day is not None and base.week is None and base.through is None
        return replace(base, week=0) if head.half[1] == "week" and dated else None
    if head.half is not None:
        unit = "year" if base.slots == {"year"} else "month" if base.month is not None and base.day is None else ""
        return replace(base, half=(head.half[0], unit)) if unit else None
    if head.ordinal is not None:
        return replace(base, ordinal=head.ordinal) if base.ordinal is None and base.edge is None else None
    if base.edge is not None or (head.edge == "rest" and not base.slots & {"week", "month", "year"}):
        return None
    if base.weekday is not None or base.shift is not None:  # "early Monday": the word stays before the day
        return replace(base, edge=head.edge if base.shift is not None else None)
    return replace(base, edge=head.edge)


def _through(said: Said, first: Found, second: Found) -> Reading | None:
    """Return "Monday to Friday", "between 3 March and 12 March" as one reading, None if they are not the ends of a range."""
    gap = said.low[first.end : second.start]
    a, b = first.reading, second.reading
    linked = _RANGE.match(gap) is not None or (gap in (" and ", " and the ") and _word_before(said, first.start) == "between")
    if not linked and not (gap == " " and b.until_now and _word_before(said, first.start) == "from"):
        return None
    if not (a.slots and b.slots) or a.through or a.vague or b.vague or "stretch" in a.slots | b.slots or _is_head(a) or _is_head(b):
        return None
    if any(one.part is not None and one.clock is None for one in (a, b)):
        return None  # "from Monday evening to Tuesday morning" stays two expressions: a range of days would lose the parts
    if b.slots <= _TIME_OF_DAY:
        told = a.clock is not None and b.clock is not None and not a.slots <= _TIME_OF_DAY
        return replace(a, clock_until=b.clock) if told else None
    if a.slots <= _TIME_OF_DAY:
        if a.clock is None or b.clock is None or b.shift is None:
            return None
        if not (said.low[second.start].isdecimal() or said.low.startswith("noon", second.start)) and b.shift:
            return replace(a, shift=0, through=b)  # "2pm till tomorrow 4:30pm"
        return replace(b, clock=replace(a.clock, known=a.clock.known or b.clock.known), clock_until=b.clock)
    if b.week is not None and a.week is None and a.weekday is not None and b.weekday is not None:
        a = replace(a, week=b.week, manner=None)
    if b.now or b.until_now:
        return replace(a, through=Reading(now=True))
    if a.year is not None and b.year is None and b.month is not None:
        b = replace(b, year=a.year)
    if b.year is not None and a.year is None and a.month is not None:
        a = replace(a, year=b.year)
    if b.day is not None and b.month is None and b.shift is None:
        if a.month is None:
            return None
        b = replace(b, month=a.month, year=a.year)
    if a.day is not None and a.month is None and b.month is not None:
        a = replace(a, month=b.month, year=b.year)
    return replace(a, through=b)


def _touches(said: Said, first: Found, second: Found) -> bool:
    gap = said.low[first.end : second.start]
    if not _TOUCH.fullmatch(gap):
        return False
    a, b = first.reading, second.reading
    if not (a.slots and b.slots):
        return gap in ("", " ", "-", " on ") and not (a.slots | b.slots) <= _TIME_OF_DAY
    if _is_head(a) or _is_head(b) or is_absolute(a) or is_absolute(b):
        return a.offset is not None and _is_head(a)
    if gap.split()[:1] == ["on"]:
        return False
    if len(gap) > 1:
        return a.has_day and b.has_day and not (a.slots | b.slots) & {"clock", "vague", "now"}
    return clash(a, b)


# ------------------------------------------------------------------------------------------------------------ judged


def _judge(said: Said, item: Found, earlier: Found | None, beside: Beside) -> Found | None:
    reading = item.reading
    if not reading.slots:
        counted = earlier is not None and is_absolute(earlier.reading) and said.low.startswith("the ", item.start)
        return None if counted or _is_habit(said, item) else item
    if _is_no_time(said, item) or _is_named(said, item):
        return None
    if _HYPHENED.search(said.low, max(0, item.start - 2), item.start) and not said.low.endswith("mid-", 0, item.start):
        return not_understood(item)  # "pre-Christmas"
    if _is_head(reading):
        return None
    if reading.holiday is not None and reading.year is None and _stands_beside_its_day(said, item, earlier, beside[1]):
        return None
    tense = english_evidence(said.spoken, item.start, item.end)
    own = english_evidence(said.spoken, item.start, item.end, wide=False)
    verb = _present(said, item) if tense == "none" else ""
    stands = _stands(said, item, tense, own, earlier)
    if not stands:
        return not_understood(item) if _is_undecided(said, item, tense, earlier) else None
    meant = _after(said, item, earlier, own) if earlier is not None else reading
    if meant is None or not item.understood or _is_unsure(said, item, tense, own, verb, earlier, beside):
        daily = reading.clock is not None and reading.slots <= _TIME_OF_DAY and _is_daily(said, item)
        return None if daily else not_understood(item)
    carried = meant.month is not reading.month and own == "none" and earlier is not None  # "the 12th of May, back on the 20th"
    chosen = earlier.tense if carried and earlier is not None else _direction(said, item, tense, own)
    return replace(item, reading=_in_its_half(said, item, meant), tense=chosen)


def _present(said: Said, item: Found) -> str:
    return english_present(said.spoken, item.start, item.end)


def _is_habit(said: Said, item: Found) -> bool:
    return english_habit(said.spoken, item.start, item.end)


def _is_unsure(
    said: Said, item: Found, tense: Tense, own: Tense, verb: str, earlier: Found | None, beside: Beside
) -> bool:
    """Return True if the clause does not say which day of its name an expression means."""
    reading = item.reading
    numbered = reading.day is not None and reading.slots <= _DAY_NUMBER
    if numbered and is_monthly(verb):
        return True
    if verb and reading.ordinal is not None and said.low.endswith(" the month", 0, item.end):
        return True
    if reading.holiday is not None and reading.slots == {"day", "manner"}:  # "Easter Monday Sheila is …", "Easter lunch"
        following = _WORD_AFTER.match(said.text, item.end)
        return following is not None and following[1].lower() not in _AFTER_FEAST and _word_before(said, item.start) != "on"
    if reading.slots == _BARE_WEEKDAY:
        if tense == "past" and said.low.startswith("'s ", item.end):
            return True  # "Checked Saturday's weather": the day of what it was done to may lie ahead
        if _AROUND["names_thing"].match(said.text, item.end) and _AROUND["by_weekday"].search(
            said.low, max(0, item.start - 30), item.start
        ):
            return True  # "Ann's Monday class"
        if tense == "none" and _is_timetable(said, item, verb, beside):
            return True  # "I work on Tuesday and Thursday"
    by_tense = reading.shift is None and reading.week is None and reading.year is None and reading.slots <= _BY_TENSE
    if by_tense and tense == "past" and is_arranged(said.low, item.start):
        return True
    return numbered and tense == "past" and earlier is None and own == "none"


def _after(said: Said, item: Found, earlier: Found, own: Tense) -> Reading | None:
    """Return a bare name as it is meant after the day that was named before it, None if nobody can tell.

    "I fly next Thursday, back on Sunday": the first Sunday from then on. "From 3 December, back on the 7th": of that month.
    """
    reading, told = item.reading, earlier.reading
    if reading.manner not in (None, "bare") or reading.slots <= _TIME_OF_DAY or reading.through is not None:
        return reading
    bare = reading.slots <= _OF_A_WEEK and reading.weekday is not None
    if bare and told.weekday is not None and told.month is None and not told.slots & {"through", "offset", "ordinal"}:
        if said.low[earlier.end : item.start] in _AND:
            return replace(reading, week=told.week, manner=None) if told.week is not None else reading
        if told.week is None and (told.manner != "bare" or "past" in (earlier.tense, own)):
            return reading
        if reading.weekday <= told.weekday:
            return None if told.week else reading
        base = replace(told, part=None, clock=None, clock_until=None)
        return replace(reading, offset=Offset(1, Amount("month", 0), base), manner=None)
    if bare:
        return None if told.week or (told.month is not None and told.day is not None) else reading
    if reading.slots <= _DAY_NUMBER and told.month is not None:
        later = told.day is not None and reading.day is not None and reading.day > told.day
        return replace(reading, month=told.month, year=told.year, manner=told.manner) if later else None
    if reading.month is not None and reading.year is None and told.year not in (None, ("rel", 0)):
        return None
    return reading


_OF_A_WEEK = frozenset({"weekday", "manner", "part", "clock"})
_AND = (" and ", " or ", ", ", " and on ", " or on ")


def _is_timetable(said: Said, item: Found, verb: str, beside: Beside) -> bool:
    """Return True for one of two weekdays that are joined by "and", of which a verb in the present tells."""
    for one, other in ((beside[0], item), (item, beside[1])):
        if one is None or other is None or not one.reading.slots == other.reading.slots == _BARE_WEEKDAY:
            continue
        if said.low[one.end : other.start] in _AND and (verb or _present(said, one)):
            return True
    return False


def _is_daily(said: Said, item: Found) -> bool:
    """Return True if a verb in the present or a word of habit tells what is done at an hour each day: "it closes at 3"."""
    verb = _present(said, item)
    habit = _is_habit(said, item) or _AROUND["on_every"].match(said.low, item.end) is not None
    return habit or (verb not in _BE and not verb.endswith("ing"))


def _is_no_time(said: Said, item: Found) -> bool:
    """Return True for what only looks like time where it stands: "it's Monday", "an Easter", "twice a week"."""
    reading, before = item.reading, _word_before(said, item.start)
    if reading.slots == {"part"}:
        return not said.low.startswith("in the ", item.start)
    if reading.slots <= {"weekday", "manner", "part"} and (before in _NOT_BEFORE_WEEKDAY or before in ("it's", "its")):
        return True
    if reading.weekday is not None and before == "is" and said.low.endswith(("it is ", "today is ", "day is "), 0, item.start):
        return True
    if reading.slots == {"day", "manner"} and reading.holiday is not None and reading.manner == "bare":
        return before in ("happy", "merry", "a", "an") or _is_compound(said, item, before)
    if reading.vague == "future" and said.low.startswith(("in a bit", "in a while", "in a little while"), item.start):
        return english_evidence(said.spoken, item.start, item.end) != "future"
    if said.low.startswith("in ", item.start) and reading.slots <= {"offset", "vague"}:
        far = _AROUND["lasted"].search(said.low, max(0, item.start - 60), item.start) is not None
        return reading.vague is None and (far or before in ("once", "twice", "times", "time", "than"))
    rate = said.low.startswith(("a ", "an "), item.start) and reading.slots <= {"offset", "vague"}
    return rate and before in ("once", "twice", "times", "time")


def _is_compound(said: Said, item: Found, before: str) -> bool:
    """Return True for a feast before a noun that makes it a part of something: "Easter eggs"."""
    following = _WORD_AFTER.match(said.text, item.end)
    if following is None or following[1].lower() in _AFTER_FEAST or following[1].lower() in lexicon.HELD:
        return False
    return not (following[1][0].isupper() and (before in ("on", "before", "after") or item.start == 0))


_WORD_AFTER = re.compile(r"[ -]([A-Za-z]+)")
_AFTER_FEAST = lexicon.FUNCTION_WORDS | lexicon.MODIFIERS.keys() | lexicon.DAYS.keys() | lexicon.PARTS.keys() | {"early", "late"}
_NOT_BEFORE_WEEKDAY = word_list(
    "a an that every each most any some other alternate casual taco man one "
    "black blue ruby manic super giving fat holy good cyber easter"
)


def _is_named(said: Said, item: Found) -> bool:
    """Return True for a name or a title that holds words of time: "Now" in mid-sentence, "called Sunday", "Friday Harbor"."""
    text, low, slots = said.text, said.low, item.reading.slots
    words = text[item.start : item.end].split()
    capital = words[0][:1].isupper()
    before = text[: item.start].rstrip(" \t")[-1:] if item.start < 40 else text[item.start - 40 : item.start].rstrip(" \t")[-1:]
    inside = before != "" and (before.isalnum() or before == ",")
    if capital and inside and len(words) == 1 and words[0].lower() in _NEVER_CAPITAL and words[0][1:].islower():
        return True
    if len(words) > 2 and len([one for one in words[1:] if one[:1].isupper() and one.lower() not in _CAPITALS]) > 1:
        return not words[-1].islower()
    last = _word_before(said, item.start)
    if capital and len(words) > 1 and words[0].lower() in lexicon.MODIFIERS and all(one[:1].isupper() for one in words):
        return inside and before != "," and last not in _LEADS
    if not slots <= {"weekday", "month", "manner", "part"} or item.reading.day is not None:
        return False
    if last in ("called", "named", "titled") or low.endswith("name is ", 0, item.start):
        return not re.search(r"\b(?:i|we|he|she|they|you) (?:called|named) $", low[max(0, item.start - 16) : item.start])
    after = re.match(r" ([A-Z][\w']*)( [A-Z])?", text[item.end : item.end + 40])
    if not capital or after is None or not words[-1][0].isupper() or last in ("on", "in", "since", "until", "till", "by"):
        return False
    word = after[1].lower()
    known = word in lexicon.MONTHS or word in lexicon.PRONOUNS or word in lexicon.MODIFIERS or word.startswith(("i'", "i’"))
    return not known and not (word in lexicon.PARTS and after[2] is None)


_HYPHENED = re.compile("[a-z]-$")
_LEADS = word_list("is was are were be on by until till since for from to at and or of before after moved")
_CAPITALS = lexicon.WEEKDAYS.keys() | lexicon.MONTHS.keys() | {word for words in lexicon.HOLIDAYS for word in words}


def _in_its_half(said: Said, item: Found, reading: Reading) -> Reading:
    """Return a clock time in the half of the day of what is done then: "I woke up at 7:30"."""
    clock, before = open_hour(reading), said.low[max(0, item.start - 32) : item.start]
    if clock is None:
        return reading
    if _AROUND["morning"].search(before):
        return replace(reading, clock=replace(clock, known=True))
    late = clock.hour > 7 and _AROUND["bedtime"].search(before) is not None
    return replace(reading, clock=Clock(clock.hour + 12, clock.minute)) if late else reading


def _stands_beside_its_day(said: Said, item: Found, earlier: Found | None, following: Found | None) -> bool:
    """Return True for the name of a feast beside its day: "Thanksgiving is tomorrow", "it's on Friday, Halloween"."""
    if earlier is not None and _AROUND["same_day"].fullmatch(said.low, earlier.end, item.start):
        return True
    day = following is not None and following.reading.has_day
    return bool(day and following and _AROUND["same_day"].fullmatch(said.low, item.end, following.start))


def _direction(said: Said, item: Found, tense: Tense, own: Tense) -> Tense:
    """Return the tense that chooses among several days of the name; `tense` is that of the whole sentence.

    A feast, "this weekend" and what begins "in three weeks" are in the past only where their own clause is.
    """
    reading = item.reading
    base = reading.offset.base if reading.offset is not None else None
    feast = any(one is not None and one.holiday is not None and one.year is None for one in (reading, base))
    if feast and _AROUND["comes"].match(said.low, item.end):
        return "future"
    if feast or (reading.weekend and reading.week == 0):
        if feast and own == "past" and said.low.endswith("for ", 0, item.start):
            return "perhaps past"  # "got him a grill for Father's Day"
        return own if own != "none" or reading.weekend else "none" if tense == "past" else "future"
    dated = reading.manner == "bare" and reading.said_weekday is None and bool(reading.slots & {"month", "day"})
    if dated and tense == "past" and reading.day is not None:
        return "perhaps past"  # "office closed Dec 23 – Jan 2"
    return "perhaps future" if tense == "none" and dated and _present(said, item) else tense


def _is_undecided(said: Said, item: Found, tense: Tense, earlier: Found | None) -> bool:
    """Return True for a feast of which the clause does not say whether it is that of one year: "on Labor Day he grills".

    An hour is of one day unless a verb in the present tells what is done each day: "lunch at noon?", "we open at 8 am".
    """
    reading = item.reading
    if reading.slots <= _TIME_OF_DAY:
        if reading.clock is None or tense != "none" or earlier is not None:
            return False
        told = _AROUND["hour"].search(said.low, item.start, item.end) or _word_before(said, item.start) in _AT
        return bool(told) and not _is_daily(said, item)
    if tense != "none":
        return False
    if reading.weekday is not None and reading.through is not None:  # "Monday to Friday" is a habit
        led = said.low.endswith(("between ", "from "), 0, item.start) or not _present(said, item)
        return (reading.weekday, reading.through.weekday) != (0, 4) and led and not _is_habit(said, item)
    if reading.holiday is None or reading.year is not None or earlier is not None:
        return False
    fronted = said.text[max(0, item.start - 3) : item.start].rstrip()[-1:] in ("", ".", "!", "?", "\n")
    generic = (fronted and _AROUND["is_next"].match(said.low, item.end)) or _AROUND["spoken_of"].search(
        said.low, max(0, item.start - 12), item.start
    )
    return not generic and not _is_habit(said, item)


_AT = word_list("at around about from between @ by")


def _stands(said: Said, item: Found, tense: Tense, own: Tense, earlier: Found | None) -> bool:
    """Return True if an expression means a single time as seen from the reference, not a habit or a narrated time."""
    reading, slots, low = item.reading, item.reading.slots, said.low
    if tense == "past" and (reading.vague == "future" or low.startswith(("following", "the following"), item.start)):
        return False  # counted from another time in the story: "a few days later she called"
    if slots <= _TIME_OF_DAY:
        if _AROUND["on_every"].match(low, item.end) or (not item.understood and not _AFTER_HOUR.match(low, item.end)):
            return False
        return earlier is None and tense != "none" and not _is_habit(said, item)
    if slots & {"edge", "ordinal"} and not slots & {"year", "month", "week", "day", "holiday", "weekday"}:
        return False
    if slots == {"month"} and reading.season is not None and reading.year is None and reading.manner is None:
        return False
    if low.endswith("of ", 0, item.start) and low.startswith("the ", item.start) and item.end - item.start < 12:
        if slots <= {"week", "month", "year", "day"} and reading.day is None:
            return False  # "the song of the week"
    if reading.offset is not None and reading.offset.base is None and reading.offset.sign > 0:
        words = low[item.start : item.end]
        if words.startswith("in ") and low.endswith(("put ", "puts ", "putting "), 0, item.start):
            return False  # "I'd put in six years"
        fronted = low.startswith(",", item.end) and said.text[max(0, item.start - 3) : item.start].rstrip()[-1:] in tuple(".!?\n") + ("",)
        if words.startswith("in ") and tense == "past" and not fronted:
            tense = own  # "in three weeks it opens, I got goggles"
        return tense != "past" or words.endswith(("now", "today", "tomorrow", "hence"))
    if reading.stretch is not None and reading.stretch.direction == "within":
        return tense != "past"
    if reading.offset is not None and reading.offset.base is not None and reading.offset.base.holiday is not None:
        return _AROUND["anniversary"].search(low, max(0, item.start - 20), item.start) is None  # each year's
    if reading.day == 13 and (reading.weekday == 4 or reading.said_weekday == 4):
        if _AROUND["superstition"].search(low[max(0, item.start - 16) : item.end + 12]):
            return False
    if reading.manner == "bare":
        return _stands_bare(said, item, tense)
    return True


def _stands_bare(said: Said, item: Found, tense: Tense) -> bool:
    reading, low = item.reading, said.low
    if _word_before(said, item.start) in lexicon.LIKE:
        return False  # "I love October", "Have you watched Wednesday?"
    habit = reading.year is None and _is_habit(said, item)
    if habit and _AROUND["begins"].search(low, max(0, item.start - 12), item.start) is None:
        return False
    if reading.holiday is not None and reading.year is None:
        return tense != "none"
    in_one_month = reading.month is not None and reading.through is None and reading.said_weekday is None
    if in_one_month and _AROUND["anniversary"].search(low, max(0, item.start - 40), item.end + 24):
        return tense != "none" and "party" in low[max(0, item.start - 40) : item.end + 24]
    if reading.weekday is not None and reading.through is not None and reading.through.manner == "bare":
        return tense != "none" or _AROUND["away"].search(low, max(0, item.start - 40), item.start) is not None
    return True


_GRAMMAR = Grammar(TOKENS, _join, _through, _touches, lambda said, end, start: _SENTENCE_BREAK.search(said.low, end, start) is not None, _judge)
_ALNUM = re.compile(r"[a-z0-9]+")
_QUICK = re.compile(
    r"\d ?(?:[:/]\d|[ap]\b|[ap]\.?m|h|m|d|w|y|st\b|nd\b|rd\b|th\b)|(?:\b(?:in|at|around|about|from|between|by)|@) ?\d"
    rf"|\b(?:at|around|about) (?:{HOURS})\b"
)
_KEYS = lexicon.KEYS | {word for phrase in FEASTS for word in re.split("[^a-z]", phrase)} - word_list("day of the new s st b may")
