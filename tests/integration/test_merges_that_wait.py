"""Facts wait for others of their conversation before a model merges them into profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from historian.schema.profile import ProfileKey
from historian.service.cognitive import CognitiveService
from support.documents import profiles_in
from support.memory import group_fields, settings_for
from support.queue_rows import rows
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually

FACTS = ["喜欢茶", "住在杭州", "养了两只猫", "会说粤语", "不吃羊肉", "有一个女儿"]


async def hand_over(memory: CognitiveService, count: int, start: int = 0) -> None:
    for n in range(start, start + count):
        user, name = (("42", "阿明"), ("43", "小王"))[n % 2]
        fields = group_fields(user_id=user, user_name=name, request_id=f"r{n}")
        await memory.enqueue_job("", [name + FACTS[n // 2]], **fields)


def waiting(directory: Path) -> list[str]:
    return [row["kind"] for row in rows(directory)]


def lines_of(directory: Path, user: str) -> list[str]:
    profile = profiles_in(directory).read(ProfileKey("user", user))
    return [] if profile is None else sorted(line.evidence[0] for line in profile.lines)


async def opened(directory: Path, server: OpenAIServer, **profile: Any) -> CognitiveService:
    settings = settings_for(
        directory, base_url=server.base_url, historian={"rewrite_mode": "rules"}, profile=profile
    )
    memory = CognitiveService(settings)
    await memory.start()
    return memory


async def test_settled_lets_what_waits_be_merged_in_one_call(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        memory = await opened(tmp_path, server, merge_after_seconds=600)
        await hand_over(memory, 8)
        assert await memory.settled(60)
        assert server.count("chat") == 1 and waiting(tmp_path) == []
        assert (
            lines_of(tmp_path, "42") == ["r0-0:0", "r2-0:0", "r4-0:0", "r6-0:0"]
            and len(lines_of(tmp_path, "43")) == 4
        )
        await memory.aclose()


async def test_what_waits_when_the_service_closes_is_merged_by_the_next_one(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        memory = await opened(tmp_path, server, merge_after_seconds=600)
        await hand_over(memory, 2)
        await eventually(lambda: waiting(tmp_path) == ["profile", "profile"] or None)
        await memory.aclose()
        assert server.count("chat") == 0 and waiting(tmp_path) == ["profile", "profile"]
        memory = await opened(tmp_path, server, merge_after_seconds=600)
        await memory.forget_user("43")
        assert await memory.settled(60)
        await memory.aclose()
        assert lines_of(tmp_path, "42") == ["r0-0:0"] and lines_of(tmp_path, "43") == []
        assert "小王" not in str([one.body for one in server.requests()])


async def test_enough_facts_wait_no_longer(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        memory = await opened(tmp_path, server, merge_after_seconds=600, merge_after_facts=4)
        await hand_over(memory, 4)
        await eventually(lambda: not waiting(tmp_path) and lines_of(tmp_path, "43"))
        assert server.count("chat") >= 1 and len(lines_of(tmp_path, "42")) == 2
        await memory.aclose()
