"""What chat platforms and frameworks put beside the words keeps no fact out of the profile, and becomes none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from support.memory import AT, settings_for

GROUP = Scope.group("100", "7")
PRIVATE = Scope.private("7")


async def profile(memory: CognitiveService, scope: Scope) -> str:
    await memory.flush()
    assert await memory.settled(20)
    found = await memory.get_profile("user", "7", scope)
    return found.summary if found is not None else ""


def filed(memory: CognitiveService, scope: Scope, *sources: str) -> list[str]:
    assert memory.lifecycle.opened is not None
    return [
        one.text
        for one in memory.lifecycle.opened.parts.events.find(
            EventFilter(scope.key, sources=sources)
        )
    ]


QQ = [
    ("I work at AT&amp;T", "- Ann works at AT&T"),
    ("我喜欢看&#91;鬼灭之刃&#93;", "- 阿明喜欢看[鬼灭之刃]"),
    ("[CQ:at,qq=900] 我对花生过敏", "- 阿明对花生过敏"),
    ("[CQ:at,qq=43] 我对花生过敏", "- 阿明对花生过敏"),
    ("[CQ:face,id=14]我对花生过敏", "- 阿明对花生过敏"),
    ("我对花生过敏[CQ:face,id=14]", "- 阿明对花生过敏"),
    ("[表情]我对花生过敏", "- 阿明对花生过敏"),
    ("[动画表情] 我对花生过敏", "- 阿明对花生过敏"),
    ("[CQ:reply,id=5][CQ:at,qq=900] I'm allergic to peanuts", "- Ann is allergic to peanuts"),
    (
        "[CQ:image,file=a.jpg,url=https://x.example/?a=1&amp;b=2] I have a cat called Tom",
        "- Ann has a cat called Tom",
    ),
    ("@Clio I'm allergic to peanuts", "- Ann is allergic to peanuts"),
]


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("I work at AT&amp;T", "I work at AT&T", '"I work at AT&T"'),
        ("我喜欢看&#91;鬼灭之刃&#93;", "我喜欢看[鬼灭之刃]", ""),
        ("[CQ:face,id=14]我对花生过敏", "[表情]我对花生过敏", "“我对花生过敏”"),
        (
            "[CQ:reply,id=5][CQ:at,qq=900] I have a cat",
            "[CQ:at,qq=900] I have a cat",
            '"I have a cat"',
        ),
        (
            "[CQ:image,file=a.jpg,url=https://x.example/?a=1&amp;b=2] I have a cat",
            "[image] I have a cat",
            '"I have a cat"',
        ),
    ],
)
async def test_a_message_of_qq_is_filed_in_its_words(
    tmp_path: Path, text: str, words: str, line: str
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.remember(
            [{"content": text, "sender_id": "7", "id": "9", "at": AT}], GROUP, user_name="阿明"
        )
        assert await profile(memory, GROUP) == (f"- {line} (2026-02-21)" if line else "")
        assert filed(memory, GROUP) == [words]


@pytest.mark.parametrize(("text", "line"), QQ)
async def test_a_fact_in_a_statement_that_a_bot_hands_over_enters_the_profile(
    tmp_path: Path, text: str, line: str
) -> None:
    name = "阿明" if "阿明" in line else "Ann"
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        fields = {
            "group_id": "100",
            "user_id": "7",
            "user_name": name,
            "bot_name": "Clio",
            "timestamp": AT,
        }
        await memory.enqueue_job(new_info=[text], **fields)
        assert await profile(memory, GROUP) == f"{line} (2026-02-21)"


@pytest.mark.parametrize(
    "text", ["@阿泰 只会玩辅助", "[CQ:at,qq=43] 只会玩辅助", "[CQ:at,qq=43] lent me his bike"]
)
async def test_what_is_told_of_whoever_is_mentioned_is_not_the_senders(
    tmp_path: Path, text: str
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(
            new_info=[text], group_id="100", user_id="7", user_name="阿明", bot_name="Clio"
        )
        assert await profile(memory, GROUP) == ""
        assert filed(memory, GROUP, "job") == [text]


async def test_the_block_of_memory_is_not_filed_again_in_any_place_of_a_message_list(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(
            new_info=["Ben lives in Oslo"], user_id="7", user_name="Ann", bot_name="Clio"
        )
        assert await memory.settled(20)
        recalled = await memory.build_messages("Where does Ben live?", PRIVATE)
        block = recalled[0]["content"]
        assert "Ben lives in Oslo" in block
        said = [
            *recalled,
            {"role": "user", "content": f"{block}\nI live in Leeds", "at": AT},
            {"role": "assistant", "content": f"{block}\nOk."},
        ]
        assert len(await memory.remember(said, PRIVATE, user_name="Ann", bot_name="Clio")) == 2
        memory.feed_message("user", block, scope=PRIVATE)
        memory.feed_message(
            "user",
            [{"type": "text", "text": block}, {"type": "text", "text": "good night"}],
            scope=PRIVATE,
        )
        assert await profile(memory, PRIVATE) == '- "I live in Leeds" (2026-02-21)'
        assert memory.observation is not None and await memory.observation.settled(20)
        assert sorted(filed(memory, PRIVATE, "message")) == ["I live in Leeds", "Ok.", "good night"]


async def test_what_memorys_tools_returned_is_not_filed_again(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(
            new_info=["Ben lives in Oslo"], user_id="7", user_name="Ann", bot_name="Clio"
        )
        assert await memory.settled(20)
        block = await memory.build_context("Where does Ben live?", PRIVATE)
        assert (
            await memory.remember({"role": "tool", "tool_call_id": "1", "content": block}, PRIVATE)
            == []
        )


async def test_an_observed_message_is_read_like_one_that_is_handed_over(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        memory.feed_message("user", "[CQ:face,id=14]AT&amp;T called", scope=GROUP)
        memory.feed_message(
            "user", [{"type": "image", "data": {"file": "x"}}], scope=GROUP, name="阿明"
        )
        memory.feed_message("assistant", "<think>hm</think>Hello", scope=GROUP)
        memory.feed_message("user", {"weight": 5}, scope=GROUP)
        assert memory.observation is not None and await memory.observation.settled(20)
        assert sorted(filed(memory, GROUP)) == [
            "Hello",
            "[sticker]AT&T called",
            "[图片]",
            '{"weight": 5}',
        ]


async def test_an_event_of_onebot_is_its_senders_at_its_own_time(tmp_path: Path) -> None:
    event = {
        "post_type": "message",
        "user_id": 7,
        "group_id": 100,
        "message_id": 5,
        "time": 1771666200,
        "message": [{"type": "text", "data": {"text": "I'm going to Oslo tomorrow"}}],
        "sender": {"user_id": 7, "nickname": "Ann"},
    }
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert await memory.remember(event, Scope.group("100")) == await memory.remember(
            event, Scope.group("100")
        )
        await profile(memory, GROUP)
        assert filed(memory, GROUP) == ["I'm going to Oslo tomorrow"]
        assert "Oslo" in await memory.build_context(event, GROUP)


async def test_a_turn_may_bring_its_time_in_seconds(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        turn: dict[str, Any] = {"user_id": "7", "user_name": "Ann", "timestamp": 1771666200}
        await memory.enqueue_job(new_info=["She is going to Oslo tomorrow"], **turn)
        await profile(memory, PRIVATE)
        assert filed(memory, PRIVATE, "job") == ["Ann is going to Oslo on 2026-02-22"]
