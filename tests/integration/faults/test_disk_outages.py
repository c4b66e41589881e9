"""The disk or the database is away for a while: accepted jobs wait, untouched, and go on by themselves."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.service.components import Parts
from historian.service.jobs.worker import HistorianWorker
from support.clock import Clock
from support.draining import nothing_left, open_worker, put
from support.jobs import make_job
from support.memory import group_fields, settings_for
from support.waiting import eventually

FULL = StorageError("index.sqlite: database or disk is full")


def refuse(
    monkeypatch: pytest.MonkeyPatch,
    store: object,
    method: str,
    error: Exception,
    when: Callable[..., bool],
) -> None:
    """Let a method of a store raise `error` for as long as `when` says so of its arguments."""
    real = getattr(type(store), method)

    def refusing(self: object, *arguments: Any, **more: Any) -> Any:
        if when(*arguments):
            raise error
        return real(self, *arguments, **more)

    monkeypatch.setattr(type(store), method, refusing)


async def worked_off(parts: Parts, worker: HistorianWorker) -> None:
    running = asyncio.create_task(worker.run())
    await eventually(lambda: nothing_left(parts))
    await worker.stop()
    await running


@pytest.mark.parametrize(
    "error", [FULL, OSError(errno.ENOSPC, "No space left on device")], ids=["store", "system"]
)
async def test_a_job_that_the_disk_refuses_waits_longer_each_time_and_goes_on_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    clock = Clock()
    tries: list[float] = []

    def away(*_: object) -> bool:
        tries.append(clock.now)
        return len(tries) <= 9

    async with open_worker(settings_for(tmp_path), clock=clock, sleep=clock.sleep) as (
        parts,
        worker,
    ):
        refuse(monkeypatch, parts.events, "file_job", error, away)
        put(parts, group_fields(action_summary="我给他讲了递归"))
        await worked_off(parts, worker)
        assert parts.events.count() == 1 and parts.queue.failed() == []
        assert worker.statistics.outcomes["retried"] == 0 and worker.outage == ""
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert waits[-1] > 20 and sum(waits) > 100, "ten tries take minutes, not seconds"


async def test_a_disk_that_takes_no_job_back_either_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk refuses the events, the note of the failure and the way back into the queue."""
    clock = Clock()
    async with open_worker(settings_for(tmp_path), clock=clock, sleep=clock.sleep) as (
        parts,
        worker,
    ):
        since = clock.now
        for store, method in (
            (parts.events, "file_job"),
            (parts.queue, "postpone"),
            (parts.queue, "release"),
        ):
            refuse(monkeypatch, store, method, FULL, lambda *_: clock.now < since + 120)
        put(parts, group_fields(action_summary="我给他讲了递归"))
        await worked_off(parts, worker)
        assert parts.events.count() == 1 and parts.queue.failed() == []


async def test_draining_gives_up_while_the_disk_is_away_and_the_jobs_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with open_worker(settings_for(tmp_path), clock=clock, sleep=clock.sleep) as (
        parts,
        worker,
    ):
        refuse(monkeypatch, parts.events, "file_job", FULL, lambda *_: True)
        for n in range(2):
            put(
                parts,
                group_fields(
                    request_id=f"r{n}",
                    user_id=str(n),
                    group_id=str(n),
                    action_summary="我给他讲了递归",
                ),
            )
        assert not await worker.run(drain=True)
        assert [job.attempts for job in parts.queue.jobs("pending")] == [
            0,
            0,
        ] and "full" in worker.outage


async def test_draining_goes_on_where_talk_could_not_be_hastened_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with open_worker(settings_for(tmp_path), clock=clock, sleep=clock.sleep) as (
        parts,
        worker,
    ):
        since = clock.now
        refuse(monkeypatch, parts.queue, "hasten", FULL, lambda *_: clock.now == since)
        parts.queue.put(make_job(not_before=since + 5))
        assert await worker.run(drain=True)
        assert nothing_left(parts) and clock.now > since


async def test_a_job_that_alone_meets_a_broken_store_holds_up_nobody_and_is_its_own_fault_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    # One at a time, so that others succeed between its tries.
    settings = settings_for(tmp_path, queue={"job_max_retries": 1}, historian={"concurrency": 1})
    async with open_worker(settings, clock=clock, sleep=clock.sleep) as (parts, worker):
        refuse(
            monkeypatch,
            parts.events,
            "is_forgotten",
            FULL,
            lambda job_id, *_: job_id.startswith("bad"),
        )
        put(
            parts,
            group_fields(
                request_id="bad", user_id="1", group_id="1", action_summary="我给他讲了毒药"
            ),
        )
        for n in range(8):
            put(
                parts,
                group_fields(
                    request_id=f"r{n}",
                    user_id=f"2{n}",
                    group_id=f"2{n}",
                    action_summary="我给他讲了递归",
                ),
            )
        await worked_off(
            parts, worker
        )  # draining would give up where others take longer than the simulated pauses
        assert all(parts.events.count(EventFilter(f"g:2{n}")) == 1 for n in range(8))
        (failed,) = parts.queue.failed()
        assert failed.filed and "full" in failed.error


async def test_a_hopeless_job_whose_events_the_disk_refuses_is_not_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    settings = settings_for(tmp_path, queue={"job_max_retries": 0})
    async with open_worker(settings, clock=clock, sleep=clock.sleep) as (parts, worker):
        since = clock.now
        refuse(monkeypatch, parts.profiles, "read", RuntimeError("the job's own"), lambda *_: True)
        refuse(monkeypatch, parts.events, "is_filed", FULL, lambda *_: clock.now < since + 60)
        put(parts, group_fields(new_info=["阿明喜欢茶"]))
        await worked_off(parts, worker)
        (failed,) = parts.queue.failed()
        assert failed.filed and "the job's own" in failed.error and clock.now >= since + 60


async def test_a_database_that_is_damaged_is_told_less_and_less_often_when_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    clock = Clock()
    settings = settings_for(tmp_path, historian={"poll_interval_seconds": 10.0})
    async with open_worker(settings, clock=clock, sleep=clock.sleep) as (parts, worker):
        refuse(
            monkeypatch, parts.events, "tidy", StorageError("the file is damaged"), lambda *_: True
        )
        since = clock.now
        running = asyncio.create_task(worker.run())
        await eventually(lambda: clock.now >= since + 300)
        await worker.stop()
        await running
        idle = clock.now - since
    said = [record.message for record in caplog.records if record.message.startswith("tidy")]
    assert 2 <= len(said) <= idle / 20 and "the file is damaged" in said[0]
