"""`index.sqlite` is moved, deleted or replaced while a bot runs: accepted jobs wait, that is told, and they go on."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.components import open_queue
from historian.service.intake import make_job
from historian.service.outages import availability
from historian.service.running import lifecycle
from historian.stores.files.owner_lock import owner_of
from support.command import NO_MODELS, historian
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.stores import open_events
from support.waiting import eventually, eventually_async, eventually_now

JOBS = 10


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "FIRST_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(lifecycle, "LOOK_SECONDS", 0.05)


def turn(n: int) -> dict[str, object]:
    return group_fields(
        action_summary=f"小史给阿明讲了第{n}章",
        request_id=f"r{n}",
        user_id=str(n % 3),
        group_id=str(n % 3),
    )


def filed(directory: Path) -> set[str]:
    store = open_events(directory)
    try:
        return {event.job_id for event in store.find(EventFilter(None), limit=1000)}
    finally:
        store.close()


def ids(*numbers: int) -> set[str]:
    return {f"r{n}-0" for n in numbers}


def group_scope(n: int) -> Scope:
    return Scope.group(str(n), str(n))


async def hand_over(memory: CognitiveService, *numbers: int) -> None:
    for n in numbers:
        await memory.enqueue_job(**turn(n))  # type: ignore[arg-type]


async def fill(directory: Path, *jobs: dict[str, object]) -> None:
    async with open_worker(settings_for(directory)) as (parts, worker):
        for fields in jobs:
            put(parts, fields)
        assert await worker.run(drain=True)


async def test_jobs_accepted_while_the_index_is_away_are_filed_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data, aside = tmp_path / "data", tmp_path / "aside.sqlite"
    caplog.set_level(logging.WARNING)
    async with CognitiveService.open(settings_for(data)) as memory:
        await hand_over(memory, 0)
        assert await memory.settled(20)
        (data / "index.sqlite").rename(aside)
        await hand_over(memory, *range(1, JOBS))
        assert not await memory.settled(0.5), "none of them is done"

        async def told() -> bool:
            return "moved or deleted" in (await memory.stats()).get("outage", "")

        await eventually_async(told)
        assert (
            "historian restore" in caplog.text
            and "moved or deleted" in (await memory.stats())["error"]
        )
        assert "讲了第9章" in await memory.build_context("第9章", group_scope(0)), (
            "meanwhile from MEMORY.md"
        )
        called = await asyncio.to_thread(historian, "doctor", "--data-dir", data, "--json")
        assert called.status == 1
        assert {line["part"] for line in called.lines if line["state"] == "failed"} == {"database"}
        asked = await asyncio.to_thread(historian, "stats", "--data-dir", data)
        assert asked.status == 1 and "moved or deleted" in asked.err
        assert not (data / "index.sqlite").exists(), "no empty one takes its place"
        aside.rename(data / "index.sqlite")
        assert await memory.settled(20)
        assert (await memory.stats())["outage"] == ""
    assert filed(data) == ids(*range(JOBS))


async def test_jobs_accepted_after_the_index_was_replaced_are_filed_in_the_new_one(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    await fill(data, turn(0))
    backup = shutil.copy(data / "index.sqlite", tmp_path / "backup.sqlite")
    async with CognitiveService.open(settings_for(data)) as memory:
        await hand_over(memory, 1)
        assert await memory.settled(20)
        before = memory.observation
        Path(backup).replace(data / "index.sqlite")
        await hand_over(memory, *range(2, JOBS))
        assert await memory.settled(20)
        await eventually(lambda: memory.observation not in (None, before))
        assert "讲了第9章" in await memory.build_context("第9章", group_scope(0))
        assert (await memory.stats())["events"] == JOBS - 1
    assert filed(data) == ids(0, *range(2, JOBS)), (
        "the first is in the backup, the second in what it replaced"
    )


async def test_a_job_whose_checkpoint_is_newer_than_the_index_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had filed its events and was about to write the profile when a backup was put into the place of the index."""
    data = tmp_path / "data"
    async with open_worker(settings_for(data)) as (parts, _):
        pass
    backup = shutil.copy(data / "index.sqlite", tmp_path / "backup.sqlite")
    async with open_worker(settings_for(data)) as (parts, worker):
        put(parts, {**turn(1), "new_info": ["阿明喜欢茶"]})
        real = type(parts.profiles).read

        def stopping(self: object, *arguments: object) -> object:
            asyncio.run_coroutine_threadsafe(worker.stop(0.0), loop)
            monkeypatch.setattr(type(parts.profiles), "read", real)
            raise RuntimeError("stopped")

        loop = asyncio.get_running_loop()
        monkeypatch.setattr(type(parts.profiles), "read", stopping)
        await worker.run()
        assert parts.events.is_filed("r1-0") and parts.queue.counts(0.0).pending == 1
    Path(backup).replace(data / "index.sqlite")
    async with open_worker(settings_for(data), clock=lambda: 4e9) as (parts, worker):
        assert await worker.run(drain=True)
    assert filed(data) == ids(1)


@pytest.mark.slow
def test_the_worker_of_the_command_line_opens_another_index_and_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    asyncio.run(fill(data, turn(0)))
    backup = shutil.copy(data / "index.sqlite", tmp_path / "backup.sqlite")
    command = [sys.executable, "-m", "historian.interfaces.cli", "worker", "--data-dir", str(data)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, encoding="utf-8", env={**os.environ, **NO_MODELS}
    ) as process:
        try:
            eventually_now(lambda: owner_of(data), seconds=60)
            Path(backup).replace(data / "index.sqlite")
            queue = open_queue(settings_for(data), time.time)
            queue.put(make_job(turn(1), settings_for(data), time.time))
            eventually_now(lambda: "r1-0" in filed(data), seconds=60, every=0.2)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
        assert (
            process.stderr is not None
            and "another file has replaced the database" in process.stderr.read()
        )
    assert filed(data) == ids(0, 1)
