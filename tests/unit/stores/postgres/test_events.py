"""What events in PostgreSQL promise beyond every store of events."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from historian.schema.event import EventFilter
from historian.stores.postgres import database as module
from historian.stores.postgres.database import PostgresDatabase
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.tables.ledger import LedgerTable
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.events import file_texts, make_event, unit_vectors
from support.postgres import Schema, fresh_schema, server_url
from support.stores import bury, open_events

GROUP = EventFilter("g:7")


@pytest.fixture
def store(schema: Schema) -> PostgresEventStore:
    return PostgresEventStore(schema.open())


@pytest.mark.parametrize("kind", ["float32", "half"])
def test_the_nearest_vectors_are_found_exactly_in_a_scope_and_everywhere(
    kind: module.VectorKind,
) -> None:
    store = PostgresEventStore(
        PostgresDatabase(server_url(), schema_name=fresh_schema(), vectors=kind)
    )
    vectors = unit_vectors(40)
    for half, group in ((0, "8"), (1, "7")):
        events = [make_event(f"j{half}-0", n, group=group) for n in range(20)]
        store.file_job(f"j{half}-0", events, vectors[half::2])
    store.file_job("bare-0", [make_event("bare-0")], [None])
    query = unit_vectors(1, seed=9)[0]
    cosines = np.stack(vectors) @ query
    best = [f"j{n % 2}-0:{n // 2}" for n in np.argsort(-cosines)]
    found = store.nearest(query, GROUP, 5)
    assert [event_id for event_id, _ in found] == [one for one in best if one.startswith("j1")][:5]
    everywhere = store.nearest(query, EventFilter(None), 7)
    assert [event_id for event_id, _ in everywhere] == best[:7]
    assert everywhere[0][1] == pytest.approx(
        float(cosines.max()), abs=1e-6 if kind == "float32" else 1e-3
    )
    assert store.embedded_count() == 40
    assert store.nearest(unit_vectors(1, dimension=9)[0], EventFilter(None), 3) == [], (
        "vectors of another model are not compared"
    )
    store.close()


SAMPLES = ["cat", "cats", "running", "tea", "猫咪", "阿橘", "爬山", "小林", "it's", "a\\b", "C++"]
WORDS = st.lists(
    st.sampled_from(
        ["cat", "cats", "running", "tea", "猫咪", "阿橘", "爬山", "小林", "it's", "a\\b", "C++"]
    ),
    max_size=6,
)


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(WORDS, min_size=1, max_size=8), query=WORDS)
@example(
    texts=[
        [],
        ["cat"],
        ["tea"],
        ["cat"] * 3 + ["running"],
        ["cat"] * 3 + ["tea"],
        ["cat", "cat", "running", "running", "a\\b"],
    ],
    query=["running", "tea"],
)
def test_keywords_find_the_same_events_in_the_same_order_as_in_sqlite(
    texts: list[list[str]], query: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    schema, there = Schema(), open_events(tmp_path_factory.mktemp("events"))
    here = PostgresEventStore(schema.open())
    try:
        for store in (here, there):
            file_texts(store, [" ".join(words) for words in texts])
            file_texts(store, ["cat 猫咪", "tea"], "other-0", group="8")
        wanted = there.search_keywords(" ".join(query), GROUP, 100)
        found = here.search_keywords(" ".join(query), GROUP, 100)
        assert [event_id for event_id, _ in found] == [event_id for event_id, _ in wanted]
        assert [score for _, score in found] == pytest.approx([score for _, score in wanted])
    finally:
        there.close()
        schema.close()


def test_a_word_too_long_for_the_index_is_passed_over_and_its_event_found_by_the_others(
    store: PostgresEventStore,
) -> None:
    file_texts(store, ["cat " + "x" * 3_000])
    assert [event_id for event_id, _ in store.search_keywords("cat " + "x" * 3_000, GROUP, 5)] == [
        "j1-0:0"
    ]
    assert store.search_keywords("x" * 3_000, GROUP, 5) == []


def test_the_same_job_filed_by_several_workers_at_once_is_filed_once(
    store: PostgresEventStore,
) -> None:
    def file(_: int) -> bool:
        return store.file_job("j1-0", [make_event(n=n) for n in range(3)], unit_vectors(3))

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(file, range(8))) == 1
    assert store.count() == 3 and store.change_number("g:7")[0] == 4


def test_the_same_content_stored_by_several_at_once_is_stored_once(
    store: PostgresEventStore,
) -> None:
    seen = [make_event(f"seen-{n}", group=str(n % 3)) for n in range(9)]

    def store_all(turn: int) -> list[str]:
        return store.file_new(seen[turn:] + seen[:turn], [None] * 9)

    with ThreadPoolExecutor(4) as threads:
        stored = [event_id for ids in threads.map(store_all, range(8)) for event_id in ids]
    assert sorted(stored) == sorted(event.event_id for event in seen)
    assert store.count() == 9 and len(store.scopes()) == 3


def test_numbers_of_a_scope_are_in_the_order_of_commits(store: PostgresEventStore) -> None:
    def file(n: int) -> None:
        store.file_job(f"j{n}-0", [make_event(f"j{n}-0")], unit_vectors(1, seed=n))

    seen: list[str] = []
    row = sequence = 0
    with ThreadPoolExecutor(3) as threads:
        work = [threads.submit(file, n) for n in range(30)]
        while not all(one.done() for one in work) or len(seen) < 30:
            news = store.news("g:7", sequence, row)
            row = news.rows[-1] if news.rows else row
            sequence = news.sequence
            assert news.embedded == news.rows
            seen += [event.event_id for event in news.events]
    assert len(set(seen)) == 30, "a reader that asks for what is newer misses nothing"


def test_what_forgets_somebody_waits_for_filing_under_way_and_nothing_comes_after(
    schema: Schema,
) -> None:
    filing, forgetting = PostgresEventStore(schema.open()), PostgresEventStore(schema.open())
    forgot = threading.Event()

    def forget() -> None:
        bury(forgetting, "user:42")
        forgetting.forget(["j1-0:0"])
        forgot.set()

    thread = threading.Thread(target=forget)
    with filing.database.writing() as transaction:
        transaction.lock_entities(["user:42"])
        thread.start()
        assert not forgot.wait(0.2)
        assert filing.file_job("j1-0", [make_event()], [None])
    thread.join(30)
    assert forgetting.count() == 0
    assert not filing.file_job("j2-0", [make_event("j2-0")], [None])


def test_words_indexed_in_another_form_are_indexed_anew(schema: Schema) -> None:
    store = PostgresEventStore(schema.open())
    file_texts(store, ["cat and dog", "tea"])
    change = store.change_number("g:7")
    store.database.run("UPDATE event_words SET lexemes = '', words = ''")
    store.database.run("UPDATE meta SET value = 'former' WHERE name = 'words'")
    again = PostgresEventStore(schema.open())
    assert [event_id for event_id, _ in again.search_keywords("dog", GROUP, 5)] == ["j1-0:0"]
    assert again.change_number("g:7") == (change[0], change[1] + 1)


@pytest.fixture
def ledger(schema: Schema) -> Iterator[LedgerTable]:
    yield LedgerTable(schema.open())


def test_the_ledger_keeps_what_was_applied_to_whom(ledger: LedgerTable) -> None:
    assert not ledger.has("user:42", "j1-0")
    ledger.add("user:42", "j1-0")
    ledger.add("user:42", "j1-0")
    assert ledger.has("user:42", "j1-0") and not ledger.has("user:43", "j1-0")
