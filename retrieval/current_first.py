"""Of hits that tell of one thing the newest first, for a question about the present.

Most changes leave no link between the two facts, since no word says that the former is over. What vectors say is enough for
an order: two facts of one subject that are more alike than others, and answer the question about equally well, tell of one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..schema.hit import Hit
from ..schema.protocols import Matrix
from ..text.superseding import Statement, could_replace, names_in, same_subject, tells_of_change
from .scope_index.words import Scores

ALIKE = 0.2
ALIKE_NOW = -0.35
"""How much more alike two facts must be than the older one is to the other hits in the mean, for the newer one to go first:
in general, and where the question says "now". (Cosines of centred vectors.) Chosen on changes and look-alikes together with
the ranks of answers in two Chinese chats and in LoCoMo's observations."""
ANSWERS = 0.3
"""The least likeness of the newer fact to the question, as a share of the older one's: what is merely newer stays behind."""
LOSS_WEIGHT = 0.5
"""What the newer fact answers the question worse, as a share of the best answer's likeness to it, counts so much against it."""
CHANGE_BONUS = 0.3
"""What a newer fact gains that says that something has changed."""
LEAST_ANSWER = 0.05


def current_first(hits: Sequence[Hit], likeness: Matrix, answers: Scores, people: Sequence[str], *, now: bool) -> list[Hit]:
    """Return the hits with each newer fact before the first older one that tells of the same thing.

    `likeness[i, j]` is that of two hits, `answers` that of each to the question, `people` the names in the scope. `now`: the
    question says that it is about now. What is moved gets the score of the hit that it goes before.
    """
    if len(hits) < 2:
        return list(hits)
    named = names_in("\n".join(hit.event.text for hit in hits), people)
    statements = [Statement(hit.event.text, tuple(dict.fromkeys((*named, hit.event.bot_name)))) for hit in hits]
    usual = (likeness.sum(axis=1) - np.diagonal(likeness)) / (len(hits) - 1) if len(hits) > 2 else np.zeros(len(hits))
    loss = np.maximum(answers[:, None] - answers[None, :], 0.0) / max(float(answers.max()), LEAST_ANSWER)
    worth = likeness - usual[:, None] - LOSS_WEIGHT * loss
    needed = ALIKE_NOW if now else ALIKE

    def goes_before(new: int, old: int) -> bool:
        newer, older = hits[new].event, hits[old].event
        if not newer.kind == older.kind == "fact" or newer.timestamp <= older.timestamp or answers[new] < ANSWERS * answers[old]:
            return False
        short = needed - float(worth[old, new])
        if short > CHANGE_BONUS or (short > 0 and not tells_of_change(statements[new])):
            return False
        return same_subject(statements[new], statements[old], unnamed=now) and could_replace(statements[new], statements[old])

    order: list[int] = []
    scores: list[float] = []
    for new, hit in enumerate(hits):
        place = next((n for n, old in enumerate(order) if goes_before(new, old)), len(order))
        scores.insert(place, max(hit.score, scores[place]) if place < len(order) else hit.score)
        order.insert(place, new)
    return [_scored(hits[n], score) for n, score in zip(order, scores, strict=True)]


def _scored(hit: Hit, score: float) -> Hit:
    if score == hit.score:
        return hit
    return replace(hit, score=score, scores={**hit.scores, "newer": score - hit.score, "final": score})
