"""What every `EventStore` promises. `open_store()` opens the same store again, as another process would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from historian.schema.errors import FingerprintMismatch, HistorianError
from historian.schema.event import Event, EventFilter, EventLink
from historian.schema.scope import RESERVED_USER, Scope
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.tables.events.store import EventStore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.events import DIMENSION, embedded_ids, file_texts, make_event, unit_vectors
from support.postgres import Schema
from support.stores import bury, open_events

OpenStore = Callable[[], EventStore]
EVERYWHERE = EventFilter(None)
GROUP = EventFilter("g:7")


@contextmanager
def _sqlite() -> Iterator[OpenStore]:
    with TemporaryDirectory() as place:
        yield lambda: open_events(Path(place))


@contextmanager
def _postgres() -> Iterator[OpenStore]:
    schema = Schema()
    yield lambda: PostgresEventStore(schema.open())
    schema.close()


OPENERS = {"sqlite": _sqlite, "postgres": _postgres}
IMPLEMENTATIONS = pytest.mark.parametrize("implementation", OPENERS.values(), ids=OPENERS)


@pytest.fixture(params=OPENERS.values(), ids=OPENERS)
def open_store(request: pytest.FixtureRequest) -> Iterator[OpenStore]:
    with request.param() as opener:
        yield opener


@pytest.fixture
def store(open_store: OpenStore) -> Iterator[EventStore]:
    opened = open_store()
    yield opened
    opened.close()


def ids(events: list[Event]) -> list[str]:
    return [event.event_id for event in events]


def found(store: EventStore, query: str, where: EventFilter = GROUP, limit: int = 10) -> list[str]:
    return [event_id for event_id, _ in store.search_keywords(query, where, limit)]


# --- filing


def test_a_job_is_filed_with_all_its_fields_and_found_by_another_process(
    store: EventStore, open_store: OpenStore
) -> None:
    event = make_event(
        kind="action",
        text="Undefined told 小林 the weather 🌧\n第二行",
        user_name="小林",
        is_absolute=False,
        gate_reasons=("“他” 指谁？", 'a "quote"'),
        rewritten_by="model",
        source="observation",
        speakers=("43",),
        handed_over="我跟他说了天气",
        said_by="43",
        occurs_from=1_770_000_000.0,
        occurs_until=1_770_086_399.0,
        superseded_by="j9-0:0",
        superseded_at=1_780_000_000.0,
        corrected_by="j9-0:1",
    )
    assert store.file_job(event.job_id, [event], unit_vectors(1))
    other = open_store()
    assert other.get([event.event_id]) == [event]
    assert other.news("g:7", 0, 0).events == [event]
    assert other.is_filed(event.job_id) and not other.is_filed("another-0")
    other.close()


def test_an_event_that_tells_the_words_of_several_is_each_ones(
    store: EventStore, open_store: OpenStore
) -> None:
    together = make_event("s-0", user_id="", speakers=("42", "43"), text="Ann and Ben talked")
    alone = make_event("s-1", user_id="43", text="Ben has a dog")
    assert store.file_new([together, alone], [None, None]) == ["s-0:0", "s-1:0"]
    assert store.get(["s-0:0"]) == [together]
    assert together.entities == ["user:42", "user:43", "group:7"]
    for person, theirs in (("42", {"s-0:0"}), ("43", {"s-0:0", "s-1:0"}), ("4", set())):
        assert set(ids(store.find(EventFilter(None, people=(person,))))) == theirs
        assert set(ids(store.find(EventFilter("g:7", people=(person,))))) == theirs
    assert store.find(EventFilter("g:8", people=("42",))) == []
    assert ids(store.find(EventFilter(None, user_ids=("43",)))) == ["s-1:0"]


def test_the_same_job_again_changes_nothing(store: EventStore) -> None:
    file_texts(store, ["first text"])
    before = store.change_number("g:7")
    assert not store.file_job("j1-0", [make_event(text="second text")], unit_vectors(1))
    assert [event.text for event in store.find(GROUP)] == ["first text"]
    assert store.change_number("g:7") == before


def test_a_job_without_events_is_filed_too(store: EventStore) -> None:
    assert store.file_job("empty-0", [], [])
    assert store.is_filed("empty-0") and not store.file_job("empty-0", [], [])


def test_what_does_not_fit_together_is_refused_and_nothing_is_written(store: EventStore) -> None:
    file_texts(store, ["taken"])
    stranger = make_event("j2-0", event_id="j1-0:0")
    for job_id, events, vectors in (
        ("j2-0", [make_event("j2-0")], []),
        ("j2-0", [make_event("j2-0"), make_event("j2-0")], [None, None]),
        ("j2-0", [make_event("j2-0", 5), stranger], [None, None]),
        ("j2-0", [make_event("j2-0", text="half a \ud83d")], [None]),
        ("j2-0", [make_event("j2-0")], [np.full(DIMENSION, np.nan, dtype=np.float32)]),
    ):
        with pytest.raises((HistorianError, ValueError, IndexError)):
            store.file_job(job_id, events, vectors)
    assert not store.is_filed("j2-0")
    assert store.count() == 1


def test_a_vector_of_another_dimension_is_refused_before_anything_is_written(
    store: EventStore,
) -> None:
    store.set_fingerprint("small", DIMENSION)
    good, bad = unit_vectors(1)[0], unit_vectors(1, dimension=DIMENSION + 1)[0]
    with pytest.raises(FingerprintMismatch, match="reembed"):
        store.file_job("j1-0", [make_event(), make_event(n=1)], [good, bad])
    assert not store.is_filed("j1-0") and store.count() == 0
    assert store.file_job("j1-0", [make_event(), make_event(n=1)], [good, None])
    for attempt in (
        lambda: store.set_vectors(["j1-0:1"], [bad]),
        lambda: store.edit("j1-0:0", "new", bad),
    ):
        with pytest.raises(FingerprintMismatch):
            attempt()
    assert store.get(["j1-0:0"])[0].text != "new"


# --- filing what no job wrote


def test_of_records_named_by_their_content_only_new_ones_are_stored(store: EventStore) -> None:
    first, second = (
        make_event("seen-1", text="清风徐来"),
        make_event("seen-2", group="8", text="水波不兴"),
    )
    assert store.file_new([first], [None]) == ["seen-1:0"]
    assert store.file_new([first, second, second], [None, None, None]) == ["seen-2:0"]
    assert store.file_new([first], unit_vectors(1)) == []
    assert store.count() == 2
    assert found(store, "清风") == ["seen-1:0"]
    assert found(store, "水波") == []
    assert found(store, "水波", EventFilter("g:8")) == ["seen-2:0"]
    assert ids(store.without_vector(9)) == ["seen-1:0", "seen-2:0"]
    assert not store.is_filed("seen-1")


def test_nothing_is_stored_of_a_batch_that_does_not_fit(store: EventStore) -> None:
    store.set_fingerprint("small", DIMENSION)
    with pytest.raises(FingerprintMismatch):
        store.file_new(
            [make_event("seen-1"), make_event("seen-2")],
            [None, unit_vectors(1, dimension=DIMENSION + 1)[0]],
        )
    with pytest.raises(ValueError, match="shorter"):
        store.file_new([make_event("seen-1")], [])
    assert store.count() == 0


def test_records_of_who_was_forgotten_come_back_only_if_they_are_newer(store: EventStore) -> None:
    bury(store, "user:42", until=1_770_000_000.0)
    late, newer = (
        make_event("seen-1", timestamp=1_769_999_999.0),
        make_event("seen-2", timestamp=1_770_000_001.0),
    )
    assert store.file_new([late, newer], [None, None]) == ["seen-2:0"]


# --- reading


def test_get_keeps_the_order_asked_for_and_leaves_out_what_is_unknown(store: EventStore) -> None:
    file_texts(store, ["a", "b", "c"])
    assert ids(store.get(["j1-0:2", "nobody", "j1-0:0"])) == ["j1-0:2", "j1-0:0"]
    assert store.get([]) == []


def test_find_orders_by_time_and_limits(store: EventStore) -> None:
    file_texts(store, ["a", "b", "c"])
    assert ids(store.find(GROUP, limit=2)) == ["j1-0:2", "j1-0:1"]
    assert ids(store.find(GROUP, limit=2, newest_first=False)) == ["j1-0:0", "j1-0:1"]
    assert store.find(GROUP, limit=0) == store.find(GROUP, limit=-1) == []


FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [0, 1, 2, 3]),
    ({"user_ids": ("42",)}, [0, 1]),
    ({"user_ids": ("42", "43")}, [0, 1, 2]),
    ({"kinds": ("action",)}, [0, 3]),
    ({"sources": ("observation",)}, [2]),
    ({"time_from": 20.0}, [1, 2, 3]),
    ({"time_to": 20.0}, [0, 1]),
    ({"time_from": 20.0, "time_to": 30.0}, [1, 2]),
    ({"time_from": 30.0, "time_to": 20.0}, []),
    ({"is_absolute": False}, [1]),
    ({"occurs_from": 15.0, "occurs_to": 35.0}, [0, 1, 2]),
    ({"occurs_to": 12.0}, [0]),
    ({"holds": True}, [0, 1]),
    ({"holds": False}, [2, 3]),
    ({"event_ids": ("j1-0:3", "j1-0:0", "nobody")}, [0, 3]),
    ({"user_ids": ("42",), "kinds": ("action",), "is_absolute": True}, [0]),
    ({"user_ids": ("42' OR '1'='1",)}, []),
]


@pytest.mark.parametrize(
    ("narrow", "expected"), FILTERS, ids=[str(narrow) for narrow, _ in FILTERS]
)
def test_every_way_in_keeps_to_every_condition(
    store: EventStore, narrow: dict[str, Any], expected: list[int]
) -> None:
    events = [
        make_event(n=0, kind="action", timestamp=10.0, occurs_from=5.0, occurs_until=16.0),
        make_event(n=1, is_absolute=False, timestamp=20.0),
        make_event(n=2, user_id="43", source="observation", timestamp=30.0, superseded_by="j1-0:3"),
        make_event(n=3, user_id="44", kind="action", timestamp=40.0, corrected_by="j1-0:0"),
    ]
    store.file_job("j1-0", events, unit_vectors(4))
    store.file_job(
        "j2-0", [make_event("j2-0", group="8"), make_event("j2-0", 1, group=None)], unit_vectors(2)
    )
    wanted = [f"j1-0:{n}" for n in expected]
    where = EventFilter("g:7", **narrow)
    assert sorted(ids(store.find(where))) == wanted
    assert sorted(found(store, "阿橘", where)) == wanted
    assert sorted(store.vectors(where)[0]) == wanted
    assert store.count(where) == len(wanted)
    if narrow and narrow != {"time_from": 20.0}:
        everywhere = EventFilter(None, **narrow)
        in_group = {
            event_id for event_id in found(store, "阿橘", everywhere) if event_id.startswith("j1-0")
        }
        assert sorted(in_group) == wanted
        assert {
            event_id for event_id in store.vectors(everywhere)[0] if event_id.startswith("j1-0")
        } == in_group


def test_a_large_conversation_is_read_by_time_as_a_small_one(store: EventStore) -> None:
    large = [
        make_event("large", n, timestamp=1_770_000_000.0 + n * 7 % 2_500, text=f"event {n}")
        for n in range(2_500)
    ]
    store.file_job("large", large, [None] * len(large))
    file_texts(store, ["elsewhere"], "small-0", group="8", timestamp=1_770_000_100.0)
    by_time = sorted(large, key=lambda event: event.timestamp)
    assert ids(store.find(GROUP, limit=5, newest_first=False)) == ids(by_time[:5])
    assert ids(store.find(GROUP, limit=5)) == ids(by_time[::-1][:5])
    within = EventFilter("g:7", time_from=1_770_000_050.0, time_to=1_770_000_150.0)
    assert ids(store.find(within, limit=1_000, newest_first=False)) == ids(by_time[50:151])


def test_people_are_those_who_have_events_page_by_page(store: EventStore) -> None:
    for n, (user, name) in enumerate(
        [("42", "小林"), ("ann", "Ann"), ("7", "Ben"), ("42", "林小姐"), ("%", "")]
    ):
        file_texts(store, ["likes tea", "likes coffee"], f"j{n}-0", user_id=user, user_name=name)
    file_texts(store, ["a note"], "notes-0", user_id=RESERVED_USER, group=None)
    assert store.people() == [("%", "", 2), ("42", "林小姐", 4), ("7", "Ben", 2), ("ann", "Ann", 2)]
    assert [one.user_id for one in store.people(limit=2)] == ["%", "42"]
    assert [one.user_id for one in store.people(after="42", limit=1)] == ["7"]
    assert [one.user_id for one in store.people(text="AN")] == ["ann"]
    assert [one.user_id for one in store.people(text="小姐")] == ["42"]
    assert [one.user_id for one in store.people(text="%")] == ["%"]
    assert store.people(after="ann") == []


def test_scopes_and_counts_add_up(store: EventStore) -> None:
    file_texts(store, ["a", "b"])
    file_texts(store, ["c"], "j2-0", group=None)
    assert sorted(store.scopes()) == [("g:7", 2), ("p:42", 1)]
    assert (
        store.count(),
        store.count(EVERYWHERE),
        store.count(GROUP),
        store.count(EventFilter("g:none")),
    ) == (3, 3, 2, 0)


# --- keywords


def test_keywords_find_chinese_and_english_and_rank_the_rarer_word_higher(
    store: EventStore,
) -> None:
    file_texts(
        store, ["小林喜欢吃苹果", "小林喜欢爬山", "小林 bought a RTX4090 card", "小林在读《三体》"]
    )
    assert found(store, "爬山") == ["j1-0:1"]
    assert found(store, "小林爬山")[0] == "j1-0:1"
    assert found(store, "rtx 4090") == ["j1-0:2"]
    assert set(found(store, "小林")) == {f"j1-0:{n}" for n in range(4)}
    assert len(found(store, "小林", limit=2)) == 2
    assert set(found(store, "爬山", EVERYWHERE)) == {"j1-0:1"}


def test_keyword_scores_are_positive_and_fall(store: EventStore) -> None:
    file_texts(store, ["cat cat cat dog", "cat dog bird fish", "dog", "cat"])
    for where in (GROUP, EVERYWHERE):
        scores = [score for _, score in store.search_keywords("cat bird", where, 10)]
        assert scores and scores == sorted(scores, reverse=True) and min(scores) > 0
    assert found(store, "cat")[0] in ("j1-0:0", "j1-0:3")


def test_a_repeated_word_weighs_more(store: EventStore) -> None:
    file_texts(store, ["tea milk water juice", "tea tea water juice", "milk", "beer"])
    assert found(store, "tea") == ["j1-0:1", "j1-0:0"]


def test_a_long_chinese_message_is_searched_to_its_end(store: EventStore) -> None:
    file_texts(store, ["小林养了一只鹦鹉", "小林喜欢爬山"])
    message = "".join(chr(0x5200 + n) for n in range(120)) + "，鹦鹉"
    assert found(store, message) == found(store, message, EVERYWHERE) == ["j1-0:0"]


QUERIES = [
    "",
    " ",
    '"',
    '""" OR "',
    "a AND",
    "NOT",
    "NEAR(cat dog, 2)",
    "words : cat",
    "cat*",
    "-cat ^cat +cat",
    "(((",
    "{words}: x",
    "\x00",
    "cat\x00dog",
    "'; DROP TABLE events; --",
    "🐱‍👤🇨🇳👍🏽",
    "half a \ud83d",
    "猫" * 50_000,
    "word " * 20_000,
    " ".join(f"w{n}" for n in range(20_000)),
    "\u200b\u202e%_[]",
    "的了着",
    "\ue000cat",
]


@pytest.mark.parametrize("query", QUERIES, ids=[str(n) for n in range(len(QUERIES))])
@pytest.mark.parametrize(
    "where", [GROUP, EVERYWHERE, EventFilter("g:7", kinds=("fact",)), EventFilter("g:none")]
)
def test_no_query_raises(store: EventStore, query: str, where: EventFilter) -> None:
    file_texts(store, ["cat and dog", "一只猫", "👍🏽"])
    assert isinstance(store.search_keywords(query, where, 5), list)


@given(query=st.text(), text=st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_filed_and_any_query_asked(
    store: EventStore, query: str, text: str
) -> None:
    job_id = f"any-{store.count()}"
    store.file_job(job_id, [make_event(job_id, text=text)], [None])
    for where in (GROUP, EVERYWHERE):
        store.search_keywords(query, where, 5)
    assert store.get([f"{job_id}:0"])[0].text == text.replace("\0", "")


# --- vectors


def test_vectors_come_as_one_matrix_with_their_ids(store: EventStore) -> None:
    assert store.vectors(GROUP)[1].shape == store.vectors(EVERYWHERE)[1].shape == (0, 0)
    vectors = unit_vectors(3)
    store.file_job("j1-0", [make_event(n=n) for n in range(4)], [*vectors, None])
    store.file_job("j2-0", [make_event("j2-0", group="8")], unit_vectors(1, seed=5))
    names, matrix = store.vectors(GROUP)
    assert names == ["j1-0:0", "j1-0:1", "j1-0:2"]
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, np.stack(vectors))
    assert len(store.vectors(EVERYWHERE)[0]) == 4


def test_events_without_vector_wait_oldest_first_and_get_one_later(store: EventStore) -> None:
    store.file_job(
        "j1-0",
        [make_event(n=n, timestamp=100.0 - n) for n in range(3)],
        [None, *unit_vectors(1), None],
    )
    assert ids(store.without_vector(10)) == ["j1-0:2", "j1-0:0"]
    assert ids(store.without_vector(1)) == ["j1-0:2"]
    assert store.embedded_count() == 1
    vectors = unit_vectors(2, seed=1)
    store.set_vectors(["j1-0:2", "gone", "j1-0:0"], [vectors[0], vectors[1], vectors[1]])
    assert store.without_vector(10) == [] and store.embedded_count() == 3
    by_id = dict(zip(*store.vectors(GROUP), strict=True))
    np.testing.assert_array_equal(by_id["j1-0:2"], vectors[0])


def test_what_waits_for_its_vector_is_counted_and_the_oldest_of_it_is_known(
    store: EventStore,
) -> None:
    assert store.waiting_vectors() == (0, None)
    events = [replace(make_event(n=n), timestamp=1_700_000_000.0 + n) for n in range(3)]
    store.file_job("j1-0", events, [*unit_vectors(1), None, None])
    assert store.waiting_vectors() == (2, 1_700_000_001.0)
    store.set_vectors(["j1-0:1"], unit_vectors(1, seed=2))
    assert store.waiting_vectors() == (1, 1_700_000_002.0)
    store.delete(["j1-0:2"])
    assert store.waiting_vectors() == (0, None)


def test_a_cache_that_asks_for_what_is_new_misses_nothing(store: EventStore) -> None:
    assert store.news("g:7", 0, 0).embedded == []
    store.file_job("j1-0", [make_event(n=n) for n in range(2)], [None, *unit_vectors(1)])
    news = store.news("g:7", 0, 0)
    assert (
        embedded_ids(news) == ["j1-0:1"]
        and news.embedded == news.rows[1:]
        and news.vectors.shape == (1, DIMENSION)
    )
    additions, removals = store.change_number("g:7")
    store.set_vectors(["j1-0:0"], unit_vectors(1, seed=2))
    assert store.change_number("g:7")[0] > additions and store.change_number("g:7")[1] == removals
    later = store.news("g:7", news.sequence, 0)
    assert later.embedded == news.rows[:1] and later.sequence > news.sequence
    assert store.news("g:7", later.sequence, 0).embedded == []


def test_what_is_new_can_be_read_in_slices_events_before_vectors(store: EventStore) -> None:
    store.file_job("j1-0", [make_event(n=n) for n in range(3)], [None, *unit_vectors(2)])
    store.set_vectors(["j1-0:0"], unit_vectors(1, seed=2))
    first = store.news("g:7", 0, 0, 2)
    assert (
        ids(first.events) == ["j1-0:0", "j1-0:1"]
        and len(first.words) == 2
        and first.embedded == []
        and first.sequence == 0
    )
    second = store.news("g:7", 0, first.rows[-1], 2)
    assert ids(second.events) == ["j1-0:2"] and second.embedded == [first.rows[1], second.rows[0]]
    third = store.news("g:7", second.sequence, second.rows[-1], 2)
    assert third.events == [] and third.embedded == first.rows[:1]


def test_the_change_number_tells_additions_from_removals(store: EventStore) -> None:
    assert store.change_number("g:7") == (0, 0)
    store.file_job("j1-0", [make_event(n=n) for n in range(2)], unit_vectors(2))
    store.file_job("j2-0", [make_event("j2-0", group="8")], unit_vectors(1))
    additions, removals = store.change_number("g:7")
    assert additions > 0 and removals == 0
    other = store.change_number("g:8")
    store.edit("j1-0:0", "another text", None)
    edited = store.change_number("g:7")
    assert edited[1] > removals
    store.delete(["j1-0:1"])
    deleted = store.change_number("g:7")
    assert deleted[1] > edited[1]
    store.set_vectors(["j1-0:0"], unit_vectors(1))
    store.set_vectors(["j1-0:0"], unit_vectors(1, seed=3))
    assert store.change_number("g:7")[1] > deleted[1]
    assert store.change_number("g:8") == other


# --- changing


def test_an_edit_is_found_by_its_new_words_only(store: EventStore) -> None:
    places = {"people": ("0:3:42",), "times": ("9:2026-02-02",)}
    store.file_job("j1-0", [make_event(text="old words", **places)], unit_vectors(1))
    assert not store.edit("nobody", "x", None)
    assert store.edit("j1-0:0", "fresh sentence", None)
    (edited,) = store.get(["j1-0:0"])
    assert (edited.people, edited.times) == ((), ()), "places in the former text"
    assert found(store, "old words") == [] and found(store, "fresh") == ["j1-0:0"]
    assert store.vectors(GROUP)[0] == [] and ids(store.without_vector(5)) == ["j1-0:0"]
    assert store.edit("j1-0:0", "again", unit_vectors(1, seed=4)[0])
    assert store.vectors(GROUP)[0] == ["j1-0:0"] and store.without_vector(5) == []


def test_what_is_deleted_is_gone_everywhere_and_its_job_stays_filed(store: EventStore) -> None:
    store.file_job(
        "j1-0",
        [make_event(n=n, text=text) for n, text in enumerate(["apricot", "banana", "cherry"])],
        unit_vectors(3),
    )
    assert store.delete(["j1-0:0", "nobody", "j1-0:2"]) == 2
    assert store.delete([]) == 0
    assert ids(store.find(GROUP)) == ["j1-0:1"] == store.vectors(GROUP)[0]
    assert found(store, "apricot cherry") == [] == found(store, "apricot cherry", EVERYWHERE)
    assert store.count() == store.count(GROUP) == 1
    assert not store.file_job("j1-0", [make_event()], [None])


def test_forgetting_deletes_and_lets_nothing_come_back(store: EventStore) -> None:
    file_texts(store, ["of 42"], timestamp=100.0)
    file_texts(store, ["of 43"], "j2-0", user_id="43", timestamp=100.0)
    bury(store, "user:42", job_ids=["j3-0"], until=200.0)
    assert store.forget(["j1-0:0", "nobody"]) == 1 and store.forget([]) == 0
    assert ids(store.find(EVERYWHERE)) == ["j2-0:0"]
    assert store.is_forgotten("j3-0") and not store.is_forgotten("j4-0")
    assert store.is_forgotten("j4-0", ["user:42", "group:7"], 200.0)
    assert not store.is_forgotten("j4-0", ["user:42"], 200.5)
    assert not store.file_job("j3-0", [make_event("j3-0", user_id="44", timestamp=900.0)], [None])
    assert not store.file_job("j4-0", [make_event("j4-0", timestamp=150.0)], [None])
    assert store.file_job("j5-0", [make_event("j5-0", timestamp=201.0)], [None])


# --- the derived index


def test_vectors_are_handed_to_a_derived_index_by_their_numbers(store: EventStore) -> None:
    vectors = unit_vectors(3)
    store.file_job("j1-0", [make_event(n=n) for n in range(3)], [*vectors[:2], None])
    store.file_new([make_event("seen-2", group="8")], vectors[2:])
    first = store.embedded_after({}, 1)
    assert ids(first.events) == ["j1-0:0"] and list(first.numbers.values()) == [1]
    rest = store.embedded_after(first.numbers, 10)
    assert ids(rest.events) == ["j1-0:1", "seen-2:0"] and sorted(rest.numbers.values()) == [1, 2]
    np.testing.assert_array_equal(rest.vectors[0], vectors[1])
    numbers = first.numbers | rest.numbers
    assert not store.embedded_after(numbers, 10).numbers
    assert sorted(store.embedded_ids()) == ["j1-0:0", "j1-0:1", "seen-2:0"]

    store.delete(["j1-0:0"])
    store.edit("j1-0:1", "no vector now", None)
    store.set_vectors(["j1-0:2"], unit_vectors(1))
    new = store.embedded_after(numbers, 10)
    assert ids(new.events) == ["j1-0:2"] and sorted(store.embedded_ids()) == ["j1-0:2", "seen-2:0"]
    assert not store.embedded_after(numbers | new.numbers, 10).numbers
    store.set_vectors(["j1-0:2"], unit_vectors(1, seed=9))
    assert ids(store.embedded_after(numbers | new.numbers, 10).events) == ["j1-0:2"], (
        "a vector in place of another is new"
    )
    everything = store.embedded_after(dict.fromkeys(numbers, 99), 10)
    assert sorted(ids(everything.events)) == ["j1-0:2", "seen-2:0"], (
        "numbers that were never reached are those of another store"
    )


def test_the_fingerprint_is_kept_and_defended(store: EventStore, open_store: OpenStore) -> None:
    assert store.fingerprint() is None
    store.set_fingerprint("small", DIMENSION)
    store.set_fingerprint("small", DIMENSION)
    other = open_store()
    assert other.fingerprint() == ("small", DIMENSION)
    for model, dimension in (("large", DIMENSION), ("small", DIMENSION * 2)):
        with pytest.raises(FingerprintMismatch, match="reembed"):
            other.set_fingerprint(model, dimension)
    other.close()


def test_vectors_before_their_model_was_named_set_the_dimension(store: EventStore) -> None:
    store.file_job("j1-0", [make_event()], unit_vectors(1))
    with pytest.raises(FingerprintMismatch):
        store.set_fingerprint("large", DIMENSION * 2)
    store.set_fingerprint("small", DIMENSION)
    assert store.fingerprint() == ("small", DIMENSION)


def test_tidying_comes_to_an_end_and_changes_no_answer(store: EventStore) -> None:
    for n in range(30):
        file_texts(store, [f"阿橘 {n}", "a cat"], f"j{n}-0")
    before = store.search_keywords("阿橘 cat", GROUP, 100)
    rounds = 0
    while store.tidy():
        rounds += 1
        assert rounds < 50
    assert store.search_keywords("阿橘 cat", GROUP, 100) == before
    assert not store.tidy()


# --- together


def test_threads_write_and_read_side_by_side(store: EventStore) -> None:
    errors: list[BaseException] = []
    numbers = count()
    running = True

    def write() -> None:
        for _ in range(20):
            job_id = f"t{next(numbers)}-0"
            store.file_job(
                job_id, [make_event(job_id, n) for n in range(3)], [*unit_vectors(2), None]
            )

    def read() -> None:
        while running:
            found_ids = found(store, "阿橘", limit=1000)
            assert len(found_ids) % 3 == 0
            assert len(store.vectors(GROUP)[0]) % 2 == 0

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                errors.append(error)

        return run

    writers = [threading.Thread(target=guarded(write)) for _ in range(3)]
    readers = [threading.Thread(target=guarded(read)) for _ in range(2)]
    for thread in [*writers, *readers]:
        thread.start()
    for thread in writers:
        thread.join()
    running = False
    for thread in readers:
        thread.join()
    assert not errors
    assert store.count(GROUP) == store.count() == 180 and store.embedded_count() == 120


_ADVERSARIAL = st.sampled_from(
    [
        "7",
        "7 OR 1",
        "g:7",
        "p:42",
        "p:g:7",
        '"7"',
        "7'--",
        "7*",
        "7%",
        "_",
        "NEAR",
        "群",
        "群7",
        "７",
        "a",
        "A",
        "á",
        "a\u0301",
        "-1001234",
        "@ann:matrix.org",
        "../x",
        "🐱",
        "words",
    ]
) | st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
_SCOPES = st.builds(Scope.group, _ADVERSARIAL, _ADVERSARIAL) | st.builds(
    Scope.private, _ADVERSARIAL
)


@pytest.mark.slow
@IMPLEMENTATIONS
@given(
    scopes=st.lists(_SCOPES, min_size=2, max_size=12),
    removed=st.sets(st.integers(0, 11), max_size=3),
    words=st.lists(
        st.sampled_from(["猫咪", "cat", "g:7", '"', "OR", "words:cat"]), min_size=1, max_size=4
    ),
)
def test_no_search_in_a_scope_gives_anything_of_another(
    implementation: Callable[[], AbstractContextManager[OpenStore]],
    scopes: list[Scope],
    removed: set[int],
    words: list[str],
) -> None:
    with implementation() as opener:
        store = opener()
        by_scope: dict[str, set[str]] = {}
        for n, scope in enumerate(scopes):
            event = make_event(
                f"j{n}-0",
                group=scope.group_id or None,
                user_id=scope.user_id,
                text=f"猫咪 cat {' '.join(words)} {scope.key}",
                occurs_from=1_770_000_000.0,
                occurs_until=1_770_086_400.0,
            )
            store.file_job(event.job_id, [event], unit_vectors(1, seed=n))
            by_scope.setdefault(scope.key, set()).add(event.event_id)
        for n in removed:
            store.delete([f"j{n}-0:0"])
            for members in by_scope.values():
                members.discard(f"j{n}-0:0")
        for key, members in by_scope.items():
            where = EventFilter(key)
            assert set(found(store, "猫咪 cat", where, 100)) == members
            assert set(found(store, " ".join([*words, *by_scope]), where, 100)) <= members
            assert (
                {event.event_id for event in store.find(where)}
                == members
                == set(store.vectors(where)[0])
            )
            news = store.news(key, 0, 0)
            assert set(embedded_ids(news)) == members
            everything = EventFilter(key, event_ids=tuple(f"j{n}-0:0" for n in range(len(scopes))))
            assert (
                {event.event_id for event in store.find(everything)}
                == members
                == set(store.vectors(everything)[0])
            )
            assert store.count(where) == len(members)
            on_that_day = EventFilter(
                key, occurs_from=1_770_080_000.0, occurs_to=1_770_080_001.0, holds=True
            )
            assert (
                {event.event_id for event in store.find(on_that_day)}
                == members
                == set(store.vectors(on_that_day)[0])
            )
            assert set(found(store, "猫咪 cat", on_that_day, 100)) == members and store.count(
                on_that_day
            ) == len(members)
        store.close()


# --- links between events


def told(n: int, *, group: str = "7", **fields: Any) -> Event:
    return make_event(f"told{group}-{n}", n, group=group, **fields)


def file_all(store: EventStore, events: list[Event]) -> None:
    for event in events:
        store.file_job(event.job_id, [event], [None])


def successors(store: EventStore, events: list[Event]) -> list[str]:
    return [
        one.superseded_by or one.corrected_by
        for one in store.get([event.event_id for event in events])
    ]


def test_a_superseded_event_stays_with_its_end_and_the_same_links_again_change_nothing(
    store: EventStore,
) -> None:
    old, new, right = told(0), told(1), told(2)
    file_all(store, [old, new, right])
    removals = store.change_number("g:7")[1]
    links = [
        EventLink(old.event_id, new.event_id),
        EventLink(new.event_id, right.event_id, corrects=True),
    ]
    assert store.supersede(links) == [old.event_id, new.event_id]
    ended, wrong, holding = store.get([old.event_id, new.event_id, right.event_id])
    assert (ended.superseded_by, ended.superseded_at, ended.holds) == (
        new.event_id,
        new.timestamp,
        False,
    )
    assert (wrong.corrected_by, wrong.superseded_by, wrong.holds) == (right.event_id, "", False)
    assert holding.holds
    assert store.change_number("g:7")[1] > removals, "readers in any process see it"
    assert store.supersede(links) == []
    assert store.ended_by(new.event_id) == [ended]
    assert ids(store.find(EventFilter("g:7", holds=True))) == [right.event_id]


def test_a_link_is_refused_to_another_scope_to_an_earlier_event_to_itself_and_in_a_circle(
    store: EventStore,
) -> None:
    first, second, stranger = told(0), told(1), told(2, group="8")
    same_time = told(3, timestamp=second.timestamp)
    file_all(store, [first, second, stranger, same_time])
    assert (
        store.supersede(
            [
                EventLink(first.event_id, stranger.event_id),
                EventLink(first.event_id, first.event_id),
            ]
        )
        == []
    )
    assert (
        store.supersede(
            [EventLink(second.event_id, first.event_id), EventLink("nobody-0:0", first.event_id)]
        )
        == []
    )
    circle = [
        EventLink(second.event_id, same_time.event_id),
        EventLink(same_time.event_id, second.event_id),
    ]
    assert store.supersede(circle) == [second.event_id]


def test_what_a_deleted_event_had_ended_holds_again_or_is_over_because_of_its_successor(
    store: EventStore,
) -> None:
    first, second, third = events = [told(n) for n in range(3)]
    file_all(store, events)
    store.supersede(
        [EventLink(first.event_id, second.event_id), EventLink(second.event_id, third.event_id)]
    )
    store.delete([second.event_id])
    assert successors(store, [first]) == [third.event_id]
    store.forget([third.event_id])
    (upheld,) = store.get([first.event_id])
    assert upheld.holds and upheld.superseded_at is None


def test_an_event_can_be_made_to_hold_again(store: EventStore) -> None:
    first, second = events = [told(n) for n in range(2)]
    file_all(store, events)
    store.supersede([EventLink(first.event_id, second.event_id)])
    removals = store.change_number("g:7")[1]
    assert store.uphold([first.event_id, second.event_id]) == 1
    assert store.get([first.event_id])[0].holds
    assert store.change_number("g:7")[1] > removals
    assert store.uphold([first.event_id]) == 0


@given(
    st.lists(st.tuples(st.sampled_from("789"), st.integers(0, 5)), min_size=2, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.booleans()), max_size=12),
    st.lists(st.integers(0, 7), max_size=3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize(
    "implementation",
    [_sqlite, pytest.param(_postgres, marks=pytest.mark.slow)],
    ids=["sqlite", "postgres"],
)
def test_no_link_ever_leaves_its_scope_or_runs_back_in_time(
    implementation: Callable[[], AbstractContextManager[OpenStore]],
    places: list[tuple[str, int]],
    pairs: list[tuple[int, int, bool]],
    deleted: list[int],
) -> None:
    with implementation() as opener:
        store = opener()
        events = [
            told(n, group=group, timestamp=1_770_000_000.0 + at)
            for n, (group, at) in enumerate(places)
        ]
        file_all(store, events)
        named = [events[n % len(events)].event_id for n in range(8)]
        store.supersede(
            [EventLink(named[old], named[new], corrects) for old, new, corrects in pairs]
        )
        store.delete([named[n] for n in deleted])
        left = {event.event_id: event for event in store.find(EVERYWHERE)}
        for event in left.values():
            successor = event.superseded_by or event.corrected_by
            if successor:
                assert left[successor].scope == event.scope
                assert left[successor].timestamp >= event.timestamp
        store.close()
