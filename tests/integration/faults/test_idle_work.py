"""An embedder that does not answer while the worker is idle: stopping, forgetting and jobs do not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.service.jobs import waiting
from support.clock import Clock
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.recall import WordEmbedder, events_in, file_events, open_memory
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually

GROUP = Scope.group("7", "42")


class Hanging(WordEmbedder):
    """Never answers for some texts; `asked` is set when it is asked for them, `heeds` says whether it heeds cancellation."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.heeds = True

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not any("三体" in text for text in texts):
            return await super().embed_documents(texts)
        self.asked.set()
        ended = asyncio.Event()
        while True:
            try:
                await ended.wait()
            except asyncio.CancelledError:
                if self.heeds:
                    raise
                self.heeds = True


async def within(seconds: float, call: Callable[[], Awaitable[None]]) -> float:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with asyncio.timeout(seconds):
        await call()
    return loop.time() - begun


@pytest.mark.parametrize("heeds", [True, False])
async def test_closing_does_not_wait_for_an_embedder_that_hangs_when_idle(
    tmp_path: Path, heeds: bool
) -> None:
    embedder = Hanging()
    embedder.heeds = heeds
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", ["小林在读三体"]), None)
        await asyncio.wait_for(embedder.asked.wait(), 10)
        assert await within(5, memory.aclose) < 3


async def test_forgetting_does_not_wait_for_an_embedder_that_hangs_when_idle(
    tmp_path: Path,
) -> None:
    embedder = Hanging()
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", ["小林在读三体"]), None)
        await asyncio.wait_for(embedder.asked.wait(), 10)
        report = await memory.forget_user("42", wait_seconds=8)
        assert report.done and parts.events.count() == 0


async def test_a_job_waits_a_bounded_time_for_an_embedder_that_hangs_when_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "JOBS_WAIT_SECONDS", 0.05)
    embedder = Hanging()
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", ["小林在读三体"]), None)
        await asyncio.wait_for(embedder.asked.wait(), 10)
        await memory.enqueue_job(**group_fields(action_summary="小史教了他吉他"))
        assert await memory.settled(8) and parts.events.count() == 2


async def test_stopping_does_not_wait_for_a_probe_of_a_model_that_hangs(tmp_path: Path) -> None:
    clock = Clock()
    with OpenAIServer() as server:
        server.behaviour = "503"
        settings = settings_for(tmp_path, base_url=server.base_url)
        async with open_worker(settings, clock=clock, sleep=clock.sleep) as (parts, worker):
            put(parts, group_fields(action_summary="我昨天给他讲了递归"))
            running = asyncio.create_task(worker.run())
            await eventually(lambda: worker.outage)
            server.behaviour = "hang"
            await asyncio.to_thread(server.wait_for, server.count() + 1)
            await worker.stop(0.05)
            await asyncio.wait_for(running, 2)
            (job,) = parts.queue.jobs("pending")
            assert job.attempts == 0
