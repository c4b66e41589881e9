"""What raises the score of an event beyond its own words: the events beside it in time, people and times that the query names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..text.borders import BEGINS, ENDS, whole_word
from ..text.questions import NamedTime
from .request import is_talk
from .scope_index.table import Snapshot
from .scope_index.words import Mask, Scores

_FIRST_PERSON = re.compile(rf"[我咱俺]|(?<!'){BEGINS}(?:I|me|my|mine|myself){ENDS}", re.IGNORECASE)
_SHORTEST_NAME = 2
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…\n])\s*")
END_SHARE, END_WEIGHT = 0.35, 0.7
"""How much of a piece of a conversation is its end, and what that counts beside the whole."""
_MOST_NAMES = 2_000
"""More people than this in one scope are not looked for in the query: each costs a search in it."""

DAY = 86_400.0
WEEK_AFTER = 7 * DAY
MONTH_AROUND = 31 * DAY
AT_THE_TIME, THE_WEEK_AFTER, THE_MONTH_AROUND, LONGER_SPAN = 1.0, 0.6, 0.3, 0.6
"""How much of the lift an event gets. People also tell of a day in the days after it; a month or year says less than a
day. (LoCoMo turns, questions that name a date: any values near these do as well.)"""
QUESTION = 0.8
"""The share of its score that a short question keeps (LoCoMo turns, recall at 10: +1.4; two Chinese chats: +0.4)."""
SAID_ELSEWHEN = 0.6
"""The share of the lift by the day of saying that an event keeps which tells of another time."""


def lend_to_neighbours(scores: Scores, snapshot: Snapshot, *, weight: float, minutes: float) -> Scores:
    """Return `scores` plus, for each event, `weight` of its neighbours' scores in time and half of that of the next ones.

    An answer often stands beside the words that were asked about: a question and its reply, a story told in three
    messages. Two events are neighbours while no gap between them is longer than `minutes`.
    """
    count = len(snapshot)
    if weight <= 0 or count < 2:
        return scores
    ordered = scores if snapshot.is_in_order else scores[snapshot.time_order]
    lent = ordered.copy()
    one_away, two_away = snapshot.near(minutes)
    _lend(lent, ordered, one_away, 1, weight)
    if count > 2:
        _lend(lent, ordered, two_away, 2, weight / 2)
    if snapshot.is_in_order:
        return lent
    result = np.empty_like(scores)
    result[snapshot.time_order] = lent
    return result


def _lend(lent: Scores, scores: Scores, near: Mask, distance: int, weight: float) -> None:
    share = np.float32(weight) * near
    lent[distance:] += share * scores[:-distance]
    lent[:-distance] += share * scores[distance:]


def of_named_people(query: str, snapshot: Snapshot, speaker_id: str) -> Scores | None:
    """Return 1 for events of people whom the query names (`speaker_id` is "I"), else 0; None if it names nobody.

    A former name is its bearer's as well, whatever they are called today; a name of two people names both.
    """
    named = [snapshot.who == snapshot.users.get(one, -1) for one in snapshot.borne.named_in(query)]
    if speaker_id and _FIRST_PERSON.search(query):
        own = snapshot.who == snapshot.users.get(speaker_id, -1)
        if 0 < np.count_nonzero(own) < len(snapshot):
            named.append(own)
    return np.logical_or.reduce(named).astype(np.float32) if named else None


def without_names(query: str, names: Iterable[str]) -> str:
    """Return the query without the names of people, with the blanks as they are left.

    >>> without_names("What is Ann's cat called?", ["Ann"])
    'What is cat called?'
    """
    for name in itertools.islice(names, _MOST_NAMES):
        if _names(query.casefold(), name):
            query = re.sub(rf"{whole_word(name)}(?:['’]s{ENDS})?", " ", query, flags=re.IGNORECASE)
    return " ".join(query.split())


def readings(query: str, names: Iterable[str]) -> list[tuple[str, float]]:
    """Return the texts whose vectors make up that of a query, with their weights.

    Most texts of a scope hold the names of those who take part: a question about one of them is near to all that the person
    said, so that it is also read without the names. (Recall at 10: LoCoMo turns +1.1, observations +1.4, two Chinese chats
    +1.3.) Of a piece of a conversation its end, which is what it has come to, counts once more. (MADial-Bench, dialogues: MRR
    65.4 -> 67.4 in Chinese, 64.6 -> 67.5 in English.)
    """
    whole = " ".join(query.split())
    again, weight = (ending(query), END_WEIGHT) if is_talk(query) else (query, 1.0)
    rest = without_names(again, names)
    return [(query, 1.0)] if rest in ("", whole) else [(query, 1.0), (rest, weight)]


def ending(text: str) -> str:
    """Return the last sentences of a text, about a third of it.

    >>> ending("I'm home. It was a long day! The cat is asleep.")
    'The cat is asleep.'
    """
    taken, wanted = 0, len(text) * END_SHARE
    sentences = _SENTENCE_END.split(text)
    for place in range(len(sentences) - 1, -1, -1):
        taken += len(sentences[place])
        if taken >= wanted:
            return " ".join(sentences[place:]).strip()
    return text


def newest_first(snapshot: Snapshot) -> Scores:
    """Return above 0 to 1 for each event, the newest 1."""
    scores = np.empty(len(snapshot), dtype=np.float32)
    scores[snapshot.time_order] = np.arange(1, len(snapshot) + 1) / max(len(snapshot), 1)
    return scores


def of_questions(snapshot: Snapshot) -> Scores | None:
    """Return QUESTION for short questions, else 1; None if there are none. Their answers are what is looked for."""
    asking = snapshot.asking
    return None if asking is None else np.where(asking, np.float32(QUESTION), np.float32(1.0))


def time_fit(snapshot: Snapshot, named: Sequence[NamedTime]) -> npt.NDArray[np.float32]:
    """Return how well each event fits one of the named times, 0 to 1.

    An event that tells of another time than its own fits where the two overlap, and by when it was said a little less.
    """
    times, first, last = snapshot.times, snapshot.told[:, 0], snapshot.told[:, 1]
    tells = (first != times) | (last != times)
    fit = _said_about(times, named)
    if tells.any():
        fit[tells] *= np.float32(SAID_ELSEWHEN)
        for one in named:
            overlaps = tells & (last >= one.first) & (first <= one.last)
            np.maximum(fit, np.where(overlaps, AT_THE_TIME if one.is_day else LONGER_SPAN, 0.0), out=fit, casting="unsafe")
    return fit


def _said_about(times: npt.NDArray[np.float64], named: Sequence[NamedTime]) -> npt.NDArray[np.float32]:
    """Return how well each of `times` (seconds since the epoch) fits one of the named times, 0 to 1."""
    fit = np.zeros(len(times), dtype=np.float32)
    for one in named:
        inside = (times >= one.first) & (times <= one.last)
        if not one.is_day:
            np.maximum(fit, np.where(inside, LONGER_SPAN, 0.0), out=fit, casting="unsafe")
            continue
        around = (times >= one.first - DAY) & (times <= one.last + DAY)
        after = (times > one.last) & (times <= one.last + WEEK_AFTER)
        month = (times >= one.first - MONTH_AROUND) & (times <= one.last + MONTH_AROUND)
        value = np.where(around, AT_THE_TIME, np.where(after, THE_WEEK_AFTER, np.where(month, THE_MONTH_AROUND, 0.0)))
        np.maximum(fit, value, out=fit, casting="unsafe")
    return fit


def _names(folded_query: str, name: str) -> bool:
    folded = name.casefold()
    if len(folded) < _SHORTEST_NAME or folded not in folded_query:
        return False
    return re.search(whole_word(folded), folded_query) is not None
