"""What raises an event above its own words: the events beside it in time, and the people whom the query names."""

from __future__ import annotations

import re

import numpy as np

from .scope_index.table import Scores, Snapshot

_FIRST_PERSON = re.compile(r"[我咱俺]|(?<![A-Za-z0-9_'])(?:I|me|my|mine|myself)(?![A-Za-z0-9_])", re.IGNORECASE)
_SHORTEST_NAME = 2
_MOST_NAMES = 2_000
"""More people than this in one scope are not looked for in the query: each costs a search in it."""


def lend_to_neighbours(scores: Scores, snapshot: Snapshot, *, weight: float, minutes: float) -> Scores:
    """`scores` with what neighbours lend: `weight` of the score to the events next in time, half of it to the ones after.

    An answer often stands beside the words that were asked about: a question and its reply, a story told in three
    messages. Two events are neighbours while no gap between them is longer than `minutes`.
    """
    count = len(snapshot)
    if weight <= 0 or count < 2:
        return scores
    order = snapshot.time_order
    ordered = scores[order]
    lent = ordered.copy()
    near = np.diff(snapshot.times[order]) <= minutes * 60.0
    _lend(lent, ordered, near, 1, weight)
    if count > 2:
        _lend(lent, ordered, near[1:] & near[:-1], 2, weight / 2)
    result = np.empty_like(scores)
    result[order] = lent
    return result


def _lend(lent: Scores, scores: Scores, near: np.ndarray[tuple[int], np.dtype[np.bool_]], distance: int, weight: float) -> None:
    share = np.float32(weight) * near
    lent[distance:] += share * scores[:-distance]
    lent[:-distance] += share * scores[distance:]


def of_named_people(query: str, snapshot: Snapshot, speaker_id: str) -> Scores | None:
    """1 for the events of people whom the query names (`speaker_id`: who says "I" in it), else 0; None for nobody."""
    lifted: Scores | None = None
    folded = query.casefold()
    names = list(snapshot.names.items())
    for name, positions in names if len(names) <= _MOST_NAMES else ():
        if not _names(folded, name):
            continue
        lifted = np.zeros(len(snapshot), dtype=np.float32) if lifted is None else lifted
        lifted[[position for position in positions if position < len(snapshot)]] = 1.0
    if speaker_id and _FIRST_PERSON.search(query):
        own = [n for n in range(len(snapshot)) if snapshot.outlines[n].user_id == speaker_id]
        if 0 < len(own) < len(snapshot):
            lifted = np.zeros(len(snapshot), dtype=np.float32) if lifted is None else lifted
            lifted[own] = 1.0
    return lifted


def _names(folded_query: str, name: str) -> bool:
    folded = name.casefold()
    if len(folded) < _SHORTEST_NAME or folded not in folded_query:
        return False
    if not folded.isascii():
        return True
    return re.search(rf"(?<![a-z0-9_]){re.escape(folded)}(?![a-z0-9_])", folded_query) is not None
