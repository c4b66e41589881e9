"""Thinking back by tools: when asked, and when offered and agreed to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from historian.interfaces.langchain.tools import (
    handle_memory_call,
    make_memory_tools,
    memory_tool_schemas,
)
from historian.schema.scope import Scope
from historian.schema.summary import ArticleKey
from historian.service.cognitive import CognitiveService
from historian.service.recall.reader import MemoryReader
from support.articles import Chapters, put_article
from support.memory import AT, settings_for
from support.recall import NOW, open_memory

ANN = Scope.private("7")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        article = Chapters(
            bedrock="- I know that Ann plays the piano", dynamic="- 2026-02-01 Ann paints"
        )
        for key in (ArticleKey("7"), ArticleKey("7", "100")):
            written = article.with_chapters({"Evolutionary": f"- learnt in {key.scope.key}"})
            put_article(
                parts.article_stores.articles,
                key,
                written,
                expected_revision=0,
                sources=["s"],
                now=AT,
                forgotten=lambda: False,
            )
        yield memory


async def test_asked_to_think_back_the_tool_gives_the_article(memory: CognitiveService) -> None:
    answer = await handle_memory_call(
        memory, "recall_deeply", '{"about": "the piano"}', ANN, language="en"
    )
    assert "I know that Ann plays the piano" in answer and answer.startswith("<memory>")
    assert "learnt in p:7" in answer and "g:100" not in answer
    group = await handle_memory_call(
        memory, "recall_deeply", {"about": "the piano"}, Scope.group("100", "7")
    )
    assert "learnt in g:100" in group and "p:7" not in group


async def test_the_users_yes_runs_what_was_offered_once(memory: CognitiveService) -> None:
    offer = await handle_memory_call(
        memory, "propose_recall", {"about": "her  piano"}, ANN, language="en"
    )
    assert '"I seem to remember something about her piano. Shall I think back?"' in offer
    assert "piano" in await handle_memory_call(
        memory, "recall_deeply", {"confirmed": True}, ANN, language="en"
    )
    again = await handle_memory_call(
        memory, "recall_deeply", {"confirmed": True}, ANN, language="en"
    )
    assert again == "Think back to what? Say it in `about`."


async def test_an_offer_is_for_the_one_whom_it_was_made_to(memory: CognitiveService) -> None:
    await handle_memory_call(memory, "propose_recall", {"about": "钢琴"}, Scope.group("100", "7"))
    for other in (ANN, Scope.group("100", "8"), Scope.group("101", "7")):
        assert (
            await handle_memory_call(memory, "recall_deeply", {"confirmed": True}, other)
            == "要回忆什么？请在 about 里写明。"
        )


async def test_without_a_speaker_the_conversation_is_searched_all_the_same(
    memory: CognitiveService,
) -> None:
    await memory.enqueue_job("", ["我弹钢琴"], group_id="100", user_id="8", user_name="Bob")
    answer = await handle_memory_call(
        memory, "recall_deeply", {"about": "钢琴"}, Scope.group("100")
    )
    assert "钢琴" in answer and answer.startswith("<memory>")


async def test_nothing_known_is_said_so(memory: CognitiveService) -> None:
    for scope in (Scope.private("8"), Scope.group("100")):
        answer = await handle_memory_call(memory, "recall_deeply", {"about": "钢琴"}, scope)
        assert answer == "仔细想过了，没有想起相关的事。（只按关键词查了，换个说法也许能找到。）"


async def test_the_langchain_tools_do_the_same(memory: CognitiveService) -> None:
    tools = {tool.name: tool for tool in make_memory_tools(memory, ANN, language="en")}
    assert "piano" in await tools["propose_recall"].ainvoke({"about": "piano"})
    assert "I know that Ann" in await tools["recall_deeply"].ainvoke({"confirmed": True})


@pytest.mark.parametrize(
    ("language", "triggers"), [("zh", ("你仔细想想", "帮我回忆一下")), ("en", ("think back",))]
)
def test_the_description_says_when_the_user_asks_for_it(
    language: str, triggers: tuple[str, ...]
) -> None:
    schemas = {one["function"]["name"]: one["function"] for one in memory_tool_schemas(language)}  # type: ignore[arg-type]
    assert all(trigger in schemas["recall_deeply"]["description"] for trigger in triggers)
    assert set(schemas["recall_deeply"]["parameters"]["properties"]) == {"about", "confirmed"}
    assert schemas["propose_recall"]["parameters"]["required"] == ["about"]


async def test_a_reader_of_another_process_thinks_back_too(
    memory: CognitiveService, tmp_path: Path
) -> None:
    reader = MemoryReader(memory.settings, clock=lambda: NOW)
    assert "piano" in await handle_memory_call(reader, "recall_deeply", {"about": "piano"}, ANN)
    assert await MemoryReader(settings_for(tmp_path / "none")).get_relevant_memories("x", "7") == ""

    await asyncio.to_thread(reader.close)
