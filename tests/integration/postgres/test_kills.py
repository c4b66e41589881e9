"""Workers on one PostgreSQL memory that are killed at random, thirty times, while three bots hand over 600 jobs."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from historian import CognitiveService
from historian.schema.event import EventFilter
from support.crashes.matrix import Host
from support.crashes.paid_calls import PaidCalls
from support.memory import group_fields, private_fields
from support.postgres import fresh_schema, on_server, server_url
from support.server_memory import opened, settings_on, stores_in
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually_now

pytestmark = pytest.mark.slow

SEED = 20261123
JOBS, BOTS, KILLS, PEOPLE, GROUPS = 600, 3, 30, 17, 5
NODES = ("rewrite", "merge_profile")


def fields_of(n: int) -> dict[str, Any]:
    """The nth job: two of three in a group, one in a private chat. All bots hand over for all people and groups."""
    whose = {"request_id": f"job{n}", "user_id": str(n % PEOPLE)}
    if n % 3:
        return group_fields(**whose, group_id=str(n % GROUPS), new_info=[f"我喜欢编号{n}的书"])
    return private_fields(**whose, new_info=[f"She likes book number {n}"])


def test_thirty_kills_during_600_jobs_of_three_bots_lose_double_and_disorder_nothing_and_no_kept_answer_is_paid_for_again(
    tmp_path: Path, hosts: list[Host]
) -> None:
    print(f"seed {SEED}")
    schema, chance = fresh_schema(), random.Random(SEED)
    with opened(tmp_path, schema):
        pass  # its tables are there
    moments: dict[str, tuple[float, float]] = {}
    kills: list[int] = []
    tickets = iter([chance.randrange(400) for _ in range(KILLS)])

    async def hand_over(bot: int) -> None:
        """In turn. A bot that waits for the server keeps its place among the others, so that none of them uses its files."""
        settings = on_server(settings_on(tmp_path / f"bot{bot}", schema), schema, spool=False)
        async with CognitiveService.open(settings, worker=False) as memory:
            for n in range(bot, JOBS, BOTS):
                began = time.monotonic()
                job_id = await memory.enqueue_job(**fields_of(n))
                assert job_id == f"job{n}-0"
                moments[job_id] = began, time.monotonic()

    def work(number: int, base_url: str) -> dict[str, int]:
        """Work until nothing is left, killed at a point of a job that the next ticket names, and started again."""
        how = {"concurrency": 4, "stores": stores_in(schema)}
        for point in tickets:
            died = {"signal": 0}
            while died["signal"] == 0:
                assert len(moments) < JOBS or unfinished(schema), (
                    "the jobs were done before all kills"
                )
                died = hosts[number].drain(
                    tmp_path / f"w{number}", base_url, kill_at=point, at_work=True, **how
                )
            assert died["signal"] == signal.SIGKILL
            kills.append(point)
        return hosts[number].drain(tmp_path / f"w{number}", base_url, **how)

    paid = PaidCalls(schema, lambda n: f"job{n}-0")
    with (
        OpenAIServer(responder=paid.answer, latency=0.1) as server,
        ThreadPoolExecutor(BOTS + 2) as pool,
    ):
        bots = [pool.submit(asyncio.run, hand_over(bot)) for bot in range(BOTS)]
        eventually_now(lambda: len(moments) > 50, seconds=60)
        workers = [pool.submit(work, number, server.base_url) for number in range(len(hosts))]
        for bot in bots:
            bot.result(300)
        assert [worker.result(600) for worker in workers] == [{"signal": 0, "status": 0}] * 2
    assert len(kills) == KILLS
    assert paid.needless == []
    assert {(node, job_id) for node in NODES for job_id in moments} == set(paid.calls)
    again = paid.calls.total() - 2 * JOBS
    print(f"{KILLS} kills, {again} calls whose answer was lost with a worker")
    assert 0 < again <= KILLS * 4, (
        "at most those of the jobs under way are lost, and of thirty kills some hit a call"
    )
    with opened(tmp_path, schema) as backend:
        assert backend.queue.known_ids() == set()
        filed = sorted(
            event.event_id for event in backend.events.find(EventFilter(None), limit=10_000)
        )
        assert filed == sorted(f"{job_id}:0" for job_id in moments) and len(filed) == JOBS
        keys = backend.profiles.keys()
        revisions = sum(
            (backend.profiles.read(key) or pytest.fail(str(key))).revision for key in keys
        )
        assert revisions == JOBS, "one revision of a profile for each job"
    assert_in_order(schema, moments)
    paid.close()


def unfinished(schema: str) -> bool:
    with psycopg.connect(server_url()) as connection:
        return bool(connection.execute(f"SELECT 1 FROM {schema}.jobs LIMIT 1".encode()).fetchone())


def assert_in_order(schema: str, moments: dict[str, tuple[float, float]]) -> None:
    """What of one person or group was handed over before something else of them was, is filed before it."""
    with psycopg.connect(server_url()) as connection:
        # The age of a row is that of its transaction: jobs of one entity are filed one after the other.
        found = connection.execute(
            f"SELECT job_id FROM {schema}.filed_jobs ORDER BY age(xmin) DESC".encode()
        ).fetchall()
        rows = connection.execute(
            f"SELECT job_id, row >> 32 FROM {schema}.events ORDER BY row".encode()
        ).fetchall()
    lines: dict[str, list[str]] = {}
    for (job_id,) in found:
        fields = fields_of(int(job_id.removeprefix("job").removesuffix("-0")))
        lines.setdefault(f"user {fields['user_id']}", []).append(job_id)
        if "group_id" in fields:
            lines.setdefault(f"group {fields['group_id']}", []).append(job_id)
    for job_id, scope in rows:
        lines.setdefault(f"conversation {scope}", []).append(job_id)
    assert len(lines) > PEOPLE + GROUPS and sum(map(len, lines.values())) > 2 * JOBS
    for line, jobs in lines.items():
        latest, before = 0.0, ""
        for job_id in jobs:
            began, ended = moments[job_id]
            assert ended >= latest, (
                f"{line}: {job_id} was handed over before {before}, and filed after it"
            )
            if began > latest:
                latest, before = began, job_id
