"""What one recall asks for: widened queries, filter, bounds, the times that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.event import EventFilter
from ..schema.scope import Scope
from ..schema.settings import QuerySettings
from .filters import bounded_top_k, event_filter
from .named_dates import NamedTime, named_times

SHORT_QUERY = 20
"""Queries of fewer characters are widened by what was said before, if the caller gives it."""
MOST_QUERIES = 8
"""Messages of one turn that are recalled; of more the last ones."""
MOST_QUERY_CHARACTERS = 1_000
"""A query is what somebody said, not a document: more than 512 tokens no small embedder reads anyway."""
WIDENING_CHARACTERS = 200


@dataclass(frozen=True)
class RecallRequest:
    """One recall. `said` is what was asked, `queries` the same completed: searched one by one, their hits merged.

    `speaker_id` is who asks, `now` is in seconds since the epoch, `timezone` an IANA name.
    """

    said: tuple[str, ...]
    queries: tuple[str, ...]
    where: EventFilter
    top_k: int
    half_life_days: float
    now: float
    timezone: str
    speaker_id: str = ""
    observations_last: bool = False
    """True if raw observations take only the places that finished memory leaves free."""

    @cached_property
    def named(self) -> tuple[NamedTime, ...]:
        """The times that the query names. Blocking: up to 10 ms for 1,000 characters, the first time."""
        moment = datetime.fromtimestamp(self.now, ZoneInfo(self.timezone))
        return tuple(dict.fromkeys(named for one in self.said for named in named_times(one, moment)))

    @property
    def text(self) -> str:
        """All queries as one text, for a reranker."""
        return "\n".join(self.queries)


def make_request(
    query: str | Sequence[str],
    where: EventFilter,
    *,
    top_k: int,
    half_life_days: float,
    now: float,
    timezone: str,
    context: Sequence[str] = (),
    speaker_id: str = "",
    observations_last: bool = False,
) -> RecallRequest:
    """Return a request for one query or for the messages of a turn. `context` is what was said before, oldest first."""
    given = [query] if isinstance(query, str) else list(query)
    cleaned = (" ".join(one.split(None, MOST_QUERY_CHARACTERS))[:MOST_QUERY_CHARACTERS] for one in given[-MOST_QUERIES:])
    said = tuple(one for one in cleaned if one)
    return RecallRequest(
        said=said,
        queries=tuple(dict.fromkeys(widened(one, context) for one in said)),
        where=where,
        top_k=top_k,
        half_life_days=half_life_days,
        now=now,
        timezone=timezone,
        speaker_id=speaker_id,
        observations_last=observations_last,
    )


def scope_request(
    query: str | Sequence[str],
    scope: Scope,
    settings: QuerySettings,
    *,
    top_k: int | None,
    context: Sequence[str],
    conditions: Mapping[str, Any],
    now: float,
    timezone: str,
    automatic: bool = False,
) -> RecallRequest:
    """Return the request of a search in `scope`, with `conditions` as in `event_filter`; raises InvalidInput for unknown ones.

    `automatic` is the recall before a reply: observations come last in it, because what was stored as it came is for the
    tools, and fills what finished memory leaves free.
    """
    return make_request(
        query,
        event_filter(scope, **{"timezone": timezone, **conditions}),
        top_k=bounded_top_k(top_k, settings.auto_top_k if automatic else settings.tool_default_top_k),
        half_life_days=settings.time_decay_half_life_days_auto if automatic else settings.time_decay_half_life_days_tools,
        now=now,
        timezone=timezone,
        context=context,
        speaker_id=scope.user_id,
        observations_last=automatic,
    )


def widened(query: str, context: Sequence[str]) -> str:
    """Return a short query with the end of what was said before it; a long one as it is.

    >>> widened("多少钱？", ["我看中了一台二手钢琴"])
    '我看中了一台二手钢琴 多少钱？'
    """
    if len(query) >= SHORT_QUERY:
        return query
    before = " ".join(" ".join(context).split())[-WIDENING_CHARACTERS:]
    return f"{before} {query}".strip()
