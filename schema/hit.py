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
    `neighbours` are messages before and after a message, in order of time, if the search asked for them.
    """

    event: Event
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    pending: bool = False
    group: str = ""
    neighbours: tuple[Event, ...] = ()

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
