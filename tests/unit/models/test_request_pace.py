"""The interval between requests, on a clock of the test's own."""

from __future__ import annotations

import asyncio

from historian.models.request_pace import RequestPace


async def test_each_turn_comes_an_interval_after_the_one_before() -> None:
    now = 100.0
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = RequestPace(2.0, clock=lambda: now, sleep=sleep)
    await asyncio.gather(*(pace.wait() for _ in range(4)))
    assert slept == [2.0, 4.0, 6.0]
    now = 107.5
    await pace.wait()
    assert slept[3:] == [0.5]
    now = 200.0
    await pace.wait()
    assert len(slept) == 4


async def test_without_an_interval_nobody_waits() -> None:
    async def sleep(seconds: float) -> None:
        raise AssertionError(seconds)

    pace = RequestPace(0.0, sleep=sleep)
    for _ in range(3):
        await pace.wait()
