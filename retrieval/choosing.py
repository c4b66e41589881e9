"""The choice among scored events: the best scores, the order of a reranker, recency, diversity, and
the messages around each hit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from ..schema.event import Event
from ..schema.hit import Hit
from ..schema.settings import QuerySettings
from ..text.messages.records import named_message
from .request import RecallRequest
from .scope_index.snapshot import Positions, Snapshot
from .scope_index.words import Mask, Scores

ALIKE = 0.8
"""Events whose cosine is at most this do not count as repetition: events about the same subject lie
below it, and they may all be wanted. (LoCoMo observations, recall at 10: 76.5 % with 0.6, 77.6 %
with 0.8; turns 77.7 % with both.)"""


def diverse_order(
    scores: npt.NDArray[np.float64],
    likeness: Callable[[int], npt.NDArray[np.float32]],
    top_k: int,
    relevance: float,
) -> list[int]:
    """Return the indexes of at most `top_k` candidates, chosen one by one by maximal marginal
    relevance.

    Carbonell and Goldstein (1998): each step takes the candidate with the highest `relevance` x
    score - (1 - `relevance`) x likeness. Scores are scaled to a maximum of 1. The likeness is the
    cosine with the most similar candidate among those chosen, scaled so that ALIKE becomes 0.
    `likeness(i)` returns the cosines of all candidates with candidate i. With `relevance` 1 the
    result is the order of the scores.
    """
    highest = float(scores.max(initial=0.0))
    if relevance >= 1.0 or len(scores) <= 1:
        return [int(index) for index in np.argsort(-scores, kind="stable")[:top_k]]
    worth = relevance * (scores / highest if highest > 0 else scores)
    most_alike = np.full(len(scores), ALIKE)
    price = (1.0 - relevance) / (1.0 - ALIKE)
    value = worth
    chosen: list[int] = []
    while True:
        best = int(value.argmax())
        chosen.append(best)
        if len(chosen) >= min(top_k, len(scores)):
            return chosen
        worth[best] = -np.inf
        np.maximum(most_alike, likeness(best), out=most_alike)
        value = worth - price * most_alike


def any_alike(likeness: npt.NDArray[np.float32]) -> bool:
    """Return True if the cosine of two different events is above ALIKE.

    `likeness` is the matrix of the cosines between all events. Its diagonal is overwritten with 0.
    If the `top_k` best events are not alike, `diverse_order` would return them in the order of
    their scores.
    """
    np.fill_diagonal(likeness, 0.0)
    return bool((likeness > ALIKE).any())


DIVERSITY_POOL = 3
"""The number of candidates from which diverse hits are chosen, as a multiple of the number of
hits."""
DIVERSITY_MOST = 200
DAY_SECONDS = 86_400.0

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Events chosen so far, best first: positions in the snapshot, their scores, and the scores of
    every step by name.
    """

    snapshot: Snapshot
    positions: Positions
    scores: Numbers
    steps: Mapping[str, Scores] = field(default_factory=dict)
    reranked: Mapping[int, float] = field(default_factory=dict)
    has_vectors: bool = False
    is_silent: bool = False
    """True if the scope holds nothing about the query (see `silence`)."""


def select(request: RecallRequest, candidates: Candidates, settings: QuerySettings) -> list[Hit]:
    """Return the `top_k` candidates as hits, chosen by recency and diversity."""
    snapshot, positions = candidates.snapshot, candidates.positions
    if not len(positions) or candidates.is_silent:
        return []
    # A query that names a day or month is about that time, not about recent events.
    boost = 0.0 if request.named else settings.time_decay_boost
    factors = recency(
        snapshot.times[positions], request.now, half_life_days=request.half_life_days, boost=boost
    )
    scores = candidates.scores * factors
    return _shown(request, candidates, settings, scores, factors if boost else None)


def _shown(
    request: RecallRequest,
    candidates: Candidates,
    settings: QuerySettings,
    scores: Numbers,
    recent: Numbers | None,
) -> list[Hit]:
    """Return the `top_k` chosen candidates as hits. `recent` are the recency factors of the
    candidates.
    """
    snapshot, positions, minutes = (
        candidates.snapshot,
        candidates.positions,
        settings.neighbour_minutes,
    )
    chosen_list: list[int] = []
    for group in _groups(candidates, request):
        chosen_list += _chosen(
            candidates, settings, scores, group, request.top_k - len(chosen_list)
        )
    pool = np.asarray(chosen_list, dtype=np.intp)
    chosen = positions[pool]
    by_step = {name: values[chosen].tolist() for name, values in candidates.steps.items()}
    final, gained = scores[pool].tolist(), None if recent is None else recent[pool].tolist()
    found: list[Hit] = []
    for n, position in enumerate(chosen.tolist()):
        explained = {name: values[n] for name, values in by_step.items() if values[n]}
        if position in candidates.reranked:
            explained["rerank"] = candidates.reranked[position]
        if gained is not None:
            explained["recency"] = gained[n]
        explained["final"] = final[n]
        hit = Hit(snapshot.events[position], final[n], explained, place=position)
        found.append(with_neighbours(hit, snapshot, request.neighbours, minutes, request.now))
    return found


def _chosen(
    candidates: Candidates, settings: QuerySettings, scores: Numbers, group: Positions, count: int
) -> list[int]:
    """Return `count` candidates of a group by score and diversity, as indexes into the
    candidates.
    """
    pool = group[np.argsort(-scores[group], kind="stable")][: count * DIVERSITY_POOL]
    best = pool[:count]
    if settings.diversity_lambda < 1.0 and len(best) > 1 and count <= DIVERSITY_MOST:
        likeness = partial(candidates.snapshot.likeness, centred=settings.vector_centering)
        if any_alike(likeness(candidates.positions[best])(np.arange(len(best)))):
            likeness_to = likeness(candidates.positions[pool])
            best = pool[diverse_order(scores[pool], likeness_to, count, settings.diversity_lambda)]
    chosen: list[int] = best.tolist()
    return chosen


def best_of(
    snapshot: Snapshot,
    admitted: Mask | None,
    total: Scores,
    wanted: int,
    *,
    observations_last: bool,
) -> Positions:
    """Return the `wanted` best admitted events with a score above 0; of equal scores the newer
    events come first.

    With `observations_last`, return the `wanted` best events that are no observations (`is_raw`),
    and behind them at most as many observations.
    """
    possible = total > 0 if admitted is None else (total > 0) & admitted
    positions = np.flatnonzero(possible)
    looked_at = wanted
    while True:
        best = positions
        if len(positions) > looked_at:
            best = positions[np.argpartition(-total[positions], looked_at - 1)[:looked_at]]
        if not observations_last:
            break
        observed = snapshot.observed[best]
        others = int(np.count_nonzero(~observed))
        if len(best) == len(positions) or others >= wanted:
            # A wider selection would only find events that rank behind these.
            ranked = best[np.lexsort((-best, -total[best], observed))]
            return np.concatenate([ranked[:others][:wanted], ranked[others:][:wanted]])
        looked_at *= 8
    return best[np.lexsort((-best, -total[best]))]


def _groups(candidates: Candidates, request: RecallRequest) -> list[Positions]:
    """Return the indexes of the candidates in groups: with `observations_last`, observations are
    the second group. A group is used only after the previous one is exhausted.
    """
    places = np.arange(len(candidates.positions))
    if not request.observations_last:
        return [places]
    observed = candidates.snapshot.observed[candidates.positions]
    return [places[~observed], places[observed]]


def reordered(candidates: Candidates, judged: Mapping[int, float]) -> Candidates:
    """Return the candidates reordered: reranked events get scores from 0.5 to 1, the others scores
    below 0.5.
    """
    if not judged:
        return candidates
    low, high = min(judged.values()), max(judged.values())
    before = candidates.scores / max(float(candidates.scores.max()), 1e-9)
    scores = np.array(
        [
            (0.5 + 0.5 * ((judged[int(position)] - low) / (high - low) if high > low else 1.0))
            if int(position) in judged
            else 0.5 * (before[n] - 1e-6)
            for n, position in enumerate(candidates.positions)
        ]
    )
    order = np.argsort(-scores, kind="stable")
    return replace(
        candidates, positions=candidates.positions[order], scores=scores[order], reranked=judged
    )


def recency(times: Numbers, now: float, *, half_life_days: float, boost: float) -> Numbers:
    """Return the factor of each event: 1 + boost x 2^(-age / half-life). Future events count as if
    their time were `now`.

    An event of `now` gains the share `boost`, an event that is one half-life old gains half of it.
    No factor is below 1.
    """
    ages = np.maximum(now - times, 0.0) / (DAY_SECONDS * half_life_days)
    factors: Numbers = 1.0 + boost * np.exp2(-ages)
    return factors


LOOKED_THROUGH = 20
"""The number of events before and after a hit that are searched for neighbouring messages."""


def with_neighbours(hit: Hit, snapshot: Snapshot, count: int, minutes: float, now: float) -> Hit:
    """Return a hit with at most `count` messages before and after it. Neighbours end at a silence
    of more than `minutes`; messages that have expired at `now` are left out.

    If the hit replies to a message, that message is the last one of `before`, however old it is. A
    hit that is no message has no neighbours.
    """
    event = hit.event
    if count <= 0 or not event.is_message:
        return hit
    before = list(islice(_along(snapshot, hit.place, -1, minutes, now), count))[::-1]
    after = islice(_along(snapshot, hit.place, 1, minutes, now), count)
    if event.reply_to:
        answered = _first_part(snapshot, event)
        if answered is not None and not answered.has_expired(now):
            before = [*(one for one in before if one.event_id != answered.event_id), answered][
                -count:
            ]
    return replace(hit, before=tuple(before), after=tuple(after))


def _first_part(snapshot: Snapshot, event: Event) -> Event | None:
    """Return the message that `event` replies to, or None if it is not in the snapshot. If that
    message is stored in several parts, return the first part.
    """
    place = snapshot.place_of(f"{named_message(event.scope, event.reply_to)}:0")
    return None if place is None else snapshot.events[place]


def _along(
    snapshot: Snapshot, place: int, step: int, minutes: float, now: float
) -> Iterable[Event]:
    """Yield the messages before (`step` -1) or after (`step` 1) a place in the order of time, up to
    a silence of more than `minutes`.
    """
    rank = place if snapshot.is_in_order else int(snapshot.time_ranks[place])
    moment = float(snapshot.times[place])
    for other in range(rank + step, rank + step * (LOOKED_THROUGH + 1), step):
        if not 0 <= other < len(snapshot):
            return
        position = other if snapshot.is_in_order else int(snapshot.time_order[other])
        at = float(snapshot.times[position])
        if abs(at - moment) > minutes * 60.0:
            return
        event = snapshot.events[position]
        if event.is_message and event.holds and not event.has_expired(now):
            moment = at
            yield event
