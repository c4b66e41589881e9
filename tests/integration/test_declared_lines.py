"""What people declare of themselves in messages stands in their profiles, quoted, and goes with the message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.schema.profile import ProfileKey, ProfileLine
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.stores.tables.jobs.tables import JobTables
from support.memory import AT, settings_for
from support.servers.openai_answers import Json, echo_responder
from support.servers.openai_server import OpenAIServer

GROUP = Scope.group("100")


def said(text: str, n: int, minute: int = 0, sender: str = "42", **fields: Any) -> dict[str, Any]:
    at = AT.replace(":00+", f":{n:02}+") if minute == 0 else f"2026-02-21T18:{minute:02}:00+08:00"
    return {"content": text, "sender_id": sender, "name": "阿明", "id": f"m{n}", "at": at, **fields}


async def lines_after(memory: CognitiveService, *messages: dict[str, Any]) -> list[ProfileLine]:
    """The lines of user 42 once the messages are filed."""
    await memory.remember(list(messages), GROUP)
    await memory.flush()
    assert await memory.settled(20)
    return lines_of(memory)


def lines_of(memory: CognitiveService) -> list[ProfileLine]:
    assert memory.lifecycle.opened is not None
    profiles = memory.lifecycle.opened.parts.profiles
    found = [
        profiles.read(ProfileKey("user", "42", layer)) for layer in profiles.layers("user", "42")
    ]
    return [line for one in found if one is not None for line in one.lines]


async def test_declarations_of_a_batch_become_lines_in_one_revision_and_go_with_their_message(
    tmp_path: Path,
) -> None:
    talk = [
        said("大家好，我对花生过敏", 1, 1),
        said("哈哈", 2, 2),
        said("我住在苏州", 3, 3),
        said("我对周一过敏", 4, 4),
        said("我是护士", 5, 5, sender="43"),
        said("我对花生过敏，别忘了", 6, 6),
    ]
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        lines = await lines_after(memory, *talk)
        assert [(one.text, one.kind, one.told) for one in lines] == [
            ("“我对花生过敏”", "health", 1),
            ("“我住在苏州”", "home", 1),
            ("“我对花生过敏，别忘了”", "health", 1),
        ]
        assert all(one.last_day == "2026-02-21" and len(one.evidence) == 1 for one in lines)
        assert await memory.forget_message("m3", GROUP) == 1
        assert [one.kind for one in lines_of(memory)] == ["health", "health"]
        # Handed over again, what was removed with its message stays away.
        assert [one.kind for one in await lines_after(memory, talk[2])] == ["health", "health"]
    assert "苏州" not in "".join(
        path.read_text("utf-8", "ignore") for path in tmp_path.rglob("*.md")
    )


async def test_other_words_of_a_message_take_its_line_out_and_bring_theirs(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await lines_after(memory, said("我住在苏州", 1, 1), said("我是护士", 2, 2))
        lines = await lines_after(memory, said("我住在无锡", 1, 3))
        assert sorted(one.text for one in lines) == ["“我住在无锡”", "“我是护士”"]


async def test_a_line_of_two_messages_gets_the_words_of_the_one_that_is_left(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        lines = await lines_after(
            memory, said("我是护士", 1, 1), said("我的工作是护士", 2, 2), said("我是一名护士", 3, 3)
        )
        assert [(one.text, one.told) for one in lines] == [("“我是一名护士”", 2)]
        await memory.forget_message("m3", GROUP)
        assert [(one.text, one.told) for one in lines_of(memory)] == [("“我是护士”", 1)]


@pytest.mark.parametrize(
    ("messages", "after"),
    [
        (
            [said("I live in Porto", 1, 1), said("no, I meant Lisbon", 2, 2)],
            ['"I live in Porto" → "no, I meant Lisbon"'],
        ),
        ([said("I live in Porto", 1, 1), said("just kidding", 2, 2)], []),
        (
            [said("I live in Porto", 1, 1), said("ok", 2, 2), said("just kidding", 3, 3)],
            ['"I live in Porto"'],
        ),
        (
            [said("I live in Porto", 1, 1), said("just kidding", 2, 2, sender="43")],
            ['"I live in Porto"'],
        ),
        ([said("I live in Porto", 1, 1), said("just kidding", 2, 30)], ['"I live in Porto"']),
        (
            [
                said("I live in Porto", 1, 1),
                said("ok", 2, 2),
                said("just kidding", 3, 30, reply_to="m1"),
            ],
            [],
        ),
    ],
)
async def test_a_correction_concerns_the_message_just_before_or_the_one_replied_to(
    tmp_path: Path, messages: list[dict[str, Any]], after: list[str]
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        for one in messages:
            lines = await lines_after(memory, one)
        assert [one.text for one in lines] == after


@pytest.mark.parametrize("at_work", [False, True])
@pytest.mark.parametrize("listens", [False, True])
async def test_beside_a_model_health_and_boundaries_are_noted_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listens: bool, at_work: bool
) -> None:
    """What the model files in its own words is the same line, told again; of the rest it decides.

    `at_work`: the messages are claimed before they are found among those that wait.
    """
    if at_work:
        monkeypatch.setattr(JobTables, "talk_after", lambda *_: [])

    def responder(request: Json) -> Json:
        return echo_responder(request) if listens else {"events": [], "texts": []}

    with OpenAIServer(responder=responder) as server:
        async with CognitiveService.open(
            settings_for(tmp_path, base_url=server.base_url)
        ) as memory:
            lines = await lines_after(memory, said("我对花生过敏", 1, 1), said("我住在苏州", 2, 2))
        merges = server.count("chat", "update_profiles")
    assert [one.kind for one in lines] == (["health", "home"] if listens else ["health"])
    assert merges == listens, "the profile that the model is shown has the line already"
    assert ("“我住在苏州”" not in [one.text for one in lines]) and "对花生过敏" in lines[0].text
