"""The language of tools, prompt texts and answers: that of the conversation, then the settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from historian import (
    CognitiveService,
    HistorianMiddleware,
    Scope,
    end_tool_schema,
    handle_end_call,
    handle_memory_call,
    make_end_tool,
    make_memory_tools,
    memory_tool_schemas,
    system_prompt_text,
)
from historian.service.languages import Languages
from langchain.agents import create_agent
from langchain_core.utils.function_calling import convert_to_openai_tool
from support.memory import private_fields, settings_for
from support.models.scripted_model import ScriptedModel

ANN, MING = Scope.private("7"), Scope.private("42")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as service:
        yield service


def test_the_conversation_tells_the_language_and_then_the_settings() -> None:
    configured = "auto"
    languages = Languages(lambda: configured)  # type: ignore[arg-type, return-value]
    assert languages.choose("auto", "p:7") == languages.choose(None, "p:7") == "zh"
    languages.hear("p:7", ["What do I like to drink?"])
    assert languages.choose("auto", "p:7") == languages.choose(None, "p:7") == "en"
    languages.hear("p:7", ["好"])
    assert languages.choose("auto", "p:7") == "en", "one character changes no language"
    languages.hear("p:7", ["那我喜欢喝什么？"])
    assert languages.choose("auto", "p:7") == "zh" and languages.choose("en", "p:7") == "en"
    assert languages.choose("auto", "p:8", ["What do I like?"]) == "en"
    configured = "en"
    assert languages.choose("auto", "p:7") == "zh", (
        "the conversation comes first where it is asked for"
    )
    assert languages.choose(None, "p:7") == languages.choose("auto", "p:8") == "en"


async def test_tools_and_answers_are_in_the_language_of_their_conversation(
    memory: CognitiveService,
) -> None:
    await memory.build_context("What do I like to drink?", ANN)
    await memory.remember("我喜欢喝龙井茶", Scope.private("43"), user_name="阿明")
    assert memory.language_of(Scope.private("43")) == "zh" and memory.language_of(ANN) == "en"
    await memory.build_context("我喜欢喝什么？", MING)
    for scope, found, described in (
        (ANN, "Nothing is remembered", "Search the long-term"),
        (MING, "没有找到", "在本会话的"),
    ):
        tool = make_memory_tools(memory, scope, language="auto")[0]
        assert tool.description.startswith(described)
        assert (await tool.ainvoke({"query": "swimming"})).startswith(found)
        assert (
            await handle_memory_call(memory, "search_events", {"query": "游泳池 pool"}, scope)
        ).startswith(found)
    english, chinese = private_fields(user_id="7"), private_fields(user_id="42")
    assert (await handle_end_call(memory, {}, english)).startswith("Ended")
    assert (await handle_end_call(memory, {}, chinese)).startswith("已结束")
    for fields, word in ((english, "Ended"), (chinese, "已结束")):
        tool = make_end_tool(memory, fields, language="auto")
        assert (await tool.ainvoke({})).startswith(word)
        bound = convert_to_openai_tool(tool)["function"]
        assert bound["parameters"]["properties"]["force"]["description"].startswith(
            "true" if word == "Ended" else "有意"
        )


def test_texts_for_prompts_are_in_the_language_of_what_was_said() -> None:
    for said, language in (("What do I like?", "en"), ("我喜欢什么？", "zh"), ("", "zh")):
        assert system_prompt_text("auto", said=said) == system_prompt_text(language)  # type: ignore[arg-type]
        assert end_tool_schema("auto", said=said) == end_tool_schema(language)  # type: ignore[arg-type]
        assert memory_tool_schemas(said=[said]) == memory_tool_schemas(language)  # type: ignore[arg-type]


async def test_an_agent_for_many_conversations_describes_its_tools_to_each_in_its_language(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=["Hello.", "你好。"])
    agent = create_agent(model, [], middleware=[HistorianMiddleware(memory)])
    for user_id, said, described in (
        ("7", "What do you know about me?", "Search the"),
        ("42", "你还记得我什么？", "在本会话"),
    ):
        await agent.ainvoke(
            {"messages": [("user", said)]}, config={"configurable": {"user_id": user_id}}
        )
        assert model.descriptions[0].startswith(described)
