"""Fusion of scores from different scales."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from ..schema.protocols import Matrix, Vector
from ..schema.settings import QuerySettings
from .scope_index.words import Mask, Scores, WordMatch

Key = TypeVar("Key", bound=Hashable)

RANK_CONSTANT = 60
"""The constant k of reciprocal rank fusion. Cormack, Clarke and Buettcher (2009) found that 60
works well in all their tests."""
FULL_MATCH = 0.3
"""If the best keyword score is at least this share of a whole match, it counts fully beside the
vectors; a lower one counts in proportion. Otherwise a question in other words than the stored text
would find events that only share a word such as "when" with it. Found on Chinese chats that were
asked about in other words (R@5 61 -> 67 %, MRR 47 -> 52 %); LoCoMo and MADial-Bench stay within 0.6
points of R@10."""


def min_max(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Return the scores scaled to 0..1; all 1.0 if they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high - low <= 0:
        return dict.fromkeys(scores, 1.0)
    return {key: (value - low) / (high - low) for key, value in scores.items()}


def weighted_sum(lists: Sequence[tuple[Mapping[Key, float], float]]) -> dict[Key, float]:
    """Return the weighted sum of min-max normalised scores; a missing entry counts as 0."""
    fused: dict[Key, float] = {}
    for scores, weight in lists:
        for key, value in min_max(scores).items():
            fused[key] = fused.get(key, 0.0) + weight * value
    return fused


def reciprocal_rank(
    lists: Sequence[tuple[Mapping[Key, float], float]], k: int = RANK_CONSTANT
) -> dict[Key, float]:
    """Return the sum of weight / (k + rank) for each key. Ranks start at 1."""
    fused: dict[Key, float] = {}
    for scores, weight in lists:
        for rank, key in enumerate(sorted(scores, key=lambda one: -scores[one]), 1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused


def nearest(
    vector: Vector, keys: Sequence[Key], matrix: Matrix, limit: int | None = None
) -> dict[Key, float]:
    """Return the similarities of the rows of `matrix` to `vector`, highest first, at most `limit`.
    Return nothing if the dimensions differ.
    """
    if not keys or matrix.shape[1] != vector.shape[0]:
        return {}
    similarities = matrix @ vector
    return {
        keys[n]: float(similarities[n]) for n in np.argsort(-similarities, kind="stable")[:limit]
    }


def scores_of(key: Key, **lists: Mapping[Key, float]) -> dict[str, float]:
    """Return the score of `key` in each of the named lists that holds it."""
    return {name: scores[key] for name, scores in lists.items() if key in scores}


def stretched(scores: Scores) -> Scores:
    """Return `scores` scaled to 0..1; 1 if all are equal."""
    low, high = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    return (scores - low) / np.float32(high - low) if high - low > 1e-9 else np.ones_like(scores)


def with_estimates(
    similarities: Scores, known: Mask, keyword: Scores, admitted: Mask | None = None
) -> Scores:
    """Return the similarities to a query. Those that are not `known` are estimated from the keyword
    scores.

    An estimate lies as many standard deviations above the mean of the known similarities as the
    keyword score lies above the mean keyword score. Records without a vector thus have the order
    that they have without an embedder, on the scale of the others. Only admitted records count for
    the means.
    """
    values = similarities[known if admitted is None else known & admitted]
    words = keyword if admitted is None else keyword[admitted]
    if not len(values) or not len(words):
        return np.where(known, similarities, keyword)
    # A single value has no scale. Any scale will do, because fused scores are scaled again.
    scale = float(values.std()) or 1.0
    above = (keyword - words.mean()) / np.float32(words.std() or 1.0)
    return np.where(known, similarities, values.mean() + np.float32(scale) * above)


def completed(similarities: Mapping[Key, float], keywords: Mapping[Key, float]) -> dict[Key, float]:
    """Return the similarities together with estimates for further keys of `keywords` (see
    `with_estimates`).

    Return nothing if no similarity is known.
    """
    keys = list(dict.fromkeys([*similarities, *keywords]))
    known = np.array([key in similarities for key in keys], dtype=bool)
    if not known.any():
        return {}
    near = np.array([similarities.get(key, 0.0) for key in keys], dtype=np.float32)
    words = np.array([keywords.get(key, 0.0) for key in keys], dtype=np.float32)
    return dict(zip(keys, with_estimates(near, known, words).tolist(), strict=True))


def from_zero(scores: Scores, *, at_least: float = 0.0) -> Scores:
    """Return scores, in which 0 means "not found", divided by the highest score, or by `at_least`
    if that is larger.
    """
    highest = max(float(scores.max(initial=0.0)), at_least)
    return scores / np.float32(highest) if highest > 0 else scores


def by_rank(scores: Scores, found: Mask | None = None) -> Scores:
    """Return (k + 1) / (k + rank) for the records that are `found` (None: all): 1 for the best
    record, 0 for those not found.
    """
    result = np.zeros_like(scores)
    positions = np.arange(len(scores)) if found is None else np.flatnonzero(found)
    order = positions[np.argsort(-scores[positions], kind="stable")]
    result[order] = (RANK_CONSTANT + 1) / (
        RANK_CONSTANT + 1 + np.arange(len(order), dtype=np.float32)
    )
    return result


def fused_scores(match: WordMatch, dense: Scores | None, settings: QuerySettings) -> Scores:
    """Return the scores of the keywords and, if there are any, of the vectors as one."""
    keyword = match.scores
    if dense is None:
        return (
            from_zero(keyword) if settings.fusion == "weighted" else by_rank(keyword, keyword > 0)
        )
    vector_weight, keyword_weight = (
        np.float32(settings.vector_weight),
        np.float32(settings.keyword_weight),
    )
    if settings.fusion == "weighted":
        return vector_weight * stretched(dense) + keyword_weight * from_zero(
            keyword, at_least=FULL_MATCH * match.whole
        )
    return vector_weight * by_rank(dense) + keyword_weight * by_rank(keyword, keyword > 0)
