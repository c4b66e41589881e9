"""The request of one recall: queries, filter, limits, and the times that the queries name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from ..schema.event import EventFilter
from ..schema.scope import Scope
from ..schema.settings import QuerySettings
from ..text.questions import (
    NamedTime,
    asking_sentences,
    asks_about_now,
    asks_about_past,
    named_times,
)
from ..text.remembered import remembered
from ..text.tokens import estimate_tokens
from .filters import bounded_top_k, conditioned

SHORT_QUERY = 20
"""Queries shorter than this (in characters) are completed with the messages before them, if the
caller passes these."""
MOST_QUERIES = 8
"""The maximum number of messages of one turn that are searched for. Of more messages the last ones
are taken."""
MOST_QUERY_CHARACTERS = 1_000
"""Longer queries are cut: a query is a message, not a document. Small embedders read at most 512
tokens."""
WIDENING_CHARACTERS = 200
WEEK = 7 * 86_400.0
NO_CONDITIONS: Mapping[str, Any] = {}
TALK_TOKENS = 40
"""A query of more tokens is a piece of a conversation, not a question. (None of LoCoMo's questions
has 30.)"""


@dataclass(frozen=True)
class RecallRequest:
    """One recall: a query, or the messages of a turn, and where to search.

    `query` was asked in `scope`; `context` are the messages before it, oldest first. `now` is in
    seconds since the epoch, `timezone` an IANA name.
    """

    query: str | Sequence[str]
    where: EventFilter
    _: KW_ONLY
    top_k: int
    half_life_days: float
    now: float
    timezone: str
    context: Sequence[str] = ()
    scope: Scope | None = None
    at_least: int | None = None
    """The number of hits that are shown in any case, out of the `top_k` that are searched for;
    None: all."""
    at_most: int | None = None
    """The maximum number of hits that are shown; None: as many as there is room for."""
    neighbours: int = 0
    """The number of messages before and after each hit that are returned with it."""
    observations_last: bool = False
    """True if observations that no person said only take places that other hits leave free."""

    @property
    def speaker_id(self) -> str:
        """The id of the person who asks; "" if that person is unknown."""
        return "" if self.scope is None else self.scope.user_id

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The messages of the query without line breaks: the last MOST_QUERIES of them, each cut to
        MOST_QUERY_CHARACTERS.
        """
        given = [self.query] if isinstance(self.query, str) else list(self.query)
        return tuple(text for one in given[-MOST_QUERIES:] if (text := bounded_query(one)))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The messages completed from `context`. They are searched for one by one, and their hits
        are merged.
        """
        return tuple(dict.fromkeys(widened(one, self.context) for one in self.said))

    @cached_property
    def named(self) -> tuple[NamedTime, ...]:
        """The times that the query names. Blocking: the first access takes up to 10 ms for 1,000
        characters.

        A message that mentions yesterday does not ask about it. Relative times in messages
        therefore count only in sentences that ask. In a piece of a conversation only times with
        their year count.
        """
        moment = datetime.fromtimestamp(self.now, ZoneInfo(self.timezone))
        found: list[NamedTime] = []
        for one in self.said:
            told = is_talk(one)
            found += named_times(one, moment, relative=not (told or self.is_automatic))
            if self.is_automatic and not told:
                found += named_times(asking_sentences(one), moment)
        return tuple(dict.fromkeys(found))

    @property
    def is_automatic(self) -> bool:
        """True for the recall before a reply, whose queries are messages of the conversation."""
        return self.at_least is not None

    @cached_property
    def about_past(self) -> bool:
        """True if a query asks about former times: by its words, or by naming a time that is over.

        If the query names a day within the next week, that day is meant ("are we still on for
        Sunday?"), not the same day of last year.
        """
        if any(map(asks_about_past, self.said)):
            return True
        soon = any(self.now <= one.last <= self.now + WEEK for one in self.named)
        return not soon and not self.about_now and any(one.last < self.now for one in self.named)

    @cached_property
    def about_now(self) -> bool:
        """True if the words of a query say that it is about the present."""
        return any(map(asks_about_now, self.said))

    @property
    def text(self) -> str:
        """All queries as one text, for a reranker."""
        return "\n".join(self.queries)


def scope_request(
    query: str | Sequence[str],
    scope: Scope,
    settings: QuerySettings,
    *,
    now: float,
    timezone: str,
    top_k: int | None = None,
    context: Sequence[str] = (),
    conditions: Mapping[str, Any] = NO_CONDITIONS,
    automatic: bool = False,
    neighbours: int = 0,
) -> RecallRequest:
    """Return the request of a search in `scope`, with `conditions` as in `event_filter`. Raises
    InvalidInput for unknown conditions.

    `automatic` is the recall before a reply. Observations come last in it: they are raw text for
    the search tools, and only take places that other memories leave free.
    """
    wanted = bounded_top_k(top_k, settings.auto_top_k if automatic else settings.tool_default_top_k)
    return RecallRequest(
        query,
        conditioned(scope, conditions, timezone, now),
        top_k=max(wanted, settings.auto_max_k) if automatic else wanted,
        at_least=wanted if automatic else None,
        at_most=wanted if automatic and top_k is not None else None,
        half_life_days=settings.time_decay_half_life_days_auto
        if automatic
        else settings.time_decay_half_life_days_tools,
        now=now,
        timezone=timezone,
        context=context,
        scope=scope,
        observations_last=automatic,
        neighbours=1 if automatic else neighbours,
    )


def bounded_query(said: str) -> str:
    """Return the beginning of a message on one line: at most MOST_QUERY_CHARACTERS."""
    return " ".join(said.lstrip()[: 4 * MOST_QUERY_CHARACTERS].split())[:MOST_QUERY_CHARACTERS]


@remembered(256)
def is_talk(query: str) -> bool:
    """Return True if a query is a piece of a conversation rather than a question."""
    return estimate_tokens(query) > TALK_TOKENS


def widened(query: str, context: Sequence[str]) -> str:
    """Return a short query preceded by the end of the messages before it. Return a long query
    unchanged.

    >>> widened("多少钱？", ["我看中了一台二手钢琴"])
    '我看中了一台二手钢琴 多少钱？'
    """
    if len(query) >= SHORT_QUERY:
        return query
    ends = (one.rstrip()[-4 * WIDENING_CHARACTERS :] for one in context[-MOST_QUERIES:])
    before = " ".join(" ".join(ends).split())[-WIDENING_CHARACTERS:]
    return f"{before} {query}".strip()
