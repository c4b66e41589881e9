"""A scope in half the memory: as exact as in float32, bounded in bytes, unchanged for searches that are under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from historian.retrieval.scope_index import packed, words
from historian.retrieval.scope_index.packed import (
    COMMON,
    OWN,
    Column,
    EventRowsInMemory,
    VectorRows,
)
from historian.retrieval.scope_index.snapshot import Snapshot
from historian.retrieval.scope_index.table import BYTES_A_DIMENSION, BYTES_AN_EVENT, ScopeTable
from historian.schema.event import Event, EventFilter
from historian.schema.protocols import Matrix
from historian.text.search_words import indexed_words
from support.events import make_event

DIMENSION = 384
TOP = 10


def unit(rows: np.ndarray) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def random_vectors(random: np.random.Generator, count: int) -> Matrix:
    return unit(random.normal(size=(count, DIMENSION)))


def clustered_vectors(random: np.random.Generator, count: int) -> Matrix:
    """All in a narrow cone, as embeddings of small models are, and in 100 clusters within it."""
    cone, centres = random.normal(size=DIMENSION), random.normal(size=(100, DIMENSION))
    near = centres[random.integers(100, size=count)] + 0.5 * random.normal(size=(count, DIMENSION))
    return unit(2 * cone + near)


@pytest.mark.parametrize("made", [random_vectors, clustered_vectors])
def test_the_ten_nearest_are_those_of_float32(
    made: Callable[[np.random.Generator, int], Matrix],
) -> None:
    random = np.random.default_rng(3)
    vectors = made(random, 10_100)
    queries, matrix = vectors[:100], vectors[100:]
    table = ScopeTable((0, 0))
    events = [make_event("j", n, text="") for n in range(len(matrix))]
    assert table.grow(range(len(matrix)), events, [], range(len(matrix)), matrix)
    table.seal()
    for centred in (0.0, 1.0):
        away = table.snapshot.mean.astype(np.float64) * centred
        rows = matrix.astype(np.float64) - away
        lengths = np.linalg.norm(rows, axis=1)
        same = 0
        for query in queries:
            exact = rows @ (query - away) / lengths
            found = table.snapshot.similarities(query, centred=centred)
            best = [set(np.argpartition(-scores, TOP)[:TOP].tolist()) for scores in (exact, found)]
            same += len(best[0] & best[1])
        assert same >= 0.999 * TOP * len(queries), f"centred {centred}"


def message(n: int) -> Event:
    words = " ".join(f"word{(n * 7 + k * k) % 5_000}" for k in range(23))
    name = f"message-{n:032x}"
    fields_of_it = {
        "kind": "message",
        "source": "message",
        "role": "user",
        "message_id": str(2_000_000_000 + n),
    }
    return make_event(
        name, n, text=words, user_id=f"1000{n % 30}", user_name=f"Name{n % 30}", **fields_of_it
    )


@pytest.mark.slow
def test_twenty_thousand_messages_take_at_most_half_of_what_they_took() -> None:
    count, random = 20_000, np.random.default_rng(5)
    table = ScopeTable((0, 0))
    for start in range(0, count, 500):
        rows = range(start, start + 500)
        events = [message(n) for n in rows]
        assert table.grow(
            rows,
            events,
            [(n, *indexed_words(event.said)) for n, event in zip(rows, events, strict=True)],
            [],
            np.zeros((0, 0)),
        )
    for start in range(0, count, 500):
        assert table.grow([], [], [], range(start, start + 500), random_vectors(random, 500))
    table.seal()
    assert len(table.snapshot) == count and table.snapshot.is_all_embedded
    assert table.snapshot.events[12_345] == message(12_345)
    in_float32 = 4 * DIMENSION * count
    assert table.nbytes < in_float32, "vectors, texts, words and all"
    assert table.nbytes < count * (1.4 * BYTES_AN_EVENT + BYTES_A_DIMENSION * DIMENSION), (
        "what a scope is judged by beforehand"
    )


def test_an_event_in_bytes_comes_back_whole_with_every_field() -> None:
    plain = make_event()
    whole = Event(
        **{
            one.name: {str: "x\ud800茶", float: 1.5}.get(type(value), value) if value else value
            for one in fields(Event)
            for value in [getattr(plain, one.name)]
        }
    )
    odd = replace(
        whole,
        kind="message",
        times=("3:2026-12-04",),
        sources=("a", "b"),
        occurs_from=1.0,
        superseded_at=2.5,
        is_absolute=False,
    )
    rows = EventRowsInMemory()
    rows.extend([plain, whole])
    before = rows.view()
    rows.extend([odd, plain])
    assert (
        [*rows.view()] == [plain, whole, odd, plain]
        and rows.view()[-1] == plain
        and rows.view()[1:3] == [whole, odd]
    )
    assert [*before] == [plain, whole] and len(before) == 2
    with pytest.raises(IndexError):
        before[2]
    assert rows.view().where("kind", "message".__eq__).tolist() == [False, False, True, False]
    assert set(COMMON) | set(OWN) == {one.name for one in fields(Event)}


def test_a_filter_finds_what_it_names() -> None:
    table = ScopeTable((0, 0))
    events = [
        make_event(
            "j",
            n,
            kind="message" if n % 2 else "fact",
            source="message" if n % 2 else "job",
            is_absolute=n > 2,
        )
        for n in range(5)
    ]
    table.grow(range(5), events, [], [], np.zeros((0, 0)))

    def found(where: EventFilter) -> list[int]:
        mask = table.snapshot.admitted(where)
        return np.flatnonzero(mask).tolist() if mask is not None else [-1]

    assert (
        found(EventFilter("g:7", kinds=("message",)))
        == found(EventFilter("g:7", sources=("message", "note")))
        == [1, 3]
    )
    assert (
        found(EventFilter("g:7", is_absolute=False)) == [0, 1, 2]
        and found(EventFilter("g:7", kinds=("action",))) == []
    )
    assert found(EventFilter("g:7", event_ids=("j:4", "gone", "j:0"))) == [0, 4] and found(
        EventFilter("g:7")
    ) == [-1]


def test_a_filter_finds_labels_and_leaves_out_what_has_expired_also_in_former_snapshots() -> None:
    table = ScopeTable((0, 0))
    given: list[dict[str, Any]] = [
        {},
        {"tags": ("work", "旅行"), "expires_at": 50.0},
        {"tags": ("work",), "metadata": {"thread": 7, "done": True}},
        {"metadata": {"thread": 1, "done": 1}},
    ]
    events = [make_event("j", n, **fields) for n, fields in enumerate(given)]
    table.grow(range(3), events[:3], [], [], np.zeros((0, 0)))
    former = table.snapshot
    table.grow(range(3, 4), events[3:], [], [], np.zeros((0, 0)))

    def found(snapshot: Snapshot = table.snapshot, **conditions: Any) -> list[int]:
        mask = snapshot.admitted(EventFilter("g:7", **conditions))
        return np.flatnonzero(mask).tolist() if mask is not None else [-1]

    assert (
        found(tags=("work",)) == [1, 2]
        and found(tags=("work", "旅行")) == [1]
        and found(tags=("wor",)) == []
    )
    assert (
        found(metadata={"thread": 7}) == [2]
        and found(metadata={"done": True}) == [2]
        and found(metadata={"done": 1}) == [3]
    )
    assert found(former, metadata={"done": 1}) == [] and found(former, now=60.0) == [0, 2]
    assert (
        found(now=49.9) == [-1]
        and found(now=50.0) == [0, 2, 3]
        and found(tags=("work",), now=50.0) == [2]
    )


def test_searches_see_the_same_while_rows_are_added_and_older_ones_get_their_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packed, "BLOCK_ROWS", 64)
    monkeypatch.setattr(packed, "AT_ONCE", 16)
    random = np.random.default_rng(7)
    vectors = random_vectors(random, 2_000)
    table = ScopeTable((0, 0))
    table.seal()
    query, wrong, is_over = vectors[3], [], threading.Event()

    def look() -> None:
        while not is_over.is_set():
            snapshot = table.snapshot
            known = np.flatnonzero(snapshot.embedded)
            scores = (
                snapshot.similarities(query, centred=0.0) if snapshot.dimension else np.zeros(0)
            )
            if snapshot.dimension and not np.allclose(
                scores[known], vectors[known] @ query, atol=1e-4
            ):
                wrong.append(len(snapshot))
            likeness = snapshot.likeness(known[:5], centred=False)(np.arange(len(known[:5])))
            if (
                len(known)
                and snapshot.dimension
                and not np.allclose(likeness, vectors[known[:5]] @ vectors[known[:5]].T, atol=1e-3)
            ):
                wrong.append(-len(snapshot))

    readers = [threading.Thread(target=look) for _ in range(2)]
    for reader in readers:
        reader.start()
    for first in range(0, len(vectors), 20):
        rows = range(first, first + 20)
        table.grow(
            rows,
            [make_event("j", n) for n in rows],
            [],
            rows[::2],
            vectors[rows.start : rows.stop : 2],
        )
        table.grow([], [], [], rows[1::2], vectors[rows.start + 1 : rows.stop : 2])
    is_over.set()
    for reader in readers:
        reader.join()
    assert not wrong and table.snapshot.is_all_embedded


def test_a_matrix_in_blocks_is_one_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "BLOCK_ROWS", 8)
    monkeypatch.setattr(packed, "AT_ONCE", 4)
    vectors = random_vectors(np.random.default_rng(1), 29)
    rows = VectorRows()
    for n in range(len(vectors)):
        rows.reserve(n + 1, DIMENSION)
        rows.put(np.array([n]), vectors[n : n + 1])
    matrix = rows.view()
    assert matrix.shape == (29, DIMENSION) and np.allclose(
        matrix.dot(vectors[5]), vectors @ vectors[5], atol=1e-5
    )
    some = np.array([28, 0, 9, 9, 7, 8])
    assert np.allclose(matrix[some], vectors[some], atol=1e-5)
    assert VectorRows().view()[np.zeros(0, dtype=np.intp)].shape == (0, 0)


def test_a_column_shows_what_it_held_when_it_was_looked_at() -> None:
    column = Column(np.int32, 2)
    column.extend([(1, 2)])
    before = column.view()
    column.extend([(3, 4)] * 5)
    column.extend([])
    assert (
        before.tolist() == [[1, 2]]
        and len(column.view()) == 6
        and column.view()[-1].tolist() == [3, 4]
    )


def test_blocks_of_words_that_are_large_are_joined_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "LARGEST_BLOCK", 20)
    texts = [f"tea w{n} w{n % 7}" for n in range(60)]
    grown, whole = words.ScopeWords(), words.ScopeWords().grown([(3, text) for text in texts])
    for text in texts:
        grown = grown.grown([(3, text)])
    assert len(grown.blocks) > 2 and max(len(block.places) for block in grown.blocks) <= 60
    for query in ("tea", "w3", "w55 tea", "nothing"):
        assert grown.match(query).scores.tolist() == pytest.approx(
            whole.match(query).scores.tolist()
        )
