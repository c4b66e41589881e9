"""Background tasks of several event loops: each loop ends its own, whatever the others do meanwhile."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from historian.retrieval.loop_tasks import LoopTasks
from historian.retrieval.query_vectors import QueryVectors
from historian.schema.protocols import Vector
from support.recall import WordEmbedder

MOST_STARTED, CLOSED = 3_000, 100


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class OtherLoop:
    """An event loop in another thread that starts and ends tasks until it is told to stop."""

    def __init__(self, start: Callable[[int], asyncio.Future[Any]]) -> None:
        self._start = start
        self._stop = threading.Event()
        self.errors: list[BaseException] = []
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> OtherLoop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except BaseException as error:
            self.errors.append(error)

    async def _work(self) -> None:
        started: list[asyncio.Future[Any]] = []
        while not self._stop.is_set() and len(started) < MOST_STARTED:
            started.append(self._start(len(started)))
            await asyncio.sleep(0)
            if len(started) % 3 == 0:
                started[-2].cancel()
        for one in started:
            one.cancel()
        await asyncio.gather(*started, return_exceptions=True)


async def test_a_loop_closes_its_tasks_while_another_loop_starts_and_ends_some(
    quick_switches: None,
) -> None:
    tasks = LoopTasks()
    with OtherLoop(lambda _: tasks.spawn(asyncio.sleep(60), "test")) as other:
        for _ in range(CLOSED):
            own = [tasks.spawn(asyncio.sleep(60), "test") for _ in range(3)]
            await tasks.aclose()
            assert all(task.cancelled() for task in own)
    assert other.errors == []


async def test_query_vectors_are_closed_while_another_loop_asks_for_some(
    quick_switches: None,
) -> None:
    class Slow(WordEmbedder):
        async def embed_query(self, text: str) -> Vector:
            await asyncio.sleep(60)
            return await super().embed_query(text)

    async def fingerprint() -> tuple[str, int]:
        return "m", 11

    vectors = QueryVectors(
        Slow(), fingerprint=fingerprint, size=lambda: 3, seconds=lambda: 60.0, clock=lambda: 0.0
    )
    with OtherLoop(lambda n: asyncio.ensure_future(vectors.get(str(n)))) as other:
        for _ in range(CLOSED):
            await vectors.aclose()
            await asyncio.sleep(0.001)
    assert other.errors == []
