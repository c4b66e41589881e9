"""Synchronous agents inside of a running event loop, as in a notebook's cell; and one service in several event loops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, HistorianError, HistorianMiddleware, Scope, remember_node
from historian.schema.event import EventFilter
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from support.memory import settings_for
from support.models.scripted_model import ScriptedModel

ANN = Scope.private("7")


def agent(memory: CognitiveService) -> Any:
    return create_agent(
        ScriptedModel(script=["Noted."]), [], middleware=[HistorianMiddleware(memory)]
    )


def graph(memory: CognitiveService) -> Any:
    builder = StateGraph(MessagesState).add_node(
        "reply", lambda _: {"messages": [AIMessage("Noted.")]}
    )
    builder.add_node("remember", remember_node(memory)).add_edge(START, "reply").add_edge(
        "reply", "remember"
    )
    return builder.compile()


def facts(memory: CognitiveService) -> list[str]:
    assert memory.lifecycle.opened is not None
    found = memory.lifecycle.opened.parts.events.find(EventFilter(ANN.key, kinds=("message",)))
    return [one.said for one in found if one.role == "user"]


async def filed(memory: CognitiveService) -> list[str]:
    await memory.flush()
    assert await memory.settled(20)
    return facts(memory)


@pytest.mark.parametrize("made", [agent, graph])
async def test_what_runs_synchronously_inside_a_running_event_loop_remembers_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, made: Callable[[CognitiveService], Any]
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        said = {"messages": [HumanMessage("I'm vegetarian")]}
        made(memory).invoke(said, config={"configurable": {"user_id": "7", "user_name": "Ann"}})
        assert await filed(memory) == ["Ann: I'm vegetarian"]
    assert not [
        one
        for one in caplog.records
        if one.levelno >= logging.WARNING and "remembered" in one.message
    ]


def test_a_service_that_was_left_open_refuses_in_the_next_event_loop_and_says_what_helps(
    tmp_path: Path,
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))

    async def first() -> None:
        await memory.start()
        await memory.remember("I'm vegetarian", ANN, user_name="Ann")

    asyncio.run(first())
    with pytest.raises(HistorianError, match=r"event loop .* has ended.*`await memory.start\(\)`"):
        asyncio.run(memory.remember("I live in Leeds", ANN, user_name="Ann"))
    with pytest.raises(HistorianError, match="event loop"):
        asyncio.run(
            memory.enqueue_job(new_info=["She lives in Leeds"], user_id="7", user_name="Ann")
        )

    async def third() -> list[str]:
        async with memory:
            await memory.remember("I live in Leeds", ANN, user_name="Ann")
            return await filed(memory)

    assert sorted(asyncio.run(third())) == ["Ann: I live in Leeds", "Ann: I'm vegetarian"]


def test_a_service_without_a_worker_hands_over_in_whatever_event_loop(tmp_path: Path) -> None:
    """Another process files: none of this one has ended."""
    memory = CognitiveService.open(settings_for(tmp_path), worker=False)

    async def first() -> None:
        await memory.start()

    asyncio.run(first())
    assert asyncio.run(
        memory.enqueue_job(new_info=["She lives in Leeds"], user_id="7", user_name="Ann")
    )
    asyncio.run(memory.aclose())


def test_a_service_may_be_opened_and_closed_in_one_event_loop_after_another(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))

    async def say(text: str) -> list[str]:
        async with memory:
            await memory.remember(text, ANN, user_name="Ann")
            return await filed(memory)

    assert asyncio.run(say("I'm vegetarian")) == ["Ann: I'm vegetarian"]
    assert sorted(asyncio.run(say("I live in Leeds"))) == [
        "Ann: I live in Leeds",
        "Ann: I'm vegetarian",
    ]


async def test_a_synchronous_agent_in_a_thread_of_its_own_hands_over_to_the_loop_that_is_at_work(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        said = {"messages": [HumanMessage("I'm vegetarian")]}
        config = {"configurable": {"user_id": "7", "user_name": "Ann"}}
        await asyncio.to_thread(agent(memory).invoke, said, config)
        assert await filed(memory) == ["Ann: I'm vegetarian"]


def test_what_was_observed_in_an_event_loop_that_ended_is_stored_by_the_next_one_that_closes_the_service(
    tmp_path: Path,
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))

    async def first() -> None:
        await memory.start()
        memory.feed_message("user", "the tulips are in the cellar", scope=ANN)

    async def second() -> None:
        with pytest.raises(HistorianError, match="event loop"):
            memory.feed_message("user", "and the roses", scope=ANN)
        await memory.aclose()
        assert await memory.ready()

    async def third() -> list[str]:
        async with memory:
            assert memory.lifecycle.opened is not None
            return [
                one.text for one in memory.lifecycle.opened.parts.events.find(EventFilter(ANN.key))
            ]

    asyncio.run(first())
    asyncio.run(second())
    assert asyncio.run(third()) == ["the tulips are in the cellar"]


async def test_an_agent_recalls_by_the_words_of_a_message_with_a_picture_and_remembers_both(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(new_info=["She plays the piano"], user_id="7", user_name="Ann")
        assert await memory.settled(20)
        model = ScriptedModel(script=["<think>hm</think>The piano."])
        content: Any = [
            {"type": "text", "text": "What do I play?"},
            {"type": "image_url", "image_url": {"url": "x"}},
        ]
        agent = create_agent(model, [], middleware=[HistorianMiddleware(memory, ANN)])
        await agent.ainvoke({"messages": [HumanMessage(content, name="Ann")]})
        assert "Ann plays the piano" in model.seen[0][0].text
        await filed(memory)
        assert memory.lifecycle.opened is not None
        said = memory.lifecycle.opened.parts.events.find(
            EventFilter(ANN.key, kinds=("message",)), newest_first=False
        )
        assert [one.said for one in said] == ["Ann: What do I play?\n[image]", "小史: The piano."]
