"""Ownership and work of several processes on one schema."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace

import pytest
from historian.schema.errors import DatabaseAway, OwnerLockHeld, StorageError
from historian.stores.postgres.jobs import workers as module
from historian.stores.postgres.jobs.session import WorkerSession
from historian.stores.postgres.jobs.workers import PostgresWorkers
from support.postgres import Schema
from support.waiting import eventually_now

NOW = 1_800_000_000.0


@pytest.fixture
def processes(schema: Schema) -> Iterator[list[PostgresWorkers]]:
    opened = [PostgresWorkers(schema.open()) for _ in range(2)]
    yield opened
    for one in opened:
        one.close()


def test_one_process_is_the_owner_until_it_gives_that_back_or_dies(
    processes: list[PostgresWorkers],
) -> None:
    one, two = (workers.ownership() for workers in processes)
    assert processes[1].owner() is None and not one.is_held
    one.acquire(NOW, worker=True)
    one.acquire(NOW)
    owner = processes[1].owner()
    assert owner is not None and (owner.worker, owner.started_at) == (
        True,
        "2027-01-15T08:00:00+00:00",
    )
    with pytest.raises(OwnerLockHeld, match=str(owner.pid)) as caught:
        two.acquire(NOW)
    assert not caught.value.passing and not two.is_held
    with one:
        assert one.is_held
    assert not one.is_held and processes[1].owner() is None
    two.acquire(NOW)
    processes[1].close()
    assert not two.is_held

    def acquired() -> bool:
        with suppress(OwnerLockHeld):  # the server notices a moment later
            one.acquire(NOW)
        return one.is_held

    assert eventually_now(acquired)
    assert one.is_held


def test_two_ownerships_of_one_process_are_not_held_together(
    processes: list[PostgresWorkers],
) -> None:
    one, other = processes[0].ownership(), processes[0].ownership()
    one.acquire(NOW)
    with pytest.raises(OwnerLockHeld):
        other.acquire(NOW)


def test_an_ownership_is_lost_with_its_session(processes: list[PostgresWorkers]) -> None:
    one = processes[0].ownership()
    one.acquire(NOW)
    processes[0].close()
    assert not one.is_held
    with pytest.raises(StorageError, match="acquire"), one:
        pass


def test_who_is_alone_waits_for_those_at_work_who_see_it_and_keeps_others_out(
    processes: list[PostgresWorkers],
) -> None:
    first, second = processes
    waits, is_alone, may_end = threading.Event(), threading.Event(), threading.Event()

    def work_alone() -> None:
        waits.set()
        with second.alone():
            is_alone.set()
            may_end.wait(30)

    thread = threading.Thread(target=work_alone)
    with first.at_work():
        assert not first.must_yield()
        thread.start()
        waits.wait(30)
        while not first.must_yield():
            assert not is_alone.is_set()
    assert is_alone.wait(30)
    assert not first._session.begin_work()
    may_end.set()
    with first.at_work():
        assert not first.must_yield()
    thread.join(30)


def test_a_worker_that_does_not_yield_is_told(
    processes: list[PostgresWorkers], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ALONE_SECONDS", 0.1)
    with (
        processes[0].at_work(),
        pytest.raises(StorageError, match="have not paused"),
        processes[1].alone(),
    ):
        pass
    with processes[1].alone():
        pass


def test_several_are_at_work_side_by_side(processes: list[PostgresWorkers]) -> None:
    with processes[0].at_work(), processes[1].at_work():
        assert not processes[0].must_yield()


def test_who_is_stopped_does_not_wait_for_somebody_who_works_alone(
    processes: list[PostgresWorkers],
) -> None:
    one, two = processes
    with (
        one.alone(),
        pytest.raises(StorageError, match="has exclusive access"),
        two.at_work(lambda: True),
    ):
        raise AssertionError("it is not alone")
    with two.at_work(lambda: True):
        assert not two.must_yield()


def test_who_is_suspended_alone_holds_nobody_up_and_is_told_when_it_goes_on(
    processes: list[PostgresWorkers], schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module, "Heartbeat", lambda *_: SimpleNamespace(stop=lambda: None)
    )  # no thread of it runs
    suspended = PostgresWorkers(schema.open(silence_seconds=0.2))
    with pytest.raises(DatabaseAway), suspended.alone():
        assert not processes[0]._session.begin_work()
        assert eventually_now(processes[0]._session.begin_work)
    suspended.close()


def test_who_is_alone_for_long_stays_alone(
    processes: list[PostgresWorkers], schema: Schema
) -> None:
    database = schema.open(silence_seconds=0.1)
    slow = PostgresWorkers(database)
    held_long = (
        "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"
        " AND classid = %s::bigint::oid AND objid = %s::bigint::oid AND clock_timestamp() - backend_start > interval '0.5 s'"
    )
    with slow.alone():
        assert eventually_now(
            lambda: database.rows(held_long, module._halves(database, "work")), every=0.05
        )
        assert not processes[0]._session.begin_work()
    slow.close()


def test_one_process_of_all_machines_makes_the_vectors_of_another_model_and_is_named(
    processes: list[PostgresWorkers],
) -> None:
    one, two = processes
    with one.reembedding(NOW):
        with (
            pytest.raises(
                OwnerLockHeld, match=f"process {os.getpid()} on .* since 2027-01-15T08:00:00"
            ),
            two.reembedding(NOW),
        ):
            raise AssertionError("it is held")
        with pytest.raises(OwnerLockHeld), one.reembedding(NOW):
            raise AssertionError("it is held by this process")
    with two.reembedding(NOW):
        pass


def test_work_ends_without_an_error_where_its_session_has_ended_before(schema: Schema) -> None:
    database = schema.open()
    session = WorkerSession(database)
    workers = PostgresWorkers(database, session)
    with workers.at_work():
        with session.statements() as transaction:
            (pid,) = transaction.row("SELECT pg_backend_pid()") or (0,)
        database.row("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    with workers.at_work(), session.statements() as transaction:
        assert transaction.row("SELECT pg_backend_pid()") != (pid,)
    workers.close()
