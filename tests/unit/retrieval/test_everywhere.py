"""Unscoped search: what Chroma has not been told yet is read from the outbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from historian.retrieval import other_scopes
from historian.retrieval.other_scopes import search_everywhere
from historian.schema.event import EventFilter
from historian.schema.settings import QuerySettings
from historian.stores.chroma.index import ChromaIndex
from historian.stores.index_repair import repair
from historian.stores.sqlite.events.store import SqliteEventStore
from support.events import make_event
from support.recall import WordEmbedder
from support.stores import open_events

EMBEDDER = WordEmbedder()
BY_VECTORS = QuerySettings(vector_weight=1.0, keyword_weight=0.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    store = open_events(tmp_path)
    store.set_fingerprint(EMBEDDER.model, EMBEDDER.dimension)
    yield store
    store.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ChromaIndex]:
    index = ChromaIndex(tmp_path / "chromadb")
    yield index
    index.close()


def file(store: SqliteEventStore, job_id: str, text: str) -> None:
    store.file_job(job_id, [make_event(job_id, text=text)], [EMBEDDER.vector(text)])


async def dense(store: SqliteEventStore, index: ChromaIndex, query: str) -> dict[str, float]:
    """Scores by vectors, of what shares a word with the query."""
    hits = await search_everywhere(
        query, EventFilter(None), events=store, embedder=EMBEDDER, index=index, settings=BY_VECTORS, top_k=9
    )
    return {hit.event.event_id: hit.scores["dense"] for hit in hits if hit.scores.get("dense", 0.0) > 0.1}


async def test_an_event_is_found_before_the_index_is_told(store: SqliteEventStore, index: ChromaIndex) -> None:
    file(store, "j1-0", "三体")
    repair(store, index)
    file(store, "j2-0", "吉他")
    assert set(await dense(store, index, "吉他")) == {"j2-0:0"}
    assert set(await dense(store, index, "三体")) == {"j1-0:0"}
    waiting = await dense(store, index, "三体 吉他")
    assert index.count() == 1 and set(waiting) == {"j1-0:0", "j2-0:0"}
    repair(store, index)
    assert index.count() == 2
    assert await dense(store, index, "三体 吉他") == pytest.approx(waiting, abs=1e-5)


async def test_what_was_edited_or_deleted_is_not_found_as_the_index_still_has_it(
    store: SqliteEventStore, index: ChromaIndex
) -> None:
    file(store, "j1-0", "三体")
    file(store, "j2-0", "吉他")
    repair(store, index)
    store.edit("j1-0:0", "咖啡", EMBEDDER.vector("咖啡"))
    store.delete(["j2-0:0"])
    assert await dense(store, index, "三体 吉他") == {}
    assert set(await dense(store, index, "咖啡")) == {"j1-0:0"}
    assert index.count() == 2, "the index was not told"


async def test_with_very_much_waiting_the_vectors_are_scanned(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_scopes, "MOST_WAITING", 2)
    for n in range(4):
        file(store, f"j{n}-0", f"吉他 {n}")
    assert len(await dense(store, index, "吉他")) == 4
    repair(store, index)
    assert len(await dense(store, index, "吉他")) == 4


def test_asking_what_waits_takes_no_note_away(store: SqliteEventStore, index: ChromaIndex) -> None:
    file(store, "j1-0", "三体")
    handed = store.unindexed(9)
    store.edit("j1-0:0", "咖啡", EMBEDDER.vector("咖啡"))
    waiting = store.unindexed(9)
    assert list(waiting.versions) == waiting.ids == ["j1-0:0"] and waiting.vectors.shape == (1, EMBEDDER.dimension)
    store.mark_indexed(handed.versions)
    assert store.unindexed(9).ids == ["j1-0:0"], "the index was told of what the event was before"


async def test_a_store_that_compares_vectors_itself_is_asked_whatever_the_conditions(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(store, "j1-0", "三体")
    where = EventFilter(None, kinds=("fact",))
    asked: list[EventFilter] = []

    def compared(vector: object, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        asked.append(where)
        return [("j1-0:0", 0.9)]

    monkeypatch.setattr(store, "nearest", compared)
    monkeypatch.setattr(store, "vectors", lambda _: pytest.fail("they are not sent here"))
    (hit,) = await search_everywhere("三体", where, events=store, embedder=EMBEDDER, index=index, settings=BY_VECTORS, top_k=9)
    assert (hit.event.event_id, hit.scores["dense"], asked) == ("j1-0:0", 0.9, [where])


async def test_a_message_without_content_is_no_hit(store: SqliteEventStore, index: ChromaIndex) -> None:
    for number, text in enumerate(["lol", "👍", "收到", "三体"]):
        said = make_event(f"m{number}-0", text=text, kind="message", source="message")
        store.file_job(said.job_id, [said], [EMBEDDER.vector(text)])
    hits = await search_everywhere(
        "三体", EventFilter(None), events=store, embedder=EMBEDDER, index=index, settings=BY_VECTORS, top_k=2
    )
    assert [hit.event.text for hit in hits] == ["三体"]
