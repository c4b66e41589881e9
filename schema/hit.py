"""Search results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .event import Event
from .profile import Profile


@dataclass(frozen=True, slots=True)
class Hit:
    """An event found by a search. `scores` holds the score of every step by name; `score` is the last one.

    `pending` marks a job that was accepted but is not filed yet: its text is as the bot wrote it. `group` is the name (or id)
    of the group where it was said, if the search was for a private chat; "" for what belongs to the conversation itself.
    `before` and `after` are the messages around a message in the order of time, as far as they were asked for; where it replies
    to a message that is known, that message is the last of `before`. `place` counts the events of its scope in the order of
    filing, which tells what was said first within one second; -1 if unknown.
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
        """Return the scores by step, in order, then the event's origin, one per line."""
        steps = ", ".join(f"{name} {value:.3f}" for name, value in self.scores.items())
        state = "accepted, not filed yet; " if self.pending else ""
        return f"{state}score {self.score:.3f}: {steps or 'no steps'}\n{self.event.explain()}"


@dataclass(frozen=True, slots=True)
class ProfileHit:
    """A profile found by a search."""

    profile: Profile
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
