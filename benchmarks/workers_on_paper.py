"""The load that many machines would put on one PostgreSQL server, computed and simulated from measured costs."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

from machine import percentile

CONCURRENCY = 8


@dataclass(frozen=True)
class PerJob:
    """The cost of one job: bytes of the write-ahead log, writing commits, all transactions, rows,
    processor seconds of the worker, and seconds in a slot of a worker.
    """

    wal: float
    commits: float
    transactions: float
    inserted: float
    changed: float
    processor: float
    seconds: float


def paper(cost: PerJob, commits: dict[int, float], machines: int) -> None:
    """Print the load that `machines` machines would put on one such server, computed and
    simulated.
    """
    most = max(commits.values())
    print(
        f"\nOn paper: {machines} machines, each a bot and a worker of concurrency {CONCURRENCY}, one server as measured above."
    )
    print(
        "jobs/s a machine | commits/s, share of the most measured | WAL | jobs a year | workers' processors | wait p50, p95"
    )
    for rate in (0.1, 0.5, 1.0, 2.0):
        total = machines * rate
        needed = total * cost.commits
        waits = simulated(machines, rate, cost.seconds, cost.commits, most)
        shown = (
            f"{percentile(waits, 0.5) * 1000:.0f}, {percentile(waits, 0.95) * 1000:.0f} ms"
            if needed < most
            else "grows"
        )
        print(
            f"{rate:16.1f} | {needed:6.0f}, {needed / most:4.0%} | {total * cost.wal / 2**20:5.1f} MB/s, "
            f"{total * cost.wal * 86_400 / 2**30:5.0f} GB a day | {total * 86_400 * 365 / 1e6:5.0f} M | "
            f"{total * cost.processor:5.1f} | {shown}"
        )
    print(
        f"connections: {machines} x (8 of a pool, at most, and 5 sessions of the worker); PgBouncer lets the pools share some 50"
    )


def simulated(
    machines: int, rate: float, seconds: float, commits: float, most: float, jobs: int = 20_000
) -> list[float]:
    """Return the simulated waiting times of jobs in seconds, from acceptance to the start of the
    run.

    Jobs arrive at random and run in the slot that is free first. Their commits pass the server one
    after another at its measured rate.
    """
    chance = random.Random(7)
    free = [0.0] * (machines * CONCURRENCY)
    arrival, server, waits = 0.0, 0.0, []
    for _ in range(jobs):
        arrival += chance.expovariate(machines * rate)
        begun = max(arrival, heapq.heappop(free))
        waits.append(begun - arrival)
        server = max(server, begun) + commits / most
        heapq.heappush(free, max(begun + seconds * chance.expovariate(1.0), server))
    return waits
