"""kill -9 at every node boundary and around every side effect: nothing is lost, doubled, or paid for twice."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.components import open_queue
from historian.service.intake import make_job
from historian.service.talk import talk_jobs
from historian.stores.sqlite.documents import MirroredProfiles
from support.crashes.matrix import Host, distinct, saved_answers
from support.documents import profiles_in
from support.memory import group_fields, private_fields, settings_for
from support.queue_rows import rows
from support.servers.openai_answers import Json, echo_responder
from support.servers.openai_server import OpenAIServer
from support.stores import not_in_index, open_events

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def accept(directory: Path, jobs: list[dict[str, Any]]) -> list[str]:
    settings = settings_for(directory)
    clock = iter(range(1_000_000_000, 2_000_000_000))
    queue = open_queue(settings, lambda: float(next(clock)))
    return [queue.put(make_job(fields, settings, lambda: 0.0)) for fields in jobs]


def filed_events(directory: Path) -> list[str]:
    store = open_events(directory)
    try:
        return sorted(event.event_id for event in store.find(EventFilter(None), limit=10_000))
    finally:
        store.close()


def profiles_of(directory: Path) -> MirroredProfiles:
    return profiles_in(directory, revision_keep=1000)


def left_over(directory: Path) -> list[str]:
    """Jobs in any state."""
    return [f"{row['state']} {row['job_id']}" for row in rows(directory)]


JOBS = [
    group_fields(request_id="a", action_summary="我昨天给他讲了递归", new_info=["我住在上海"]),
    group_fields(request_id="b", new_info=["我住在北京"]),
]
EXPECTED = ["a-0:0", "a-0:1", "b-0:0"]


def assert_whole(directory: Path) -> None:
    assert filed_events(directory) == EXPECTED
    profile = profiles_of(directory).read(ProfileKey("user", "42"))
    assert profile is not None and profile.revision == 2, "one revision for each of the two jobs"
    assert "北京" in profile.summary
    assert left_over(directory) == []
    store = open_events(directory)
    former, successor = store.get(["a-0:1", "b-0:0"])
    assert former.superseded_by == "b-0:0" and successor.holds, (
        "the link is made once, whenever the process was killed"
    )
    assert store.without_vector(10) == []
    assert not_in_index(store, directory) == []
    store.close()


def test_killed_at_every_point_every_job_ends_as_exactly_its_events(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    trace = tmp_path / "trace"
    accept(tmp_path / "whole", JOBS)
    assert host.drain(tmp_path / "whole", server.base_url, trace=str(trace)) == {
        "signal": 0,
        "status": 0,
    }
    assert_whole(tmp_path / "whole")
    points = trace.read_text().splitlines()
    assert len(points) > 60, "the matrix has lost its points"
    assert {
        f"{node} {side}"
        for node in ("rewrite", "gate", "embed", "link", "merge_profile", "write_profile")
        for side in ("before", "after")
    } <= set(points)
    for number in distinct(points):
        point = points[number]
        directory = tmp_path / f"killed-{number}"
        accept(directory, JOBS)
        before = server.count("chat")
        died = host.drain(directory, server.base_url, kill_at=number)
        assert died["signal"] == 9, f"point {number} ({point}) was not reached"
        paid = saved_answers(points[: number + 1])
        assert host.drain(directory, server.base_url) == {"signal": 0, "status": 0}, (
            f"after a kill at {number} ({point})"
        )
        assert_whole(directory)
        calls = server.count("chat") - before
        asked = sum(line == "LangChainChatModel.structured before" for line in points[: number + 1])
        asked -= point == "LangChainChatModel.structured before"
        assert calls <= 4 + asked - paid, (
            f"{calls} calls after a kill at {number} ({point}): a checkpointed answer was asked for again"
        )


def test_facts_that_wait_killed_at_every_point_are_merged_once(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    """Three hand-overs of two people of one group, whose profiles one question is about."""
    jobs = [
        group_fields(request_id="a", new_info=["我住在上海"]),
        group_fields(request_id="b", user_id="43", user_name="阿红", new_info=["我喜欢茶"]),
        group_fields(request_id="c", new_info=["我会拉小提琴"]),
    ]

    def drained(directory: Path, **more: Any) -> dict[str, int]:
        return host.drain(directory, server.base_url, rewrite_mode="rules", merge_after=600, **more)

    def assert_merged(directory: Path) -> None:
        assert filed_events(directory) == ["a-0:0", "b-0:0", "c-0:0"] and left_over(directory) == []
        found = {
            user: sorted((line.evidence, line.told) for line in profile.lines)
            for user in ("42", "43")
            if (profile := profiles_of(directory).read(ProfileKey("user", user))) is not None
        }
        assert found == {"42": [(("a-0:0",), 1), (("c-0:0",), 1)], "43": [(("b-0:0",), 1)]}

    trace, before = tmp_path / "trace", server.count("chat")
    accept(tmp_path / "whole", jobs)
    assert drained(tmp_path / "whole", trace=str(trace)) == {"signal": 0, "status": 0}
    assert_merged(tmp_path / "whole")
    assert server.count("chat") - before == 1, "one call for all"
    points = trace.read_text().splitlines()
    for number in distinct(points):
        directory, before = tmp_path / f"killed-{number}", server.count("chat")
        accept(directory, jobs)
        assert drained(directory, kill_at=number)["signal"] == 9
        assert drained(directory) == {"signal": 0, "status": 0}, (
            f"after a kill at {number} ({points[number]})"
        )
        assert_merged(directory)
        asked = sum(line == "LangChainChatModel.structured after" for line in points[: number + 1])
        paid = saved_answers(points[: number + 1])
        assert server.count("chat") - before <= 1 + asked - paid, (
            f"asked again after a kill at {number} ({points[number]})"
        )


def test_thirty_kills_during_two_hundred_jobs_lose_and_double_nothing(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    jobs: list[dict[str, Any]] = []
    for n in range(200):
        make = group_fields if n % 3 else private_fields
        fields = make(
            request_id=f"job{n}",
            new_info=[f"我喜欢编号{n}的书" if n % 3 else f"I like book number {n}"],
        )
        fields["user_id"] = str(n % 17)
        if n % 3:
            fields["group_id"] = str(n % 5)
        jobs.append(fields)
    ids = accept(tmp_path, jobs)
    before = server.count("chat")
    chance = random.Random(20260221)
    kills = 0
    while kills < 30 and left_over(tmp_path):
        died = host.drain(
            tmp_path, server.base_url, kill_after=chance.uniform(0.15, 0.6), concurrency=4
        )
        kills += died["signal"] == 9
    assert host.drain(tmp_path, server.base_url, concurrency=4) == {"signal": 0, "status": 0}
    assert filed_events(tmp_path) == sorted(f"{job_id}:0" for job_id in ids)
    assert left_over(tmp_path) == []
    storage = profiles_of(tmp_path)
    keys = storage.keys()
    revisions = sum((storage.read(key) or pytest.fail(f"{key} vanished")).revision for key in keys)
    assert revisions == 200, "one revision of the user's profile for each job"
    assert kills == 30
    assert server.count("chat") - before <= 400 + kills * 4, (
        "at most what was in flight is asked for again"
    )


TALK = [
    ("42", "阿明", "user", "我住在北京"),
    ("43", "阿红", "user", "哈哈哈"),
    ("42", "小史", "assistant", "我住在云端"),
    ("43", "阿红", "user", "我对花生过敏"),
]


def accept_talk(directory: Path) -> list[str]:
    """Messages of which all but the last wait for it; the last one is due."""
    settings = settings_for(directory)
    clock = iter(range(1_000_000_000, 2_000_000_000))
    queue = open_queue(settings, lambda: float(next(clock)))
    ids: list[str] = []
    for n, (user, name, role, text) in enumerate(TALK):
        fields = group_fields(
            request_id=f"m{n}",
            kind="talk",
            user_id=user,
            user_name=name,
            payload={"role": role, "text": text},
        )
        job = make_job(fields, settings, lambda: 0.0)
        due = 0.0 if n == len(TALK) - 1 else time.time() + 60.0
        ids.append(queue.put(job.model_copy(update={"not_before": due})))
    return ids


def assert_talk_whole(directory: Path) -> None:
    said = [name for name in filed_events(directory) if name.startswith("message-")]
    assert [name for name in filed_events(directory) if name not in said] == ["m0-0:0", "m3-0:0"]
    assert len(said) == len(TALK)
    profiles = profiles_of(directory)
    for user, word in (("42", "北京"), ("43", "花生")):
        profile = profiles.read(ProfileKey("user", user))
        assert profile is not None and profile.summary.count(word) == 1
    assert left_over(directory) == []


def with_a_lie(request: Json) -> Json:
    """Answer sensibly, with one event more that no message tells: it is sent back."""
    answer = echo_responder(request)
    if "events" in answer:
        answer["events"].append({"text": "阿明是护士", "messages": [1], "speaker": "阿明"})
    return answer


def test_talk_killed_at_every_point_is_filed_once_and_asked_about_twice(
    tmp_path: Path, host: Host
) -> None:
    with OpenAIServer(responder=with_a_lie) as server:
        trace = tmp_path / "trace"
        accept_talk(tmp_path / "whole")
        assert host.drain(tmp_path / "whole", server.base_url, trace=str(trace)) == {
            "signal": 0,
            "status": 0,
        }
        assert_talk_whole(tmp_path / "whole")
        points = trace.read_text().splitlines()
        assert points.count("extract after") == 2 and "merge_profile after" in points
        whole = server.count("chat")
        for number in distinct(points):
            directory = tmp_path / str(number)
            accept_talk(directory)
            before = server.count("chat")
            host.drain(directory, server.base_url, kill_at=number, trace=f"{directory}.trace")
            assert host.drain(directory, server.base_url) == {"signal": 0, "status": 0}, (
                f"after a kill at {number} ({points[number]})"
            )
            assert_talk_whole(directory)
            killed = Path(f"{directory}.trace").read_text().splitlines()
            asked, saved = (
                killed[:-1].count("LangChainChatModel.structured before"),
                saved_answers(killed),
            )
            # Before the first answer another run may take other messages along.
            assert not saved or server.count("chat") - before <= whole + asked - saved, (
                f"a checkpointed answer was asked for again after a kill at {number} ({points[number]})"
            )


def test_messages_without_a_model_killed_at_every_point_are_filed_once(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    """An edit and a line of a profile among them."""
    talk = [
        {
            "content": "记住我对花生过敏",
            "sender_id": "43",
            "name": "阿红",
            "id": "m1",
            "at": "2026-02-21T09:30:00+08:00",
        },
        {"content": "我住在北京", "sender_id": "42", "name": "阿明", "id": "m2"},
        {"content": "我住在上海", "sender_id": "42", "name": "阿明", "id": "m2"},
    ]

    def accepted(directory: Path) -> Path:
        settings = settings_for(directory)
        queue = open_queue(settings, time.time)
        for n, one in enumerate(talk):
            (job,) = talk_jobs([one], Scope.group("100"), settings, lambda n=n: float(n), {})  # type: ignore[misc]
            queue.put(job.model_copy(update={"not_before": time.time() + 300}))
        queue.close()
        return directory

    def assert_all_filed(directory: Path) -> None:
        store = open_events(directory)
        said = sorted(event.text for event in store.find(EventFilter(None)))
        store.close()
        assert said == ["我住在上海", "记住我对花生过敏"] and left_over(directory) == []
        profile = profiles_of(directory).read(ProfileKey("user", "43"))
        assert profile is not None and profile.summary.strip() == "- “我对花生过敏” (2026-02-21)"

    trace = tmp_path / "trace"
    whole = accepted(tmp_path / "whole")
    assert host.drain(whole, server.base_url, trace=str(trace), rewrite_mode="rules") == {
        "signal": 0,
        "status": 0,
    }
    assert_all_filed(whole)
    points = trace.read_text().splitlines()
    assert {"SqliteEventStore.file_messages after", "SqliteJobQueue.settle_filed after"} <= set(
        points
    )
    for number in distinct(points):
        directory = accepted(tmp_path / str(number))
        host.drain(directory, server.base_url, kill_at=number, rewrite_mode="rules")
        host.drain(directory, server.base_url, rewrite_mode="rules")
        assert_all_filed(directory)


MESSAGES = int(os.environ.get("HISTORIAN_TEST_MESSAGES", "300"))
"""Messages that are handed over while workers are killed; 10,000 take some ten minutes."""


async def test_messages_handed_over_while_workers_are_killed_are_filed_once_each(
    tmp_path: Path, host: Host, server: OpenAIServer
) -> None:
    chance, kills, handed_over = random.Random(7), 0, asyncio.Event()

    async def hand_over(memory: CognitiveService) -> None:
        for n in range(MESSAGES):
            user = n % 17
            message = {
                "content": f"我养了一只编号N{n}的猫",
                "sender_id": str(user),
                "name": f"小林{user}",
                "id": f"m{n}",
            }
            again = [message] if chance.random() < 0.05 else []
            await memory.remember([message, *again], Scope.group(str(n % 5)))
        await memory.flush()
        handed_over.set()

    def drained(**more: Any) -> dict[str, int]:
        return host.drain(tmp_path, server.base_url, concurrency=4, rewrite_mode="rules", **more)

    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        handing = asyncio.create_task(hand_over(memory))
        while not handed_over.is_set() or kills < 10:
            died = await asyncio.to_thread(drained, kill_after=chance.uniform(0.3, 1.5))
            kills += died["signal"] == 9
            if handed_over.is_set() and not left_over(tmp_path):
                break
        await handing
    assert await asyncio.to_thread(drained) == {"signal": 0, "status": 0}
    assert kills > 0 and left_over(tmp_path) == []
    store = open_events(tmp_path)
    events = store.find(EventFilter(None), limit=2 * MESSAGES)
    store.close()
    numbers = [int(re.findall(r"编号N(\d+)的", event.text)[0]) for event in events]
    assert sorted(numbers) == list(range(MESSAGES)), "none lost, none twice"
    for number, event in zip(numbers, events, strict=True):
        expected = (str(number % 17), str(number % 5), f"小林{number % 17}", f"m{number}")
        assert (event.said_by, event.group_id, event.user_name, event.message_id) == expected
