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
from profiles import profile_of
from support.memory import AT, settings_for
from support.servers.openai_answers import echo_responder, form_asked_for
from support.servers.openai_server import OpenAIServer

GROUP = Scope.group("100")
CANARY = "zq7 lives in a lighthouse"


def message(text: str, name: str = "m1", **more: object) -> dict[str, object]:
    return {"content": text, "sender_id": "7", "name": "Ann", "id": name, "at": AT, **more}


def texts(memory: CognitiveService, source: str = "message") -> list[str]:
    assert memory.lifecycle.opened is not None
    found = memory.lifecycle.opened.parts.events.find(
        EventFilter("g:100", sources=(source,)), newest_first=False
    )
    return [event.text for event in found]


def files_with(directory: Path, words: str) -> list[str]:
    return [
        path.name
        for path in directory.rglob("*")
        if path.is_file() and words.encode() in path.read_bytes()
    ]


async def test_the_same_id_with_other_words_replaces_a_message_at_its_place(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        first = await memory.remember(message("I moved to Vienna"), GROUP)
        await memory.remember(message("and it rains", "m2"), GROUP)
        assert await memory.settled(20)
        second = await memory.remember(message("I moved to Verona", edited_at=AT), GROUP)
        assert first != second and await memory.settled(20)
        assert texts(memory) == ["and it rains", "I moved to Verona"]
        (event,) = [
            hit.event
            for hit in await memory.search_events("Verona", GROUP)
            if "Verona" in hit.event.text
        ]
        assert event.timestamp_local == AT and event.message_id == "m1"
        assert "Vienna" not in await memory.build_context("Where did Ann move?", GROUP)


async def test_edits_that_wait_together_are_filed_in_their_order_whoever_comes_first(
    tmp_path: Path,
) -> None:
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
        await memory.remember(
            [message(f"remember that my uncle {CANARY}"), message("nice!", "m2")], GROUP
        )
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
        assert not any(
            "lighthouse" in hit.event.text
            for hit in await memory.search_events("lighthouse", GROUP)
        )
    assert files_with(tmp_path, "lighthouse") == []


async def test_a_message_is_withdrawn_before_it_is_filed_by_a_process_without_a_worker(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.remember(
            [message(CANARY), message("nice!", "m2"), message("so nice", "m3")], GROUP
        )
        assert files_with(tmp_path, CANARY)
        assert [hit.event.text for hit in await memory.search_events("lighthouse", GROUP)][:1] == [
            CANARY
        ]
        assert await memory.forget_message(["m1", "m3"], GROUP) == 2
        assert files_with(tmp_path, CANARY) == []
        assert [hit.event.text for hit in await memory.search_events("lighthouse", GROUP)] in (
            [],
            ["nice!"],
        )
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


async def test_whom_a_token_alone_names_withdraws_what_such_requests_handed_over(
    tmp_path: Path,
) -> None:
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


@pytest.fixture
def telling() -> Any:
    """A server of which every message of Ann is an event."""

    def respond(request: dict[str, Any]) -> dict[str, Any]:
        answer = echo_responder(request)
        for one in answer.get("events", []):
            one["text"] = (
                one["text"].replace("Ann live ", "Ann lives ").replace("Ann have ", "Ann has ")
            )
        return answer

    with OpenAIServer(responder=respond) as server:
        yield server


async def test_with_a_model_events_and_lines_of_profiles_go_with_their_message(
    tmp_path: Path, telling: OpenAIServer
) -> None:
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


async def test_a_line_in_other_words_that_lost_its_evidence_goes_with_its_message(
    tmp_path: Path, telling: OpenAIServer
) -> None:
    settings = settings_for(tmp_path, base_url=telling.base_url, historian={"rewrite_mode": "auto"})
    key = ProfileKey("user", "7")
    async with CognitiveService.open(settings) as memory:
        await memory.remember(message("I live in Leeds"), GROUP)
        await memory.flush()
        assert await memory.settled(20)
        assert memory.lifecycle.opened is not None
        profiles = memory.lifecycle.opened.parts.profiles
        before = profiles.read(key)
        assert before is not None
        by_hand = profile_of(key, "- home: lives in Leeds\n- likes tea")
        edited = replace(before, lines=by_hand.lines)
        profiles.write(edited, expected_revision=before.revision, job_id="x", now=AT)
        assert await memory.forget_message("m1", GROUP) == 2
        after = profiles.read(key)
        assert after is not None and [line.text for line in after.lines] == ["likes tea"]
        assert not any("Leeds" in one.summary for one in profiles.kept(key))


async def test_a_message_withdrawn_while_a_model_reads_it_files_nothing(
    tmp_path: Path, telling: OpenAIServer
) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    real = telling.responder

    def slowly(request: dict[str, Any]) -> Any:
        if form_asked_for(request) == "record_events":
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


async def test_an_edited_message_counts_its_days_from_when_it_was_said(tmp_path: Path) -> None:
    edited = {
        name: value
        for name, value in message("see you tomorrow at the zoo").items()
        if name != "at"
    }
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.remember(message("see you tomorrow"), GROUP)
        await memory.remember(edited, GROUP)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.settled(20)  # filed together
        await memory.remember(message("明天见", "m2"), GROUP)
        assert await memory.settled(20)  # filed before it is edited
        await memory.remember(message("明天动物园见", "m2", at="2026-02-25T10:00:00+08:00"), GROUP)
        assert await memory.settled(20)
        assert memory.lifecycle.opened is not None
        found = memory.lifecycle.opened.parts.events.find(EventFilter("g:100"), newest_first=False)
        assert [(one.timestamp_local, one.dated_text) for one in found] == [
            (AT, "see you tomorrow (2026-02-22) at the zoo"),
            (AT, "明天 (2026-02-22)动物园见"),
        ]


async def test_an_edit_that_comes_before_its_message_or_after_a_later_edit_stands_aside(
    tmp_path: Path,
) -> None:
    edits = [
        ("it was three", "2026-02-21T18:00:00+08:00"),
        ("it was two", "2026-02-21T17:45:00+08:00"),
    ]
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        for text, edited_at in edits:
            await memory.remember(message(text, edited_at=edited_at), GROUP)
        await memory.remember(message("it was one"), GROUP)
        assert await memory.settled(20) and texts(memory) == ["it was three"]
        await memory.remember(message("it was four", edited_at="2026-02-21T18:30:00+08:00"), GROUP)
        assert await memory.settled(20) and texts(memory) == ["it was four"]


async def test_a_message_that_gets_its_former_words_back_has_them(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        for text in (
            "remember that I eat nuts",
            "remember that I eat fish",
            "remember that I eat nuts",
        ):
            await memory.remember(message(text), GROUP)
        found = [
            hit.event.text
            for hit in await memory.search_events("what does Ann eat: fish, nuts?", GROUP)
        ]
        assert found == ["remember that I eat nuts"]
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.settled(20) and texts(memory) == ["remember that I eat nuts"]
        for text in ("remember that I eat fish", "remember that I eat nuts"):
            await memory.remember(message(text), GROUP)
            assert await memory.settled(20) and texts(memory) == [text]
        assert memory.lifecycle.opened is not None
        profile = memory.lifecycle.opened.parts.profiles.read(ProfileKey("user", "7"))
        assert profile is not None and "nuts" in profile.summary and "fish" not in profile.summary


async def test_what_a_long_message_asked_for_in_its_end_goes_when_that_is_edited(
    tmp_path: Path,
) -> None:
    talk = " ".join(f"Sentence {n} is about the boats of harbour {n * 7}." for n in range(100))
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember(message(f"{talk}\nRemember that I eat nuts"), GROUP)
        assert await memory.settled(20) and len(texts(memory)) > 1
        assert memory.lifecycle.opened is not None
        profiles = memory.lifecycle.opened.parts.profiles
        before = profiles.read(ProfileKey("user", "7"))
        assert before is not None and "nuts" in before.summary
        await memory.remember(message(f"{talk}\nNothing else"), GROUP)
        assert await memory.settled(20)
        after = profiles.read(ProfileKey("user", "7"))
        assert after is not None and "nuts" not in after.summary


@pytest.mark.parametrize("waits", [False, True])
async def test_with_a_model_a_message_that_gets_its_former_words_back_is_told_once(
    tmp_path: Path, telling: OpenAIServer, waits: bool
) -> None:
    settings = settings_for(tmp_path, base_url=telling.base_url, historian={"rewrite_mode": "auto"})
    async with CognitiveService.open(settings) as memory:
        for text in ("I live in Leeds", "I live in York", "I live in Leeds"):
            await memory.remember(message(text), GROUP)
            if not waits:
                await memory.flush()
                assert await memory.settled(20)
        await memory.flush()
        assert await memory.settled(20)
        assert texts(memory) == ["I live in Leeds"] and texts(memory, "job") == [
            "Ann lives in Leeds"
        ]
        assert memory.lifecycle.opened is not None
        profile = memory.lifecycle.opened.parts.profiles.read(ProfileKey("user", "7"))
        assert profile is not None and "Leeds" in profile.summary and "York" not in profile.summary
