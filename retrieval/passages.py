"""Passages: hits with the messages that are needed to understand them.

"At eight" means nothing without the question before it, and a question means little without its
reply. A message that is short or an answer is therefore shown with the message before it (or with
the one that it replies to), and a question with the message after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..schema.event import Event
from ..schema.hit import Hit
from ..text.questions import ends_asking
from ..text.speakers.shown_names import AS_BORNE, ShownNames
from ..text.tokens import estimate_tokens

SHORT_TOKENS = 12
"""A message of at most this many tokens is shown with the message before it."""


@dataclass(frozen=True)
class Passage:
    """Messages in the order of time, or one event. `hits` are the hits among them, best first."""

    events: tuple[Event, ...]
    hits: tuple[Hit, ...]
    names: ShownNames = AS_BORNE

    @property
    def score(self) -> float:
        """The score of the best hit."""
        return self.hits[0].score

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Each message as `speaker: words`, each event as its text. The days that the words refer
        to are added in brackets.
        """
        pending = {hit.event.event_id for hit in self.hits if hit.pending}
        return tuple(
            spoken(one, self.names, is_newest=one.event_id in pending) for one in self.events
        )

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(event.event_id for event in self.events)

    @property
    def senders(self) -> tuple[str, ...]:
        """The ids of the speakers, in the order of their first message."""
        return tuple(dict.fromkeys(event.said_by for event in self.events if event.said_by))

    @property
    def speakers(self) -> tuple[str, ...]:
        """The shown names of the speakers, in the order of their first message."""
        return tuple(
            dict.fromkeys(name for event in self.events if (name := self.names.speaker(event)))
        )

    @property
    def times(self) -> tuple[str, ...]:
        """The time of each message: ISO 8601 with offset."""
        return tuple(event.timestamp_local for event in self.events)


def passages(hits: Sequence[Hit], names: ShownNames = AS_BORNE) -> list[Passage]:
    """Return the hits as passages, best first. Overlapping passages are joined.

    Hits need their neighbours (`search_events(…, neighbours=1)`) to have a context.
    """
    names = names.beside(texts_of(hits))
    found: list[tuple[dict[str, Placed], list[Hit]]] = []
    for hit in hits:
        placed = {
            one.event.event_id: one
            for one in (Placed(hit.event, float(hit.place)), *context_of(hit))
        }
        joined = [one for one in found if not placed.keys().isdisjoint(one[0])]
        if joined:
            first = joined[0]
            first[0].update(placed)
            for events, others in joined[1:]:
                first[0].update(events)
                first[1].extend(others)
            first[1].append(hit)
            found = [one for one in found if one not in joined[1:]]
        else:
            found.append((placed, [hit]))
    return [
        Passage(
            tuple(one.event for one in sorted(events.values(), key=said_at)),
            tuple(sorted(some, key=lambda hit: -hit.score)),
            names,
        )
        for events, some in found
    ]


def texts_of(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield the texts of hits and of the messages around them."""
    return (one.text for hit in hits for one in (hit.event, *hit.before, *hit.after))


class Placed(NamedTuple):
    """An event with its place in the order of filing."""

    event: Event
    place: float


def said_at(placed: Placed) -> tuple[float, float]:
    """Return the sort key of an event: its time, and for events of the same second the order of
    filing.
    """
    return placed.event.timestamp, placed.place


def context_of(hit: Hit) -> list[Placed]:
    """Return the messages of `before` and `after` that are needed to understand a hit."""
    event = hit.event
    if not event.is_message:
        return []
    context: list[Placed] = []
    if hit.before and (is_short(event) or event.reply_to or ends_asking(hit.before[-1].text)):
        context.append(Placed(hit.before[-1], hit.place - 0.5))
    if hit.after and ends_asking(event.text):
        context.append(Placed(hit.after[0], hit.place + 0.5))
    return context


def is_short(event: Event) -> bool:
    """Return True if a message has at most SHORT_TOKENS tokens."""
    return estimate_tokens(event.text[: 8 * SHORT_TOKENS]) <= SHORT_TOKENS


def spoken(event: Event, names: ShownNames = AS_BORNE, *, is_newest: bool = False) -> str:
    """Return a message as `speaker: words`, an event as its text. Both have days in brackets and
    the names of `names`.
    """
    name = names.speaker(event, is_newest=is_newest)
    return f"{name}: {names.text(event)}" if name else names.text(event)
