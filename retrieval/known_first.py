"""What is known before what was asked: a question is most like itself asked again, and holds no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..schema.event import is_raw
from ..schema.hit import Hit
from .scope_index.words import Mask

ASKED = 0.5
"""The share of its score that a record keeps which is a question or tells of one, beside `lifts.QUESTION`. (LoCoMo turns, 760
questions: recall at 3 61.5 -> 62.0, at 10 81.0 -> 81.2.)"""

Found = tuple[int, Hit]
"""A hit with its position in the snapshot."""


def known_first(found: Sequence[Found], questions: Mask, *, observations_last: bool) -> list[Found]:
    """Return the hits with `questions` (by position), asked or told of, behind all that has more than ASKED of their score.

    The others keep their order. With `observations_last`, which leaves what tools returned the places of nothing else, questions
    come behind all others too.
    """
    known: list[Found] = []
    asked: list[Found] = []
    for position, hit in found:
        if questions[position]:
            asked.append((position, _lowered(hit)))
        else:
            known.append((position, hit))
    if observations_last:
        return [*known, *sorted(asked, key=lambda one: is_raw(one[1].event))]
    for one in asked:
        place = next((n for n, (_, other) in enumerate(known) if other.score < one[1].score), len(known))
        known.insert(place, one)
    return known


def _lowered(hit: Hit) -> Hit:
    score = hit.score * ASKED
    return replace(hit, score=score, scores={**hit.scores, "asked": score - hit.score, "final": score})
