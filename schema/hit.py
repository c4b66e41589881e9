"""What a search gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .event import Event
from .profile import Profile


@dataclass(frozen=True, slots=True)
class Hit:
    """An event that a search found. `scores` holds the score of every step by its name; `score` is the last one.

    `pending` marks a job that was accepted and is not filed yet: its text stands as the bot wrote it.
    """

    event: Event
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    pending: bool = False

    def explain(self) -> str:
        """The scores by step, in the order of the steps, then where the event comes from; a line each."""
        steps = ", ".join(f"{name} {value:.3f}" for name, value in self.scores.items())
        state = "accepted, not filed yet; " if self.pending else ""
        return f"{state}score {self.score:.3f}: {steps or 'no steps'}\n{self.event.explain()}"


@dataclass(frozen=True, slots=True)
class ProfileHit:
    """A profile that a search found."""

    profile: Profile
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
