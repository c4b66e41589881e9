"""The additions to the score of an event: for neighbouring events, and for people and times that
the query names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..text.borders import BEGINS, ENDS, whole_word
from ..text.questions import NamedTime
from .request import is_talk
from .scope_index.snapshot import Snapshot
from .scope_index.words import Mask, Scores

_FIRST_PERSON = re.compile(rf"[我咱俺]|(?<!'){BEGINS}(?:I|me|my|mine|myself){ENDS}", re.IGNORECASE)
_SHORTEST_NAME = 2
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…\n])\s*")
END_SHARE, END_WEIGHT = 0.35, 0.7
"""The share of a piece of a conversation that counts as its end, and the weight of the end beside
the whole text."""
_MOST_NAMES = 2_000
"""At most this many names of a scope are searched for in a query, because each costs one search."""

DAY = 86_400.0
WEEK_AFTER = 7 * DAY
MONTH_AROUND = 31 * DAY
AT_THE_TIME, THE_WEEK_AFTER, THE_MONTH_AROUND, LONGER_SPAN = 1.0, 0.6, 0.3, 0.6
"""The share of the lift by a named time that an event gets: at the named day, in the week after it,
within a month of it, and within a named month or year. People also talk about a day in the days
after it; a month or year says less than a day. (LoCoMo turns, questions that name a date: values
near these give the same results.)"""
QUESTION = 0.8
"""The factor on the score of a short question (LoCoMo turns, recall at 10: +1.4; two Chinese chats:
+0.4)."""
SAID_ELSEWHEN = 0.6
"""The factor on the lift by the time of saying, for an event that is about another time."""


def lend_to_neighbours(
    scores: Scores, snapshot: Snapshot, *, weight: float, minutes: float
) -> Scores:
    """Return `scores` plus, for each event, `weight` times the scores of the events next to it in
    time and half of that for the second next.

    An answer is often in the event next to the one that shares words with the query: a question and
    its reply, a story in three messages. Two events are neighbours if no gap between them is longer
    than `minutes`.
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
    """Return 1 for events of people that the query names (`speaker_id` is "I"), else 0. Return None
    if the query names nobody.

    A former name also counts as a name of the person. A name that two people have names both of
    them.
    """
    named = [snapshot.who == snapshot.users.get(one, -1) for one in snapshot.borne.named_in(query)]
    if speaker_id and _FIRST_PERSON.search(query):
        own = snapshot.who == snapshot.users.get(speaker_id, -1)
        if 0 < np.count_nonzero(own) < len(snapshot):
            named.append(own)
    return np.logical_or.reduce(named).astype(np.float32) if named else None


def without_names(query: str, names: Iterable[str]) -> str:
    """Return the query without the names of people, with single spaces between the words.

    >>> without_names("What is Ann's cat called?", ["Ann"])
    'What is cat called?'
    """
    for name in itertools.islice(names, _MOST_NAMES):
        if _names(query.casefold(), name):
            query = re.sub(rf"{whole_word(name)}(?:['’]s{ENDS})?", " ", query, flags=re.IGNORECASE)
    return " ".join(query.split())


def readings(query: str, names: Iterable[str]) -> list[tuple[str, float]]:
    """Return the texts whose vectors make up the vector of a query, with their weights.

    Most texts of a scope hold the names of the people who take part. A question about a person is
    therefore similar to everything that the person said, so the query without names is embedded as
    well. (Recall at 10: LoCoMo turns +1.1, observations +1.4, two Chinese chats +1.3.) For a piece
    of a conversation, the second text is only its end, because the end is what the conversation is
    about by then. (MADial-Bench, dialogues: MRR 65.4 -> 67.4 in Chinese, 64.6 -> 67.5 in English.)
    """
    whole = " ".join(query.split())
    again, weight = (ending(query), END_WEIGHT) if is_talk(query) else (query, 1.0)
    rest = without_names(again, names)
    return [(query, 1.0)] if rest in ("", whole) else [(query, 1.0), (rest, weight)]


def ending(text: str) -> str:
    """Return the last sentences of a text, at least END_SHARE of its characters.

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
    """Return a score above 0 and up to 1 for each event; later events get higher scores, the newest
    one 1.
    """
    scores = np.empty(len(snapshot), dtype=np.float32)
    scores[snapshot.time_order] = np.arange(1, len(snapshot) + 1) / max(len(snapshot), 1)
    return scores


def of_questions(snapshot: Snapshot) -> Scores | None:
    """Return the factor QUESTION for short questions and 1 for other events; None if there are no
    questions. A search looks for answers, not for questions.
    """
    asking = snapshot.asking
    return None if asking is None else np.where(asking, np.float32(QUESTION), np.float32(1.0))


def time_fit(snapshot: Snapshot, named: Sequence[NamedTime]) -> npt.NDArray[np.float32]:
    """Return for each event how well it fits one of the named times, 0 to 1.

    An event that is about another time than the time of saying fits if that time overlaps with a
    named time. The time of saying counts less for it.
    """
    times, first, last = snapshot.times, snapshot.told[:, 0], snapshot.told[:, 1]
    tells = (first != times) | (last != times)
    fit = _said_about(times, named)
    if tells.any():
        fit[tells] *= np.float32(SAID_ELSEWHEN)
        for one in named:
            overlaps = tells & (last >= one.first) & (first <= one.last)
            np.maximum(
                fit,
                np.where(overlaps, AT_THE_TIME if one.is_day else LONGER_SPAN, 0.0),
                out=fit,
                casting="unsafe",
            )
    return fit


def _said_about(
    times: npt.NDArray[np.float64], named: Sequence[NamedTime]
) -> npt.NDArray[np.float32]:
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
        value = np.where(
            around,
            AT_THE_TIME,
            np.where(after, THE_WEEK_AFTER, np.where(month, THE_MONTH_AROUND, 0.0)),
        )
        np.maximum(fit, value, out=fit, casting="unsafe")
    return fit


def _names(folded_query: str, name: str) -> bool:
    folded = name.casefold()
    if len(folded) < _SHORTEST_NAME or folded not in folded_query:
        return False
    return re.search(whole_word(folded), folded_query) is not None
