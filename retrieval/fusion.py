"""Fusion of ranked lists that measure different things."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def min_max(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores stretched to 0..1; all 1.0 where they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high - low <= 0:
        return dict.fromkeys(scores, 1.0)
    return {key: (value - low) / (high - low) for key, value in scores.items()}


def weighted_sum(lists: Sequence[tuple[Mapping[Key, float], float]]) -> dict[Key, float]:
    """The weighted sum of min-max normalised scores; an entry that a list lacks counts 0 there."""
    fused: dict[Key, float] = {}
    for scores, weight in lists:
        for key, value in min_max(scores).items():
            fused[key] = fused.get(key, 0.0) + weight * value
    return fused


def reciprocal_rank(lists: Sequence[tuple[Mapping[Key, float], float]], k: int = 60) -> dict[Key, float]:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): the sum of weight / (k + rank), ranks from 1."""
    fused: dict[Key, float] = {}
    for scores, weight in lists:
        for rank, key in enumerate(sorted(scores, key=lambda one: -scores[one]), 1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused
