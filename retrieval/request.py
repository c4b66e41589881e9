"""The request of one recall: queries, filter, bounds, and the times that the queries name."""

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
from ..text.questions import NamedTime, asking_sentences, asks_about_now, asks_about_past, named_times
from ..text.remembered import remembered
from ..text.tokens import estimate_tokens
from .filters import bounded_top_k, conditioned

SHORT_QUERY = 20
"""Shorter queries (in characters) are completed with what was said before, if the caller passes it."""
MOST_QUERIES = 8
"""Messages of one turn that are searched for; of more, the last ones."""
MOST_QUERY_CHARACTERS = 1_000
"""A query is a message, not a document. Small embedders read at most 512 tokens."""
WIDENING_CHARACTERS = 200
WEEK = 7 * 86_400.0
NO_CONDITIONS: Mapping[str, Any] = {}
TALK_TOKENS = 40
"""A query of more tokens is no question but a piece of a conversation. (Of LoCoMo's questions none has 30.)"""


@dataclass(frozen=True)
class RecallRequest:
    """One recall: a query, or the messages of a turn, and where to look for it.

    `query` is what was asked in `scope`, `context` what was said before it, oldest first. `now` is in seconds since the epoch,
    `timezone` an IANA name.
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
    """How many hits are shown in any case, of the `top_k` that are searched for; None: all."""
    at_most: int | None = None
    """How many hits are shown at most; None: as many as there is room for."""
    neighbours: int = 0
    """How many messages before and after it each message brings along."""
    observations_last: bool = False
    """True if observations that no person said take only the places that others leave free."""

    @property
    def speaker_id(self) -> str:
        """The id of the person who asks; "" if nobody is known."""
        return "" if self.scope is None else self.scope.user_id

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The messages that were asked, without line breaks: the last MOST_QUERIES of them, each cut to MOST_QUERY_CHARACTERS."""
        given = [self.query] if isinstance(self.query, str) else list(self.query)
        return tuple(text for one in given[-MOST_QUERIES:] if (text := bounded_query(one)))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The messages completed from `context`. They are searched one by one, and their hits merged."""
        return tuple(dict.fromkeys(widened(one, self.context) for one in self.said))

    @cached_property
    def named(self) -> tuple[NamedTime, ...]:
        """The times that the query names. Blocking: the first access takes up to 10 ms for 1,000 characters.

        Who tells of yesterday does not ask for it: in messages relative times count where a sentence asks, and in a
        piece of a conversation only dates with their year do.
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
        """True in the recall before a reply, whose queries are what people say to each other."""
        return self.at_least is not None

    @cached_property
    def about_past(self) -> bool:
        """True if a query asks about former times, by its words or by naming a time that is over.

        A day that comes within a week is itself meant ("are we still on for Sunday?"), not the same day of last year.
        """
        if any(map(asks_about_past, self.said)):
            return True
        soon = any(self.now <= one.last <= self.now + WEEK for one in self.named)
        return not soon and not self.about_now and any(one.last < self.now for one in self.named)

    @cached_property
    def about_now(self) -> bool:
        """True if a query says that it is about now."""
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
    """Return the request of a search in `scope`, with `conditions` as in `event_filter`; raises InvalidInput for unknown ones.

    `automatic` is the recall before a reply. What tools returned comes last in it: it is raw text for the search tools, and
    only takes the places that other memories leave free.
    """
    wanted = bounded_top_k(top_k, settings.auto_top_k if automatic else settings.tool_default_top_k)
    return RecallRequest(
        query,
        conditioned(scope, conditions, timezone, now),
        top_k=max(wanted, settings.auto_max_k) if automatic else wanted,
        at_least=wanted if automatic else None,
        at_most=wanted if automatic and top_k is not None else None,
        half_life_days=settings.time_decay_half_life_days_auto if automatic else settings.time_decay_half_life_days_tools,
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
    """Return a short query preceded by the end of what was said before it; a long query unchanged.

    >>> widened("多少钱？", ["我看中了一台二手钢琴"])
    '我看中了一台二手钢琴 多少钱？'
    """
    if len(query) >= SHORT_QUERY:
        return query
    ends = (one.rstrip()[-4 * WIDENING_CHARACTERS :] for one in context[-MOST_QUERIES:])
    before = " ".join(" ".join(ends).split())[-WIDENING_CHARACTERS:]
    return f"{before} {query}".strip()
