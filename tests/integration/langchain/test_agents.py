"""Memory in LangChain's agents and in LangGraph graphs: the real frameworks, with a model that says what the test wrote."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from historian import (
    CognitiveService,
    HistorianMiddleware,
    InvalidInput,
    Scope,
    StorageError,
    recall_node,
    remember_node,
)
from historian.schema.event import EventFilter
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, SummarizationMiddleware
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langchain_core.tools import tool
from langgraph.channels import UntrackedValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from support.memory import settings_for
from support.models.scripted_model import ScriptedModel, calls

ANN = Scope.private("7")
GROUP = Scope.group("100", "7")


@pytest.fixture
async def memory(tmp_path: Path) -> Any:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(new_info=["She plays the piano"], user_id="7", user_name="Ann")
        await memory.enqueue_job(new_info=["She plays the violin"], user_id="8", user_name="Bea")
        assert await memory.settled(20)
        yield memory


@tool
def book(day: str) -> str:
    """Book a room."""
    return f"the room is booked for {day}"


def observed(memory: CognitiveService, scope: Scope, source: str = "message") -> list[str]:
    assert memory.lifecycle.opened is not None
    where = EventFilter(scope.key, sources=(source,))
    return [
        event.said for event in memory.lifecycle.opened.parts.events.find(where, newest_first=False)
    ]


async def remembered(memory: CognitiveService, scope: Scope) -> list[str]:
    """What was handed over in a conversation, everybody's words with the speaker, once it is filed."""
    await memory.flush()
    assert await memory.settled(20)
    return observed(memory, scope)


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {"messages": [HumanMessage(text, name="Ann", **more)]}


def shown(messages: list[BaseMessage]) -> list[str]:
    """What a model was given: the role and the text, of a memory block only that it is one."""
    return [
        f"{one.type}: {'MEMORY' if one.text.startswith('<memory>') else one.text}"
        for one in messages
    ]


async def test_an_agent_recalls_before_the_model_and_remembers_after_it(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=["The piano.", calls("book", day="Friday"), "Done."])
    agent = create_agent(
        model, [book], middleware=[HistorianMiddleware(memory, ANN)], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    first = await agent.ainvoke(asked("What do I play? I'm vegetarian"), config)
    second = await agent.ainvoke(asked("Book the music room"), config)
    assert shown(model.seen[0]) == ["human: MEMORY", "human: What do I play? I'm vegetarian"]
    assert "Ann plays the piano" in model.seen[0][0].text and "violin" not in model.seen[0][0].text
    assert shown(model.seen[2])[-4:] == [
        "human: MEMORY",
        "human: Book the music room",
        "ai: ",
        "tool: the room is booked for Friday",
    ]
    assert set(model.offered) == {
        "book",
        "search_events",
        "get_profile",
        "search_profiles",
        "recall_deeply",
        "propose_recall",
    }
    assert not [one for one in second["messages"] if "<memory>" in one.text]
    assert "historian_turn" not in first
    assert await remembered(memory, ANN) == [
        "Ann: What do I play? I'm vegetarian",
        "小史: The piano.",
        "Ann: Book the music room",
        "book → the room is booked for Friday",
        "小史: Done.",
    ]


def test_an_agent_in_synchronous_code_recalls_and_remembers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def open_and_run() -> list[str]:
        async with CognitiveService.open(settings_for(tmp_path)) as memory:
            await memory.enqueue_job(new_info=["She plays the piano"], user_id="7", user_name="Ann")
            assert await memory.settled(20)
            model = ScriptedModel(
                script=[calls("search_events", query="piano"), "The piano.", "Bye."]
            )
            agent = create_agent(
                model, [], middleware=[HistorianMiddleware(memory, ANN, language="en")]
            )
            await asyncio.to_thread(agent.invoke, asked("What do I play?"))
            assert shown(model.seen[0]) == ["human: MEMORY", "human: What do I play?"]
            assert "Ann plays the piano" in model.seen[1][-1].text and isinstance(
                model.seen[1][-1], ToolMessage
            )
            agent.invoke(asked("Thank you"))  # blocks the loop of the service itself
            return await remembered(memory, ANN)

    said = asyncio.run(
        open_and_run(), debug=True
    )  # which raises where a thread touches another one's loop
    assert "not remembered" not in caplog.text
    assert said == ["Ann: What do I play?", "小史: The piano.", "Ann: Thank you", "小史: Bye."]


async def test_a_message_with_other_words_replaces_the_former_and_one_that_is_named_is_withdrawn(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=["Noted."] * 4)
    agent = create_agent(
        model, [], middleware=[HistorianMiddleware(memory, ANN)], checkpointer=InMemorySaver()
    )
    config: dict[str, Any] = {"configurable": {"thread_id": "1"}}
    for number, text in enumerate(("I have a cat", "I live in York", "I like tea")):
        await agent.ainvoke(asked(text, id=f"m{number}"), config)  # type: ignore[arg-type]
    assert await remembered(memory, ANN) == [
        one
        for text in ("I have a cat", "I live in York", "I like tea")
        for one in (f"Ann: {text}", "小史: Noted.")
    ]
    changed = {
        "messages": [
            HumanMessage("I have a dog", name="Ann", id="m0"),
            HumanMessage("Thanks", name="Ann", id="m3"),
        ]
    }
    withdrawing: Any = {"configurable": {"thread_id": "1", "withdrawn": ["m1", "unknown"]}}
    await agent.ainvoke({"messages": [*changed["messages"], RemoveMessage(id="m2")]}, withdrawing)
    people = [one for one in await remembered(memory, ANN) if one.startswith("Ann")]
    assert people == ["Ann: I have a dog", "Ann: I like tea", "Ann: Thanks"], (
        "what leaves the state alone stays"
    )


async def test_a_stream_of_an_agent_holds_no_memory_and_the_turn_is_remembered(
    memory: CognitiveService,
) -> None:
    agent = create_agent(
        ScriptedModel(script=["The piano."]), [], middleware=[HistorianMiddleware(memory, ANN)]
    )
    streamed = [
        chunk async for chunk, _ in agent.astream(asked("What do I play?"), stream_mode="messages")
    ]
    assert (
        "".join(chunk.text for chunk in streamed if isinstance(chunk, AIMessage)).strip()
        == "The piano."
    )
    assert not [chunk for chunk in streamed if "<memory>" in chunk.text]
    assert (await remembered(memory, ANN))[0] == "Ann: What do I play?"


async def test_one_agent_serves_many_conversations_that_its_runs_name(
    memory: CognitiveService,
) -> None:
    @dataclass
    class Who:
        user_id: str
        group_id: str | None = None
        user_name: str = "Bea"

    model = ScriptedModel(script=["a", calls("search_events", query="violin"), "b", "c"])
    agent = create_agent(model, [], middleware=[HistorianMiddleware(memory)], context_schema=Who)
    await agent.ainvoke(
        {"messages": [("user", "What do I play?")]},
        config={"configurable": {"user_id": "7"}},
        context=Who("8"),
    )
    assert "violin" in model.seen[0][0].text and "piano" not in model.seen[0][0].text
    untyped = create_agent(model, [], middleware=[HistorianMiddleware(memory)])
    await untyped.ainvoke(asked("What do I play?"), config={"configurable": {"user_id": 8}})
    assert "Bea plays the violin" in model.seen[2][-1].text
    await untyped.ainvoke(
        {"messages": [("user", "hello")]},
        context={"user_id": "7", "group_id": "100", "user_name": "Ann"},
    )
    assert (await remembered(memory, Scope.private("8")))[0] == "Bea: What do I play?"
    assert await remembered(memory, GROUP) == ["Ann: hello", "小史: c"]
    assert await remembered(memory, ANN) == []


async def test_a_function_may_name_the_conversation_of_a_run(memory: CognitiveService) -> None:
    model = ScriptedModel(script=["a"])
    by_thread = HistorianMiddleware(
        memory, lambda given: Scope.private(given["thread_id"].removeprefix("chat-"))
    )
    await create_agent(model, [], middleware=[by_thread]).ainvoke(
        asked("What do I play?"), config={"configurable": {"thread_id": "chat-8"}}
    )
    assert "violin" in model.seen[0][0].text


async def test_a_run_that_names_no_conversation_is_answered_without_memory(
    memory: CognitiveService, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(script=[calls("search_events", query="piano"), "I do not know."])
    agent = create_agent(model, [], middleware=[HistorianMiddleware(memory, language="en")])
    answered = await agent.ainvoke(asked("What do I play?"))
    assert [one.text for one in answered["messages"]][-2:] == [
        "Memory cannot be read at the moment.",
        "I do not know.",
    ]
    assert "the run names no conversation" in caplog.text
    with pytest.raises(InvalidInput, match=r"scope: expected a Scope"):
        HistorianMiddleware(memory, "7")  # type: ignore[arg-type]


async def test_a_memory_that_is_closed_does_not_stop_an_agent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    agent = create_agent(
        ScriptedModel(script=["hello", "hello"]), [], middleware=[HistorianMiddleware(memory, ANN)]
    )
    assert (await agent.ainvoke(asked("hi")))["messages"][-1].text == "hello"
    assert "a turn is not remembered: the service is not open" in caplog.text
    assert (await asyncio.to_thread(agent.invoke, asked("hi")))["messages"][-1].text == "hello"


async def test_an_interrupted_turn_is_remembered_once_and_as_a_whole(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=[calls("book", day="Friday"), "Done."])
    middleware: list[Any] = [
        HistorianMiddleware(memory, ANN),
        HumanInTheLoopMiddleware(interrupt_on={"book": True}),
    ]
    agent = create_agent(model, [book], middleware=middleware, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    stopped = await agent.ainvoke(asked("Book the music room"), config)
    assert "__interrupt__" in stopped
    assert await remembered(memory, ANN) == []
    await agent.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    whole = ["Ann: Book the music room", "book → the room is booked for Friday", "小史: Done."]
    assert await remembered(memory, ANN) == whole
    model.script.append("Again.")
    await agent.ainvoke({"messages": []}, config)
    assert await remembered(memory, ANN) == [*whole, "小史: Again."]


async def test_what_was_said_in_a_turn_that_failed_is_remembered_with_the_next_and_by_its_speaker(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=[calls("book", day="Friday"), RuntimeError("no model"), "Hello."])
    agent = create_agent(
        model, [book], middleware=[HistorianMiddleware(memory)], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1", "group_id": "100"}}
    with pytest.raises(RuntimeError, match="no model"):
        await agent.ainvoke(
            {"messages": [HumanMessage("I'm allergic to peanuts", name="Ann")]},
            config,
            context={"user_id": "7"},
        )
    await agent.ainvoke(
        {"messages": [HumanMessage("I'm vegetarian", name="Bea")]}, config, context={"user_id": "8"}
    )
    assert "Ann: I'm allergic to peanuts" in await remembered(memory, GROUP)
    said = {(event.text, event.said_by) for event in events(memory, GROUP) if event.role == "user"}
    assert said == {("I'm allergic to peanuts", "7"), ("I'm vegetarian", "8")}


@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (StorageError("the disk is full"), False),
        (OSError(), False),
        (InvalidInput("who says that?"), True),
    ],
)
async def test_a_turn_that_could_not_be_handed_over_is_remembered_with_the_next(
    memory: CognitiveService,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    lost: bool,
    synchronous: bool,
) -> None:
    """What is invalid is not tried again: it would keep the next turns from being remembered."""
    agent = create_agent(
        ScriptedModel(script=["Hi.", "Bye."]),
        [],
        middleware=[HistorianMiddleware(memory, ANN)],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "1"}}

    async def run(text: str) -> None:
        if synchronous:
            await asyncio.to_thread(agent.invoke, asked(text), config)
        else:
            await agent.ainvoke(asked(text), config)

    async def refuse(*_: Any, **__: Any) -> list[str]:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(memory, "remember", refuse)
        await run("hello")
    await run("good night")
    first = [] if lost else ["Ann: hello", "小史: Hi."]
    assert await remembered(memory, ANN) == [*first, "Ann: good night", "小史: Bye."]


def events(memory: CognitiveService, scope: Scope) -> list[Any]:
    assert memory.lifecycle.opened is not None
    return memory.lifecycle.opened.parts.events.find(
        EventFilter(scope.key, kinds=("message",)), newest_first=False
    )


async def test_a_turn_that_another_conversation_left_open_on_the_same_thread_stays_out(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=[calls("book", day="Friday"), RuntimeError("no model"), "Hello."])
    agent = create_agent(
        model, [book], middleware=[HistorianMiddleware(memory)], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    with pytest.raises(RuntimeError, match="no model"):
        await agent.ainvoke(asked("I'm allergic to peanuts"), config, context={"user_id": "7"})
    await agent.ainvoke(
        {"messages": [HumanMessage("hi", name="Bea")]}, config, context={"user_id": "8"}
    )
    assert await remembered(memory, Scope.private("8")) == ["Bea: hi", "小史: Hello."]


async def test_a_history_without_ids_is_not_remembered_again_with_every_turn(
    memory: CognitiveService,
) -> None:
    agent = create_agent(
        ScriptedModel(script=["Hello.", "Bye."]), [], middleware=[HistorianMiddleware(memory, ANN)]
    )
    history: list[Any] = [{"role": "user", "content": "I'm vegetarian"}]
    await agent.ainvoke({"messages": history})
    history += [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "bye"}]
    await agent.ainvoke({"messages": history})
    said = [text.partition(": ")[2] for text in await remembered(memory, ANN)]
    assert said == ["I'm vegetarian", "Hello.", "bye", "Bye."]


async def test_a_summary_in_place_of_old_messages_is_nobodys_words(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=["one", "SUMMARY", "two"])
    shortening = SummarizationMiddleware(model, trigger=("messages", 3), keep=("messages", 1))
    middleware: list[Any] = [HistorianMiddleware(memory, ANN), shortening]
    agent = create_agent(model, [], middleware=middleware, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    await agent.ainvoke(asked("I'm vegetarian"), config)
    await agent.ainvoke(asked("What do I play?"), config)
    assert (
        shown(model.seen[-1])[-2:] == ["human: MEMORY", "human: What do I play?"]
        and "SUMMARY" in model.seen[-1][0].text
    )
    assert await remembered(memory, ANN) == [
        "Ann: I'm vegetarian",
        "小史: one",
        "Ann: What do I play?",
        "小史: two",
    ]


async def test_an_agent_that_is_called_as_a_tool_recalls_and_does_not_take_its_order_for_a_persons_words(
    memory: CognitiveService,
) -> None:
    below = ScriptedModel(script=["It is the piano."])
    inner = create_agent(below, [], middleware=[HistorianMiddleware(memory)], name="librarian")

    @tool
    async def librarian(question: str) -> str:
        """Ask the librarian."""
        answered = await inner.ainvoke({"messages": [("user", question)]})
        return str(answered["messages"][-1].text)

    above = ScriptedModel(
        script=[calls("librarian", question="I need what Ann plays"), "The piano."]
    )
    agent = create_agent(above, [librarian], middleware=[HistorianMiddleware(memory)])
    await agent.ainvoke(asked("What do I play?"), config={"configurable": {"user_id": "7"}})
    assert shown(below.seen[0]) == ["human: MEMORY", "human: I need what Ann plays"]
    assert await remembered(memory, ANN) == [
        "Ann: What do I play?",
        "librarian → It is the piano.",
        "小史: The piano.",
    ]


async def test_an_agent_that_is_a_node_of_a_graph_remembers(memory: CognitiveService) -> None:
    agent = create_agent(
        ScriptedModel(script=["The piano."]), [], middleware=[HistorianMiddleware(memory)]
    )
    graph = StateGraph(MessagesState).add_node("agent", agent).add_edge(START, "agent").compile()
    await graph.ainvoke(asked("What do I play?"), config={"configurable": {"user_id": "7"}})
    assert await remembered(memory, ANN) == ["Ann: What do I play?", "小史: The piano."]


class Talk(MessagesState):
    memory: Annotated[list[AnyMessage], UntrackedValue(list)]


def graph_over(memory: CognitiveService, model: ScriptedModel) -> Any:
    async def areply(state: Talk) -> dict[str, Any]:
        return {"messages": [await model.ainvoke([*state["memory"], *state["messages"]])]}

    builder = StateGraph(Talk).add_node("recall", recall_node(memory)).add_node("reply", areply)
    builder.add_node("remember", remember_node(memory)).add_edge(START, "recall").add_edge(
        "recall", "reply"
    )
    return builder.add_edge("reply", "remember").compile(checkpointer=InMemorySaver())


async def test_a_graph_of_ones_own_recalls_and_remembers_by_two_nodes(
    memory: CognitiveService,
) -> None:
    model = ScriptedModel(script=["The piano.", "Bye."])
    graph = graph_over(memory, model)
    config: Any = {"configurable": {"thread_id": "1", "user_id": "7", "user_name": "Ann"}}
    await graph.ainvoke({"messages": [("user", "What do I play?")]}, config)
    await graph.ainvoke({"messages": [("user", "Bye")]}, config)
    assert shown(model.seen[0]) == ["human: MEMORY", "human: What do I play?"]
    assert await remembered(memory, ANN) == [
        "Ann: What do I play?",
        "小史: The piano.",
        "Ann: Bye",
        "小史: Bye.",
    ]
    kept = [str(step.values) async for step in graph.aget_state_history(config)]
    assert kept and not [values for values in kept if "<memory>" in values]


async def test_the_nodes_work_in_synchronous_graphs_and_stop_none(
    memory: CognitiveService, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    state = {"messages": [HumanMessage("What do I play?", id="m1")]}
    recall, remember = recall_node(memory, scope=ANN), remember_node(memory, scope=ANN)
    assert "piano" in (await asyncio.to_thread(recall.invoke, state))["memory"][0].text
    assert await asyncio.to_thread(remember.invoke, state) == {}
    assert remember.invoke(state) == {} and len(await remembered(memory, ANN)) == 1
    assert recall.invoke({"messages": 5}) == {"memory": []} and "holds no messages" in caplog.text
    assert (
        recall_node(memory).invoke(state) == {"memory": []}
        and "names no conversation" in caplog.text
    )
