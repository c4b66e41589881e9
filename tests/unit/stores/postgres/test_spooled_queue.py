"""Jobs that are handed over while the server is away: kept here, in order, and handed over once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from historian.schema.errors import DatabaseAway
from historian.schema.job import Job
from historian.service.intake import make_job
from historian.stores.files.markdown_memory import MarkdownMemory
from historian.stores.files.owner_lock import OwnerLock
from historian.stores.postgres.jobs import spooled_queue
from historian.stores.postgres.jobs.spooled_queue import SpooledQueue
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from support.memory import group_fields, settings_for
from support.queue_rows import rows

NOW = 1_790_000_000.0


class Server(SqliteJobQueue):
    """A queue that can be away, or answer after its caller has given up."""

    away = False
    answers: threading.Event | None = None

    def put_all(self, jobs: Sequence[Job]) -> list[str]:
        if self.answers is not None:
            self.answers.wait(10)
        if self.away:
            raise DatabaseAway("no server")
        return super().put_all(jobs)


class Machine:
    def __init__(self, directory: Path, *, keeps: bool = True) -> None:
        ticks = iter(range(1_000_000))

        def clock() -> float:
            return NOW + next(ticks)

        self.directory = directory / "here"
        self.server = Server(directory / "server" / QUEUE, clock=clock)
        self.queue = SpooledQueue(self.directory, clock, lambda: self.server, keeps=keeps)
        self._settings = settings_for(directory)

    def job(self, name: str) -> Job:
        return make_job(
            group_fields(request_id=name, new_info=["他喜欢茶"]), self._settings, lambda: NOW
        )

    def put(self, *names: str) -> list[str]:
        return [self.queue.put(self.job(name)) for name in names]

    def on_server(self) -> list[str]:
        return [job.job_id for job in self.server.jobs("pending")]


def test_jobs_wait_in_files_in_order_and_are_handed_over_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.put("a")
    machine.server.away = True
    machine.put("b", "c", "b")
    machine.server.away = False
    machine.put("d")  # behind those that wait
    assert machine.on_server() == ["a-0"]
    assert (
        machine.queue.counts(NOW).pending == 3
        and next(iter(machine.queue.waiting("g:100"))).job_id == "d-0"
    )
    assert machine.queue.hand_over() == 3 and machine.queue.hand_over() == 0
    assert machine.on_server() == ["a-0", "b-0", "c-0", "d-0"]
    assert machine.queue.known_ids() == {"a-0", "b-0", "c-0", "d-0"}
    machine.put("e")
    assert machine.on_server()[-1] == "e-0"


def test_a_server_that_answers_late_makes_no_second_job_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooled_queue, "PATIENCE_SECONDS", 0.02)
    machine = Machine(tmp_path)
    machine.server.answers = threading.Event()
    machine.put("a")
    machine.server.answers.set()
    machine.queue.hand_over()
    assert machine.on_server() == ["a-0"]


def test_nothing_is_handed_over_before_the_server_answers(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.server.away = True
    machine.put("a", "b")
    with pytest.raises(DatabaseAway):
        machine.queue.hand_over()
    assert machine.queue.counts(NOW).pending == 2
    machine.server.away = False
    assert machine.queue.hand_over() == 2


def test_of_two_processes_of_a_machine_one_hands_over(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.server.away = True
    machine.put("a")
    machine.server.away = False
    other = OwnerLock(machine.directory)
    other.acquire(NOW)
    with other:
        assert machine.queue.hand_over() == 0
    assert machine.queue.hand_over() == 1


def test_what_was_readable_meanwhile_leaves_the_files_when_it_is_handed_over(
    tmp_path: Path,
) -> None:
    machine, told = Machine(tmp_path), MarkdownMemory(tmp_path / "here" / "MEMORY.md")
    machine.server.away = True
    machine.put("a")
    told.add(machine.job("a"))
    assert told.of("g:100")
    machine.server.away = False
    machine.queue.hand_over()
    assert told.of("g:100") == []


def test_without_files_handing_over_raises(tmp_path: Path) -> None:
    machine = Machine(tmp_path, keeps=False)
    machine.server.away = True
    with pytest.raises(DatabaseAway):
        machine.put("a")
    assert rows(tmp_path / "here") == []
