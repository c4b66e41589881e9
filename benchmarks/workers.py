#!/usr/bin/env python3
"""Several workers on one PostgreSQL: accepting, jobs per second, a hot group, a worker that dies; and 100 machines on paper.

    python benchmarks/workers.py [--jobs 200] [--workers 1 2 4] [--url postgresql://…]

Workers are processes with a model and an embedder that take no time, as in `pipeline.py`, which gives the figure of SQLite in
the same run. Without `--url` a server is started here, with the settings that it is installed with, on the same machine: then
workers, server and producers share its processors. The last part computes and simulates, and says so, from the figures above it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psycopg
from historian.service.running.ownership import owned_worker
from historian.stores.postgres.database import PostgresDatabase
from historian.stores.postgres.jobs.queue import PostgresJobQueue
from machine import machine_line, row
from pipeline import instant_parts, job_of, run, settings_of
from postgres_server import postgres_server, server_line
from workers_on_paper import CONCURRENCY, PerJob, paper

CLIENTS = (1, 4, 16, 64)
COUNTERS = """
SELECT pg_current_wal_lsn() - '0/0', pg_snapshot_xmax(pg_current_snapshot())::text::bigint, d.xact_commit,
 t.inserted, t.changed FROM pg_stat_database d,
 (SELECT sum(n_tup_ins)::bigint AS inserted, sum(n_tup_upd + n_tup_del)::bigint AS changed FROM pg_stat_user_tables) t
WHERE d.datname = current_database()
"""


def accepting(database: PostgresDatabase, count: int) -> None:
    """Print the time of `put` and of a bare commit, measured in turns."""
    database.run("CREATE TABLE IF NOT EXISTS bare (n integer)")
    queue = PostgresJobQueue(database, clock=time.time)
    settings = settings_of(Path(tempfile.gettempdir()), 1)
    put: list[float] = []
    bare: list[float] = []
    with psycopg.connect(database._conninfo, autocommit=True) as connection:
        for n in range(count):
            started = time.perf_counter()
            connection.execute("INSERT INTO bare VALUES (%s)", (n,))
            bare.append(time.perf_counter() - started)
            job = job_of(n, settings)
            started = time.perf_counter()
            queue.put(job)
            put.append(time.perf_counter() - started)
    print(row("a bare commit", bare))
    print(row("a job accepted", put), flush=True)
    database.run("DROP TABLE bare")
    queue.amend(lambda _: None)


def commits_a_second(url: str, clients: int, seconds: float = 3.0) -> float:
    """Return how many commits of one small row per second the server executes for `clients`
    concurrent clients.
    """
    over = threading.Event()

    def commit(_: int) -> int:
        done = 0
        with psycopg.connect(url, autocommit=True) as connection:
            while not over.is_set():
                connection.execute("INSERT INTO commits_a_second VALUES (1)")
                done += 1
        return done

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS commits_a_second (n integer)")
        with ThreadPoolExecutor(clients) as threads:
            work = [threads.submit(commit, n) for n in range(clients)]
            time.sleep(seconds)
            over.set()
            total = sum(one.result() for one in work)
        connection.execute("DROP TABLE commits_a_second")
    return total / seconds


def draining(url: str, schema: str, workers: int, jobs: int) -> PerJob:
    """Let `workers` processes drain a queue, and return what the server wrote meanwhile, per
    job.
    """
    with tempfile.TemporaryDirectory() as place, PostgresJobs(url, schema) as queue:
        settings = settings_of(Path(place), CONCURRENCY)
        children = [Child(url, schema, Path(place) / str(n)) for n in range(workers)]
        for n in range(jobs):
            queue.put(job_of(n, settings))
        before = counters(url)
        started = time.perf_counter()
        for child in children:
            child.go()
        reports = [child.report() for child in children]
        seconds = time.perf_counter() - started
        after = counters(url)
    filed = sum(report["filed"] for report in reports)
    if filed != jobs:
        raise SystemExit(f"{filed} of {jobs} jobs were filed")
    wal, commits, transactions, inserted, changed = (
        (late - early) / jobs for early, late in zip(before, after, strict=True)
    )
    processor = sum(report["processor"] for report in reports) / jobs
    shares = " + ".join(str(report["filed"]) for report in reports)
    print(
        f"{workers} workers: {jobs / seconds:6.1f} jobs/s ({shares}); a job: {processor * 1000:.1f} ms of their processors,"
    )
    print(
        f"    {wal / 1024:.1f} KB of WAL, {commits:.1f} commits that write, {transactions:.1f} transactions in all, "
        f"{inserted:.1f} rows inserted, {changed:.1f} changed",
        flush=True,
    )
    return PerJob(
        wal,
        commits,
        transactions,
        inserted,
        changed,
        processor,
        seconds * workers * CONCURRENCY / jobs,
    )


def counters(url: str) -> tuple[float, ...]:
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_stat_clear_snapshot()")
        found = connection.execute(COUNTERS.encode()).fetchone()
    return tuple(map(float, found or ()))


class PostgresJobs:
    """A context manager that yields the queue of a fresh schema."""

    def __init__(self, url: str, schema: str) -> None:
        self._url, self._schema = url, schema

    def __enter__(self) -> PostgresJobQueue:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE".encode())
        self.database = PostgresDatabase(self._url, schema_name=self._schema)
        self.queue = PostgresJobQueue(self.database, clock=time.time)
        return self.queue

    def __exit__(self, *_: object) -> None:
        self.queue.close()
        self.database.close()


class Child:
    """A worker in a separate process, which starts working when `go` is called."""

    def __init__(self, url: str, schema: str, directory: Path, mode: str = "drain") -> None:
        arguments = [
            sys.executable,
            __file__,
            "--child",
            json.dumps([mode, url, schema, str(directory)]),
        ]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def _read(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a worker has ended")
        found: dict[str, float] = json.loads(line)
        return found

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def report(self) -> dict[str, float]:
        found = self._read()
        self.process.wait()
        return found


def child(mode: str, url: str, schema: str, directory: str) -> None:
    """Run as the process of a `Child`."""
    if mode == "claim":
        queue = PostgresJobQueue(PostgresDatabase(url, schema_name=schema), clock=time.time)
        queue.claim(time.time())
        print("{}", flush=True)
        sys.stdin.readline()
        return
    parts = instant_parts(settings_of(Path(directory), CONCURRENCY, url=url, schema_name=schema))

    async def work() -> None:
        with ExitStack() as stack:
            worker = stack.enter_context(owned_worker(parts))
            print("{}", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
            used = time.process_time()
            await worker.run(drain=True)
            print(
                json.dumps(
                    {
                        "filed": worker.statistics.outcomes["filed"],
                        "processor": time.process_time() - used,
                    }
                ),
                flush=True,
            )
        await parts.aclose()

    asyncio.run(work())


def hot_group(url: str, waiting: int) -> None:
    """Measure claims of another job while `waiting` jobs of one group are in the queue before
    it.
    """
    with PostgresJobs(url, "bench_hot") as queue, tempfile.TemporaryDirectory() as place:
        settings = settings_of(Path(place), 1)
        body = job_of(0, settings).model_copy(update={"group_id": "hot"})
        with ThreadPoolExecutor(8) as threads:
            list(
                threads.map(
                    lambda n: queue.put(
                        body.model_copy(
                            update={
                                "job_id": f"hot-{n}",
                                "request_id": "hot",
                                "end_seq": n,
                                "user_id": f"h{n}",
                            }
                        )
                    ),
                    range(waiting),
                )
            )
        assert queue.claim(time.time()) is not None
        queue.put(job_of(1, settings))
        taken: list[float] = []
        for _ in range(200):
            started = time.perf_counter()
            job = queue.claim(time.time())
            taken.append(time.perf_counter() - started)
            assert job is not None and job.job_id == "r1-0"
            queue.release(job.job_id)
        print(row(f"claim behind {waiting} of a hot group", taken), flush=True)


def take_over(url: str, rounds: int) -> None:
    """Measure the time from the SIGKILL of a worker until another worker claims its job."""
    taken: list[float] = []
    for _ in range(rounds):
        with PostgresJobs(url, "bench_take_over") as queue, tempfile.TemporaryDirectory() as place:
            queue.put(job_of(0, settings_of(Path(place), 1)))
            dead = Child(url, "bench_take_over", Path(place), "claim")
            os.kill(dead.process.pid, signal.SIGKILL)
            started = time.perf_counter()
            while not queue.take_over(time.time()):
                pass
            assert queue.claim(time.time()) is not None
            taken.append(time.perf_counter() - started)
            dead.process.wait()
    print(row("a dead worker's job taken over", taken), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--waiting", type=int, default=10_000)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--url", default="")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*json.loads(options.child))
        return
    print(machine_line("psycopg", "langgraph-checkpoint-postgres"))
    with tempfile.TemporaryDirectory() as directory:
        rate, _, processor = asyncio.run(run(Path(directory), options.jobs, CONCURRENCY))
    print(
        f"SQLite, one worker: {rate:6.1f} jobs/s; a job: {processor * 1000:.1f} ms of its processor",
        flush=True,
    )
    with postgres_server(options.url) as url:
        with PostgresJobs(url, "bench_accept") as queue:
            print(server_line(url))
            accepting(queue._database, 500)
        commits = {clients: commits_a_second(url, clients) for clients in CLIENTS}
        print(
            "commits/s by clients: "
            + ", ".join(f"{clients}: {rate:.0f}" for clients, rate in commits.items()),
            flush=True,
        )
        costs = [draining(url, "bench_drain", workers, options.jobs) for workers in options.workers]
        hot_group(url, options.waiting)
        take_over(url, 10)
        paper(costs[0], commits, options.machines)


if __name__ == "__main__":
    sys.exit(main())
