"""Messages that are edited or withdrawn: whatever rests on them goes along, filed or not."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.talk import talk_jobs
from support.memory import AT, settings_for
from support.servers.openai_answers import echo_responder, form_asked_for
from support.servers.openai_server import OpenAIServer

GROUP = Scope.group("100")
CANARY = "zq7 lives in a lighthouse"


def message(text: str, name: str = "m1", **more: object) -> dict[str, object]:
    return {"content": text, "sender_id": "7", "name": "Ann", "id": name, "at": AT, **more}


def texts(memory: CognitiveService, source: str = "message") -> list[str]:
    assert memory.lifecycle.opened is not None
    found = memory.lifecycle.opened.parts.events.find(EventFilter("g:100", sources=(source,)), newest_first=False)
    return [event.text for event in found]


def files_with(directory: Path, words: str) -> list[str]:
    return [path.name for path in directory.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def test_the_same_id_with_other_words_replaces_a_message_at_its_place(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        first = await memory.remember(message("I moved to Vienna"), GROUP)
        await memory.remember(message("and it rains", "m2"), GROUP)
        assert await memory.settled(20)
        second = await memory.remember(message("I moved to Verona", edited_at=AT), GROUP)
        assert first != second and await memory.settled(20)
        assert texts(memory) == ["and it rains", "I moved to Verona"]
        (event,) = [hit.event for hit in await memory.search_events("Verona", GROUP) if "Verona" in hit.event.text]
        assert event.timestamp_local == AT and event.message_id == "m1"
        assert "Vienna" not in await memory.build_context("Where did Ann move?", GROUP)


async def test_edits_that_wait_together_are_filed_in_their_order_whoever_comes_first(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        for text in ("one", "two", "three"):
            await memory.remember(message(f"it was {text}"), GROUP)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.settled(20)
        assert texts(memory) == ["it was three"]
        # A former job that comes back late, as after a failure, changes nothing.
        (job,) = talk_jobs([message("it was two")], GROUP, memory.settings, lambda: 1.0, {})
        assert memory.lifecycle.queue is not None
        memory.lifecycle.queue.put(job)
        memory.lifecycle.wake()
        assert await memory.settled(20)
        assert texts(memory) == ["it was three"]


async def test_a_withdrawn_message_is_gone_from_every_file_and_stays_away(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember([message(f"remember that my uncle {CANARY}"), message("nice!", "m2")], GROUP)
        assert await memory.settled(20)
        assert "lighthouse" in await memory.build_context("Where is the lighthouse?", GROUP)
        assert files_with(tmp_path / "profiles", CANARY)
        assert await memory.forget_message("m1", GROUP) == 1
        assert "lighthouse" not in await memory.build_context("Where is the lighthouse?", GROUP)
        assert texts(memory) == ["nice!"]
        assert await memory.forget_message("m1", GROUP) == 0
        await memory.remember(message(f"remember that my uncle {CANARY}"), GROUP)
        assert await memory.settled(20)
        assert texts(memory) == ["nice!"]
        assert not any("lighthouse" in hit.event.text for hit in await memory.search_events("lighthouse", GROUP))
    assert files_with(tmp_path, "lighthouse") == []


async def test_a_message_is_withdrawn_before_it_is_filed_by_a_process_without_a_worker(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.remember([message(CANARY), message("nice!", "m2"), message("so nice", "m3")], GROUP)
        assert files_with(tmp_path, CANARY)
        assert [hit.event.text for hit in await memory.search_events("lighthouse", GROUP)][:1] == [CANARY]
        assert await memory.forget_message(["m1", "m3"], GROUP) == 2
        assert files_with(tmp_path, CANARY) == []
        assert [hit.event.text for hit in await memory.search_events("lighthouse", GROUP)] in ([], ["nice!"])
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.settled(20)
        assert texts(memory) == ["nice!"]


async def test_a_message_may_be_withdrawn_before_it_comes(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.forget_message(5, GROUP) == 0
        await memory.remember([message(CANARY, "5"), message("nice!", "6")], GROUP)
        assert await memory.settled(20)
        assert texts(memory) == ["nice!"]
        # Another conversation numbers its messages for itself.
        await memory.remember(message(CANARY, "5"), Scope.group("101"))
        assert await memory.settled(20)
        assert await memory.search_events("lighthouse", Scope.group("101"))


async def test_whom_a_token_alone_names_withdraws_what_such_requests_handed_over(tmp_path: Path) -> None:
    asserted = replace(GROUP, asserted=True)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember(message("of the bot"), GROUP)
        await memory.remember(message("of a request", "m2"), asserted)
        assert await memory.settled(20)
        assert await memory.forget_message("m1", asserted) == 0
        assert texts(memory) == ["of the bot", "of a request"]
        assert await memory.forget_message("m2", asserted) == 1
        await memory.remember(message("of a request", "m3"), asserted)
        assert await memory.settled(20)
        assert await memory.forget_message(["m1", "m3"], GROUP) == 2


@pytest.mark.parametrize("wrong", ["", None, 1.5, True, {"id": "m1"}, ["m1", ""], b"m1"])
async def test_what_is_no_id_of_a_message_is_refused_by_name(tmp_path: Path, wrong: Any) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        with pytest.raises(InvalidInput, match="message_id: expected"):
            await memory.forget_message(wrong, GROUP)
        with pytest.raises(InvalidInput, match="scope: expected a Scope"):
            await memory.forget_message("m1", "g:100")  # type: ignore[arg-type]


async def test_the_messages_of_a_running_session_go_too(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        for n in range(8):
            memory.feed_message("user", CANARY if n == 3 else f"we talked about boats, {n}", "s1", scope=GROUP, name="Ann")
        assert memory.observation is not None and await memory.observation.settled(20)
        await memory.remember(message(CANARY), GROUP)
        assert await memory.settled(20)
        await memory.forget_message("m1", GROUP)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert not any("lighthouse" in text for text in texts(memory, "summary"))


@pytest.fixture
def telling() -> Any:
    """A server of which every message of Ann is a statement, in the message's own words."""

    def respond(request: dict[str, Any]) -> dict[str, Any]:
        if form_asked_for(request) != "extract_statements":
            return echo_responder(request)
        lines = [line.split(" ", 1) for line in request["messages"][-1]["content"].splitlines() if " Ann: " in line]
        told = [(int(n), text.removeprefix("Ann: ")) for n, text in lines if n.isdecimal()]
        return {"statements": [{"message": n, "speaker": "Ann", "statement": text} for n, text in told]}

    with OpenAIServer(responder=respond) as server:
        yield server


async def test_with_a_model_statements_and_lines_of_profiles_go_with_their_message(tmp_path: Path, telling: OpenAIServer) -> None:
    settings = settings_for(tmp_path, base_url=telling.base_url, historian={"rewrite_mode": "auto"})
    async with CognitiveService.open(settings) as memory:
        await memory.remember([message("I live in Leeds"), message("I have two dogs", "m2")], GROUP)
        await memory.flush()
        assert await memory.settled(20)
        assert sorted(texts(memory, "job")) == ["Ann has two dogs", "Ann lives in Leeds"]
        assert memory.lifecycle.opened is not None
        profiles = memory.lifecycle.opened.parts.profiles
        before = profiles.read(ProfileKey("user", "7"))
        assert before is not None and "Leeds" in before.summary
        assert await memory.forget_message("m1", GROUP) == 2
        assert texts(memory, "job") == ["Ann has two dogs"] and texts(memory) == ["I have two dogs"]
        after = profiles.read(ProfileKey("user", "7"))
        assert after is not None and "Leeds" not in after.summary and "dogs" in after.summary
        await memory.remember(message("I have three dogs", "m2"), GROUP)
        await memory.flush()
        assert await memory.settled(20)
        assert texts(memory, "job") == ["Ann has three dogs"]


async def test_a_message_withdrawn_while_a_model_reads_it_files_nothing(tmp_path: Path, telling: OpenAIServer) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    real = telling.responder

    def slowly(request: dict[str, Any]) -> Any:
        if form_asked_for(request) == "extract_statements":
            loop.call_soon_threadsafe(asked.set)
            time.sleep(0.5)
        return real(request)

    telling.responder = slowly
    settings = settings_for(tmp_path, base_url=telling.base_url, historian={"rewrite_mode": "auto"})
    async with CognitiveService.open(settings) as memory:
        await memory.remember([message("I live in Leeds"), message("I have two dogs", "m2")], GROUP)
        await memory.flush()
        await asyncio.wait_for(asked.wait(), 20)
        await memory.forget_message("m1", GROUP)
        assert await memory.settled(20)
        assert texts(memory, "job") == ["Ann has two dogs"] and texts(memory) == ["I have two dogs"]
        assert memory.lifecycle.opened is not None
        profile = memory.lifecycle.opened.parts.profiles.read(ProfileKey("user", "7"))
        assert profile is None or "Leeds" not in profile.summary
