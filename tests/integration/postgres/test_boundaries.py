"""A worker that is stopped, or loses its sessions, at every boundary of the nodes of its graphs: what it left is done once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from historian import Scope
from historian.schema.event import EventFilter
from historian.schema.job import Job
from historian.schema.summary import ArticleKey
from historian.service.intake import make_job
from historian.service.recall.articles import states_job
from historian.service.talk import talk_jobs
from support.articles import chapters_of
from support.crashes.matrix import Host, is_stopped
from support.crashes.paid_calls import PaidCalls
from support.memory import AT, private_fields, settings_for
from support.postgres import fresh_schema, server_url
from support.server_memory import opened, stores_in
from support.servers.openai_server import OpenAIServer
from support.waiting import eventually_now

pytestmark = pytest.mark.slow

SHORTTERM: dict[str, Any] = {"summary_token_threshold": 90, "promote_above": 1, "promote_count": 1}
SAID = [
    f"On 2026-02-{10 + n} I finished chapter {n} of the book about the history of sailing ships."
    for n in range(6)
]
WRITING = ["rewrite", "gate", "embed", "link", "merge_profile", "write_profile"]
REFLECTING = [
    "buffer",
    "summarise",
    "file_summary",
    "reconstruct",
    "check_article",
    "write_article",
]
BOUNDARIES = [
    f"{node} {edge}" for node in ("extract", *WRITING, *REFLECTING) for edge in ("before", "after")
]
NAMES = {"user_name": "Ann", "bot_name": "Clio", "timestamp": AT, "timezone": "Asia/Shanghai"}


def jobs_in(directory: Path) -> list[Job]:
    """For each boundary one job that comes to it, of a person of its own."""
    return [_job(boundary.split()[0], n, directory) for n, boundary in enumerate(BOUNDARIES)]


def _job(node: str, n: int, directory: Path) -> Job:
    settings = settings_for(directory, shortterm=SHORTTERM)
    if node == "extract":
        message = {"role": "user", "text": f"I like book number {n}", "id": f"m{n}", "at": AT}
        (talk,) = talk_jobs(
            [message],
            Scope.private(str(n)),
            settings,
            lambda: 0.0,
            {"user_name": "Ann", "bot_name": "Clio"},
        )
        return talk
    if node in WRITING:
        fields = private_fields(
            request_id=f"r{n}", user_id=str(n), new_info=[f"She likes book number {n}"]
        )
        return make_job(fields, settings, lambda: 0.0)
    given = {**NAMES, "request_id": f"r{n}"}
    states = states_job(
        SAID, str(n), None, settings, lambda: 0.0, threshold=None, reflect=False, fields=given
    )
    assert states is not None
    return states


def stored(directory: Path, schema: str) -> dict[str, Any]:
    """All that the jobs have left: events, profiles, summaries and articles. Nothing waits, and nothing is half done."""
    found: dict[str, Any] = {}
    with opened(directory, schema, shortterm=SHORTTERM) as backend:
        assert backend.queue.known_ids() == set() and backend.queue.failed() == []
        assert backend.events.without_vector(10) == []
        for event in backend.events.find(EventFilter(None), limit=1000):
            assert found.setdefault(event.event_id, event.text) == event.text
        profiles = [
            profile
            for key in list(backend.profiles.keys())
            if (profile := backend.profiles.read(key))
        ]
        found |= {str(profile.key): (profile.revision, profile.summary) for profile in profiles}
        for n in range(len(BOUNDARIES)):
            key, stores = ArticleKey(str(n)), backend.article_stores
            found[f"buffered {n}"] = stores.buffer.tokens(key)
            article = stores.articles.read(key)
            found[f"summaries {n}"] = [
                (one.text, one.promoted_into) for one in stores.summaries.read(key)
            ]
            found[f"article {n}"] = article and (article.revision, chapters_of(article))
    return found


class Undertaking:
    """The jobs in a schema of their own, and a model whose calls are counted."""

    def __init__(self, directory: Path) -> None:
        self.schema, self.jobs = fresh_schema(), jobs_in(directory)
        with opened(directory, self.schema) as backend:
            for job in self.jobs:
                backend.queue.put(job)
        self.paid = PaidCalls(self.schema, lambda n: self.jobs[n].job_id)
        self.server = OpenAIServer(responder=self.paid.answer)
        self.holds = {
            job.job_id: boundary for job, boundary in zip(self.jobs, BOUNDARIES, strict=True)
        }

    def drain(self, host: Host, directory: Path, **more: Any) -> dict[str, int]:
        """Let a worker do the jobs; `application_name` is that of its connections."""
        url = f"{server_url()}&application_name={directory.name}"
        return host.drain(
            directory,
            self.server.base_url,
            stores=stores_in(self.schema, url=url),
            concurrency=len(self.jobs),
            shortterm=SHORTTERM,
            **more,
        )

    def close(self) -> None:
        self.server.close()
        self.paid.close()


@pytest.fixture(scope="module")
def whole(hosts: list[Host], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is stored when nothing happens on the way."""
    directory = tmp_path_factory.mktemp("whole")
    undertaking = Undertaking(directory)
    assert undertaking.drain(hosts[0], directory) == {"signal": 0, "status": 0}
    undertaking.close()
    found = stored(directory, undertaking.schema)
    reflected = [n for n, boundary in enumerate(BOUNDARIES) if boundary.split()[0] in REFLECTING]
    assert all(len(found[f"summaries {n}"]) == 2 and found[f"article {n}"] for n in reflected)
    assert len([key for key in found if key.startswith("r") and ":" in key]) == 2 * len(WRITING)
    return found


@pytest.fixture
def undertaking(tmp_path: Path) -> Iterator[Undertaking]:
    undertaking = Undertaking(tmp_path)
    yield undertaking
    undertaking.close()


def test_what_a_stopped_worker_left_at_every_boundary_is_done_by_another_and_it_settles_nothing_when_it_goes_on(
    tmp_path: Path, hosts: list[Host], undertaking: Undertaking, whole: dict[str, Any]
) -> None:
    pid_file = tmp_path / "pid"
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(
            undertaking.drain,
            hosts[0],
            tmp_path / "a",
            hold=undertaking.holds,
            pid_file=str(pid_file),
            silence=2.0,
        )
        pid = stopped(pid_file)
        try:
            assert undertaking.drain(hosts[1], tmp_path / "b") == {"signal": 0, "status": 0}
            assert stored(tmp_path, undertaking.schema) == whole
        finally:
            os.kill(pid, signal.SIGCONT)
        assert first.result(60) == {"signal": 0, "status": 0}
    assert stored(tmp_path, undertaking.schema) == whole
    assert undertaking.paid.needless == []


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another"])
def test_a_worker_that_loses_its_sessions_at_every_boundary_and_whoever_is_beside_it_do_each_job_once(
    tmp_path: Path, hosts: list[Host], undertaking: Undertaking, whole: dict[str, Any], beside: bool
) -> None:
    pid_file = tmp_path / "pid"
    with ThreadPoolExecutor(2) as pool:
        workers = [
            pool.submit(
                undertaking.drain,
                hosts[0],
                tmp_path / "a",
                hold=undertaking.holds,
                pid_file=str(pid_file),
            )
        ]
        pid = stopped(pid_file)
        try:
            # Beside another only that to which its claims belong: it learns it when it settles a job.
            assert (
                end_sessions(
                    "a", "EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid)" if beside else "TRUE"
                )
                >= 1
            )
            if beside:
                workers.append(pool.submit(undertaking.drain, hosts[1], tmp_path / "b"))
        finally:
            os.kill(pid, signal.SIGCONT)
        assert [worker.result(60) for worker in workers] == [{"signal": 0, "status": 0}] * len(
            workers
        )
    assert stored(tmp_path, undertaking.schema) == whole
    # A call that begins in the moment in which the other one takes the job over may be paid twice, and never again.
    assert beside or undertaking.paid.needless == []
    assert max(undertaking.paid.calls.values()) <= 2


def stopped(pid_file: Path) -> int:
    """Wait until the process that writes the file has stopped. Return its id."""
    pid = int(eventually_now(lambda: pid_file.exists() and pid_file.read_text(), seconds=60))
    eventually_now(lambda: is_stopped(pid), seconds=60)
    return pid


def end_sessions(name: str, which: str) -> int:
    """End sessions of a program, in the middle of whatever they do. Return how many."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity a WHERE application_name = '{name}' AND {which}"
        return len(connection.execute(ended.encode()).fetchall())
