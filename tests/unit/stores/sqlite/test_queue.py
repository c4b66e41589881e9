"""What is particular to the queue in a file: several processes, damage, full disks, killed processes, and the former queue."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import InvalidInput, StorageError
from historian.schema.job import MAX_JOB_BYTES, Job
from historian.stores.sqlite import database as database_module
from historian.stores.sqlite.database import SqliteDatabase
from historian.stores.sqlite.former_queue import FORMER, open_local_queue
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue, row_of
from historian.stores.sqlite.transaction import SqliteTransaction
from support.clock import Clock
from support.crashes.child import exit_code, in_child
from support.jobs import make_job
from support.queue_rows import put_broken, rows

NOW = 1_800_000_000.0


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], SqliteJobQueue]]:
    """Opens the queue of one directory, again and again, as several processes would."""
    queues: list[SqliteJobQueue] = []

    def opener(clock: Callable[[], float] | None = None) -> SqliteJobQueue:
        queues.append(SqliteJobQueue(tmp_path / QUEUE, clock=clock or Clock(NOW)))
        return queues[-1]

    yield opener
    for queue in queues:
        queue.close()


@pytest.fixture
def queue(opened: Callable[[], SqliteJobQueue]) -> SqliteJobQueue:
    return opened()


def run(queue: SqliteJobQueue, now: float = NOW) -> list[str]:
    """Work off whatever may run now; return the requests in order."""
    ran = []
    while (job := queue.claim(now)) is not None:
        ran.append(job.request_id)
        queue.complete(job.job_id)
    return ran


def test_order_is_that_of_acceptance_whatever_the_clocks_say(
    opened: Callable[..., SqliteJobQueue],
) -> None:
    ahead, behind = opened(Clock(NOW)), opened(Clock(NOW - 3600))
    for n in range(6):
        (ahead, behind)[n % 2].put(make_job(f"r{n}"))
    assert run(opened()) == [f"r{n}" for n in range(6)]


@pytest.mark.parametrize(
    "request_id", ["../x", "-1001234", "@ann:matrix.org", "记" * 128, "a/b\\c", "CON", ".", "'; --"]
)
def test_any_id_is_a_value_of_its_row(queue: SqliteJobQueue, request_id: str) -> None:
    job = make_job(request_id, user_id=request_id, group=None)
    queue.put(job)
    assert queue.claim(NOW) == job
    queue.fail(job.job_id, error="no", filed=False)
    assert queue.retry_failed(job.job_id) == 1
    assert queue.claim(NOW) == job


BAD = {
    "empty": ("", "not JSON"),
    "half": (make_job().to_json()[:100], "not JSON"),
    "list": ("[]", "expected an object"),
    "deep": ('{"payload":' + '{"a":' * 100_000, "not JSON"),
    "no-job": ('{"request_id": "x"}', "missing"),
    "unknown": (json.dumps({**make_job().model_dump(), "colour": 1}), "colour"),
    "old": (json.dumps({**make_job().model_dump(), "schema_version": 0}), "schema_version"),
    "strange": (json.dumps({**make_job().model_dump(), "schema_version": "one"}), "schema_version"),
    "new": (json.dumps({**make_job("new").model_dump(), "schema_version": 99}), "upgrade"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("state", ["pending", "processing"])
def test_what_is_no_job_fails_with_the_reason_and_is_not_in_the_way(
    queue: SqliteJobQueue, tmp_path: Path, kind: str, state: str
) -> None:
    body, reason = BAD[kind]
    put_broken(tmp_path, body, state=state)
    queue.put(make_job("good"))
    queue.take_over(NOW)
    assert run(queue) == ["good"]
    (failed,) = queue.failed()
    assert (failed.name, failed.job, failed.filed, failed.failed_at) == (
        "broken-0",
        None,
        False,
        NOW,
    )
    assert reason in failed.error
    assert rows(tmp_path)[0]["body"] == body and queue.jobs("failed") == []
    assert queue.retry_failed() == queue.cleanup(NOW * 2, max_age_days=0, max_failed=0) == 0
    assert queue.discard_unreadable(lambda content: content.startswith(body.encode())) == 1


def test_a_job_as_large_as_allowed_can_be_postponed_and_failed_and_retried(
    queue: SqliteJobQueue,
) -> None:
    room = MAX_JOB_BYTES - len(make_job(payload={"x": ""}).to_json().encode())
    job = make_job(payload={"x": "y" * room})
    queue.put(job)
    for n in range(12):
        assert queue.claim(NOW + n) is not None
        queue.postpone(job.job_id, error="🐈" * 5000, not_before=NOW + n + 0.123456)
    assert queue.claim(NOW + 99) is not None
    queue.fail(job.job_id, error='"\\\n' * 5000, filed=False)
    assert queue.retry_failed() == 1
    assert queue.claim(NOW) == job


def test_what_cannot_be_stored_is_refused(queue: SqliteJobQueue, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="at most"):
        queue.put(make_job(payload={"x": "y" * MAX_JOB_BYTES}))
    with pytest.raises(InvalidInput, match="a lone surrogate"):
        queue.put(make_job(payload={"x": "\ud800"}))
    assert rows(tmp_path) == []


def test_what_another_process_removes_or_retries_is_seen(
    opened: Callable[[], SqliteJobQueue],
) -> None:
    queue, other = opened(), opened()
    for name in "abc":
        queue.put(make_job(name))
    queue.claim(NOW)
    queue.postpone("a-1", error="x", not_before=NOW + 1000)
    assert other.amend(lambda job: None if job.request_id == "a" else job) == 1
    assert queue.claim(NOW) == make_job("b")
    queue.fail("b-1", error="no", filed=False)
    assert queue.claim(NOW) == make_job("c")
    assert other.retry_failed("b-1") == 1
    queue.complete("c-1")
    assert run(queue) == ["b"]


def test_a_job_that_is_there_is_flushed_before_it_is_accepted_again(
    queue: SqliteJobQueue, tmp_path: Path
) -> None:
    """Whoever put it first may have been killed before the flush."""
    queue.put(make_job())
    log = tmp_path / f"{QUEUE}-wal"
    before = log.stat().st_size
    queue.put(make_job())
    assert log.stat().st_size > before and queue.counts(NOW).pending == 1


def test_take_over_can_leave_what_was_claimed_a_moment_ago(
    opened: Callable[[], SqliteJobQueue],
) -> None:
    queue, other = opened(), opened()
    queue.put(make_job())
    queue.claim(NOW)
    assert queue.take_over(NOW) == 0, "its own"
    assert other.take_over(NOW + 299, older_than=300) == 0
    assert other.take_over(NOW + 300, older_than=300) == 1


def test_ten_thousand_that_wait_behind_one_are_passed_by(
    queue: SqliteJobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.merge_rows(_row(make_job(f"r{n:05d}")) for n in range(10_000))
    assert queue.claim(NOW) == make_job("r00000")
    assert queue.claim(NOW) is None
    queue.put(make_job("else", user_id="9", group=None))
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connections = [queue._database._writer, *queue._database._idle]
    for connection in connections:
        connection.set_progress_handler(count, 100)
    job = queue.claim(NOW)
    assert job is not None and job.request_id == "else"
    assert steps < 100, f"{100 * steps} instructions of SQLite"


def _row(job: Job) -> dict[str, object]:
    return row_of(job, job.to_json(), NOW)


def test_nothing_of_a_removed_job_is_left_in_any_byte(
    queue: SqliteJobQueue, tmp_path: Path
) -> None:
    for n in range(30):
        queue.put(make_job(f"r{n}", action_summary=f"zebra-{n} " * 300))
    queue.claim(NOW)
    queue.complete("r0-1")
    queue.amend(lambda job: None)
    queue.compact()
    assert b"zebra" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("error", ["database or disk is full", "disk I/O error"])
def test_a_job_that_does_not_fit_on_the_disk_is_refused_and_may_be_put_again(
    queue: SqliteJobQueue, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    def refuse(self: SqliteTransaction, *_: object) -> int:
        raise sqlite3.OperationalError(error)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteTransaction, "run", refuse)
        with pytest.raises(StorageError, match=error):
            queue.put(make_job())
    assert queue.counts(NOW).pending == 0
    queue.put(make_job())
    assert run(queue) == ["r1"]


def test_a_completed_job_that_could_not_be_removed_stays_claimed(
    queue: SqliteJobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.put(make_job())
    queue.claim(NOW)
    with monkeypatch.context() as patched:
        patched.setattr(SqliteDatabase, "check_in_place", _away)
        with pytest.raises(StorageError, match="away"):
            queue.complete("r1-1")
    queue.release("r1-1")
    assert run(queue) == ["r1"]


def _away(self: SqliteDatabase) -> None:
    raise StorageError("away")


def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / QUEUE).write_bytes(b"garbage" * 1000)
    with pytest.raises(
        StorageError, match=r"queue.sqlite: file is not a database; the file is damaged"
    ):
        SqliteJobQueue(tmp_path / QUEUE, clock=Clock(NOW))


def test_where_the_directory_was_deleted_what_comes_in_waits_in_a_new_one(
    queue: SqliteJobQueue, tmp_path: Path
) -> None:
    queue.put(make_job("a"))
    assert queue.claim(NOW) is not None
    for path in tmp_path.iterdir():
        path.unlink()
    tmp_path.rmdir()
    queue.put(make_job("b"))
    queue.complete("a-1")
    assert [row["job_id"] for row in rows(tmp_path)] == ["b-1"]
    assert run(queue) == ["b"]


def test_a_directory_that_took_the_place_of_the_open_one_is_worked_off(
    queue: SqliteJobQueue, tmp_path: Path
) -> None:
    queue.put(make_job("a"))
    other = SqliteJobQueue(tmp_path / "other" / QUEUE, clock=Clock(NOW))
    for name in "bc":
        other.put(make_job(name))
    assert other.claim(NOW) == make_job("b")  # nobody works on it where it comes to
    for path in tmp_path.glob("queue*"):
        path.rename(tmp_path / f"former-{path.name}")
    for path in (tmp_path / "other").iterdir():
        path.rename(tmp_path / path.name)
    assert run(queue) == ["b", "c"]
    other.close()


def test_merged_jobs_stand_in_the_order_in_which_they_were_accepted(
    opened: Callable[..., SqliteJobQueue],
) -> None:
    clock = Clock(NOW)
    queue = opened(clock)
    for n, at in enumerate((30.0, 20.0, 50.0)):  # the clock went back
        clock.now = at
        queue.put(make_job(f"here{n}"))
    assert queue.claim(NOW) == make_job("here0")
    queue.release("here0-1")
    there = [
        {**_row(make_job(f"there{n}")), "accepted_at": at} for n, at in enumerate((10.0, 40.0))
    ]
    assert queue.merge_rows([*there, {**there[0], "accepted_at": 0.0}]) == 2
    assert run(queue) == ["there0", "here0", "here1", "there1", "here2"]


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_where_the_file_alone_was_deleted_or_replaced_jobs_wait_in_the_one_that_is_there_now(
    opened: Callable[[], SqliteJobQueue], tmp_path: Path, how: str
) -> None:
    """Its log and the index of that stay behind: they get neither into the new file nor in the way of whoever uses it."""
    queue, other = opened(), opened()
    queue.put(make_job("a"))
    other.put(make_job("b"))
    new = set()
    if how == "replaced":
        with closing(SqliteJobQueue(tmp_path / "backup" / QUEUE, clock=Clock(NOW))) as backup:
            backup.put(make_job("of-the-backup"))
        (tmp_path / "backup" / QUEUE).replace(tmp_path / QUEUE)
        new = {"of-the-backup-1"}
    else:
        (tmp_path / QUEUE).unlink()
    for n in range(20):
        (queue, other)[n % 2].put(make_job(f"new{n}"))
        new.add(f"new{n}-1")
    assert queue.known_ids() == other.known_ids() == new
    other.close()
    queue.put(make_job("last"))
    third = opened()
    assert third.known_ids() == new | {"last-1"}
    assert {path.name for path in tmp_path.glob("queue*")} == {
        QUEUE,
        f"{QUEUE}-wal",
        f"{QUEUE}-shm",
    }


# --- several processes, and their ends


def _put_many(folder: Path, name: str, go: object) -> None:
    queue = SqliteJobQueue(folder / QUEUE, clock=Clock(NOW))
    go.wait()  # type: ignore[attr-defined]
    for n in range(40):
        queue.put(make_job(f"both{n:02d}"))
        queue.put(make_job(f"{name}{n:02d}"))


def test_two_processes_that_put_at_once_lose_and_double_nothing(
    opened: Callable[[], SqliteJobQueue], tmp_path: Path
) -> None:
    context = multiprocessing.get_context("fork")
    go = context.Event()
    processes = [
        context.Process(target=_put_many, args=(tmp_path, name, go)) for name in ("a", "b")
    ]
    for process in processes:
        process.start()
    queue = opened()
    go.set()
    ran = []
    while True:
        over = not any(process.is_alive() for process in processes)
        ran += run(queue)
        if over:
            break
    assert [process.exitcode for process in processes] == [0, 0]
    assert sorted(ran) == sorted(f"{name}{n:02d}" for name in ("a", "b", "both") for n in range(40))
    assert rows(tmp_path) == []


def _one_life(directory: Path) -> None:
    """Everything that can happen to three jobs."""
    queue = open_local_queue(directory, Clock(NOW))
    queue.take_over(NOW)
    queue.put(make_job("a"))
    queue.put(make_job("b", user_id="1", group=None))
    queue.put(make_job("c", user_id="2", group=None))
    for _ in range(3):
        queue.claim(NOW)
    queue.release("c-1")
    queue.postpone("a-1", error="later", not_before=NOW + 5)
    queue.fail("b-1", error="no", filed=False)
    queue.retry_failed("b-1")
    queue.claim(NOW)


def _killed_before_statement(n: int, work: Callable[[], object]) -> bool:
    """Run `work` in a child that is killed before its nth statement. Return False if it has fewer."""

    def armed() -> None:
        left = n
        connect = database_module.connect

        def watched(statement: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def watching(*arguments: Any) -> SqliteTransaction:
            connection = connect(*arguments)
            connection.set_trace_callback(watched)
            return connection

        database_module.connect = watching
        work()

    status = exit_code(in_child(armed))
    assert status in (0, -signal.SIGKILL), "the work itself failed in the child; see its trace"
    return status != 0


@pytest.mark.slow
def test_a_process_killed_anywhere_loses_and_doubles_nothing(tmp_path: Path) -> None:
    n = 0
    killed = True
    while killed:
        n += 1
        directory = tmp_path / str(n)
        directory.mkdir()
        killed = _killed_before_statement(n, lambda directory=directory: _one_life(directory))
        ids = [row["job_id"] for row in rows(directory)]
        assert sorted(ids) in (["a-1", "b-1", "c-1"], ["a-1", "b-1"], ["a-1"], []), (
            f"killed at statement {n}"
        )
        queue = open_local_queue(directory, Clock(NOW))
        queue.take_over(NOW)
        for request, user in {
            "a": {},
            "b": {"user_id": "1", "group": None},
            "c": {"user_id": "2", "group": None},
        }.items():
            queue.put(
                make_job(request, **user)
            )  # the bot does not know what was accepted, and puts all again
        queue.retry_failed()
        ran = []
        while (job := queue.claim(NOW + 10)) is not None:
            ran.append(job.request_id)
            assert job.attempts <= 1
            queue.complete(job.job_id)
        assert sorted(ran) == ["a", "b", "c"], f"killed at statement {n}"
        assert rows(directory) == []
        with sqlite3.connect(directory / QUEUE) as connection:
            assert connection.execute("SELECT count(*) FROM job_lines").fetchone() == (0,)
        connection.close()
        queue.close()
    assert n > 80


def test_a_finished_job_leaves_little_more_than_its_id_in_memory(queue: SqliteJobQueue) -> None:
    def work_off(first: int) -> None:
        for n in range(first, first + 150):
            queue.put(make_job(f"request-{n:06d}", user_id=f"{n}", group_id=f"g{n}"))
            job = queue.claim(NOW)
            assert job is not None
            queue.complete(job.job_id)

    work_off(0)
    tracemalloc.start()
    try:
        work_off(1_000)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        work_off(2_000)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown / 150 < 400


# --- the queue of former versions


def _former(directory: Path, state: str, name: str, document: object) -> Path:
    path = directory / FORMER / state / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        document if isinstance(document, str) else json.dumps(document), encoding="utf-8"
    )
    return path


def test_jobs_that_a_former_version_kept_as_files_go_on_in_their_order(tmp_path: Path) -> None:
    _former(
        tmp_path,
        "pending",
        "1700000000002-c-1.json",
        make_job("c", attempts=2, not_before=NOW - 5).model_dump(),
    )
    _former(tmp_path, "processing", "1700000000001-b-1.json", make_job("b").model_dump())
    _former(tmp_path, "pending", "1700000000000-a-1.json", make_job("a").model_dump())
    gone = {
        "error": "no",
        "failed_at": 9.5,
        "filed": True,
        "job": make_job("d", attempts=5).model_dump(),
    }
    _former(tmp_path, "failed", "1600000000000-d-1.json", gone)
    (tmp_path / FORMER / "newest").write_text("1700000000002")
    queue = open_local_queue(tmp_path, Clock(NOW))
    (failed,) = queue.failed()
    assert failed.job == make_job("d", attempts=5, last_error="no")
    assert (failed.error, failed.failed_at, failed.filed) == ("no", 9.5, True)
    assert queue.counts(1_700_000_001.0).oldest_pending_seconds == 1.0
    assert run(queue) == ["a", "b", "c"]
    assert not (tmp_path / FORMER).exists()
    queue.close()


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "7",
        '{"failed_at": 1}',
        '{"failed_at": 1, "job": null}',
        json.dumps({"failed_at": 10**400, "job": make_job().model_dump()}),
        json.dumps({**make_job().model_dump(), "schema_version": 99}),
    ],
)
def test_a_file_that_is_no_job_has_failed_and_stops_nothing(tmp_path: Path, content: str) -> None:
    _former(tmp_path, "pending", "1700000000000-x-1.json", content)
    _former(tmp_path, "failed", "1700000000000-x-1.json.reason", '{"error": "x"}')
    _former(tmp_path, "pending", ".tmp-dead", "half")
    mine = _former(tmp_path, "pending", "mine.txt", "of the user")
    queue = open_local_queue(tmp_path, Clock(NOW))
    queue.put(make_job("good"))
    assert run(queue) == ["good"]
    (failed,) = queue.failed()
    assert (failed.name, failed.job) == ("x-1", None) and failed.error
    assert [path for path in (tmp_path / FORMER).rglob("*") if path.is_file()] == [mine]
    assert queue.discard_unreadable(lambda data: data.startswith(content.encode())) == 1
    queue.close()


@pytest.mark.parametrize("strange", [{"attempts": 10**22}, {"not_before": float("nan")}])
def test_a_job_with_impossible_numbers_is_run_as_a_new_one(
    tmp_path: Path, strange: dict[str, object]
) -> None:
    _former(tmp_path, "pending", "1700000000000-r1-1.json", {**make_job().model_dump(), **strange})
    queue = open_local_queue(tmp_path, Clock(NOW))
    assert queue.claim(NOW) == make_job()
    queue.close()


def test_files_of_a_former_version_that_are_read_twice_are_one_job(tmp_path: Path) -> None:
    for _ in range(2):  # as after a kill between the commit and the removal
        _former(tmp_path, "pending", "1700000000000-a-1.json", make_job("a").model_dump())
        open_local_queue(tmp_path, Clock(NOW)).close()
    assert [row["job_id"] for row in rows(tmp_path)] == ["a-1"]
