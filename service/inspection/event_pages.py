"""Pages of events, newest first, and one event with its revisions and links."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...schema.errors import InvalidInput
from ...schema.event import Event, EventFilter, Revision
from ...schema.ids import told
from ...stores.tables.events.store import EventStore
from ..components import Parts

MOST_ON_A_PAGE = 500


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events, newest first; `next` is the cursor of the following page, "" on the last page."""

    events: list[Event]
    next: str = ""


@dataclass(frozen=True, slots=True)
class EventDetail:
    """An event, its former texts, and the events that it superseded or corrected."""

    event: Event
    revisions: list[Revision]
    ended: list[Event]

    @property
    def supersedes(self) -> list[Event]:
        return [one for one in self.ended if one.superseded_by]

    @property
    def corrects(self) -> list[Event]:
        return [one for one in self.ended if one.corrected_by]


def events_page(
    events: EventStore, where: EventFilter, *, limit: int = 100, cursor: str = ""
) -> EventPage:
    """Return a page of the matching events. Events that are filed between two calls do not shift
    the pages. Raises InvalidInput.

    A cursor consists of the time of a page's last event (seconds since the epoch) and the number of
    events of that time that were shown so far: `1771666200.0~2`.
    """
    if not 1 <= limit <= MOST_ON_A_PAGE:
        raise InvalidInput(f"limit: expected a number from 1 to {MOST_ON_A_PAGE}, got {limit}")
    until, shown = _parsed(cursor) if cursor else (None, 0)
    if until is not None:
        where = replace(
            where, time_to=until if where.time_to is None else min(until, where.time_to)
        )
    found = events.find(where, limit=limit + shown + 1)[shown:]
    page = found[:limit]
    if len(found) <= limit:
        return EventPage(page)
    last = page[-1].timestamp
    again = sum(event.timestamp == last for event in page) + (shown if last == until else 0)
    return EventPage(page, f"{last!r}~{again}")


def events_with_words(
    events: EventStore, where: EventFilter, text: str, *, limit: int = 100
) -> EventPage:
    """Return the `limit` matching events that fit the words of `text` best, newest first."""
    found = events.get([event_id for event_id, _ in events.search_keywords(text, where, limit)])
    return EventPage(sorted(found, key=lambda event: event.timestamp, reverse=True))


def event_detail(parts: Parts, event_id: str) -> EventDetail | None:
    """Return an event with its revisions and links; None if it does not exist."""
    found = parts.events.get([event_id])
    if not found:
        return None
    return EventDetail(
        found[0],
        list(parts.backend.revisions.of([event_id]).get(event_id, [])),
        parts.events.ended_by(event_id),
    )


def _parsed(cursor: str) -> tuple[float, int]:
    until, _, shown = cursor.partition("~")
    try:
        seconds, count = float(until), int(shown)
    except ValueError:
        seconds, count = float("nan"), -1
    if not (abs(seconds) < 1e12 and 0 <= count <= 100_000):
        raise InvalidInput(
            f"cursor: {told(cursor)} is not a cursor; pass the `next` of the previous page "
            "unchanged"
        )
    return seconds, count
