"""Stopping: what runs may finish within the bound; what does not goes back to the queue as it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from historian.schema.errors import ClaimLost
from historian.schema.job import Job
from support.draining import open_worker, put
from support.jobs import make_job
from support.memory import group_fields, settings_for
from support.servers.openai_server import OpenAIServer


async def test_a_running_job_may_finish_within_the_bound(tmp_path: Path) -> None:
    with OpenAIServer(latency=0.3) as server:
        async with open_worker(settings_for(tmp_path, base_url=server.base_url)) as (parts, worker):
            put(parts, group_fields(action_summary="我给他讲了递归"))
            running = asyncio.create_task(worker.run())
            await asyncio.to_thread(server.wait_for, 1)
            await worker.stop(20)
            await running
            assert parts.events.count() == 1 and parts.queue.counts(0).pending == 0


async def test_a_job_that_takes_longer_goes_back_without_an_attempt_counted(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        server.script("hang")
        async with open_worker(settings_for(tmp_path, base_url=server.base_url)) as (parts, worker):
            put(parts, group_fields(action_summary="我给他讲了递归"))
            running = asyncio.create_task(worker.run())
            await asyncio.to_thread(server.wait_for, 1)
            await worker.stop(0.05)
            await running
            (job,) = parts.queue.jobs("pending")
            assert job.attempts == 0 and parts.events.count() == 0


async def test_a_job_that_is_claimed_again_while_its_former_run_ends_runs_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_worker(settings_for(tmp_path)) as (_, worker):
        under_way, most = 0, 0

        async def outcome(job: Job) -> str:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.01)
            under_way -= 1
            raise ClaimLost(f"job {job.job_id!r} is another worker's")

        monkeypatch.setattr(worker._attempts, "_outcome", outcome)
        for name in ("a", "a", "a"):
            worker._start(make_job(name), None)  # type: ignore[arg-type]
        runs = set(worker._running)
        await asyncio.gather(*runs)
        assert (len(runs), most, worker._running) == (3, 1, set())


@pytest.mark.parametrize("cancelled", [1, 2])
async def test_a_job_that_fails_while_running_jobs_are_broken_off_is_settled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cancelled: int
) -> None:
    async with open_worker(settings_for(tmp_path, queue={"job_max_retries": 0})) as (parts, worker):
        put(parts, group_fields(action_summary="我给他讲了递归"))
        job = parts.queue.claim(parts.clock())
        assert job is not None
        filing = asyncio.Event()

        async def file_by_rules(_: Job) -> bool:
            filing.set()
            await asyncio.sleep(0.01)
            return True

        async def run(_: Job) -> str:
            raise RuntimeError("its own")

        monkeypatch.setattr(worker._runs, "file_by_rules", file_by_rules)
        monkeypatch.setattr(worker._runs, "run", run)
        worker._start(job, None)  # type: ignore[arg-type]
        (running,) = worker._running
        await filing.wait()
        for _ in range(cancelled):
            running.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([running])
        assert running.cancelled()
        assert parts.queue.counts(0).processing == 0 and len(parts.queue.failed()) == 1
