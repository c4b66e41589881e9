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
    likeness: Sequence[Sequence[float]] | None = None,
    answers: Sequence[float] | None = None,
    *,
    now: bool = False,
    question: str = "",
    **fields: Any,
) -> list[Hit]:
    """Hits as (text, days ago), best first, with the scores 1, 0.9, …"""
    events = [
        make_event(f"j-{n}", 0, text=text, timestamp=NOW - days * DAY, **{"kind": "fact", "user_name": "Ann", **fields})
        for n, (text, days) in enumerate(told)
    ]
    hits = [Hit(event, 1.0 - n / 10, {"final": 1.0 - n / 10}) for n, event in enumerate(events)]
    vectors = (None, None) if likeness is None else (np.array(likeness, dtype=np.float32), np.array(answers, dtype=np.float32))
    return current_first(hits, *vectors, ["Ann", "Tom"], question, now=now)


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
    assert texts(in_order([(HOME, 100), (NEW_HOME, 5), (CAT, 1)], less, [0.6, 0.6, 0.45]))[0] == HOME
    told = [(HOME, 100), ("Ann moved to Vienna", 5), (CAT, 1)]
    assert texts(in_order(told, less, [0.6, 0.6, 0.45]))[0] == "Ann moved to Vienna"


def test_what_was_said_to_be_so_now_needs_less_likeness() -> None:
    less = [[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]
    told = [(HOME, 100), ("Ann has a house in Vienna as of 2026-01-01", 5), (CAT, 1)]
    assert texts(in_order(told, less, [0.6, 0.6, 0.45]))[0] == HOME
    assert texts(in_order(told, less, [0.6, 0.6, 0.45], handed_over="I have a house in Vienna now"))[0] == told[1][0]


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


LESS = [[1.0, 0.2, 0.1], [0.2, 1.0, 0.1], [0.1, 0.1, 1.0]]


def test_a_question_for_what_may_change_needs_less_likeness() -> None:
    told = [("Ann keeps the trophy in the cellar", 100), ("Ann has put the trophy on a shelf", 5), (CAT, 1)]
    assert texts(in_order(told, LESS, [0.6, 0.6, 0.45], question="What does Ann love about the trophy?"))[0] == told[0][0]
    assert texts(in_order(told, LESS, [0.6, 0.6, 0.45], question="Where is Ann's trophy?"))[0] == told[1][0]


def test_what_gives_the_number_that_is_asked_for_may_answer_in_other_words() -> None:
    told = [("Ann's rent is 900 euros", 100), ("Ann pays her landlord 950 from this month", 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.15, 0.1], question="How much rent does Ann pay?"))[0] == told[1][0]
    told[1] = ("Ann pays her landlord in cash", 5)
    assert texts(in_order(told, ALIKE, [0.6, 0.15, 0.1], question="How much rent does Ann pay?"))[0] == told[0][0]


def test_who_does_something_may_be_somebody_else_later() -> None:
    told = [("Ann keeps the keys of the cellar", 100), ("Tom has the cellar keys", 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.5, 0.1], question="Who has the keys?"))[0] == told[1][0]
    assert texts(in_order(told, ALIKE, [0.6, 0.5, 0.1], question="Does Ann have the keys?"))[0] == told[0][0]


def test_raw_observations_and_notes_are_left_as_they_were_found() -> None:
    told = [(HOME, 100), (NEW_HOME, 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.55, 0.2], source="observation"))[0] == HOME
    assert texts(in_order(told, ALIKE, [0.6, 0.55, 0.2], source="note"))[0] == HOME


def test_what_is_newer_and_about_another_matter_than_was_asked_for_stays_behind() -> None:
    told = [("Ann is allergic to nuts", 100), ("Ann moved to Graz", 5), ("Ann drinks no milk", 1)]
    alike = [[1.0, 0.6, 0.1], [0.6, 1.0, 0.1], [0.1, 0.1, 1.0]]
    assert texts(in_order(told, alike, [0.6, 0.6, 0.1], question="What must not be on Ann's plate?"))[0] == told[0][0]
    assert texts(in_order(told, alike, [0.6, 0.6, 0.1], question="What has Ann told us?"))[0] == told[1][0]


def test_two_facts_on_the_matter_that_is_asked_for_need_not_be_alike() -> None:
    told = [("Ann rides the tram to work", 100), ("Ann's new e-bike takes her to work in no time", 5), (CAT, 1)]
    apart = [[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0]]
    assert texts(in_order(told, apart, [0.6, 0.6, 0.4], question="How does Ann commute?"))[0] == told[1][0]
    assert texts(in_order(told, apart, [0.6, 0.6, 0.4], question="How does Ann relax?"))[0] == told[0][0]


def test_what_tells_of_nobody_that_was_asked_for_stays_behind() -> None:
    told = [("Clio told Ann about Emma", 100), ("Clio told Tom about Dune", 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.6, 0.1], question="Which book is it that Ann was told about?"))[0] == told[0][0]


def test_who_names_nobody_speaks_of_themselves() -> None:
    told = [("Ann lives in Lisbon", 100), ("The new flat in Graz has a stove", 5), (CAT, 1)]
    question = "Where does Ann live?"
    assert texts(in_order(told, ALIKE, [0.6, 0.6, 0.1], question=question))[0] == told[1][0]
    assert texts(in_order(told, ALIKE, [0.6, 0.6, 0.1], question=question, user_name="Tom"))[0] == told[0][0]
    told[1] = ("Tom's new flat in Graz has a stove", 5)
    assert texts(in_order(told, ALIKE, [0.6, 0.6, 0.1], question=question))[0] == told[0][0]


def test_who_does_one_thing_is_not_who_does_another_later() -> None:
    told = [("Ann works at the bank", 100), ("Tom works at the bakery", 5), (CAT, 1)]
    assert texts(in_order(told, ALIKE, [0.6, 0.5, 0.1], question="Who works at the bank?"))[0] == told[0][0]


def test_what_is_said_within_an_hour_or_in_many_sentences_or_found_far_behind_goes_before_nothing() -> None:
    assert texts(in_order([(HOME, 1), (NEW_HOME, 0.99), (CAT, 5)], ALIKE, [0.6, 0.55, 0.2]))[0] == HOME
    long = NEW_HOME + " and a garden" * 20
    assert texts(in_order([(HOME, 100), (long, 5), (CAT, 1)], ALIKE, [0.6, 0.55, 0.2]))[0] == HOME
    others = [(f"Tom has seen film {n}", 200.0 + n) for n in range(5)]
    alike = np.eye(7)
    alike[0, 6] = alike[6, 0] = 0.6
    told = [(HOME, 100), *others, (NEW_HOME, 5)]
    assert texts(in_order(told, alike.tolist(), [0.6, 0.1, 0.1, 0.1, 0.1, 0.1, 0.6]))[0] == HOME
    told = [others[0], (HOME, 100), *others[1:], (NEW_HOME, 5)]
    assert texts(in_order(told, np.roll(alike, 1, (0, 1)).tolist(), [0.1, 0.6, 0.1, 0.1, 0.1, 0.1, 0.6]))[1] == HOME


def test_without_vectors_words_tell_which_facts_are_about_one_thing() -> None:
    told = [(HOME, 100), (CAT, 1), (NEW_HOME, 5)]
    assert texts(in_order(told, question="Where does Ann live?")) == [NEW_HOME, HOME, CAT]
    assert texts(in_order(told, question="What does Ann like about Lisbon?")) == [HOME, CAT, NEW_HOME]
    told = [("Ann keeps the trophy in the cellar", 100), ("Ann has put the trophy on a shelf", 5)]
    assert texts(in_order(told, question="Where is the trophy?"))[0] == told[1][0]
    assert texts(in_order(told, question="Where in the cellar is the trophy?"))[0] == told[0][0]
