"""The messages around a hit, as far as its scope is in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from ..schema.event import Event
from ..schema.hit import Hit
from ..text.messages import named_message
from .scope_index.table import Snapshot

LOOKED_THROUGH = 20
"""So many events to either side are looked through for messages."""


def with_neighbours(hit: Hit, snapshot: Snapshot, count: int, minutes: float, now: float) -> Hit:
    """Return a hit with at most `count` messages before and after it, none beyond a silence of more than `minutes`, and none
    that has expired at `now`.

    The message that it replies to is the last of `before`, whenever that was said. An event has no neighbours.
    """
    event = hit.event
    if count <= 0 or not event.is_message:
        return hit
    before = list(islice(_along(snapshot, hit.place, -1, minutes, now), count))[::-1]
    after = islice(_along(snapshot, hit.place, 1, minutes, now), count)
    if event.reply_to:
        answered = _first_part(snapshot, event)
        if answered is not None and not answered.has_expired(now):
            before = [*(one for one in before if one.event_id != answered.event_id), answered][-count:]
    return replace(hit, before=tuple(before), after=tuple(after))


def _first_part(snapshot: Snapshot, event: Event) -> Event | None:
    """Return the message that another one replies to; of a long one its first part."""
    place = snapshot.place_of(f"{named_message(event.scope, event.reply_to)}:0")
    return None if place is None else snapshot.events[place]


def _along(snapshot: Snapshot, place: int, step: int, minutes: float, now: float) -> Iterable[Event]:
    """Yield the messages behind or before a place in the order of time, up to a silence."""
    rank = place if snapshot.is_in_order else int(snapshot.time_ranks[place])
    moment = float(snapshot.times[place])
    for other in range(rank + step, rank + step * (LOOKED_THROUGH + 1), step):
        if not 0 <= other < len(snapshot):
            return
        position = other if snapshot.is_in_order else int(snapshot.time_order[other])
        at = float(snapshot.times[position])
        if abs(at - moment) > minutes * 60.0:
            return
        event = snapshot.events[position]
        if event.is_message and event.holds and not event.has_expired(now):
            moment = at
            yield event
