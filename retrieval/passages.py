"""Passages: hits with the messages around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..schema.event import Event
from ..schema.hit import Hit


@dataclass(frozen=True)
class Passage:
    """Messages in the order of time, or one event. `hits` are those found among them, the best first."""

    events: tuple[Event, ...]
    hits: tuple[Hit, ...]

    @property
    def score(self) -> float:
        """The score of its best hit."""
        return self.hits[0].score

    @property
    def text(self) -> str:
        return "\n".join(map(spoken, self.events))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(event.event_id for event in self.events)

    @property
    def senders(self) -> tuple[str, ...]:
        """The ids of those who speak in it, in the order of their first word."""
        return tuple(dict.fromkeys(event.said_by for event in self.events if event.said_by))

    @property
    def times(self) -> tuple[str, ...]:
        """When each was said: ISO 8601 with offset."""
        return tuple(event.timestamp_local for event in self.events)


def passages(hits: Sequence[Hit], limit: int | None = None) -> list[Passage]:
    """Return the hits as passages, best first, at most `limit`; those that overlap are one."""
    found: list[tuple[dict[str, Event], list[Hit]]] = []
    for hit in hits:
        around = {one.event_id: one for one in (*hit.before, hit.event, *hit.after)}
        joined = [one for one in found if not around.keys().isdisjoint(one[0])]
        if not joined:
            found.append((around, [hit]))
            continue
        first, *others = joined
        first[0].update(around)
        first[1].append(hit)
        for events, some in others:
            first[0].update(events)
            first[1].extend(some)
        found = [one for one in found if all(one is not other for other in others)]
    return [
        Passage(tuple(sorted(events.values(), key=lambda event: event.timestamp)), tuple(some)) for events, some in found[:limit]
    ]


def spoken(event: Event) -> str:
    """Return a message as `speaker: words`, dated (`Event.dated_text`); an event as its text."""
    return f"{event.speaker}: {event.dated_text}" if event.is_message and event.speaker else event.dated_text
