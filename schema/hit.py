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


@dataclass(frozen=True, slots=True)
class ProfileHit:
    """A portrait that a search found."""

    profile: Profile
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
