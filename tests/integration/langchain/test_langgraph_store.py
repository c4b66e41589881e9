"""`HistorianStore` in use: hybrid search, time to live, processes side by side, agents, faults."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, HistorianStore, InvalidInput
from historian.service.backups.making import back_up
from historian.service.backups.restoring import restore
from historian.stores.sqlite.items import ItemTable
from historian.stores.tables.items import NewItem
from langchain_core.embeddings import Embeddings
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.config import get_store
from langgraph.prebuilt import create_react_agent
from langgraph.store.base import TTLConfig
from support.memory import settings_for
from support.models.scripted_model import ScriptedModel, calls
from support.recall import WORDS, WordEmbedder

NOTES = ("notes", "42")


class ByWords(Embeddings):
    """Vectors by words that mean the same: puppy and dog, tea and 茶. Fails while `away`."""

    away = False

    def embed_query(self, text: str) -> list[float]:
        if self.away:
            raise OSError("away")
        same = [("dog", "puppy", "狗"), ("tea", "茶"), ("car",)]
        return [0.1, *(float(any(word in text for word in words)) for words in same)]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def test_a_search_finds_by_words_and_by_meaning(tmp_path: Path) -> None:
    async with HistorianStore(
        settings_for(tmp_path), index={"dims": 4, "embed": ByWords(), "fields": ["text"]}
    ) as store:
        for key, text in [
            ("a", "She has a puppy"),
            ("b", "order 4711 is late"),
            ("c", "她喜欢喝龙井茶"),
            ("d", "no more"),
        ]:
            await store.aput(NOTES, key, {"text": text})
        assert (await store.asearch(NOTES, query="Does she have a dog?"))[0].key == "a"
        assert (await store.asearch(NOTES, query="order 4711"))[0].key == "b"
        found = await store.asearch(NOTES, query="喝什么茶", limit=1)
        assert found[0].key == "c" and found[0].value == {"text": "她喜欢喝龙井茶"}


async def test_without_an_embedder_and_while_it_is_away_words_find(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = ByWords()
    embedder.away = True
    async with HistorianStore(
        settings_for(tmp_path), index={"dims": 4, "embed": embedder}
    ) as store:
        await store.aput(NOTES, "a", {"text": "She has a puppy"})
        await store.aput(NOTES, "b", {"text": "a red car"})
        assert [(hit.key, hit.score) for hit in await store.asearch(NOTES, query="a puppy")] == [
            ("a", 1.0),
            ("b", None),
        ]
        assert "by words alone" in caplog.text and "puppy" not in caplog.text
    with HistorianStore(settings_for(tmp_path)) as words_alone:
        assert words_alone.search(NOTES, query="car")[0].key == "b"


async def test_an_item_written_while_the_embedder_was_away_is_not_behind_those_with_vectors(
    tmp_path: Path,
) -> None:
    embedder = ByWords()
    async with HistorianStore(
        settings_for(tmp_path), index={"dims": 4, "embed": embedder}
    ) as store:
        for key in "abc":
            await store.aput(NOTES, key, {"text": f"his dog has the number {key}"})
        embedder.away = True
        await store.aput(NOTES, "late", {"text": "the dog of order 4711"})
        embedder.away = False
        found = await store.asearch(NOTES, query="Which dog is of order 4711?")
        assert found[0].key == "late"


async def test_the_store_of_an_open_memory_uses_its_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    monkeypatch.setattr("historian.service.components.usable_embedder", lambda *_: embedder)
    async with (
        CognitiveService.open(settings_for(tmp_path)) as memory,
        HistorianStore(memory) as store,
    ):
        await store.aput(NOTES, "a", {"text": WORDS[1]})
        assert (await store.asearch(NOTES, query=WORDS[1]))[0].score == pytest.approx(1.0)
    assert WORDS[1] in embedder.calls


def test_an_item_expires_and_reading_it_begins_its_time_anew(tmp_path: Path) -> None:
    clock, ttl = Clock(), TTLConfig(default_ttl=10.0)
    with HistorianStore(settings_for(tmp_path), ttl=ttl, clock=clock) as store:
        store.put(NOTES, "a", {"text": "tea"})
        store.put(NOTES, "b", {"text": "tea"}, ttl=None)
        clock.now += 9 * 60
        assert store.get(NOTES, "a") is not None
        clock.now += 9 * 60
        assert {hit.key for hit in store.search(NOTES, query="tea", refresh_ttl=False)} == {
            "a",
            "b",
        }
        clock.now += 60
        assert store.get(NOTES, "a") is None and store.list_namespaces() == [NOTES]
        assert [hit.key for hit in store.search(NOTES, query="tea")] == ["b"]
        store.delete(NOTES, "b")
    assert b"tea" not in (tmp_path / "items.sqlite").read_bytes()


async def test_several_stores_over_one_directory_see_each_other(tmp_path: Path) -> None:
    with (
        HistorianStore(settings_for(tmp_path)) as one,
        HistorianStore(settings_for(tmp_path)) as other,
    ):
        stores = [one, other] * 10
        await asyncio.gather(
            *(store.aput(NOTES, f"k{n}", {"n": n}) for n, store in enumerate(stores))
        )
        assert (
            len(await one.asearch(NOTES, limit=50))
            == len(await other.asearch(NOTES, limit=50))
            == 20
        )


def test_what_is_no_json_is_refused_and_nothing_of_its_batch_is_written(tmp_path: Path) -> None:
    with HistorianStore(settings_for(tmp_path)) as store:
        with pytest.raises(TypeError, match="JSON"):
            store.put(NOTES, "a", {"when": object()})
        with pytest.raises(ValueError, match="JSON"):
            store.put(NOTES, "a", {"n": float("nan")})
        store.put(NOTES, "b", {"text": "\ud800"})
        assert store.get(NOTES, "b").value == {"text": "\ud800"}  # type: ignore[union-attr]
        with pytest.raises(InvalidInput, match=r"'\$like' is not one of"):
            store.search(NOTES, filter={"text": {"$like": "x"}})
        assert store.get(NOTES, "a") is None


async def test_an_agent_of_langgraph_uses_the_store_in_its_tools(tmp_path: Path) -> None:
    @tool
    async def note(text: str) -> str:
        """Keep a note."""
        await get_store().aput(NOTES, text[:8], {"text": text})
        return "kept"

    @tool
    def look_up(query: str) -> str:
        """Look into the notes."""
        return str([item.value["text"] for item in get_store().search(NOTES, query=query, limit=1)])

    script: list[Any] = [
        calls("note", text="龙井 is her favourite tea"),
        "Noted.",
        calls("look_up", query="what tea?"),
        "龙井.",
    ]
    async with HistorianStore(settings_for(tmp_path)) as store:
        agent = create_react_agent(ScriptedModel(script=script), [note, look_up], store=store)
        await agent.ainvoke({"messages": [HumanMessage("Note my tea")]})
        answered = await agent.ainvoke({"messages": [HumanMessage("Which tea?")]})
        assert answered["messages"][-2].text == "['龙井 is her favourite tea']"


async def test_langmems_tools_keep_find_change_and_remove_memories_in_it(tmp_path: Path) -> None:
    from langmem import create_manage_memory_tool, create_search_memory_tool

    namespace = ("memories", "{langgraph_user_id}")
    async with HistorianStore(settings_for(tmp_path)) as store:

        async def turn(user_id: str, *script: Any) -> str:
            """The last answer of a tool in one run of an agent."""
            tools = [create_manage_memory_tool(namespace), create_search_memory_tool(namespace)]
            agent = create_react_agent(ScriptedModel(script=[*script, "Done."]), tools, store=store)
            config: RunnableConfig = {"configurable": {"langgraph_user_id": user_id}}
            answered = await agent.ainvoke({"messages": [HumanMessage("Go on")]}, config)
            return str(answered["messages"][-2].text)

        kept = await turn(
            "42", calls("manage_memory", content="她最喜欢的茶是龙井", action="create")
        )
        await turn("42", calls("manage_memory", content="Her bike is green", action="create"))
        (found,) = store.search(("memories", "42"), query="喜欢喝什么茶", limit=1)
        assert found.key in kept and found.value["content"] == "她最喜欢的茶是龙井"
        (hit, *_) = json.loads(
            await turn("42", calls("search_memory", query="喜欢喝什么茶", limit=1))
        )
        assert hit["value"]["content"] == "她最喜欢的茶是龙井"
        assert json.loads(await turn("43", calls("search_memory", query="喜欢喝什么茶"))) == []
        await turn(
            "42", calls("manage_memory", content="她改喝咖啡了", action="update", id=found.key)
        )
        assert "咖啡" in store.get(("memories", "42"), found.key).value["content"]  # type: ignore[union-attr]
        await turn("42", calls("manage_memory", action="delete", id=found.key))
        assert [item.value["content"] for item in store.search(("memories", "42"))] == [
            "Her bike is green"
        ]


async def test_a_backup_brings_the_items_along_and_a_restoration_puts_them_back(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path / "data")
    async with CognitiveService.open(settings):
        with HistorianStore(settings) as store:
            store.put(NOTES, "a", {"text": "before"})
            back_up(tmp_path / "data", tmp_path / "backup", version="0", now=0.0)
            store.put(NOTES, "a", {"text": "after"})
    leftover = tmp_path / "data" / "items.sqlite-wal"
    leftover.write_bytes(b"of another file")
    restore(tmp_path / "data", tmp_path / "backup", now=0.0)
    with HistorianStore(settings) as store:
        assert store.get(NOTES, "a").value == {"text": "before"}  # type: ignore[union-attr]


async def test_forgetting_tells_that_words_of_somebody_are_still_in_the_store(
    tmp_path: Path,
) -> None:
    settings, said = (
        settings_for(tmp_path),
        "Ann keeps forty bees in the garden behind the house in Bristol",
    )
    async with CognitiveService.open(settings) as memory, HistorianStore(settings) as store:
        await memory.enqueue_job(new_info=[said], user_id="7", user_name="Ann")
        assert await memory.settled(20)
        await store.aput(NOTES, "a", {"text": said})
        assert not (await memory.forget_user("7")).clean
        assert await store.aget(NOTES, "a") is not None


def test_a_search_never_gives_what_another_namespace_puts_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path)
    with HistorianStore(settings) as store, HistorianStore(settings) as another:
        store.put(NOTES, "tea", {"text": "She drinks tea"})
        matching = ItemTable.matching

        def meanwhile(table: ItemTable, query: str, namespace: str) -> dict[int, float]:
            """The best item is removed once the rows of the search are chosen, and somebody else's is put."""
            found = matching(table, query, namespace)
            another.delete(NOTES, "tea")
            another.put(("secrets", "7"), "pin", {"text": "His code is 4711"})
            return found

        monkeypatch.setattr(ItemTable, "matching", meanwhile)
        assert store.search(NOTES, query="tea") == []
        assert store.search((), query="tea", limit=1)[0].namespace == ("secrets", "7")


def test_the_row_of_a_removed_item_is_not_given_again(tmp_path: Path) -> None:
    table = ItemTable(tmp_path / "items.sqlite")
    table.put([NewItem("notes", "a", "{}"), NewItem("notes", "b", "{}")], 1.0)
    table.put([NewItem("notes", "b", None)], 2.0)
    table.put([NewItem("secrets", "c", "{}")], 3.0)
    assert table.rows("secrets", 4.0, {}) == [3] and table.read("notes", [1, 2, 3]) == [
        table.get("notes", "a", 4.0)
    ]
    table.close()
