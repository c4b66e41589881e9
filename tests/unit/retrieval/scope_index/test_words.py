"""The words of a scope in memory: what they find, and how they score it, is what the store's keyword index says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from historian.retrieval.scope_index.snapshot import Snapshot
from historian.retrieval.scope_index.tables import ScopeTables
from historian.schema.event import EventFilter
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.text import search_words
from historian.text.search_words import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from support.events import file_texts, make_event
from support.stores import open_events

SCOPE = "g:7"
GROUP = EventFilter(SCOPE)

WORDS = st.sampled_from(
    [
        "climbing",
        "climbs",
        "climbed",
        "agreed",
        "yes",
        "naïve",
        "cat's",
        "tea",
        "猫",
        "小猫",
        "喜欢猫咪",
        "的",
        "4x",
        "c++",
        "😀",
    ]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


def by_name(snapshot: Snapshot, query: str, limit: int = 1_000) -> dict[str, float]:
    scores = snapshot.keywords(query, None, limit).scores.tolist()
    # The list of events may have grown since the snapshot was taken.
    return {snapshot.events[n].event_id: score for n, score in enumerate(scores) if score}


def same(memory: dict[str, float], store: SqliteEventStore, query: str) -> None:
    assert memory == pytest.approx(dict(store.search_keywords(query, GROUP, 1_000)), rel=1e-5)


@pytest.mark.slow
@given(
    batches=st.lists(st.lists(TEXTS, min_size=1, max_size=6), min_size=1, max_size=6),
    query=TEXTS,
    data=st.data(),
)
def test_memory_and_store_score_alike_whatever_is_filed_edited_and_deleted(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[str]],
    query: str,
    data: st.DataObject,
) -> None:
    store = open_events(tmp_path_factory.mktemp("words"))
    other = open_events(store.database.path.parent)
    tables = ScopeTables(store, lambda: 2**30)
    names: list[str] = []
    for n, batch in enumerate(batches):
        file_texts(other, ["tea tea 猫"], f"other{n}-0", group="8")
        names += file_texts(other, batch, f"j{n}-0")
        same(by_name(tables.snapshot(SCOPE), query), store, query)
    edited, deleted = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    other.edit(edited, "climbing 小猫 tea tea", None)
    same(by_name(tables.snapshot(SCOPE), query), store, query)
    other.delete([deleted])
    same(by_name(tables.snapshot(SCOPE), query), store, query)
    file_texts(other, ["she climbed"], "last-0")
    same(by_name(tables.snapshot(SCOPE), query), store, query)
    store.close()
    other.close()


def test_a_snapshot_keeps_its_words_while_the_table_grows(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    tables = ScopeTables(store, lambda: 2**30)
    file_texts(store, ["green tea", "a tree"], "j0-0")
    before = tables.snapshot(SCOPE)
    file_texts(store, [f"black tea {n}" for n in range(40)], "j1-0")
    after = tables.snapshot(SCOPE)
    assert len(by_name(before, "tea")) == 1 and len(by_name(after, "tea")) == 41
    assert len(after.words.blocks) == 1, "a small block is merged into a larger one"
    store.close()


def test_only_the_best_are_kept_of_those_that_a_filter_admits(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    store.file_job(
        "j-0",
        [make_event("j-0", n, text=f"tea{' milk' * n}", user_id=f"{n % 2}") for n in range(10)],
        [None] * 10,
    )
    snapshot = ScopeTables(store, lambda: 2**30).snapshot(SCOPE)
    admitted = snapshot.admitted(EventFilter(SCOPE, user_ids=("1",)))
    found = snapshot.keywords("tea", admitted, 3).scores
    assert found.nonzero()[0].tolist() == [1, 3, 5]
    store.close()


def test_words_count_in_the_bytes_of_a_scope(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    tables = ScopeTables(store, lambda: 2**30)
    file_texts(store, ["green tea"], "j0-0")
    tables.snapshot(SCOPE)
    small = tables.nbytes
    file_texts(store, [" ".join(f"w{n}" for n in range(1_000))], "j1-0")
    tables.snapshot(SCOPE)
    assert tables.nbytes - small > 16 * 1_000
    store.close()


def test_a_stem_is_asked_for_once_and_what_is_remembered_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_words, "_MOST_WORDS", 10)
    stemmer = Stemmer()
    assert stemmer.stems(["climbing", "climbs", "猫咪", "ties", "climbing"]) == [
        "climb",
        "climb",
        "猫咪",
        "ti",
        "climb",
    ]
    many = [f"bo{'lo' * n}king" for n in range(1, 30)]
    assert stemmer.stems(many) == [word.removesuffix("ing") for word in many]
    assert stemmer.stems(["climbing"]) == ["climb"]
    assert stemmer.stems([]) == []


def test_stems_are_the_same_for_threads_that_push_out_each_others_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_words, "_MOST_WORDS", 40)
    stemmer = Stemmer()

    def ask(seed: int) -> bool:
        words = [f"bo{'lo' * (1 + (seed * 7 + n) % 28)}king" for n in range(30)]
        return stemmer.stems(words) == [word.removesuffix("ing") for word in words]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(200)))


def test_a_whole_match_is_what_the_most_telling_words_are_worth_known_or_not(
    tmp_path: Path,
) -> None:
    store = open_events(tmp_path)
    file_texts(
        store, ["tea with milk", "tea with lemon", "coffee at noon", "a walk at noon"], "j-0"
    )
    snapshot = ScopeTables(store, lambda: 2**30).snapshot(SCOPE)
    exact = snapshot.keywords("tea with lemon", None, 10)
    assert exact.scores.max() == pytest.approx(exact.whole, rel=0.2), "a text that holds all of it"
    foreign = snapshot.keywords("tea xylophone zeppelin quagmire", None, 10)
    assert 0 < foreign.scores.max() < 0.2 * foreign.whole, (
        "what nobody spoke of makes the match a poor one"
    )
    page = " ".join(f"word{n}" for n in range(50))
    assert (
        snapshot.keywords(page, None, 10).whole
        == snapshot.keywords(" ".join(page.split()[:8]), None, 10).whole
    )
    assert snapshot.keywords("", None, 10).whole == 0
    store.close()
