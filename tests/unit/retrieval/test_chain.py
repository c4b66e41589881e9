"""The chain over a real store, and the same chain as a graph."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from historian.graph.recall import compile_recall
from historian.retrieval.driver import Deadline, find, search
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.filters import event_filter
from historian.retrieval.other_scopes import search_everywhere
from historian.retrieval.recall_states import RecallContext
from historian.retrieval.request import RecallRequest
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter, EventLink
from historian.schema.scope import Scope
from historian.schema.settings import QuerySettings, Settings
from historian.stores.sqlite.events.store import SqliteEventStore
from support.events import make_event
from support.recall import NOW, WordEmbedder
from support.stores import open_events

DAY = 86_400.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    opened = open_events(tmp_path)
    yield opened
    opened.close()


def file(store: SqliteEventStore, *events: tuple[str, float], **fields: Any) -> None:
    """Events as (text, days ago)."""
    embedder = WordEmbedder()
    made = [
        make_event("j-0", n, text=text, timestamp=NOW - days * DAY, **fields)
        for n, (text, days) in enumerate(events)
    ]
    assert store.file_job("j-0", made, [embedder.vector(event.text) for event in made])


def file_one(store: SqliteEventStore, job_id: str, text: str) -> None:
    assert store.file_job(job_id, [make_event(job_id, 0, text=text, timestamp=NOW)], [None])


async def found(
    store: SqliteEventStore, query: str | list[str], top_k: int = 5, **changed: Any
) -> list[str]:
    settings = QuerySettings(**changed)
    recall = EventRecall(store, WordEmbedder(), None, settings=lambda: settings, clock=lambda: NOW)
    request = RecallRequest(
        query,
        event_filter(Scope.group("7")),
        top_k=top_k,
        half_life_days=14,
        now=NOW,
        timezone="Asia/Shanghai",
    )
    return [hit.event.text for hit in await search(recall, request)]


async def test_vectors_find_what_shares_no_word_and_keywords_what_shares_no_vector(
    store: SqliteEventStore,
) -> None:
    file(store, ("he owns a piano", 50), ("ticket number 48213", 40), ("nothing of the kind", 30))
    assert (await found(store, "piano lessons"))[0] == "he owns a piano"
    assert (await found(store, "what was 48213?"))[0] == "ticket number 48213"


async def test_the_newer_of_two_equal_records_comes_first(store: SqliteEventStore) -> None:
    file(store, ("tea in the morning", 300), ("tea in the evening", 1))
    assert (await found(store, "tea", diversity_lambda=1))[0] == "tea in the evening"


async def test_who_asks_for_a_month_is_not_led_astray_by_what_is_recent(
    store: SqliteEventStore,
) -> None:
    file(store, ("tea with Ann", 300), ("tea with Bob", 1))
    assert (await found(store, "tea in April 2025"))[0] == "tea with Ann"


async def test_several_messages_are_merged_without_repetition(store: SqliteEventStore) -> None:
    file(store, ("he drinks tea", 3), ("he plays the piano", 2), ("he likes hiking", 1))
    texts = await found(store, ["tea?", "and the piano?", "tea!"])
    assert {"he drinks tea", "he plays the piano"} <= set(texts[:2]) and len(texts) == len(
        set(texts)
    )


async def test_a_hit_explains_itself_step_by_step(store: SqliteEventStore) -> None:
    file(store, ("Ann drinks tea", 3), ("Bob plays the piano", 2), user_name="Ann")
    recall = EventRecall(store, WordEmbedder(), None, settings=QuerySettings, clock=lambda: NOW)
    request = RecallRequest(
        "does Ann like tea",
        event_filter(Scope.group("7")),
        top_k=2,
        half_life_days=14,
        now=NOW,
        timezone="UTC",
    )
    (hit, *_) = await search(recall, request)
    assert list(hit.scores) == [
        "keyword",
        "dense",
        "fused",
        "neighbours",
        "name",
        "recency",
        "final",
    ]
    assert (
        "keyword" in hit.explain()
        and "scope g:7" in hit.explain()
        and hit.score == hit.scores["final"]
    )


async def test_a_poor_keyword_match_counts_less_beside_vectors_and_fully_without_them(
    store: SqliteEventStore,
) -> None:
    file(store, ("Ann asked when it begins", 3), ("Bob stayed at home", 2), ("nothing else", 2))

    async def fused(query: str, *, with_vectors: bool) -> float:
        embedder = WordEmbedder() if with_vectors else None
        recall = EventRecall(store, embedder, None, settings=QuerySettings, clock=lambda: NOW)
        request = RecallRequest(
            query,
            event_filter(Scope.group("7")),
            top_k=3,
            half_life_days=14,
            now=NOW,
            timezone="UTC",
        )
        hits = {hit.event.text: hit for hit in await search(recall, request)}
        return hits["Ann asked when it begins"].scores["fused"]

    whole, poor = "who asked", "asked zeppelin quagmire xylophone ukulele"
    assert await fused(poor, with_vectors=True) < await fused(whole, with_vectors=True) - 0.1
    assert await fused(poor, with_vectors=False) == await fused(whole, with_vectors=False) == 1.0


@pytest.mark.parametrize(
    "query",
    ["", "   ", "？？？", "的", "\0", 'a OR b AND NOT (c) NEAR/3 "d" col:e *', "x" * 100_000],
)
async def test_no_query_is_too_strange(store: SqliteEventStore, query: str) -> None:
    file(store, ("tea", 1))
    assert len(await found(store, query)) <= 1


async def test_a_repetition_gives_way_to_something_else(store: SqliteEventStore) -> None:
    file(store, ("tea tea", 1), ("tea and tea", 1), ("tea with piano", 1), ("exam", 200))
    texts = await found(store, "tea", top_k=2, diversity_lambda=0.3)
    assert "tea with piano" in texts


async def test_a_search_without_scope_goes_over_everything(store: SqliteEventStore) -> None:
    file(store, ("tea", 1), ("piano", 1))
    other = make_event("k-0", group=None, text="tea at home")
    assert store.file_job("k-0", [other], [WordEmbedder().vector("tea")])
    hits = await search_everywhere(
        "tea",
        EventFilter(None),
        events=store,
        embedder=WordEmbedder(),
        settings=QuerySettings(),
        top_k=5,
    )
    assert {hit.event.text for hit in hits[:2]} == {"tea", "tea at home"}
    scoped = await found(store, "tea")
    assert scoped[0] == "tea" and "tea at home" not in scoped


async def test_the_graph_finds_what_the_chain_finds(store: SqliteEventStore) -> None:
    file(store, ("he drinks tea", 3), ("he plays the piano", 2), ("he likes hiking", 1))
    recall = EventRecall(store, WordEmbedder(), None, settings=QuerySettings, clock=lambda: NOW)
    context = RecallContext(recall, Settings(), lambda: NOW, "Asia/Shanghai")
    graph = compile_recall()
    state = await graph.ainvoke(
        {"query": "tea and piano", "group_id": "7", "top_k": 2}, context=context
    )
    assert [hit["text"] for hit in state["hits"]] == await found(store, "tea and piano", top_k=2)
    assert set(state) == {"hits"}
    assert (await graph.ainvoke({"query": "tea", "user_id": "7"}, context=context))["hits"] == []
    with pytest.raises(InvalidInput):
        await graph.ainvoke(
            {"query": "tea", "group_id": "7", "conditions": {"group_id": "8"}}, context=context
        )
    drawn = graph.get_graph().draw_mermaid()
    assert all(node in drawn for node in ("prepare", "survey", "embed", "fuse", "rerank", "select"))


async def test_a_short_question_ranks_below_what_answers_it(store: SqliteEventStore) -> None:
    for n, asked in enumerate(("Ben: what is the name of the cat?", "小林：那只猫叫什么名字呢")):
        file_one(store, f"q{n}-0", asked)
        file_one(store, f"a{n}-0", ("Ann: the name is Momo", "小林：名字叫阿橘")[n])
    settings = QuerySettings()
    recall = EventRecall(store, None, None, settings=lambda: settings, clock=lambda: NOW)
    asked = RecallRequest(
        "name cat 名字", EventFilter("g:7"), top_k=9, half_life_days=14, now=NOW, timezone="UTC"
    )
    lowered = {
        hit.event.text: hit.scores.get("question", 0.0) for hit in await search(recall, asked)
    }
    assert {text for text, score in lowered.items() if score < 0} == {
        "Ben: what is the name of the cat?",
        "小林：那只猫叫什么名字呢",
    }


async def test_the_names_of_those_who_take_part_count_half_in_the_vector_of_a_query(
    store: SqliteEventStore,
) -> None:
    file(store, ("Ann likes Ann", 3), ("the piano was tuned", 2), user_name="Ann")
    settings = QuerySettings(vector_weight=1, keyword_weight=0, name_weight=0)
    recall = EventRecall(store, WordEmbedder(), None, settings=lambda: settings, clock=lambda: NOW)
    asked = RecallRequest(
        "Ann Ann piano", EventFilter("g:7"), top_k=2, half_life_days=14, now=NOW, timezone="UTC"
    )
    assert recall.vectors is not None
    (cold,) = await recall.embed(asked)
    assert recall.vectors.asked == 1  # nobody's name is known before the scope is in memory
    recall.survey(asked)
    (warm,) = await recall.embed(asked)
    words = WordEmbedder()
    both = words.vector("Ann Ann piano") + words.vector("piano")
    assert (
        warm == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
        and warm.tolist() != cold.tolist()
    )


async def test_without_vectors_a_small_scope_gives_its_newest_events_last(
    store: SqliteEventStore,
) -> None:
    file(store, ("tea at noon", 300), ("the piano was tuned", 9), ("Ben moved house", 1))
    settings = QuerySettings()
    recall = EventRecall(store, None, None, settings=lambda: settings, clock=lambda: NOW)
    asked = RecallRequest(
        "tea", EventFilter("g:7"), top_k=9, half_life_days=14, now=NOW, timezone="UTC"
    )
    assert [hit.event.text for hit in await search(recall, asked)] == [
        "tea at noon",
        "Ben moved house",
        "the piano was tuned",
    ]
    for n in range(50):
        file_one(store, f"m{n}-0", f"something else {n}")
    assert [hit.event.text for hit in await search(recall, asked)] == ["tea at noon"]


class SlowToRead:
    """A store whose scopes can not be read into memory before `gate` is set."""

    def __init__(self, store: SqliteEventStore) -> None:
        self._store, self.gate = store, threading.Event()

    def news(self, *arguments: Any) -> Any:
        assert self.gate.wait(30)
        return self._store.news(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@pytest.mark.parametrize(
    ("query", "first"),
    [("who drinks tea", "he drinks tea"), ("something else entirely", "she plays chess")],
)
async def test_a_scope_that_is_not_in_memory_is_never_empty_and_is_read_meanwhile(
    store: SqliteEventStore, query: str, first: str
) -> None:
    file(
        store,
        ("who drinks tea: she did", 4),
        ("he drinks tea", 3),
        ("he plays the piano", 2),
        ("she plays chess", 1),
    )
    assert store.supersede([EventLink("j-0:0", "j-0:1")]) == ["j-0:0"]
    slow = SlowToRead(store)
    recall = EventRecall(slow, WordEmbedder(), None, settings=QuerySettings, clock=lambda: NOW)  # type: ignore[arg-type]
    request = RecallRequest(
        query, event_filter(Scope.group("7")), top_k=3, half_life_days=14, now=NOW, timezone="UTC"
    )
    now = asyncio.get_running_loop().time
    for models in (2.0, 0.0):
        found = await find(recall, request, Deadline(now() + models, now() + 2))
        texts = [hit.event.text for hit in found.hits]
        assert (
            texts[0] == first
            and "who drinks tea: she did" not in texts
            and found.with_vectors is False
        )
        assert [reason.partition(":")[0] for reason in found.reasons][-1] == "scope"
    slow.gate.set()
    await asyncio.wrap_future(recall.tables.fill("g:7"))
    found = await find(recall, request, Deadline(now() + 20, now() + 20))
    assert found.with_vectors and not found.reasons and recall.tables.fills == 1
    recall.tables.close()
