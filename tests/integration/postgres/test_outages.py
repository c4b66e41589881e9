"""A PostgreSQL server that is away: what is handed over waits on this machine, what is asked gets what is left."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, Scope
from historian.schema.errors import DatabaseAway, StorageError
from historian.schema.event import EventFilter
from historian.schema.settings import Settings
from support.command import historian
from support.memory import group_fields, settings_for
from support.postgres import OwnServer, on_server
from support.queue_rows import rows
from support.waiting import eventually, eventually_async

GROUP = Scope.group("100", user_id="42")
pytestmark = pytest.mark.slow


@pytest.fixture
def own() -> Iterator[OwnServer]:
    server = OwnServer()
    yield server
    server.close()


def on(server: OwnServer, directory: Path, **stores: Any) -> Settings:
    return on_server(
        settings_for(directory, query={"recall_timeout_seconds": 1}),
        "historian",
        server.url,
        **stores,
    )


async def test_what_is_handed_over_while_the_server_is_away_waits_in_files_and_is_filed_later(
    tmp_path: Path, own: OwnServer
) -> None:
    async with CognitiveService.open(on(own, tmp_path)) as memory:
        await memory.enqueue_job(
            **group_fields(request_id="r1", action_summary="我给他推荐了《三体》")
        )
        assert await memory.settled(30)
        await asyncio.to_thread(own.stop)
        started = time.monotonic()
        for n in range(3):
            await memory.enqueue_job(
                **group_fields(request_id=f"s{n}", new_info=[f"阿明买了第 {n} 把吉他"])
            )
        assert time.monotonic() - started < 5.0
        assert len(rows(tmp_path)) == 3
        began = time.monotonic()
        block = await memory.build_context("吉他", GROUP)
        assert time.monotonic() - began < 2.0 and "吉他" in block
        await asyncio.to_thread(own.start)
        assert await memory.settled(60)
        assert (await memory.stats())["events"] == 4
        assert rows(tmp_path) == []
        assert "吉他" not in (tmp_path / "MEMORY.md").read_text()
        assert "吉他" in await memory.build_context("吉他", GROUP)


async def test_a_bot_that_starts_without_its_server_takes_jobs_and_files_them_when_it_is_there(
    tmp_path: Path, own: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("historian.service.running.lifecycle.REOPEN_SECONDS", 0.2)
    own.stop()
    async with CognitiveService.open(on(own, tmp_path)) as memory:
        await memory.enqueue_job(
            **group_fields(request_id="r1", action_summary="我给他推荐了《三体》")
        )
        assert "三体" in await memory.build_context("三体", GROUP)
    (tmp_path / "MEMORY.md").unlink()
    async with CognitiveService.open(on(own, tmp_path)) as memory:

        async def is_found() -> bool:
            return "三体" in await memory.build_context("三体", GROUP)

        await eventually_async(
            is_found
        )  # what waits since the last start; on a busy machine not within the first time limit
        await memory.enqueue_job(
            **group_fields(request_id="r2", action_summary="我给他推荐了《流浪地球》")
        )
        await asyncio.to_thread(own.start)
        await eventually(lambda: memory.lifecycle.opened is not None, seconds=60)
        assert await memory.settled(60)
        assert (await memory.stats())["events"] == 2


async def test_the_first_recall_of_an_outage_gives_what_the_process_knew_of_that_conversation(
    tmp_path: Path, own: OwnServer, caplog: pytest.LogCaptureFixture
) -> None:
    other = Scope.group("200", user_id="42")
    async with CognitiveService.open(on(own, tmp_path), worker=False) as bot:
        async with CognitiveService.open(on(own, tmp_path / "worker")) as memory:
            texts = ["阿明买了一把吉他", "阿明养了一只猫", "阿明去过北京"]
            await memory.enqueue_job(**group_fields(request_id="r1", new_info=texts))
            await memory.enqueue_job(
                **group_fields(request_id="r2", group_id="200", new_info=["阿明在学钢琴"])
            )
            assert await memory.settled(30)
        assert bot.lifecycle.opened is not None
        recall = bot.lifecycle.opened.recall

        async def has_read_all() -> bool:
            await bot.build_context("吉他", GROUP)
            held = recall.events.tables.held(GROUP.key)
            return held is not None and len(held) == 3

        await eventually_async(has_read_all)
        await asyncio.to_thread(own.stop)
        limit = recall.time_limit()
        for _ in range(3):
            began = time.monotonic()
            block = await bot.build_context("谁养了猫？", GROUP)
            assert time.monotonic() - began < limit + 0.5 and "猫" in block
        assert await bot.build_context("钢琴", other) == "", "it was never read here"
        stats = recall.statistics.as_dict()
        assert stats["reasons"]["database"] == 3 and stats["levels"]["empty"] == 1
        assert bot.lifecycle.reading_state() == "unreadable"
        await asyncio.to_thread(own.start)

        async def is_back() -> bool:
            return "钢琴" in await bot.build_context("钢琴", other)

        await eventually_async(is_back, seconds=60)
    told = [
        record.message
        for record in caplog.records
        if "is unavailable; check that the server runs" in record.message
    ]
    assert len(told) == 1 and "check that the server runs" in told[0]


def test_ingest_keeps_jobs_in_files_while_the_server_is_away_and_the_next_worker_files_each_once(
    tmp_path: Path, own: OwnServer
) -> None:
    given = {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(tmp_path),
        "HISTORIAN__STORES__URL": own.url,
        "HISTORIAN__COGNITIVE__HISTORIAN__REWRITE_MODE": "rules",
    }
    lines = "".join(
        json.dumps({"new_info": f"她买了第 {n} 把吉他", "user_id": "1"}) + "\n" for n in range(3)
    )
    first = historian("ingest", "-", stdin=lines.partition("\n")[0], environ=given)
    assert first.status == 0 and first.err == ""
    own.stop()
    away = historian("ingest", "-", stdin=lines, environ=given)
    assert (
        away.status == 0
        and "3 jobs accepted" in away.out
        and "the database is unavailable: 3 jobs wait" in " ".join(away.err.split())
    )
    again = historian("ingest", "-", stdin=lines, environ=given)
    assert again.status == 0 and "0 jobs accepted, 3 already known" in again.out
    refused = historian(
        "ingest", "-", stdin=lines, environ={**given, "HISTORIAN__STORES__SPOOL": "false"}
    )
    assert refused.status == 1 and "check that the server runs" in " ".join(refused.err.split())
    own.start()
    worked = historian("worker", "--drain", "--json", environ=given)
    assert worked.status == 0 and rows(tmp_path) == []
    known = historian("ingest", "-", stdin=lines, environ=given)
    assert "3 already known" in known.out and known.err == ""
    assert json.loads(historian("stats", "--json", environ=given).out)["events"]["count"] == 3


async def test_talk_that_is_remembered_while_the_server_is_away_is_filed_later(
    tmp_path: Path, own: OwnServer
) -> None:
    async with CognitiveService.open(on(own, tmp_path)) as memory:
        await asyncio.to_thread(own.stop)
        said = {"role": "user", "content": "我买了一把吉他", "id": "m1"}
        ids = [await memory.remember([said], Scope.private("42")) for _ in range(2)]
        assert ids[0] == ids[1] and len(rows(tmp_path)) == 1
        await asyncio.to_thread(own.start)
        await eventually(lambda: not rows(tmp_path), seconds=60, every=0.1)
        await memory.flush()
        assert await memory.settled(60)
        assert "吉他" in await memory.build_context("吉他", Scope.private("42"))


async def test_without_the_spool_handing_over_says_that_the_server_is_away(
    tmp_path: Path, own: OwnServer
) -> None:
    async with CognitiveService.open(on(own, tmp_path, spool=False)) as memory:
        await asyncio.to_thread(own.stop)
        with pytest.raises((DatabaseAway, StorageError)):
            await memory.enqueue_job(
                **group_fields(request_id="r1", action_summary="我给他推荐了《三体》")
            )


@pytest.mark.parametrize("how", ["sessions end", "server restarts"])
async def test_jobs_under_way_while_sessions_end_or_the_server_restarts_are_filed_once_each(
    tmp_path: Path, own: OwnServer, how: str
) -> None:
    async with (
        CognitiveService.open(on(own, tmp_path / "a")) as one,
        CognitiveService.open(on(own, tmp_path / "b")) as two,
    ):
        ids = []
        for n in range(60):
            fields = group_fields(request_id=f"r{n}", user_id=f"u{n % 7}", group_id=str(n % 3))
            ids.append(
                await (one, two)[n % 2].enqueue_job(**fields, new_info=[f"我买了第 {n} 把吉他"])
            )
            if n % 20 == 10:
                if how == "server restarts":
                    await asyncio.to_thread(own.stop)
                    await asyncio.to_thread(own.start)
                else:
                    await asyncio.to_thread(own.end_sessions)
        assert await one.settled(120) and await two.settled(120)
        opened = one.lifecycle.opened
        assert opened is not None
        filed = await asyncio.to_thread(opened.parts.events.find, EventFilter(None), limit=1000)
        assert sorted(event.event_id for event in filed) == sorted(f"{job_id}:0" for job_id in ids)
        assert one.lifecycle.worker is not None and two.lifecycle.worker is not None
