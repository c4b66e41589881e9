"""What the queue in PostgreSQL promises beyond every queue: many workers, and claims that end with their session."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest
from historian.schema.errors import ClaimLost, DatabaseAway, InvalidInput, StorageError
from historian.schema.job import Job
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.postgres.jobs import session as module
from historian.stores.postgres.jobs.queue import PostgresJobQueue
from historian.stores.postgres.jobs.session import WorkerSession
from historian.stores.postgres.jobs.workers import PostgresWorkers
from support.events import make_event
from support.jobs import make_job
from support.postgres import Schema, server_url
from support.waiting import eventually_now

NOW = 1_800_000_000.0
OpenWorker = Callable[[], PostgresJobQueue]


@pytest.fixture
def worker(schema: Schema) -> Iterator[OpenWorker]:
    """Open the queue of another worker."""
    opened: list[PostgresJobQueue] = []

    def opener() -> PostgresJobQueue:
        opened.append(PostgresJobQueue(schema.open(), clock=lambda: NOW))
        return opened[-1]

    yield opener
    for queue in opened:
        queue.close()


def kill_session(queue: PostgresJobQueue) -> None:
    """End the session of a worker from outside, as a broken network or a restart does."""
    with queue._session.statements() as transaction:
        (pid,) = transaction.row("SELECT pg_backend_pid()") or (0,)
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        while connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE pid = %s", (pid,)
        ).fetchone():
            pass


def claimed(queue: PostgresJobQueue, now: float = NOW) -> str:
    job = queue.claim(now)
    return "" if job is None else job.job_id


def test_workers_pass_by_one_another_and_keep_the_order_of_each_entity(worker: OpenWorker) -> None:
    one, two = worker(), worker()
    for n in range(4):
        one.put(make_job(f"r{n}", user_id=str(n % 2), group=None))
    assert [claimed(one), claimed(two), claimed(one), claimed(two)] == ["r0-1", "r1-1", "", ""]
    two.complete("r1-1")
    assert claimed(one) == "r3-1"


def test_nobody_takes_over_from_a_worker_that_lives(worker: OpenWorker) -> None:
    one, two = worker(), worker()
    one.put(make_job())
    assert claimed(one) == "r1-1"
    assert two.take_over(NOW + 10_000) == one.take_over(NOW) == 0
    one.complete("r1-1")


def test_a_worker_that_lost_its_session_settles_nothing_that_it_had_claimed(
    worker: OpenWorker,
) -> None:
    one, two = worker(), worker()
    for name in ("a", "b", "c"):
        one.put(make_job(name, user_id=name, group=None))
    assert [claimed(one) for _ in range(3)] == ["a-1", "b-1", "c-1"]
    kill_session(one)
    with pytest.raises(DatabaseAway):
        one.complete("a-1")
    for settle in (
        lambda: one.complete("a-1"),
        lambda: one.postpone("b-1", error="x", not_before=0.0),
        lambda: one.fail("c-1", error="x", filed=True),
    ):
        with pytest.raises(ClaimLost, match="another worker"):
            settle()
    assert two.take_over(NOW) == 3
    assert [claimed(two) for _ in range(3)] == ["a-1", "b-1", "c-1"]
    assert two.jobs("processing")[1].attempts == 0


def test_a_worker_that_claims_again_what_it_still_runs_goes_on_with_it(worker: OpenWorker) -> None:
    one, two = worker(), worker()
    one.put(make_job("a", user_id="a", group=None))
    one.put(make_job("b", user_id="b", group=None))
    assert claimed(one) == "a-1"
    kill_session(one)
    assert two.take_over(NOW) == 1
    with pytest.raises(DatabaseAway):
        one.claim(NOW)
    assert claimed(one) == "b-1", "the run of the first goes on, it is no second one"
    one.complete("a-1")
    one.complete("b-1")
    assert two.known_ids() == set()


def meanwhile(
    queue: PostgresJobQueue, monkeypatch: pytest.MonkeyPatch, before: list[str], after: list[str]
) -> None:
    """Let another thread of the worker claim right before, or right after, the first statement that settles a job."""
    settle = queue._settle

    def settled(*arguments: Any, **more: Any) -> bool:
        monkeypatch.undo()
        before[:] = [claimed(queue) for _ in before]
        done = settle(*arguments, **more)
        after[:] = [claimed(queue) for _ in after]
        return done

    monkeypatch.setattr(queue, "_settle", settled)


def test_a_job_that_is_claimed_again_while_it_is_settled_is_settled_by_its_new_claim(
    worker: OpenWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = worker(), worker()
    one.put(make_job())
    assert claimed(one) == "r1-1"
    kill_session(one)
    assert two.take_over(NOW) == 1
    with pytest.raises(DatabaseAway):
        one.claim(NOW)
    meanwhile(one, monkeypatch, before := ["?"], [])
    one.complete("r1-1")
    assert before == [""], "its run goes on here"
    assert two.known_ids() == set()


def test_a_job_that_is_claimed_again_the_moment_it_is_given_back_is_a_new_claim(
    worker: OpenWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = worker()
    one.put(make_job())
    assert claimed(one) == "r1-1"
    meanwhile(one, monkeypatch, [], after := ["?"])
    one.release("r1-1")
    assert after == ["r1-1"]
    one.complete("r1-1")
    assert one.known_ids() == set()


def test_a_claim_stands_until_another_worker_takes_the_job_over(worker: OpenWorker) -> None:
    one, two = worker(), worker()
    one.put(make_job("a", user_id="a", group=None))
    assert claimed(one) == "a-1"
    one.check_claim("a-1")
    kill_session(one)
    one.check_claim("a-1")  # nobody else has it
    assert two.take_over(NOW) == 1
    with pytest.raises(ClaimLost, match="another worker"):
        one.check_claim("a-1")
    with pytest.raises(DatabaseAway):
        one.claim(NOW)
    assert claimed(one) == "a-1", "the run that lost it has ended: this is a new one"
    one.check_claim("a-1")
    one.complete("a-1")


def test_a_dead_workers_jobs_are_taken_over_within_half_a_second(worker: OpenWorker) -> None:
    one, two = worker(), worker()
    for n in range(20):
        one.put(make_job(f"r{n}", user_id=str(n), group=None))
    assert sum(bool(claimed(one)) for _ in range(20)) == 20
    started = time.monotonic()
    one.close()
    taken = 0
    while taken < 20 and time.monotonic() - started < 10:
        taken += two.take_over(NOW)
    assert taken == 20
    assert time.monotonic() - started < 5, "about 0.1 s on an idle machine"


def test_workers_that_take_over_from_the_same_dead_one_leave_a_job_that_was_claimed_since(
    worker: OpenWorker, schema: Schema
) -> None:
    one, two, three, four = worker(), worker(), worker(), worker()
    one.put(make_job(user_id="a", group=None))
    assert claimed(one) == "r1-1"
    kill_session(one)
    database, line_held, line_free = schema.open(), threading.Event(), threading.Event()

    def wait_in_line() -> None:
        """Hold the line of the job, after whoever waits for it."""
        with database.writing() as transaction:
            transaction.execute("SELECT lock_lines(ARRAY['user:a'])")
            line_held.set()
            assert line_free.wait(20)

    looker, runs = schema.open(), list[Future[Any]]()
    blocked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with ThreadPoolExecutor(3) as threads, schema.open().writing() as first:
        first.execute("SELECT lock_lines(ARRAY['user:a'])")
        for run in (lambda: two.take_over(NOW), wait_in_line, lambda: three.take_over(NOW)):
            runs.append(threads.submit(run))
            eventually_now(lambda: looker.row(blocked) == (sum(not one.done() for one in runs),))
        first.connection.execute("COMMIT")
        assert line_held.wait(20)
        job_of_four = claimed(four)
        line_free.set()
        assert [runs[0].result(20), runs[2].result(20)] == [1, 0]
    assert job_of_four == "r1-1"
    four.check_claim("r1-1")
    assert claimed(two) == "", "it is claimed already"


def test_a_job_that_is_filed_is_not_taken_in_again_by_anybody(
    worker: OpenWorker, schema: Schema
) -> None:
    events = PostgresEventStore(schema.open())
    events.file_job("r1-1", [make_event("r1-1")], [None])
    assert worker().put(make_job()) == "r1-1"
    assert worker().known_ids() == set()


def hot_line(schema: Schema, count: int) -> None:
    """Let `count` jobs of one group wait, as `put` would have written them."""
    body = make_job("hot").model_dump()
    with schema.open().writing() as transaction:
        transaction.execute(
            "INSERT INTO jobs (job_id, kind, scope_key, entities, body, accepted_at, patient, attempts, not_before, last_error,"
            " lines, heads) SELECT 'hot-' || n, 'remember', 'g:hot', ARRAY['group:hot', 'user:' || n],"
            " replace(%s, '\"end_seq\": 1', '\"end_seq\": ' || n), 0, FALSE, 0, 0, '', 2, 1 + (n = 1)::int"
            " FROM generate_series(1, %s) n",
            (json.dumps({**body, "job_id": ""}), count),
        )
        transaction.execute(
            "INSERT INTO job_lines SELECT entity, position, job_id, entity != 'group:hot' OR job_id = 'hot-1'"
            " FROM jobs, unnest(entities) entity WHERE scope_key = 'g:hot'"
        )


def test_ten_thousand_jobs_of_one_group_do_not_hold_up_another_one(
    worker: OpenWorker, schema: Schema
) -> None:
    queue = worker()
    queue.put(make_job("other", user_id="other", group="9"))

    def seconds(job_id: str = "other-1") -> float:
        started = time.perf_counter()
        assert claimed(queue) == job_id
        taken = time.perf_counter() - started
        queue.release(job_id)
        return taken

    alone = min(seconds() for _ in range(5))
    assert claimed(queue) == "other-1"
    queue.complete("other-1")
    hot_line(schema, 10_000)
    assert claimed(queue) == "hot-1"
    queue.put(make_job("later", user_id="other", group="9"))
    assert min(seconds("later-1") for _ in range(5)) < max(0.05, 10 * alone), (
        "ten times as long as in an empty queue"
    )
    queue.complete("hot-1")
    assert claimed(queue) == "hot-2"


def test_what_a_newer_version_has_handed_over_is_set_aside_and_kept(
    worker: OpenWorker, schema: Schema
) -> None:
    queue = worker()
    queue.put(make_job())
    queue.put(make_job("r2"))
    newer = json.dumps({"schema_version": 99, "secret": "🔑"}, ensure_ascii=False)
    schema.open().run("UPDATE jobs SET body = %s WHERE job_id = 'r1-1'", (newer,))
    assert claimed(queue) == "r2-1"
    (failed,) = queue.failed()
    assert failed.job is None and "upgrade" in failed.error
    assert queue.cleanup(NOW + 10**9, max_age_days=1, max_failed=0) == 0
    assert queue.discard_unreadable(lambda content: "🔑".encode() in content) == 1


def test_a_job_that_is_too_large_is_refused(worker: OpenWorker) -> None:
    with pytest.raises(InvalidInput, match="at most"):
        worker().put(make_job(action_summary="猫" * 400_000))


def test_an_amended_job_is_claimed_as_it_was_amended(worker: OpenWorker) -> None:
    queue = worker()
    queue.put(make_job("a"))

    def change(job: Job) -> Job:
        return job.model_copy(update={"action_summary": "redacted"})

    assert queue.amend(change) == 1
    job = queue.claim(NOW)
    assert job is not None and job.action_summary == "redacted"
    assert queue.amend(lambda _: None) == 0, "what is claimed stays"


def test_an_idle_worker_is_woken_by_a_job_of_another_process_and_a_busy_one_is_not(
    worker: OpenWorker, schema: Schema
) -> None:
    woken = threading.Semaphore(0)
    workers = PostgresWorkers(schema.open())
    queue, bot = worker(), worker()
    with workers.listening(woken.release):
        assert woken.acquire(timeout=10), "once at the start: what came before is not told"
        assert claimed(queue) == ""
        bot.put(make_job("a"))
        assert woken.acquire(timeout=10)
        assert claimed(queue) == "a-1"
        assert schema.open().rows("SELECT * FROM idle_workers") == []
        bot.put(make_job("b"))
        assert claimed(queue) == "" and schema.open().row("SELECT count(*) FROM idle_workers") == (
            1,
        )
        bot.put(make_job("c", user_id="9", group="9"))
        assert woken.acquire(timeout=10)
    workers.close()


def test_the_rows_of_dead_idle_workers_go(worker: OpenWorker, schema: Schema) -> None:
    one, two = worker(), worker()
    assert claimed(one) == ""
    one.close()
    two.take_over(NOW)
    assert schema.open().rows("SELECT * FROM idle_workers") == []


SILENCE = 0.2


@pytest.fixture
def silent(schema: Schema) -> Iterator[PostgresJobQueue]:
    """The queue of a worker that loses its claims after SILENCE; it has claimed the job `r1-1`."""
    queue = PostgresJobQueue(schema.open(silence_seconds=SILENCE), clock=lambda: NOW)
    queue.put(make_job())
    assert claimed(queue) == "r1-1"
    yield queue
    queue.close()


def test_a_suspended_worker_loses_its_jobs_and_settles_none_of_them_when_it_goes_on(
    silent: PostgresJobQueue, worker: OpenWorker
) -> None:
    assert silent._session._heartbeat is not None
    silent._session._heartbeat.stop()  # as a process does in which no thread runs
    living = worker()
    assert eventually_now(lambda: living.take_over(NOW)) == 1
    assert claimed(living) == "r1-1"
    with pytest.raises(DatabaseAway):
        silent.complete("r1-1")
    with pytest.raises(ClaimLost):
        silent.fail("r1-1", error="x", filed=True)
    living.complete("r1-1")
    assert living.failed() == []


def test_a_worker_that_says_nothing_for_long_but_lives_keeps_its_session(
    silent: PostgresJobQueue, worker: OpenWorker
) -> None:
    with silent._session.statements() as transaction:
        (pid, since) = (
            transaction.row(
                "SELECT pid, clock_timestamp() FROM pg_stat_activity WHERE pid = pg_backend_pid()"
            )
            or ()
        )
    later = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND state_change > %s::timestamptz + interval '0.6 s'"
    other = worker()
    assert eventually_now(lambda: other._database.rows(later, (pid, since)), every=0.1)
    assert other.take_over(NOW) == 0
    silent.complete("r1-1")


def test_a_worker_whose_event_loop_hangs_loses_its_session(
    silent: PostgresJobQueue, worker: OpenWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOP_SECONDS", 0.1)
    silent.take_over(NOW)  # for the last time
    assert eventually_now(lambda: worker().take_over(NOW), every=0.1) == 1


def test_a_sign_of_life_that_the_server_refuses_is_not_the_last_one() -> None:
    beats = threading.Semaphore(0)

    def refused() -> None:
        beats.release()
        raise StorageError("canceling statement due to statement timeout")

    heartbeat = module.Heartbeat(refused, 0.01)
    assert beats.acquire(timeout=10) and beats.acquire(timeout=10)
    heartbeat.stop()


def test_talk_that_is_hastened_while_it_is_claimed_holds_up_neither(
    worker: OpenWorker, schema: Schema
) -> None:
    one, two = worker(), worker()
    for name in ("b", "c", "a"):  # as they stand in the table; a claim locks them by their ids
        one.put(
            make_job(
                name,
                kind="talk",
                user_id=name,
                group=None,
                not_before=NOW - 1,
                payload={"text": "x"},
            )
        )
    looker, waiting = (
        schema.open(),
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    )
    with ThreadPoolExecutor(2) as threads, schema.open().writing() as first:
        first.execute("SELECT 1 FROM jobs WHERE job_id = 'c-1' FOR UPDATE")
        hastened = threads.submit(one.hasten)
        eventually_now(lambda: looker.row(waiting) == (1,))
        job = threads.submit(claimed, two)
        eventually_now(lambda: looker.row(waiting) == (2,))
        first.connection.execute("COMMIT")
        assert (hastened.result(20), job.result(20)) == (None, "b-1")


def test_a_look_at_many_idle_workers_is_one_statement(
    worker: OpenWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, *others = [worker() for _ in range(5)]
    assert [claimed(other) for other in others] == [""] * 4
    others[0].close()
    looks: list[str] = []
    rows = one._database.rows

    def counted(statement: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        looks.append(statement)
        return rows(statement, parameters)

    monkeypatch.setattr(one._database, "rows", counted)
    eventually_now(
        lambda: (
            one.take_over(NOW) == 0
            and one._database.row("SELECT count(*) FROM idle_workers") == (3,)
        )
    )
    looks.clear()
    assert one.take_over(NOW) == 0
    assert len(looks) == 1


def test_a_session_is_opened_anew_with_another_number_after_it_was_lost(schema: Schema) -> None:
    session = WorkerSession(schema.open())
    with session.statements():
        first = session.number
    session.close()
    assert session.number == 0
    with session.statements():
        assert session.number > first > 0
    session.close()


@pytest.mark.parametrize("dies", ["before", "long after"])
@pytest.mark.parametrize("stands", ["amid a pipeline", "after one"])
def test_what_a_suspended_worker_had_begun_to_send_holds_no_lock_once_its_jobs_go_to_another(
    schema: Schema, worker: OpenWorker, dies: str, stands: str
) -> None:
    suspended, living = (
        worker(),
        PostgresJobQueue(schema.open(silence_seconds=0.5), clock=lambda: NOW),
    )
    suspended.put(make_job("r1"))
    assert claimed(suspended)
    if dies == "before":
        kill_session(suspended)
        assert eventually_now(lambda: living.take_over(NOW), every=0.1) == 1
    filed = "INSERT INTO filed_jobs (job_id) VALUES ('r1-1')"
    connection = psycopg.connect(
        server_url(), autocommit=True, options=f"-c search_path={schema.name}"
    )
    if stands == "after one":
        connection.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 100")
        connection.cursor().executemany(f"{filed} ON CONFLICT DO NOTHING", [()])
    else:
        raw = connection.pgconn
        raw.enter_pipeline_mode()
        for statement in ("BEGIN", filed):
            raw.send_query_params(statement.encode(), [])
        raw.send_flush_request()
        raw.flush()  # and nothing more: the process stands still
    if dies != "before":
        kill_session(suspended)
    options = f"-c search_path={schema.name} -c lock_timeout=50ms"
    with (
        closing(connection),
        psycopg.connect(server_url(), autocommit=True, options=options) as other,
    ):

        def is_free() -> bool:
            living.take_over(NOW)
            with suppress(psycopg.errors.LockNotAvailable):
                other.execute(filed.encode())
                return True
            return False

        eventually_now(is_free, seconds=10)
    assert living.counts(NOW).pending == 1
    living.close()
