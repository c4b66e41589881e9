"""Which of the hits that tell of one thing comes first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from historian.retrieval.current_first import current_first
from historian.schema.hit import Hit
from support.events import make_event
from support.recall import NOW

HOME, NEW_HOME, CAT = "Ann lives in a flat in Lisbon", "Ann has a house in Vienna", "Ann has a cat"
DAY = 86_400.0


def in_order(
    told: Sequence[tuple[str, float]],
    likeness: Sequence[Sequence[float]],
    answers: Sequence[float],
    *,
    now: bool = False,
    **fields: Any,
) -> list[Hit]:
    """Hits as (text, days ago), best first, with the scores 1, 0.9, …"""
    events = [
        make_event(f"j-{n}", 0, text=text, timestamp=NOW - days * DAY, user_name="Ann", **{"kind": "fact", **fields})
        for n, (text, days) in enumerate(told)
    ]
    hits = [Hit(event, 1.0 - n / 10, {"final": 1.0 - n / 10}) for n, event in enumerate(events)]
    return current_first(hits, np.array(likeness, dtype=np.float32), np.array(answers, dtype=np.float32), ["Ann"], now=now)


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.event.text for hit in hits]


ALIKE = [[1.0, 0.6, 0.1], [0.6, 1.0, 0.1], [0.1, 0.1, 1.0]]


def test_the_newer_of_two_that_are_alike_comes_first_with_the_score_of_the_other() -> None:
    hits = in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], ALIKE, [0.6, 0.55, 0.2])
    assert texts(hits) == [NEW_HOME, HOME, CAT]
    assert [hit.score for hit in hits] == [1.0, 1.0, 0.8] and hits[0].scores["newer"] > 0


def test_what_is_newer_and_answers_worse_stays_behind() -> None:
    assert texts(in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], ALIKE, [0.6, 0.0, 0.2])) == [HOME, NEW_HOME, CAT]


def test_what_is_newer_and_about_something_else_never_goes_first() -> None:
    assert (
        texts(in_order([(HOME, 100), (CAT, 1), (NEW_HOME, 200)], [[1, 0.1, 0.6], [0.1, 1, 0.1], [0.6, 0.1, 1]], [0.6, 0.6, 0.5]))[
            0
        ]
        == HOME
    )


def test_hits_that_are_all_alike_keep_their_order() -> None:
    assert texts(
        in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], [[1, 0.6, 0.6], [0.6, 1, 0.6], [0.6, 0.6, 1]], [0.6, 0.6, 0.6])
    ) == [
        HOME,
        NEW_HOME,
        CAT,
    ]


def test_what_says_that_something_changed_needs_less_likeness() -> None:
    less = [[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]
    assert texts(in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], less, [0.6, 0.6, 0.2]))[0] == HOME
    assert texts(in_order([(HOME, 100), ("Ann moved to Vienna", 5), (CAT, 1)], less, [0.6, 0.6, 0.2]))[0] == "Ann moved to Vienna"


def test_a_question_about_now_needs_less_likeness() -> None:
    less = [[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]
    assert texts(in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 200)], less, [0.6, 0.6, 0.2], now=True))[0] == NEW_HOME


def test_what_is_merely_newer_goes_before_nothing_even_where_the_question_says_now() -> None:
    less = [[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]
    told = [(HOME, 100), ("Ann switched to oat milk", 5), (CAT, 200)]
    assert texts(in_order(told, less, [0.6, 0.15, 0.2], now=True))[0] == HOME
    assert texts(in_order(told, less, [0.6, 0.5, 0.2], now=True))[0] == told[1][0]


def test_of_three_values_the_newest_comes_first() -> None:
    told = [(HOME, 100), (NEW_HOME, 50), ("Ann has a flat in Rome", 5), (CAT, 1)]
    likeness = [[1, 0.6, 0.6, 0], [0.6, 1, 0.6, 0], [0.6, 0.6, 1, 0], [0, 0, 0, 1]]
    assert texts(in_order(told, likeness, [0.6, 0.6, 0.6, 0.1]))[:3] == ["Ann has a flat in Rome", NEW_HOME, HOME]


def test_plans_and_what_the_bot_did_go_before_nothing() -> None:
    told = [(HOME, 100), ("Ann might move to a house in Vienna", 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.55, 0.2]))[0] == HOME
    assert texts(in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], ALIKE, [0.6, 0.55, 0.2], kind="action"))[0] == HOME


def test_one_hit_and_none_stay_as_they_are() -> None:
    assert texts(in_order([(HOME, 1)], [[1.0]], [0.5])) == [HOME]
    assert in_order([], np.zeros((0, 0)).tolist(), []) == []


def test_a_group_of_many_people_takes_no_longer() -> None:
    """Nobody named in the hits: whether two of them tell of one thing is told by their words."""
    told = [
        f"网购的第{n}个{thing}{way}"
        for n in range(5)
        for thing, way in (("快递", "到了"), ("沙发", "很软"), ("台灯", "坏了"), ("花", "开了"))
    ]
    events = [make_event(f"j-{n}", 0, text=text, timestamp=NOW + n, kind="fact") for n, text in enumerate(told)]
    hits = [Hit(event, 1.0 - n / 100, {}) for n, event in enumerate(events)]
    likeness = np.eye(20, dtype=np.float32)
    likeness[:10, 10:] = likeness[10:, :10] = 1.0
    people = [f"群友昵称{n:04d}" for n in range(600)]

    def seconds(people: Sequence[str]) -> float:
        begun = time.thread_time()
        current_first(hits, likeness, np.full(20, 0.5, dtype=np.float32), people, now=False)
        return time.thread_time() - begun

    assert min(seconds(people) for _ in range(3)) < 0.05
