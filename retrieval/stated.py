"""Messages of which a statement was made: both tell the same, and what was said need not be found twice."""

from __future__ import annotations

from collections.abc import Iterable

from ..schema.event import OBSERVATION, Event
from ..text.support import ENOUGH, Terms, share, terms_in


def stated_messages(events: Iterable[Event]) -> set[str]:
    """Return the ids of the observations of which others of the events, said at the same moment, hold the most content words."""
    found = list(events)
    messages = [event for event in found if event.source == OBSERVATION]
    moments = {event.timestamp for event in messages}
    stated: dict[float, Terms] = {}
    for event in found:
        if event.source != OBSERVATION and event.timestamp in moments:
            stated[event.timestamp] = stated.get(event.timestamp, frozenset()) | terms_in(event.text)
    return {one.event_id for one in messages if _is_held(one, stated.get(one.timestamp))}


def _is_held(message: Event, stated: Terms | None) -> bool:
    return stated is not None and share(terms_in(message.text), stated) >= ENOUGH
