"""Days, months and years that a text names, absolute or relative."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..time_expressions import TimeExpression, find_time_expressions

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_HAS_YEAR = re.compile(_YEAR)
"""What every pattern below asks for."""
_ABSOLUTE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}\s*[-/.年]\s*(?P<number>\d{{1,2}})(?:\s*[-/.月]\s*(?P<day>\d{{1,2}}))?(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)",
        rf"(?<![\d.]){_YEAR}(?:\s*年)?(?![\d.-])",
    )
)

_YEAR_BEFORE = timedelta(days=365)
NOW = re.compile(
    r"现在|现如今|如今|目前|当前|眼下|此刻|现阶段|(?:right |just )?now|rn|currently|presently|nowadays|at (?:the moment|present)",
    re.IGNORECASE,
)
"""Words for "now": who asks where somebody lives *now* wants what is recent, and not what was said today."""


@dataclass(frozen=True, slots=True)
class NamedTime:
    """From `first` to `last` (seconds since the epoch); `is_day` where it is at most a day."""

    first: float
    last: float
    is_day: bool


def named_times(
    text: str, now: datetime, *, asked: bool = True, relative: bool | Sequence[TimeExpression] = True
) -> tuple[NamedTime, ...]:
    """Return the times that `text` names, absolute ("May 2023", 2026年2月20日) or `relative` to `now` (aware): 昨天, "last week".

    Relative ones that were found before need not be found again.
    Vague ones (最近, "the other day") and "now" say nothing. In a question (`asked`) a day or month without a year that would
    lie ahead is taken in the year before as well: memory holds what has been.
    """
    found: list[NamedTime] = []
    rest = text
    for pattern in _ABSOLUTE if _HAS_YEAR.search(text) else ():
        found += filter(None, (_absolute(match, now) for match in pattern.finditer(rest)))
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)
    for expression in find_time_expressions(rest, now) if relative is True else relative or ():
        if expression.vague or not expression.value or not expression.until or NOW.fullmatch(expression.text):
            continue
        first = datetime.fromisoformat(expression.value).replace(tzinfo=now.tzinfo)
        last = datetime.fromisoformat(expression.until).replace(tzinfo=now.tzinfo)
        if "T" not in expression.until:
            last = last.replace(hour=23, minute=59, second=59)
        found.append(_named(first, last))
        if asked and first > now:
            found.append(_named(first - _YEAR_BEFORE, last - _YEAR_BEFORE))
    return tuple(found)


def time_told(text: str, said: datetime, relative: bool | Sequence[TimeExpression] = True) -> tuple[float, float] | None:
    """Return the first and last moment (seconds since the epoch) that a text said at `said` (aware) tells of, or None.

    >>> from zoneinfo import ZoneInfo
    >>> at = datetime(2026, 2, 20, 17, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    >>> [datetime.fromtimestamp(moment, at.tzinfo).isoformat() for moment in time_told("小林前天搬家了", at)]
    ['2026-02-18T00:00:00+08:00', '2026-02-18T23:59:59+08:00']
    """
    named = named_times(text, said, asked=False, relative=relative)
    return (min(one.first for one in named), max(one.last for one in named)) if named else None


def _absolute(match: re.Match[str], now: datetime) -> NamedTime | None:
    parts = match.groupdict()
    year, month, day = (int(parts.get(part) or 0) for part in ("year", "number", "day"))
    if name := parts.get("month"):
        month = _MONTHS.index(name[:3].casefold()) // 3 + 1
    try:
        first = datetime(year, month or 1, day or 1, tzinfo=now.tzinfo)
    except ValueError:
        return None
    end = day or calendar.monthrange(year, month or 12)[1]
    return _named(first, first.replace(month=month or 12, day=end, hour=23, minute=59, second=59))


def _named(first: datetime, last: datetime) -> NamedTime:
    return NamedTime(first.timestamp(), last.timestamp(), last - first < timedelta(days=1))
