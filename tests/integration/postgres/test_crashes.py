"""Workers on one PostgreSQL memory that are killed or stopped: others take over; nothing is lost, doubled or paid for twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.service.intake import make_job
from support.crashes.matrix import Host, distinct, is_stopped, saved_answers
from support.memory import group_fields, settings_for
from support.postgres import fresh_schema, server_url
from support.server_memory import opened, stores_in
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually_now

pytestmark = pytest.mark.slow

JOBS = [
    group_fields(request_id="a", action_summary="我昨天给他讲了递归", new_info=["我住在上海"]),
    group_fields(request_id="b", new_info=["我住在北京"]),
]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def accept(directory: Path, schema: str, jobs: list[dict[str, Any]]) -> list[str]:
    with opened(directory, schema) as backend:
        return [
            backend.queue.put(make_job(fields, settings_for(directory), lambda: 0.0))
            for fields in jobs
        ]


def assert_whole(directory: Path, schema: str) -> None:
    with opened(directory, schema) as backend:
        filed = {
            event.event_id: event for event in backend.events.find(EventFilter(None), limit=100)
        }
        assert sorted(filed) == ["a-0:0", "a-0:1", "b-0:0"]
        assert filed["a-0:1"].superseded_by == "b-0:0" and filed["b-0:0"].holds
        profile = backend.profiles.read(ProfileKey("user", "42"))
        assert profile is not None and profile.revision == 2 and "北京" in profile.summary
        assert backend.queue.known_ids() == set() and backend.events.without_vector(10) == []


def checkpointed(schema: str) -> list[str]:
    with psycopg.connect(server_url()) as connection:
        found = connection.execute(
            f"SELECT DISTINCT thread_id FROM {schema}.checkpoints".encode()
        ).fetchall()
    return [thread_id for (thread_id,) in found]


def test_a_worker_killed_at_any_point_beside_another_loses_doubles_and_pays_nothing_twice(
    tmp_path: Path, hosts: list[Host], server: OpenAIServer
) -> None:
    trace, schema = tmp_path / "trace", fresh_schema()
    accept(tmp_path, schema, JOBS)
    assert hosts[0].drain(
        tmp_path, server.base_url, trace=str(trace), stores=stores_in(schema)
    ) == {"signal": 0, "status": 0}
    assert_whole(tmp_path, schema)
    points = trace.read_text().splitlines()
    assert {
        "merge_profile before",
        "PostgresEventStore.file_job after",
        "PostgresJobQueue.complete before",
    } <= set(points)
    kills = 0
    with ThreadPoolExecutor(1) as other:
        for number in distinct(points)[::2]:
            schema, its_trace = fresh_schema(), tmp_path / f"trace-{number}"
            accept(tmp_path, schema, JOBS)
            before = server.count("chat")
            beside = other.submit(
                hosts[1].drain, tmp_path / "b", server.base_url, stores=stores_in(schema)
            )
            died = hosts[0].drain(
                tmp_path / "a",
                server.base_url,
                kill_at=number,
                trace=str(its_trace),
                stores=stores_in(schema),
            )
            kills += died["signal"] == signal.SIGKILL
            assert beside.result(120) == {"signal": 0, "status": 0}, f"beside a kill at {number}"
            assert_whole(tmp_path, schema)
            if checkpointed(schema):  # killed between the end of the job and that of its checkpoint
                assert hosts[0].drain(tmp_path, server.base_url, stores=stores_in(schema)) == {
                    "signal": 0,
                    "status": 0,
                }
            assert checkpointed(schema) == []
            reached = its_trace.read_text().splitlines() if died["signal"] else []
            asked = sum(line == "LangChainChatModel.structured before" for line in reached)
            calls = server.count("chat") - before
            assert calls <= 4 + asked - saved_answers(reached), (
                f"{calls} calls beside a kill at {number}"
            )
    assert kills > len(distinct(points)) // 8, "the other one has done all the work"


@pytest.mark.parametrize("point", ["PostgresEventStore.file_job before", "LedgerTable.add after"])
def test_the_jobs_of_a_stopped_worker_go_to_another_and_it_settles_nothing_when_it_goes_on(
    tmp_path: Path, hosts: list[Host], server: OpenAIServer, point: str
) -> None:
    trace, pid_file, schema = tmp_path / "trace", tmp_path / "pid", fresh_schema()
    accept(tmp_path, schema, JOBS)
    assert hosts[0].drain(
        tmp_path, server.base_url, trace=str(trace), stores=stores_in(schema)
    ) == {"signal": 0, "status": 0}
    number = trace.read_text().splitlines().index(point)
    schema = fresh_schema()
    accept(tmp_path, schema, JOBS)
    how = {"stores": stores_in(schema), "silence": 2.0}
    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(
            hosts[0].drain,
            tmp_path / "a",
            server.base_url,
            kill_at=number,
            stop=True,
            pid_file=str(pid_file),
            **how,
        )
        pid = int(eventually_now(lambda: pid_file.exists() and pid_file.read_text(), seconds=60))
        try:
            eventually_now(lambda: is_stopped(pid), seconds=60)
            assert hosts[1].drain(tmp_path / "b", server.base_url, **how) == {
                "signal": 0,
                "status": 0,
            }
            assert_whole(tmp_path, schema)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert stopped.result(60) == {"signal": 0, "status": 0}
    assert_whole(tmp_path, schema)
