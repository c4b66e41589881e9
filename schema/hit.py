"""Search results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .event import Event
from .profile import Profile


@dataclass(frozen=True, slots=True)
class Hit:
    """An event found by a search. `scores` holds the score of every step by name; `score` is the
    last one.

    `pending` marks a text of a job that was accepted but is not filed yet. `group` is the name (or
    id) of the group where the text was said, if the search was for a private chat; "" for events of
    the conversation itself. `before` and `after` are the messages around a message in the order of
    time, as many as were requested. If the message replies to a known message, that one is the last
    of `before`. `place` is the position of the event in the filing order of its scope, which orders
    events of the same second; -1 if unknown.
    """

    event: Event
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    pending: bool = False
    group: str = ""
    before: tuple[Event, ...] = ()
    after: tuple[Event, ...] = ()
    place: int = -1

    def explain(self) -> str:
        """Return the scores by step, in order, then the origin of the event, one item per line."""
        steps = ", ".join(f"{name} {value:.3f}" for name, value in self.scores.items())
        state = "accepted, not filed yet; " if self.pending else ""
        return f"{state}score {self.score:.3f}: {steps or 'no steps'}\n{self.event.explain()}"


@dataclass(frozen=True, slots=True)
class ProfileHit:
    """A profile found by a search."""

    profile: Profile
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
