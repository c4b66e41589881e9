"""`historian.graphs`: run by hand, with a checkpointer of one's own, and as parts of a bot's graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, HistorianError, InvalidInput, Scope
from historian.graphs import historian_graph, recall_graph, reflection_graph, states, talk, turn
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from support.memory import private_fields, settings_for
from typing_extensions import TypedDict

ANN = Scope.private("7")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as service:
        yield service


async def test_a_turn_is_filed_step_by_step_and_goes_on_where_it_was_stopped(
    memory: CognitiveService,
) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    saver, given = (
        InMemorySaver(),
        turn(memory, "I told her a story", ["She likes tea"], **private_fields()),
    )
    graph = historian_graph(memory, checkpointer=saver)
    await graph.ainvoke(given, thread, interrupt_after=["gate"])
    assert (await graph.aget_state(thread)).next == ("embed",) and not await memory.list_events(ANN)
    again = historian_graph(memory, checkpointer=saver)
    done = await again.ainvoke(None, thread)
    assert done["filed"] == "new" and {event.text for event in await memory.list_events(ANN)} == {
        "Clio told Ann a story",
        "Ann likes tea",
    }
    assert (await historian_graph(memory).ainvoke(given))["filed"] == "before", (
        "the same job changes nothing"
    )
    profile = await memory.get_profile("user", "7", ANN)
    assert profile is not None and "tea" in profile.summary


async def test_the_graphs_are_parts_of_a_bots_graph_with_a_context_of_its_own(
    memory: CognitiveService,
) -> None:
    class BotState(TypedDict, total=False):
        query: str
        user_id: str
        hits: list[dict[str, Any]]
        job: dict[str, Any]
        reply: str

    async def reply(state: BotState) -> BotState:
        fields = private_fields(request_id="r2", user_id=state["user_id"])
        given = turn(memory, "I told her what she drinks", [], **fields)
        return {"reply": state["hits"][0]["text"], "job": given["job"]}

    builder = StateGraph(BotState, context_schema=dict)
    builder.add_node("recall", recall_graph(memory))
    builder.add_node("reply", reply)
    builder.add_node("historian", historian_graph(memory))
    builder.add_edge(START, "recall").add_edge("recall", "reply").add_edge(
        "reply", "historian"
    ).add_edge("historian", END)
    bot = builder.compile(checkpointer=InMemorySaver())
    first = talk(memory, [("user", "I love longjing tea")], ANN, user_name="Ann")
    await historian_graph(memory).ainvoke(first)
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    said = await bot.ainvoke(
        {"query": "Which tea?", "user_id": "7"}, thread, context={"of": "the bot"}
    )
    assert "longjing" in said["reply"]
    assert any(
        "told Ann what" in event.text for event in await memory.list_events(ANN, kind="action")
    )


async def test_talk_becomes_a_summary_by_the_graph(memory: CognitiveService) -> None:
    lines = [("user", f"On day {n} I swam {n} lengths in the lake") for n in range(1, 5)]
    given = states(
        memory, [{"role": role, "content": text} for role, text in lines], "7", user_name="Ann"
    )
    done = await reflection_graph(memory).ainvoke(given)
    assert done["job"]["kind"] == "states"


async def test_what_cannot_be_run_is_said(tmp_path: Path, memory: CognitiveService) -> None:
    closed = CognitiveService.open(settings_for(tmp_path / "closed"))
    with pytest.raises(HistorianError, match="not open"):
        await recall_graph(closed).ainvoke({"query": "tea", "user_id": "7"})
    with pytest.raises(InvalidInput, match="nothing was said"):
        talk(memory, [], ANN)
    with pytest.raises(InvalidInput, match="user_id"):
        turn(memory, "x")
