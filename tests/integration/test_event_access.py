"""The names that people who know other memories try first, and sentences for arguments that are wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from historian import (
    CognitiveService,
    HistorianError,
    InvalidInput,
    Scope,
    handle_memory_call,
    make_memory_tools,
)
from support.memory import settings_for

ANN, BEA = Scope.private("7"), Scope.private("8")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[CognitiveService]:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        yield memory


async def test_somebody_who_knows_other_memories_finds_the_way(memory: CognitiveService) -> None:
    await memory.add([{"role": "user", "content": "I'm vegetarian"}], ANN, user_name="Ann")
    await memory.add("I play the piano", BEA, user_name="Bea")
    await memory.enqueue_job(new_info=["She is vegetarian"], user_id="7", user_name="Ann")
    await memory.flush()
    assert await memory.settled(20)
    (hit,) = await memory.search("vegetarian", ANN, source="job")
    assert hit.event.text == "Ann is vegetarian" and not hit.pending
    listed = await memory.get_all(ANN, source="job")
    assert [event.text for event in listed] == ["Ann is vegetarian"]
    assert (
        len(await memory.list_events(ANN)) == 2 and len(await memory.list_events(ANN, limit=1)) == 1
    )
    assert await memory.list_events(ANN, time_to="2001-01-01") == []

    changed = await memory.update(hit.event.event_id, "Ann is vegan since May", scope=ANN)
    assert (changed.text, changed.rewritten_by) == ("Ann is vegan since May", "hand")
    assert [found.event.text for found in await memory.search("vegan", ANN, source="job")] == [
        "Ann is vegan since May"
    ]
    await memory.delete(hit.event.event_id, scope=ANN)
    assert await memory.list_events(ANN, source="job") == []
    assert await memory.search("vegan", ANN, source="job") == []


async def test_an_event_of_another_conversation_is_neither_changed_nor_removed(
    memory: CognitiveService,
) -> None:
    await memory.enqueue_job(new_info=["I play the piano"], user_id="8", user_name="Bea")
    assert await memory.settled(20)
    (event,) = await memory.list_events(BEA)
    for call in (
        memory.edit_event(event.event_id, "changed", scope=ANN),
        memory.delete_event(event.event_id, scope=ANN),
    ):
        with pytest.raises(
            InvalidInput, match=r"event_id: there is no event .*`list_events` shows"
        ):
            await call
    with pytest.raises(InvalidInput, match="text: empty; `delete_event` removes an event"):
        await memory.edit_event(event.event_id, " ")
    assert await memory.list_events(BEA) == [event]
    key = "api key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    assert "abcdefghij" not in (await memory.edit_event(event.event_id, f"Bea's {key}")).text


def said(message_id: str, text: str, **more: str) -> dict[str, str]:
    return {
        "role": "user",
        "content": text,
        "sender_id": "7",
        "name": "Ann",
        "id": message_id,
        **more,
    }


async def test_a_message_stands_as_it_was_said_until_it_is_said_otherwise_or_withdrawn(
    memory: CognitiveService,
) -> None:
    at = "2026-11-01T10:0{}:00+08:00"
    talk = [
        said(f"m{n}", f"I tidied shelf {n}", at=at.format(n), reply_to=f"m{n - 1}")
        for n in range(1, 6)
    ]
    await memory.remember(talk, ANN)
    await memory.flush()
    assert await memory.settled(20)
    (hit,) = await memory.search_events("shelf 3", ANN, kind="message", top_k=1, neighbours=1)
    event = hit.event
    assert (event.said, event.message_id, event.reply_to) == ("Ann: I tidied shelf 3", "m3", "m2")
    assert [one.message_id for one in (*hit.before, *hit.after)] == ["m2", "m4"]
    with pytest.raises(InvalidInput, match="messages cannot be edited"):
        await memory.edit_event(event.event_id, "I tidied no shelf", scope=ANN)

    await memory.remember(said("m3", "I painted shelf 3"), ANN)
    await memory.flush()
    assert await memory.settled(20)
    texts = {one.message_id: one.text for one in await memory.list_events(ANN)}
    assert texts["m3"] == "I painted shelf 3" and len(texts) == 5

    assert await memory.forget_message(["m3", "m4", "unknown"], ANN) == 2
    await memory.delete_event(
        next(one.event_id for one in await memory.list_events(ANN) if one.message_id == "m5")
    )
    await memory.remember([said(f"m{n}", f"I tidied shelf {n} again") for n in (3, 4, 5)], ANN)
    await memory.flush()
    assert await memory.settled(20)
    assert [one.message_id for one in await memory.list_events(ANN)] == ["m2", "m1"]


async def test_a_memory_that_is_not_open_says_so(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    assert await memory.list_events(ANN) == []
    with pytest.raises(HistorianError, match="not open"):
        await memory.delete_event("x")


WRONG: list[tuple[Callable[[CognitiveService], Awaitable[Any]], str]] = [
    (
        lambda m: m.get_profile("person", "7", ANN),
        "entity_type: 'person' is not one of user, group",
    ),  # type: ignore[arg-type]
    (lambda m: m.get_profile("user", "7", "p:7"), "scope: expected a Scope"),  # type: ignore[arg-type]
    (lambda m: m.search_events("piano", ANN, kind="foo"), "kind: 'foo' is not one of action, fact"),
    (
        lambda m: m.search_events("piano", ANN, kinds=["fact", "foo"]),
        "kind: 'foo' is not one of action, fact",
    ),
    (
        lambda m: m.search_events("piano", ANN, source="x"),
        "source: 'x' is not one of job, message, migrated, note, observation, summary",
    ),
    (lambda m: m.search_events("piano", ANN, neighbours=21), "neighbours: "),
    (lambda m: m.forget_message([1.5], ANN), "message_id: expected "),  # type: ignore[list-item]
    (lambda m: m.forget_message("x", "p:7"), "scope: expected a Scope"),  # type: ignore[arg-type]
    (
        lambda m: m.search_events("piano", ANN, top_k=0),
        "top_k: expected a number from 1 to 500, got 0",
    ),
    (
        lambda m: m.search_events("piano", ANN, top_k="many"),
        "top_k: expected a number from 1 to 500, got 'many'",
    ),  # type: ignore[arg-type]
    (
        lambda m: m.search_events("piano", ANN, user="7"),
        "user: unknown condition; the known conditions are user_id, sender_id, ",
    ),
    (lambda m: m.search_events(None, ANN), "query: expected text or a list of texts"),  # type: ignore[arg-type]
    (lambda m: m.search_events("piano", "p:7"), "scope: expected a Scope"),  # type: ignore[arg-type]
    (lambda m: m.search_profiles("piano", "p:7"), "scope: expected a Scope"),  # type: ignore[arg-type]
    (
        lambda m: m.search_profiles("piano", ANN, top_k=-1),
        "top_k: expected a number from 1 to 500, got -1",
    ),
    (
        lambda m: m.search_everywhere("piano", foo=1),
        "foo: unknown condition; the known conditions are user_id",
    ),
    (lambda m: m.list_events(ANN, limit=0), "limit: expected a number from 1 on, got 0"),
    (lambda m: m.list_events(ANN, kind="foo"), "kind: 'foo' is not one of action, fact"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "sentence"), WRONG)
async def test_a_wrong_argument_is_named_with_what_is_possible(
    memory: CognitiveService, call: Callable[[CognitiveService], Awaitable[Any]], sentence: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        await call(memory)
    assert str(raised.value).startswith(sentence)


async def test_a_misspelt_field_of_a_turn_is_answered_with_those_that_bots_hand_over(
    memory: CognitiveService,
) -> None:
    with pytest.raises(
        InvalidInput, match="new_inf: unknown field; the known fields are action_summary, "
    ) as raised:
        await memory.enqueue_job(new_inf=["x"], user_id="7")  # type: ignore[arg-type]
    assert "new_info" in str(raised.value)
    assert not [
        name
        for name in ("payload", "attempts", "schema_version", "last_error")
        if name in str(raised.value)
    ]


async def test_what_cannot_be_used_stops_no_reply(memory: CognitiveService) -> None:
    await memory.enqueue_job(new_info=["I play the piano"], user_id="7", user_name="Ann")
    assert await memory.settled(20)
    assert "piano" in await memory.build_context("piano", ANN, top_k=0)
    assert await memory.build_context(None, "p:7", top_k="x") == ""  # type: ignore[arg-type]


async def test_an_unknown_argument_of_a_tool_is_named_in_the_models_language(
    memory: CognitiveService,
) -> None:
    asked = {"query": "piano", "user": "7"}
    english = await handle_memory_call(memory, "search_events", asked, ANN, language="en")
    assert english.startswith(
        "The arguments are wrong: user: there is no such argument; those are query, top_k, user_id"
    )
    chinese = await handle_memory_call(
        memory, "search_events", asked | {"query": "会弹什么琴"}, ANN
    )
    assert "user：没有这个参数；可用的有：query, top_k" in chinese
    (tool,) = [
        tool for tool in make_memory_tools(memory, ANN, language="en") if tool.name == "get_profile"
    ]
    assert (
        "name: there is no such argument; those are entity_type, entity_id"
        in await tool.ainvoke({"name": "Ann"})
    )


async def test_names_that_models_guess_for_whom_they_mean_are_understood_and_not_offered(
    memory: CognitiveService,
) -> None:
    here = Scope.group("100", "7")
    for user_id, name, told in (
        ("7", "Ann", "I play the piano"),
        ("8", "Bea", "I restore old pianos"),
    ):
        fields: dict[str, Any] = {
            "user_id": user_id,
            "user_name": name,
            "group_id": "100",
            "group_name": "Music",
        }
        await memory.enqueue_job(new_info=[told], **fields)
    assert await memory.settled(20)
    tools = {tool.name: tool for tool in make_memory_tools(memory, here, language="en")}

    async def answers(name: str, **asked: Any) -> set[str]:
        by_tool = await tools[name].ainvoke(asked)
        assert by_tool == await handle_memory_call(memory, name, asked, here, language="en")
        return {one for one in ("Ann", "Bea", "Music") if one in by_tool}

    assert await answers("search_events", query="piano") == {"Ann", "Bea"}
    assert await answers("search_events", query="piano", target_user_id=8) == {"Bea"}
    assert await answers("search_events", query="piano", entity_type="user") == {"Ann"}
    assert await answers("search_events", query="piano", target_group_id="100") == {"Ann", "Bea"}
    assert await answers("get_profile", target_user_id="8") == {"Bea"}
    assert await answers("get_profile", entity_type="user") == {"Ann"}
    assert await answers("search_profiles", query="piano", target_user_id="8") == {"Bea"}
    assert await answers("search_profiles", query="piano", entity_type="group") == set()
    elsewhere = await tools["search_events"].ainvoke({"query": "piano", "target_group_id": "200"})
    assert (
        elsewhere
        == "The arguments are wrong: target_group_id: memory is bound to g:100 here; leave it out"
    )
    for tool in tools.values():
        assert not [name for name in tool.args if name.startswith("target_")]


async def test_the_conditions_of_a_search_are_parameters_that_an_editor_completes() -> None:
    for method in (
        CognitiveService.search,
        CognitiveService.search_events,
        CognitiveService.list_events,
    ):
        assert {"kind", "user_id", "source", "time_from", "occurs_to", "is_absolute"} <= set(
            signature(method).parameters
        )
