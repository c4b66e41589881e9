"""The steps of the chain, each by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from historian.retrieval.choosing import ALIKE, any_alike, diverse_order, recency
from historian.retrieval.filters import bounded_top_k, event_filter, time_range
from historian.retrieval.fusion import by_rank, from_zero, reciprocal_rank, stretched, weighted_sum
from historian.retrieval.lifts import (
    END_WEIGHT,
    lend_to_neighbours,
    of_named_people,
    readings,
    time_fit,
)
from historian.retrieval.request import RecallRequest, widened
from historian.retrieval.scope_index import table
from historian.retrieval.scope_index.snapshot import Snapshot
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.text.questions import named_times
from hypothesis import given
from hypothesis import strategies as st
from support.events import make_event

NOW = datetime(2026, 2, 21, 9, 30, tzinfo=UTC)
DAY = 86_400.0


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}T12:00:00+00:00").timestamp()


def snapshot_of(*events: tuple[float, str, str]) -> Snapshot:
    """Events as (time, user id, user name)."""
    return table.snapshot_of(
        [
            make_event(n=n, user_id=user, user_name=name, timestamp=time)
            for n, (time, user, name) in enumerate(events)
        ]
    )


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ("What did she do in May 2023?", "2023-05-20", "2023-07-20"),
        ("What happened on 20 May, 2023?", "2023-05-20", "2023-08-20"),
        ("the trip of May 20th, 2023", "2023-05-20", "2023-08-20"),
        ("2026年2月3日他去哪了", "2026-02-03", "2025-12-03"),
        ("2026年2月发生了什么", "2026-02-15", "2026-03-15"),
        ("2026-02-03 的会议", "2026-02-03", "2025-12-03"),
        ("in 2024 he moved", "2024-06-01", "2025-06-01"),
        ("昨天吃了什么", "2026-02-20", "2025-12-20"),
        ("what did we say last week?", "2026-02-11", "2026-01-11"),
        ("12月3日的事", "2025-12-03", "2025-06-03"),
    ],
)
def test_a_named_time_lifts_the_events_of_that_time(query: str, inside: str, outside: str) -> None:
    fit = time_fit(
        snapshot_of((at(inside), "1", ""), (at(outside), "1", "")), named_times(query, NOW)
    )
    assert fit[0] > 0.5 and fit[1] == 0


@pytest.mark.parametrize(
    "query",
    [
        "May I ask something?",
        "最近怎么样",
        "what does he like",
        "版本 1.5.9",
        "30 cats",
        "2023年99月",
        "",
    ],
)
def test_what_names_no_time_lifts_nothing(query: str) -> None:
    assert not any(one.is_day for one in named_times(query, NOW))


@pytest.mark.parametrize(
    "query",
    [
        "阿明现在住哪里？",
        "Where does Ann live now?",
        "他目前在做什么",
        "what is she reading at the moment",
    ],
)
def test_who_asks_about_now_wants_what_is_recent_and_not_what_was_said_today(query: str) -> None:
    assert named_times(query, NOW) == ()
    assert any(one.is_day for one in named_times(f"{query} 今天 today", NOW))


def test_a_day_counts_most_at_the_day_less_in_the_week_after_and_little_in_the_month() -> None:
    named = named_times("on 10 May 2023", NOW)
    days = ("2023-05-10", "2023-05-15", "2023-05-30", "2023-07-30")
    fit = time_fit(snapshot_of(*((at(day), "1", "") for day in days)), named)
    assert fit.tolist() == pytest.approx([1.0, 0.6, 0.3, 0.0])


def test_what_tells_of_a_day_fits_it_best_and_by_the_day_of_saying_less() -> None:
    told = [
        (None, None),
        (at("2023-05-02"), at("2023-05-02")),
        (at("2023-05-10"), at("2023-05-12")),
    ]
    said = ("2023-05-10", "2023-05-10", "2023-06-30")
    snapshot = table.snapshot_of(
        [
            make_event(n=n, timestamp=at(day), occurs_from=first, occurs_until=last)
            for n, (day, (first, last)) in enumerate(zip(said, told, strict=True))
        ]
    )
    fit = time_fit(snapshot, named_times("on 10 May 2023", NOW))
    assert fit.tolist() == pytest.approx([1.0, 0.6, 1.0])
    admitted = snapshot.admitted(
        EventFilter("g:7", occurs_from=at("2023-05-01"), occurs_to=at("2023-05-09"))
    )
    assert admitted is not None and admitted.tolist() == [False, True, False]


@given(st.text(max_size=80))
def test_no_query_breaks_the_reading_of_dates(query: str) -> None:
    named_times(query, NOW)


def test_neighbours_in_time_lend_a_share_and_gaps_end_it() -> None:
    times = [0.0, 60.0, 120.0, 180.0, 10_000.0]
    snapshot = snapshot_of(*((time, "1", "") for time in times))
    scores = np.array([1, 0, 0, 0, 0], dtype=np.float32)
    lent = lend_to_neighbours(scores, snapshot, weight=0.3, minutes=30)
    assert lent.tolist() == pytest.approx([1.0, 0.3, 0.15, 0.0, 0.0])
    assert lend_to_neighbours(scores, snapshot, weight=0.0, minutes=30) is scores
    alone = lend_to_neighbours(
        np.array([0, 0, 0, 0, 1], dtype=np.float32), snapshot, weight=0.3, minutes=30
    )
    assert alone.tolist() == [0, 0, 0, 0, 1]


def test_neighbours_are_those_in_time_not_in_filing() -> None:
    snapshot = snapshot_of((120.0, "1", ""), (0.0, "1", ""), (60.0, "1", ""))
    lent = lend_to_neighbours(
        np.array([0, 1, 0], dtype=np.float32), snapshot, weight=0.4, minutes=30
    )
    assert lent.tolist() == pytest.approx([0.2, 1.0, 0.4])


def test_people_are_lifted_by_name_and_by_i() -> None:
    snapshot = snapshot_of((0, "1", "Ann"), (1, "2", "小林"), (2, "3", "An"), (3, "1", "Ann"))

    def lifted(query: str, speaker: str = "") -> list[float] | None:
        found = of_named_people(query, snapshot, speaker)
        return None if found is None else found.tolist()

    assert lifted("What does ANN like?") == [1, 0, 0, 1]
    assert lifted("小林和Ann去哪了") == [1, 1, 0, 1]
    assert lifted("Anna has an answer") == [0, 0, 1, 0], "a word of its own"
    assert lifted("what do you remember") is None
    assert lifted("我喜欢什么", "2") == [0, 1, 0, 0] and lifted("What do I like?", "1") == [
        1,
        0,
        0,
        1,
    ]
    assert lifted("我喜欢什么", "nobody") is None


def test_a_former_name_lifts_its_bearer_of_today_and_a_name_of_two_lifts_both() -> None:
    snapshot = snapshot_of(
        (0, "1", "Sam"), (1, "1", "Sammy"), (2, "2", "Sam"), (3, "3", "Ben"), (4, "1", "")
    )
    lifted = {
        query: of_named_people(query, snapshot, "")
        for query in ("what does Sam say", "what does Sammy say", "and Ben?")
    }
    found = [None if one is None else one.tolist() for one in lifted.values()]
    assert found == [[1, 1, 1, 0, 1], [1, 1, 0, 0, 1], [0, 0, 0, 1, 0]]
    assert (snapshot.borne.today("1"), snapshot.borne.bearers("Sam")) == ("Sammy", ("2", "1"))
    assert snapshot.borne.bearers("Sam") == ("2", "1"), "who bears it today comes first"


def test_fusion_by_scores_and_by_ranks() -> None:
    found = np.array([True, True, True, False])
    assert stretched(np.array([0.2, 0.6, 0.4], dtype=np.float32)).tolist() == pytest.approx(
        [0, 1, 0.5]
    )
    assert stretched(np.array([2, 2, 2], dtype=np.float32)).tolist() == [1, 1, 1]
    assert from_zero(np.array([0, 2, 4], dtype=np.float32)).tolist() == [0, 0.5, 1]
    assert from_zero(np.array([0, 2, 4], dtype=np.float32), at_least=8).tolist() == [0, 0.25, 0.5]
    assert from_zero(np.zeros(2, dtype=np.float32), at_least=0).tolist() == [0, 0]
    assert by_rank(np.array([3, 9, 5, 99], dtype=np.float32), found).tolist() == pytest.approx(
        [61 / 63, 1, 61 / 62, 0]
    )
    lists = [({"a": 1.0, "b": 3.0}, 0.6), ({"b": 5.0, "c": 7.0}, 0.4)]
    assert weighted_sum(lists) == pytest.approx({"a": 0.0, "b": 0.6, "c": 0.4})
    assert max(reciprocal_rank(lists).items(), key=lambda one: one[1])[0] == "b"


def test_recency_adds_at_most_the_boost_and_half_of_it_a_half_life_later() -> None:
    factors = recency(
        np.array([1000 * DAY, 986 * DAY, 0.0, 2000 * DAY]), 1000 * DAY, half_life_days=14, boost=0.2
    )
    assert factors.tolist() == pytest.approx([1.2, 1.1, 1.0, 1.2])


def test_diversity_passes_over_a_repetition_and_keeps_what_is_only_related() -> None:
    scores = np.array([1.0, 0.99, 0.9])
    likeness = np.array([[1, 0.99, 0.5], [0.99, 1, 0.5], [0.5, 0.5, 1]], dtype=np.float32)
    assert diverse_order(scores, likeness.__getitem__, 2, 0.7) == [0, 2]
    assert diverse_order(scores, likeness.__getitem__, 3, 1.0) == [0, 1, 2]
    assert diverse_order(scores, likeness.__getitem__, 9, 0.7) == [0, 2, 1]
    assert diverse_order(np.zeros(0), likeness.__getitem__, 3, 0.7) == []


@given(st.lists(st.floats(0, 1), max_size=12), st.integers(1, 15), st.floats(0, 1))
def test_diversity_chooses_each_candidate_at_most_once(
    scores: list[float], top_k: int, relevance: float
) -> None:
    likeness = np.ones((len(scores), len(scores)), dtype=np.float32)
    chosen = diverse_order(np.array(scores), likeness.__getitem__, top_k, relevance)
    assert len(chosen) == len(set(chosen)) == min(top_k, len(scores))


@given(
    st.integers(1, 30),
    st.integers(1, 15),
    st.floats(0.1, 0.9),
    st.floats(0, 1),
    st.integers(0, 1_000),
)
def test_diversity_takes_each_time_what_is_worth_most_beside_those_chosen(
    count: int, top_k: int, relevance: float, alike: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    scores = np.sort(random.random(count))[::-1]
    rows = random.normal(size=(count, 4)) + 3 * alike
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = (rows @ rows.T).astype(np.float32)
    chosen: list[int] = []
    while len(chosen) < min(top_k, count):
        left = [n for n in range(count) if n not in chosen]
        closest = [max([ALIKE, *likeness[n, chosen].tolist()]) for n in left]
        worth = [
            relevance * scores[n] / scores[0] - (1 - relevance) * (c - ALIKE) / (1 - ALIKE)
            for n, c in zip(left, closest, strict=True)
        ]
        chosen.append(left[int(np.argmax(worth))])
    assert diverse_order(scores, likeness.__getitem__, top_k, relevance) == chosen


@given(
    st.integers(2, 30),
    st.integers(1, 15),
    st.floats(0.1, 0.9),
    st.floats(0, 1),
    st.integers(0, 1_000),
)
def test_where_none_of_the_best_are_alike_diversity_gives_them_in_their_order(
    count: int, top_k: int, relevance: float, alike: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    scores = np.sort(random.random(count))[::-1]
    rows = random.normal(size=(count, 16)) + alike
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    likeness = (rows @ rows.T).astype(np.float32)
    best = min(top_k, count)
    is_in_order = diverse_order(scores, likeness.__getitem__, top_k, relevance) == list(range(best))
    assert is_in_order or any_alike(likeness[:best, :best].copy())


def test_conditions_become_a_filter_in_one_place() -> None:
    where = event_filter(
        Scope.group("7", "42"),
        sender_id="1",
        kind="fact",
        source="job",
        time_from="2026-02-21",
        time_to="2026-02-01",
        timezone="Asia/Shanghai",
    )
    assert (
        where.scope_key == "g:7"
        and where.user_ids == ("1",)
        and where.kinds == ("fact",)
        and where.sources == ("job",)
    )
    assert where.time_from == datetime.fromisoformat("2026-02-01T00:00:00+08:00").timestamp()
    assert where.time_to == pytest.approx(
        datetime.fromisoformat("2026-02-21T23:59:59.999999+08:00").timestamp()
    )
    assert event_filter(Scope.private("1"), user_id="1", sender_id="2").user_ids == ("\0",), (
        "nothing can be both"
    )
    assert event_filter(None, group_id="7", request_type="group") == EventFilter(
        "g:7", request_types=("group",)
    )
    for wrong in ({"group_id": "8"}, {"request_type": "private"}):
        with pytest.raises(InvalidInput, match="bound to g:7"):
            event_filter(Scope.group("7"), **wrong)  # type: ignore[arg-type]


def test_times_are_read_in_every_form() -> None:
    moment = datetime(2026, 2, 21, 12, tzinfo=UTC)
    assert (
        time_range(moment, None, "UTC")[0]
        == time_range("2026-02-21T12:00:00+00:00", None, "UTC")[0]
        == moment.timestamp()
    )
    assert time_range(5, 3.0, "UTC") == (3.0, 5.0) and time_range("", None, "UTC") == (None, None)
    for wrong in ("tomorrow", "2026-13-01", "2026-02-21T99:00", True):
        with pytest.raises(InvalidInput, match="time_to"):
            time_range(None, wrong, "UTC")


def test_top_k_is_brought_into_its_bounds() -> None:
    assert [bounded_top_k(wanted, 12) for wanted in (None, 1, 7, 500, 10_000)] == [
        12,
        1,
        7,
        500,
        500,
    ]


@pytest.mark.parametrize("wanted", [0, -3, 0.5, float("nan"), True, "7"])
def test_a_top_k_that_is_no_number_from_one_on_is_refused(wanted: Any) -> None:
    with pytest.raises(InvalidInput, match="top_k: expected a number from 1 to 500, got"):
        bounded_top_k(wanted, 12)


def test_queries_are_cleaned_widened_and_bounded() -> None:
    assert widened("how much?", ["I saw a piano"]) == "I saw a piano how much?"
    long_one = "a question of more than twenty characters"
    assert widened(long_one, ["before"]) == long_one
    made = RecallRequest(
        ["", "  hi  ", "hi", "x" * 5_000],
        EventFilter("g:7"),
        top_k=3,
        half_life_days=1,
        now=NOW.timestamp(),
        timezone="UTC",
    )
    assert made.queries == ("hi", "x" * 1_000)
    assert (
        RecallRequest(
            "", EventFilter("g:7"), top_k=3, half_life_days=1, now=0.0, timezone="UTC"
        ).queries
        == ()
    )


def test_a_question_is_read_without_the_names_of_those_who_take_part() -> None:
    assert readings("What is Ann's cat called?", ["Ann"]) == [
        ("What is Ann's cat called?", 1.0),
        ("What is cat called?", 1.0),
    ]
    assert readings("What is the cat called?", ["Ann"]) == [("What is the cat called?", 1.0)]
    assert readings("Ann", ["Ann"]) == [("Ann", 1.0)]


@pytest.mark.parametrize(
    ("talk", "end"),
    [
        (
            ("今天开了一整天的会。" * 6) + "阿明晚上终于吃上了火锅！你还记得上次那家店吗？" * 2,
            "你还记得上次那家店吗？",
        ),
        (
            "The whole day was meetings. " * 8 + "Now Ann is hungry! Which place was it?",
            "Which place was it?",
        ),
    ],
)
def test_of_a_piece_of_a_conversation_its_end_is_read_once_more_without_the_names(
    talk: str, end: str
) -> None:
    (whole, one), (rest, weight) = readings(talk, ["阿明", "Ann"])
    assert (whole, one, weight) == (talk, 1.0, END_WEIGHT)
    assert rest.endswith(end) and len(talk) / 3 <= len(rest) <= len(talk) / 2
    assert "阿明" not in rest and "Ann" not in rest


def test_a_piece_of_a_conversation_without_any_end_is_read_once() -> None:
    assert readings("说了很多" * 40, []) == [("说了很多" * 40, 1.0)]
