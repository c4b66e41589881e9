"""Scopes in memory: exact, up to date, bounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from historian.retrieval.scope_index import tables as tables_module
from historian.retrieval.scope_index.table import BYTES_AN_EVENT
from historian.retrieval.scope_index.tables import ScopeTables
from historian.schema.event import EventFilter, EventLink
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.tables.events.shadow_vectors import ShadowVectors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.events import DIMENSION, file_texts, make_event, unit_vectors
from support.stores import open_events

SCOPE = "g:7"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    opened = open_events(tmp_path)
    yield opened
    opened.close()


def tables_over(store: SqliteEventStore, limit: int = 2**30) -> ScopeTables:
    return ScopeTables(store, lambda: limit)


def file_vectors(
    store: SqliteEventStore, count: int, *, job: str = "j1-0", group: str = "7", seed: int = 0
) -> None:
    store.set_fingerprint("m", DIMENSION)
    events = [make_event(job, n, group=group, text=f"text {n}") for n in range(count)]
    assert store.file_job(job, events, unit_vectors(count, seed=seed))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 60), st.integers(0, 5))
def test_similarities_are_those_of_brute_force(count: int, seed: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = open_events(Path(folder))
        file_vectors(store, count, seed=seed)
        snapshot = tables_over(store).snapshot(SCOPE)
        _, matrix = store.vectors(EventFilter(SCOPE))
        store.close()
    query = unit_vectors(1, seed=99)[0]
    assert np.allclose(snapshot.similarities(query, centred=False), matrix @ query, atol=4e-5), (
        "8 dimensions in 16 bits"
    )
    mean = matrix.astype(np.float64).sum(axis=0) / (count + 8)
    rows, asked = matrix - mean, query - mean
    norms = np.linalg.norm(rows, axis=1)
    truth = rows @ asked / norms / np.linalg.norm(asked)
    assert np.allclose(snapshot.similarities(query, centred=True), truth, atol=1e-4)
    assert np.allclose(
        snapshot.likeness(np.arange(count), centred=True)(1),
        rows @ rows[1] / norms / norms[1],
        atol=4e-4,
    )


def test_additions_are_appended_and_removals_begin_anew(store: SqliteEventStore) -> None:
    tables = tables_over(store)
    file_vectors(store, 5)
    first = tables.snapshot(SCOPE)
    assert tables.snapshot(SCOPE) is first, "unchanged: the same"
    file_vectors(store, 3, job="j2-0", seed=1)
    second = tables.snapshot(SCOPE)
    assert (len(first), len(second), tables.fills) == (5, 8, 1) and first.matrix.shape[0] == 5
    assert store.delete(["j1-0:0"]) == 1
    third = tables.snapshot(SCOPE)
    assert len(third) == 7 and tables.fills == 2 and "j1-0:0" not in third.positions
    store.edit("j1-0:1", "another text", unit_vectors(1, seed=5)[0])
    assert np.allclose(
        tables.snapshot(SCOPE).matrix[np.array([third.positions["j1-0:1"]])],
        unit_vectors(1, seed=5),
        atol=1e-4,
    )


def test_vectors_that_come_later_are_seen_and_older_snapshots_stay_as_they_were(
    store: SqliteEventStore,
) -> None:
    tables = tables_over(store)
    ids = file_texts(store, ["one", "two", "three"])
    before = tables.snapshot(SCOPE)
    assert before.dimension == 0 and not before.embedded.any()
    store.set_vectors(ids[1:2], unit_vectors(1))
    middle = tables.snapshot(SCOPE)
    assert middle.embedded.tolist() == [False, True, False] and not before.embedded.any()
    store.set_vectors([ids[0], ids[2]], unit_vectors(2, seed=3))
    after = tables.snapshot(SCOPE)
    assert (
        after.embedded.all()
        and middle.embedded.tolist() == [False, True, False]
        and tables.fills == 1
    )


def test_another_embedding_model_begins_anew(store: SqliteEventStore) -> None:
    tables = tables_over(store)
    file_vectors(store, 4)
    assert tables.snapshot(SCOPE).dimension == DIMENSION
    shadow = ShadowVectors(SqliteEventRows(store.database))
    shadow.begin("other", 3)
    made = shadow.lacking(0, 3)
    shadow.store(made, unit_vectors(3, dimension=3))
    shadow.change_over()
    assert tables.snapshot(SCOPE).embedded.tolist() == [True, True, True, False]
    store.set_vectors(["j1-0:3"], unit_vectors(1, dimension=3))
    assert tables.snapshot(SCOPE).dimension == 3 and tables.snapshot(SCOPE).embedded.all()


def test_memory_is_bounded_and_the_least_used_scope_goes_first(store: SqliteEventStore) -> None:
    for group in range(10):
        file_vectors(store, 20, job=f"j{group}-0", group=str(group))
    one = ScopeTables(store, lambda: 2**30)
    one.snapshot("g:0")
    limit = 3 * one.nbytes + 10
    tables = tables_over(store, limit)
    for group in [0, 1, 2, 0, 3, 0, 4]:
        tables.snapshot(f"g:{group}")
        assert tables.nbytes <= limit
    fills = tables.fills
    tables.snapshot("g:0")
    assert tables.fills == fills and len(tables) == 3 and tables.evictions == 2
    nothing = tables_over(store, 1)
    assert len(nothing.snapshot("g:0")) == 20 and nothing.nbytes == 0, (
        "too large to keep, and still searched"
    )


def test_events_are_kept_whole_and_their_texts_count(store: SqliteEventStore) -> None:
    short, long = (
        make_event("j1-0", text="茶"),
        make_event("j2-0", group="8", text="茶" * 5_000, handed_over="喝" * 5_000),
    )
    tables = tables_over(store)
    sizes = []
    for event in (short, long):
        assert store.file_job(event.job_id, [event], [None])
        before = tables.nbytes
        assert [*tables.snapshot(event.scope.key).events] == [event]
        sizes.append(tables.nbytes - before)
    assert 2 * 2 * 4_999 <= sizes[1] - sizes[0] < 2**20
    store.edit("j1-0:0", "咖啡", None)
    assert [*tables.snapshot(SCOPE).events] == store.get(["j1-0:0"]), "an edit is seen"


def test_many_threads_see_every_event(store: SqliteEventStore) -> None:
    tables, wrong = tables_over(store), []

    def look() -> None:
        for _ in range(40):
            snapshot = tables.snapshot(SCOPE)
            if (
                not len(snapshot) == len(snapshot.matrix) == len(snapshot.embedded)
                or not snapshot.embedded.all()
            ):
                wrong.append(len(snapshot))

    file_vectors(store, 1)
    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(2, 20):
        file_vectors(store, n, job=f"j{n}-0", seed=n)
    for thread in threads:
        thread.join()
    assert not wrong and len(tables.snapshot(SCOPE)) == 1 + sum(range(2, 20))


def test_a_scope_that_holds_nothing_is_empty(store: SqliteEventStore) -> None:
    assert len(tables_over(store).snapshot("g:nobody")) == 0


def test_a_scope_read_in_slices_is_the_same_as_one_read_at_once(
    store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = file_texts(store, [f"text {n} tea" if n % 2 else f"text {n}?" for n in range(11)])
    for n in (9, 0, 4, 10, 3):  # vectors come in another order than events
        store.set_vectors([ids[n]], unit_vectors(1, seed=n))
    store.supersede([EventLink(ids[1], ids[2])])
    whole, tables = tables_over(store).snapshot(SCOPE), tables_over(store)
    monkeypatch.setattr(tables_module, "SLICE_EVENTS", 2)
    sliced = tables.fill(SCOPE).result(30)
    tables.close()
    assert (
        sliced.positions == whole.positions and sliced.embedded.tolist() == whole.embedded.tolist()
    )
    every = np.arange(11)
    assert np.array_equal(sliced.matrix[every], whole.matrix[every]) and np.array_equal(
        sliced.marks, whole.marks
    )
    assert (
        sliced.keywords("tea 3", None, 20).scores.tolist()
        == whole.keywords("tea 3", None, 20).scores.tolist()
    )
    assert (
        sliced.over is not None
        and sliced.over.tolist() == [n == 1 for n in range(11)]
        and tables.fills == 1
    )


def test_who_does_not_wait_for_a_scope_finds_it_later(store: SqliteEventStore) -> None:
    file_vectors(store, 3)
    tables, gate = tables_over(store), threading.Event()
    blocked = [tables._fillers.submit(gate.wait, 30) for _ in range(tables_module._FILLERS)]
    assert tables.ready(SCOPE, 0.01) is None
    gate.set()
    assert all(one.result(30) for one in blocked)
    assert tables.fill(SCOPE).result(30) is tables.ready(SCOPE, 0.0) and not tables._under_way
    tables.close()


def test_a_scope_that_could_not_be_kept_is_not_read_in_the_background(
    store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_module, "WAITED_FOR", 2)
    file_vectors(store, 3)
    tables = ScopeTables(store, lambda: 3 * BYTES_AN_EVENT)
    assert tables.ready(SCOPE, 10.0) is None and not tables._under_way and tables.fills == 0
    assert len(tables.snapshot(SCOPE)) == 3, "who has the time gets it"
    tables.close()


def test_a_scope_in_memory_never_waits_for_another_one_being_read(
    store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the hashes of their keys end alike."""
    tables, begun, gate = tables_over(store), threading.Event(), threading.Event()
    other = next(str(n) for n in range(8, 10_000) if hash(f"g:{n}") % 32 == hash(SCOPE) % 32)
    file_vectors(store, 3)
    file_vectors(store, 3, job="j2-0", group=other)
    tables.snapshot(f"g:{other}")
    file_vectors(store, 1, job="j3-0", group=other)
    news = store.news

    def held(scope_key: str, *rest: int) -> object:
        if scope_key == SCOPE:
            begun.set()
            assert gate.wait(30)
        return news(scope_key, *rest)

    monkeypatch.setattr(store, "news", held)
    with ThreadPoolExecutor(1) as reader:
        filling = tables.fill(SCOPE)
        try:
            assert begun.wait(30)
            snapshot = reader.submit(tables.ready, f"g:{other}", 0.03).result(10)
            assert snapshot is not None and len(snapshot) == 4 and not filling.done()
        finally:
            gate.set()
    assert len(filling.result(30)) == 3 and not tables._filling, "no lock is kept"
    tables.close()


def test_many_additions_to_a_scope_in_memory_are_waited_for_no_longer_than_asked(
    store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, gate = tables_over(store), threading.Event()
    file_vectors(store, 3)
    tables.snapshot(SCOPE)
    monkeypatch.setattr(tables_module, "SLICE_EVENTS", 5)
    file_vectors(store, 8, job="j2-0")
    blocked = [tables._fillers.submit(gate.wait, 30) for _ in range(tables_module._FILLERS)]
    assert tables.ready(SCOPE, 0.01) is None
    gate.set()
    assert all(one.result(30) for one in blocked)
    assert len(tables.fill(SCOPE).result(30)) == 11 and tables.fills == 1
    tables.close()
