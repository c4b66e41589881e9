"""Search without a scope."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from historian.retrieval.other_scopes import search_everywhere
from historian.schema.event import EventFilter
from historian.schema.settings import QuerySettings
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


def file(store: SqliteEventStore, job_id: str, text: str) -> None:
    store.file_job(job_id, [make_event(job_id, text=text)], [EMBEDDER.vector(text)])


async def dense(store: SqliteEventStore, query: str) -> dict[str, float]:
    """Scores by vectors, of what shares a word with the query."""
    hits = await search_everywhere(
        query, EventFilter(None), events=store, embedder=EMBEDDER, settings=BY_VECTORS, top_k=9
    )
    return {
        hit.event.event_id: hit.scores["dense"]
        for hit in hits
        if hit.scores.get("dense", 0.0) > 0.1
    }


async def test_what_was_edited_or_deleted_is_not_found_as_it_was(store: SqliteEventStore) -> None:
    file(store, "j1-0", "三体")
    file(store, "j2-0", "吉他")
    assert set(await dense(store, "三体 吉他")) == {"j1-0:0", "j2-0:0"}
    store.edit("j1-0:0", "咖啡", EMBEDDER.vector("咖啡"))
    store.delete(["j2-0:0"])
    assert await dense(store, "三体 吉他") == {}
    assert set(await dense(store, "咖啡")) == {"j1-0:0"}


async def test_a_store_that_compares_vectors_itself_is_asked_whatever_the_conditions(
    store: SqliteEventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(store, "j1-0", "三体")
    where = EventFilter(None, kinds=("fact",))
    asked: list[EventFilter] = []

    def compared(vector: object, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        asked.append(where)
        return [("j1-0:0", 0.9)]

    monkeypatch.setattr(store, "nearest", compared)
    monkeypatch.setattr(store, "vectors", lambda _: pytest.fail("they are not sent here"))
    (hit,) = await search_everywhere(
        "三体", where, events=store, embedder=EMBEDDER, settings=BY_VECTORS, top_k=9
    )
    assert (hit.event.event_id, hit.scores["dense"], asked) == ("j1-0:0", 0.9, [where])


async def test_a_message_without_content_is_no_hit(store: SqliteEventStore) -> None:
    for number, text in enumerate(["lol", "👍", "收到", "三体"]):
        said = make_event(f"m{number}-0", text=text, kind="message", source="message")
        store.file_job(said.job_id, [said], [EMBEDDER.vector(text)])
    hits = await search_everywhere(
        "三体", EventFilter(None), events=store, embedder=EMBEDDER, settings=BY_VECTORS, top_k=2
    )
    assert [hit.event.text for hit in hits] == ["三体"]
