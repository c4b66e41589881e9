"""Relative and partial time expressions in Chinese and English: finding, resolution, replacement.

>>> from datetime import datetime
>>> at = datetime.fromisoformat("2026-02-21T15:30:00+08:00")
>>> resolve_times("昨晚通宵，明早八点还要开会", at, "Asia/Shanghai")[0]
'2026-02-20 晚上通宵，2026-02-22 08:00还要开会'
>>> resolve_times("we met last week", at, "Asia/Shanghai")[0]
'we met in the week of 2026-02-09 to 2026-02-15'

`find_time_expressions` returns the expressions with spans and dates, `resolve_times` the rewritten
text, `find_relative` only the spans (without a reference time). The rules for ambiguous expressions
are in `resolution`, the formats of dates in `rendering`. All functions are pure: they use no clock
and no network.
"""

from __future__ import annotations

from .finding import (
    Span,
    TimeExpression,
    find_relative,
    find_time_expressions,
    is_counted_from_today,
    needs_its_day,
    resolve_times,
    tells_hours_alone,
)

__all__ = [
    "Span",
    "TimeExpression",
    "find_relative",
    "find_time_expressions",
    "is_counted_from_today",
    "needs_its_day",
    "resolve_times",
    "tells_hours_alone",
]
