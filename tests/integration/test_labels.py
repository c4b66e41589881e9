"""Tags, metadata and expiry from what a bot hands over to what it gets back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.retriever import CognitiveRetriever
from historian.interfaces.langchain.tools import handle_memory_call
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts
from historian.service.upkeep.idle_work import EXPIRY_SECONDS
from support.clock import Clock
from support.memory import group_fields, private_fields, settings_for
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually

ANN, GROUP = Scope.private("7"), Scope.group("100", "42")
HOUR = 3_600.0


def parts_of(memory: CognitiveService) -> Parts:
    assert memory.lifecycle.opened is not None
    return memory.lifecycle.opened.parts


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


async def test_a_hand_over_is_found_by_its_labels_pending_and_filed(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with CognitiveService.open(settings, worker=False) as memory:
        labels: dict[str, Any] = {
            "tags": ["Trip ", "旅行"],
            "metadata": {"thread": 7, "password": "hunter2!"},
        }
        await memory.enqueue_job("", ["she goes to Leeds"], **private_fields(**labels))
        await memory.enqueue_job("", ["she goes to York"], **private_fields(tags="trip"))
        assert [
            hit.pending
            for hit in await memory.search_events("where does she go", ANN, tags=["trip"])
        ] == [True, True]
        assert (
            len(await memory.search_events("where does she go", ANN, metadata={"thread": 7})) == 1
        )
        assert await memory.search_events("where does she go", ANN, tags=["trip", "none"]) == []
    async with CognitiveService.open(settings) as memory:
        assert await memory.settled(20)
        (event,) = await memory.list_events(ANN, tags=("TRIP", "旅行"))
        assert event.tags == ("trip", "旅行") and event.metadata == {
            "thread": 7,
            "password": "[PASSWORD]",
        }
        assert (
            "tags: trip, 旅行" in event.explain()
            and 'metadata: {"password":"[PASSWORD]","thread":7}' in event.explain()
        )
        (hit,) = await memory.search_events("where does she go", ANN, metadata={"thread": 7})
        assert hit.event == event and not hit.pending
        assert len(await memory.search_everywhere("Leeds or York", tags=["trip"])) == 2
        assert len(await memory.search_everywhere("Leeds or York", metadata={"thread": 7})) == 1
        assert "trip" not in (await memory.build_context("where does she go?", ANN)).casefold()
        retriever = CognitiveRetriever(memory=memory, scope=ANN, search_kwargs={"tags": ["旅行"]})
        (document,) = await retriever.ainvoke("where does she go")
        assert (
            document.metadata["tags"] == ["trip", "旅行"]
            and document.metadata["metadata"]["thread"] == 7
        )
        call = {"query": "where does she go", "tags": ["旅行"], "metadata": {"thread": 7}}
        answer = await handle_memory_call(memory, "search_events", json.dumps(call), ANN)
        assert "Leeds" in answer and "York" not in answer
        assert "metadata" in await handle_memory_call(
            memory, "search_events", {**call, "metadata": {"a": []}}, ANN
        )


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"tags": ["x" * 40]}, r"tags\[0\]: 40 characters"),
        ({"tags": 5}, "tags: expected a list"),
        ({"metadata": {"a": {"b": {1, 2}}}}, r"metadata\.a\.b: expected text"),
        ({"metadata": [1]}, "metadata: expected an object"),
        (
            {"expires_at": "2026-02-22T02:00:00+08:00"},
            "expires_at: lies in the past; it is 2026-02-22T02:53:20",
        ),
        ({"expires_at": 3600}, "expires_at: lies in the past"),
        ({"expires_at": "later"}, "expires_at: 'later' is not a day"),
        ({"expires_at": "2026-02-22T06:00:00"}, "expires_at: .* has no UTC offset"),
    ],
)
async def test_wrong_labels_are_refused_and_nothing_is_written(
    tmp_path: Path, wrong: dict[str, Any], problem: str
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False, clock=Clock()) as memory:
        with pytest.raises(InvalidInput, match=problem):
            await memory.enqueue_job("", ["x"], **private_fields(**wrong))
        if "lies in the past" not in problem:
            with pytest.raises(InvalidInput, match=r"messages\[1\]\." + problem):
                await memory.remember(["hi", {"content": "x", **wrong}], ANN)
        assert parts_of(memory).queue.counts(0.0).pending == 0


async def test_what_expires_is_gone_at_once_and_for_good_soon_after(tmp_path: Path) -> None:
    clock = Clock()
    async with CognitiveService.open(settings_for(tmp_path), clock=clock) as memory:
        until = (
            clock.now + EXPIRY_SECONDS / 2
        )  # what has expired before a round is deleted by the next one after the pause
        fields = group_fields(timestamp=clock.now)
        await memory.enqueue_job("", ["阿明喜欢科幻小说"], **fields)
        await memory.enqueue_job("", ["阿明喜欢吃火锅暗号"], **fields, expires_at=until)
        said: dict[str, Any] = {"sender_id": "42", "name": "阿明", "at": clock.now}
        await memory.remember(
            [
                {"content": "书架上有一本科幻小说吗？", **said},
                {"content": "门的密语是芝麻开门", "expires_at": until, "id": "m1", **said},
                {"content": "好", "reply_to": "m1", **said},
            ],
            GROUP,
        )
        assert await memory.settled(20)
        question = "阿明喜欢什么？门的密语是什么？书架上有什么科幻小说？"
        before = await memory.build_context(question, GROUP)
        assert "火锅" in before and "芝麻" in before and "科幻" in before
        assert memory.lifecycle.worker is not None
        await memory.lifecycle.worker.maintenance.idle()
        parts = parts_of(memory)
        lines = {
            line.text: line.until
            for key in parts.profiles.keys()  # noqa: SIM118 - no dict
            for line in parts.profiles.read(key).lines
        }
        assert sorted(lines.values()) == ["", "2026-02-21T18:58:20+00:00"], lines
        clock.now = until
        hits = await memory.search_events(question, GROUP, neighbours=5)
        told = [event.text for hit in hits for event in (hit.event, *hit.before, *hit.after)]
        listed = [event.text for event in await memory.list_events(GROUP)]
        everywhere = [hit.event.text for hit in await memory.search_everywhere(question)]
        block = await memory.build_context(question, GROUP)
        for texts in (told, listed, everywhere, [block]):
            joined = "\n".join(texts)
            assert (
                "芝麻" not in joined
                and ("火锅" not in joined or texts == [block])
                and "科幻" in joined
            )
        assert parts.events.count(EventFilter(None)) == 5
        clock.now += EXPIRY_SECONDS
        await eventually(
            lambda: (
                parts.events.count(EventFilter(None)) == 3
                and not parts.backend.erasure.has_remains()
            )
        )
        assert parts.events.get(["m1"]) == []
    assert "芝麻".encode() not in bytes_below(tmp_path)


async def test_a_message_that_has_expired_is_not_kept_and_one_that_expired_before_it_was_said_is_wrong(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with CognitiveService.open(settings_for(tmp_path), clock=clock) as memory:
        old = {"at": clock.now - HOUR, "expires_at": clock.now - 1.0, "id": "m1"}
        assert (
            len(
                await memory.remember(
                    [{"content": "gone", **old}, {"content": "here", "tags": ["x"]}], ANN
                )
            )
            == 1
        )
        assert await memory.settled(20)
        assert [(one.text, one.tags) for one in await memory.list_events(ANN)] == [("here", ("x",))]
        with pytest.raises(
            InvalidInput, match=r"messages\[0\]\.expires_at: lies before the message was said"
        ):
            await memory.remember({"content": "x", "expires_at": clock.now - 1.0}, ANN)


async def test_what_expires_while_it_waits_is_never_filed_nor_sent_to_a_model(
    tmp_path: Path,
) -> None:
    clock = Clock()
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url)
        async with CognitiveService.open(settings, worker=False, clock=clock) as memory:
            await memory.enqueue_job(
                "", ["她明天去芝麻街"], **private_fields(expires_at=clock.now + HOUR)
            )
            assert await memory.search_events("芝麻街", ANN)
            clock.now += HOUR
            assert await memory.search_events("芝麻街", ANN) == []
        async with CognitiveService.open(settings, clock=clock) as memory:
            assert await memory.settled(20)
            assert (
                parts_of(memory).events.count() == 0
                and parts_of(memory).queue.counts(clock.now).pending == 0
            )
        assert not any("芝麻街" in json.dumps(one, ensure_ascii=False) for one in server.requests())


async def test_what_expires_stands_in_no_plain_file(tmp_path: Path) -> None:
    clock = Clock()
    async with CognitiveService.open(settings_for(tmp_path), clock=clock) as memory:
        await memory.enqueue_job(
            "told her of sesame", ["she likes rock"], **private_fields(expires_at=clock.now + HOUR)
        )
        await memory.enqueue_job("told her of rice", [], **private_fields())
        assert await memory.settled(20)
    plain = (tmp_path / "end_summaries.json").read_text()
    assert "rice" in plain and "sesame" not in plain and "rock" not in plain
