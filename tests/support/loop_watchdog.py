"""Measure for how long an event loop is kept from running its tasks, and hold code to a bound."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

TICK_SECONDS = 0.0005
LONGEST_GAP_SECONDS = 0.010
SLACK_SECONDS = 0.050
"""What other threads (the interpreter's lock changes hands every 5 ms) and other processes may take besides."""
ATTEMPTS = 20


@dataclass
class LoopGap:
    """The longest delay of a tick, in seconds.

    `wall` is by the clock: it counts blocking calls too, and whatever other threads and processes take. `busy` is the
    processor time that the loop's own thread used between two ticks: it does not depend on other load. `held` is that of
    all threads of this process: a thread that keeps the interpreter's lock keeps the loop waiting too.
    """

    wall: float = 0.0
    busy: float = 0.0
    held: float = 0.0


@asynccontextmanager
async def watched_loop() -> AsyncIterator[LoopGap]:
    """Watch the running loop until the block ends; the figures are complete then."""
    gap = LoopGap()

    async def tick() -> None:
        while True:
            wall, busy, held = time.perf_counter(), time.thread_time(), time.process_time()
            await asyncio.sleep(TICK_SECONDS)
            gap.wall = max(gap.wall, time.perf_counter() - wall - TICK_SECONDS)
            gap.busy = max(gap.busy, time.thread_time() - busy)
            gap.held = max(gap.held, min(time.perf_counter() - wall, time.process_time() - held))

    ticker = asyncio.create_task(tick(), name="loop watchdog")
    await asyncio.sleep(0)  # lets the ticker begin
    try:
        yield gap
        await asyncio.sleep(2 * TICK_SECONDS)  # the last gap ends with a tick
    finally:
        ticker.cancel()
        await asyncio.gather(ticker, return_exceptions=True)


async def assert_loop_stays_free(
    work: Callable[[], Awaitable[object]], *, seconds: float = LONGEST_GAP_SECONDS
) -> None:
    """Assert that `work` computes in the loop for no longer than `seconds`, nor blocks it for SLACK_SECONDS more.

    On a busy machine other processes delay some runs, so the work is repeated until one run stays within the bounds. What
    blocks the loop by itself does so in every run.
    """
    gaps: list[LoopGap] = []
    while len(gaps) < ATTEMPTS:
        async with watched_loop() as gap:
            await work()
        if gap.busy <= seconds and gap.wall <= seconds + SLACK_SECONDS:
            return
        gaps.append(gap)
    wall, busy = min(gap.wall for gap in gaps), min(gap.busy for gap in gaps)
    raise AssertionError(
        f"the event loop was blocked for more than {1000 * seconds:.0f} ms in each of {ATTEMPTS} runs: "
        f"at the least {1000 * wall:.1f} ms by the clock, {1000 * busy:.1f} ms of processor time in the loop's thread"
    )
