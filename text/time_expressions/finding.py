"""Finding, resolving and replacing time expressions: the entry points of the package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from ...schema.language import LanguageChoice
from ..edits import edited
from ..language import detect_language, is_other_language
from ..protected import moved, overlaps, protected_spans
from ..time_expressions import rendering
from .chinese import grammar as zh
from .english import grammar as en
from .forms import iso
from .named_days import Resolved
from .portions import day_of
from .reading import DAY_OF_WEEK, TIME_OF_DAY, TimeSpec, TimeToken
from .resolution import resolve

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """One relative or partial time expression of a text, resolved at the reference time.

    `start` and `end` are character offsets in the input text, end exclusive. `value` and `until`
    are the first and last day ("2026-02-20") or the first and last minute ("2026-02-20T17:05", wall
    clock of the requested time zone) in ISO 8601; for a single day or minute they are equal. The
    value of a part of a day (昨晚, "last night") is the day. `granularity` is one of minute, part,
    day, weekend, week, month, quarter, season, half, year, decade, range or vague. A `vague`
    expression (最近, "the other day") means no particular day: `value` and `until` are the day of the
    reference. `rendered` replaces `text` in the absolute sentence; it may include a preposition or
    a space.
    """

    text: str
    start: int
    end: int
    value: str | None
    until: str | None
    granularity: str
    vague: bool
    rendered: str


_HAN = re.compile(r"[㐀-鿿]")
_LATIN = re.compile(r"[A-Za-z]")


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def find_time_expressions(
    text: str,
    reference: datetime,
    timezone: str | ZoneInfo | None = None,
    *,
    language: LanguageChoice = "auto",
    protected: Sequence[Span] | None = None,
) -> list[TimeExpression]:
    """Return the relative and partial times of a text, resolved at the reference, in text order.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 2, 20, 17, 30, tzinfo=timezone.utc)
    >>> [(e.text, e.value) for e in find_time_expressions("昨晚没睡好", at, "Asia/Shanghai")]
    [('昨晚', '2026-02-20')]

    The expressions do not overlap. Absolute dates are skipped, and so are expressions that overlap
    a `protected` span (by default those of `protected_spans`: quotes, code, addresses). The
    reference must be aware; it is converted to `timezone` (an IANA name) first: 17:30 UTC is
    tomorrow in Shanghai. Raises ValueError for a naive reference.
    """
    return resolved(text, detect(text, protected, language), reference, timezone, language)


def detect(
    text: str, spans: Sequence[Span] | None, language: LanguageChoice = "auto"
) -> list[TimeToken]:
    """Return the expressions of a text that need a reference, in order.

    Expressions that overlap the protected `spans` are left out. With the language "auto", the
    result is empty for a text in another language than English or Chinese.
    """
    grammars = (
        [zh] if language != "en" and _HAN.search(text) is not None and zh.might_hold(text) else []
    )
    grammars += [en] if en.might_hold(text) else []
    protected = protected_spans(text) if grammars and spans is None else list(spans or ())

    def is_content(item: TimeToken) -> bool:
        return overlaps(protected, item.start, item.end)

    items = [item for grammar in grammars for item in grammar.find(text, is_content)]
    kept: list[TimeToken] = []
    for item in sorted(items, key=lambda item: (item.start, -item.end)):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return (
        [] if kept and language == "auto" and is_other_language(text, ignore=spans or ()) else kept
    )


def resolved(
    text: str,
    items: Sequence[TimeToken],
    reference: datetime,
    timezone: str | ZoneInfo | None = None,
    language: LanguageChoice = "auto",
) -> list[TimeExpression]:
    """Return the detected expressions that can be resolved at the reference, in order.

    Raises ValueError for a naive reference.
    """
    if reference.tzinfo is None or reference.utcoffset() is None:
        raise ValueError(
            "reference has no time zone: give an aware datetime (datetime.now(timezone.utc), …+08:00)"
        )
    if items and timezone is not None:
        reference = reference.astimezone(_zone(timezone) if isinstance(timezone, str) else timezone)
    written = _written_language(text, language) if items else "en"
    found: list[TimeExpression] = []
    days = [
        resolve(item.reading, reference, item.tense) if item.understood else None for item in items
    ]
    for index, (item, day) in enumerate(zip(items, days, strict=True)):
        if day is None or any(_backwards(text, items, days, at) for at in (index - 1, index)):
            continue
        words = rendering.rendered(item.reading, day, text, item.start, item.end, written)
        if (
            found
            and found[-1].end == item.start
            and found[-1].rendered[-1:].isdigit()
            and words[:1].isdigit()
        ):
            words = ("、" if written == "zh" else " ") + words  # 昨天今天: a mark between the dates
        offset = item.reading.offset
        vague = day.granularity == "vague" or (offset is not None and offset.approximate)
        said, kind = text[item.start : item.end], "vague" if vague else day.granularity
        value, until = iso(day.first), iso(day.last)
        found.append(TimeExpression(said, item.start, item.end, value, until, kind, vague, words))
    return found


def _backwards(text: str, items: Sequence[TimeToken], days: list[Resolved | None], at: int) -> bool:
    """Return True if the time at `at` is resolved to a later day than the time after it.

    Examples: 周三出差，周五回 on a Thursday; 下周二来，住到周末.
    """
    if not 0 <= at < len(items) - 1:
        return False
    (first, second), (begun, ended) = items[at : at + 2], days[at : at + 2]
    if begun is None or ended is None or day_of(ended.last) >= day_of(begun.first):
        return False
    bare = all(
        one.reading.slots <= DAY_OF_WEEK and one.reading.manner in (None, "bare")
        for one in (first, second)
    )
    bare = bare and (
        second.reading.slots <= TIME_OF_DAY or "past" not in (first.tense, second.tense)
    )
    return bare or text.endswith(
        ("住到", "待到", "至", "until ", "till ", "through "), 0, second.start
    )


def resolve_times(
    text: str,
    reference: datetime,
    timezone: str | ZoneInfo | None = None,
    *,
    language: LanguageChoice = "auto",
    protected: Sequence[Span] | None = None,
) -> tuple[str, list[TimeExpression]]:
    """Return the text with dates instead of its expressions, and the expressions.

    The offsets of the expressions are those in the input. The function is idempotent. If an
    inserted date and the words beside it form a new expression, this is resolved in the text as
    well, but is not in the returned list.
    """
    found = find_time_expressions(text, reference, timezone, language=language, protected=protected)
    left = found
    for _ in range(16):
        if not left:
            break
        edits = [(one.start, one.end, one.rendered) for one in left]
        protected = None if protected is None else moved(protected, edits)
        text = edited(text, edits)
        left = find_time_expressions(
            text, reference, timezone, language=language, protected=protected
        )
    return text, found


def find_relative(
    text: str, *, language: LanguageChoice = "auto", protected: Sequence[Span] | None = None
) -> list[tuple[int, int, str]]:
    """Return the relative expressions of a text as (start, end, text), without resolving them."""
    return [
        (item.start, item.end, text[item.start : item.end])
        for item in detect(text, protected, language)
    ]


def tells_hours_alone(text: str) -> bool:
    """Return True if a text has relative expressions, and all are times of day: "before 2pm"."""
    found = detect(text, None)
    return bool(found) and all(item.reading.slots <= TIME_OF_DAY for item in found)


def needs_its_day(wording: str) -> bool:
    """Return True if a time can be dated only with the day on which it is said.

    Such a time is counted from that day, or is a weekday.
    """
    return any(
        _is_counted(item.reading) or item.reading.weekday is not None
        for item in detect(wording, None)
    )


def is_counted_from_today(wording: str) -> bool:
    """Return True if a time is counted from the day on which it is said.

    Examples: "tomorrow", "next Friday", "in a day". A bare weekday, a date, an hour and a feast are
    not counted.
    """
    return any(_is_counted(item.reading) for item in detect(wording, None))


def _is_counted(one: TimeSpec) -> bool:
    return (one.shift, one.week, one.offset) != (None, None, None) or "rel" in (
        *(one.year or ()),
        *(one.month or ()),
    )


def _written_language(text: str, language: LanguageChoice) -> str:
    if language != "auto":
        return language
    if _HAN.search(text) is None:
        return "en"
    return "zh" if _LATIN.search(text) is None else detect_language(text)
