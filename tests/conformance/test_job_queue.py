"""What every `JobQueue` promises. `open_queue()` opens the same stored queue again, as a restarted process would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.job import Job
from historian.schema.protocols import JobQueue
from historian.stores.postgres.jobs.queue import PostgresJobQueue
from historian.stores.sqlite.queue import SqliteJobQueue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.jobs import make_job
from support.postgres import Schema

NOW = 1_800_000_000.0
OpenQueue = Callable[[], JobQueue]


@contextmanager
def _sqlite_queue() -> Iterator[OpenQueue]:
    opened: list[SqliteJobQueue] = []
    with TemporaryDirectory() as place:

        def opener() -> JobQueue:
            opened.append(SqliteJobQueue(Path(place) / "queue.sqlite", clock=lambda: NOW))
            return opened[-1]

        yield opener
        for queue in opened:
            queue.close()


@contextmanager
def _postgres_queue() -> Iterator[OpenQueue]:
    schema = Schema()
    opened: list[PostgresJobQueue] = []

    def opener() -> JobQueue:
        opened.append(PostgresJobQueue(schema.open(), clock=lambda: NOW))
        return opened[-1]

    yield opener
    for queue in opened:
        queue.close()
    schema.close()


OPENERS = {"sqlite": _sqlite_queue, "postgres": _postgres_queue}


def die(queue: JobQueue) -> None:
    """End whatever tells others that the process of a queue lives."""
    if isinstance(queue, PostgresJobQueue):
        queue.close()


@pytest.fixture(params=OPENERS.values(), ids=OPENERS)
def open_queue(request: pytest.FixtureRequest) -> Iterator[OpenQueue]:
    with request.param() as opener:
        yield opener


@pytest.fixture
def queue(open_queue: OpenQueue) -> JobQueue:
    return open_queue()


def claim_ids(queue: JobQueue, now: float = NOW) -> list[str]:
    """Claim whatever may run now, all at once."""
    ids = []
    while (job := queue.claim(now)) is not None:
        ids.append(job.job_id)
    return ids


def test_an_empty_queue_gives_nothing(queue: JobQueue) -> None:
    assert queue.claim(NOW) is None
    counts = queue.counts(NOW)
    assert (counts.pending, counts.processing, counts.failed, counts.oldest_pending_seconds) == (
        0,
        0,
        0,
        0.0,
    )
    assert queue.waiting("g:7") == queue.jobs("pending") == queue.failed() == []


def test_a_job_comes_out_as_it_went_in(queue: JobQueue) -> None:
    job = make_job(
        "消息/1",
        3,
        payload={"深": [1, {"x": "é"}]},
        recent_messages=[{"sender_id": 5, "text": "😀"}],
    )
    assert queue.put(job) == job.job_id
    assert queue.claim(NOW) == job


def test_a_job_survives_the_process_that_put_it(open_queue: OpenQueue) -> None:
    job = make_job()
    open_queue().put(job)
    assert open_queue().claim(NOW) == job


def test_the_same_id_again_is_no_second_job(open_queue: OpenQueue) -> None:
    first = open_queue()
    assert first.put(make_job()) == first.put(make_job())
    open_queue().put(make_job())
    assert first.counts(NOW).pending == 1


def test_the_same_id_while_claimed_or_failed_or_done_is_no_second_job(queue: JobQueue) -> None:
    queue.put(make_job())
    job = queue.claim(NOW)
    assert job is not None
    queue.put(make_job())
    assert queue.claim(NOW) is None
    queue.complete(job.job_id)
    queue.put(make_job())
    assert queue.claim(NOW) is None
    queue.put(make_job("other"))
    assert claim_ids(queue) == ["other-1"]
    queue.fail("other-1", error="bad", filed=True)
    queue.put(make_job("other"))
    assert queue.claim(NOW) is None


def test_jobs_of_one_entity_run_in_order_one_at_a_time(queue: JobQueue) -> None:
    for n in range(4):
        queue.put(make_job(f"r{n}"))
    order = []
    for _ in range(4):
        job = queue.claim(NOW)
        assert job is not None
        assert queue.claim(NOW) is None
        queue.complete(job.job_id)
        order.append(job.request_id)
    assert order == ["r0", "r1", "r2", "r3"]


def test_jobs_that_share_neither_user_nor_group_run_side_by_side(queue: JobQueue) -> None:
    queue.put(make_job("a", user_id="1", group="7"))
    queue.put(make_job("b", user_id="1", group="8"))
    queue.put(make_job("c", user_id="2", group="8"))
    queue.put(make_job("d", user_id="3", group=None))
    assert claim_ids(queue) == ["a-1", "d-1"]
    queue.complete("a-1")
    assert claim_ids(queue) == ["b-1"]
    queue.complete("b-1")
    assert claim_ids(queue) == ["c-1"]


def talk(name: str, not_before: float = NOW + 60, **fields: object) -> Job:
    return make_job(
        name, kind="talk", action_summary="", payload={"text": name}, **fields
    ).model_copy(update={"not_before": not_before})


def test_messages_that_wait_block_nobody_and_are_taken_along_oldest_first(queue: JobQueue) -> None:
    for job in (
        talk("a"),
        make_job("turn"),
        talk("b"),
        talk("elsewhere", group="8", user_id="43"),
        talk("c"),
        talk("due", 0.0),
        talk("d"),
    ):
        queue.put(job)
    assert claim_ids(queue) == ["turn-1"]
    queue.complete("turn-1")
    assert claim_ids(queue) == ["due-1"]
    assert [job.job_id for job in queue.together("due-1", 10)] == [
        "a-1",
        "b-1",
        "c-1",
        "due-1",
        "d-1",
    ]
    assert [job.job_id for job in queue.together("due-1", 3)] == ["a-1", "b-1", "due-1"], (
        "the job itself is always among them"
    )
    queue.hasten(["a-1", "b-1", "c-1", "unknown"])
    queue.complete("due-1")
    assert claim_ids(queue) == ["a-1"]
    queue.postpone("a-1", error="its own fault", not_before=NOW)
    assert claim_ids(queue, NOW - 1) == []
    assert queue.claim(NOW).job_id == "a-1"  # type: ignore[union-attr]
    queue.complete("a-1")
    assert claim_ids(queue) == ["b-1"]
    assert [job.job_id for job in queue.together("b-1", 10)] == ["b-1", "c-1", "d-1"]
    queue.complete("b-1")
    assert claim_ids(queue) == ["c-1"]
    queue.complete("c-1")
    assert claim_ids(queue) == []
    queue.hasten()
    assert sorted(claim_ids(queue)) == ["d-1", "elsewhere-1"]


def test_facts_that_wait_for_a_merge_are_gathered_apart_from_messages(queue: JobQueue) -> None:
    def learnt(name: str, **fields: object) -> Job:
        job = make_job(name, kind="profile", action_summary="", payload={"facts": []}, **fields)
        return job.model_copy(update={"not_before": NOW + 60})

    for job in (
        learnt("a"),
        talk("b"),
        learnt("c", user_id="9"),
        learnt("elsewhere", group="8", user_id="43"),
        make_job("turn"),
    ):
        queue.put(job)
    assert claim_ids(queue) == ["turn-1"] and not queue.is_due(NOW), "who waits holds back nobody"
    queue.complete("turn-1")
    queue.hasten(["b-1"], kind="profile")
    assert claim_ids(queue) == []
    queue.hasten(kind="profile")
    assert queue.is_due(NOW) and sorted(claim_ids(queue)) == ["a-1", "elsewhere-1"]
    assert [job.job_id for job in queue.together("a-1", 10)] == ["a-1", "c-1"]
    queue.complete("a-1")
    assert claim_ids(queue) == ["c-1"]
    assert queue.settle_filed(["b-1"]) == 1 and queue.talk_after(0, 10) == []


def test_a_message_that_failed_once_is_worked_on_alone(queue: JobQueue) -> None:
    for job in (talk("a", 0.0), talk("b", 0.0, user_id="9"), talk("c", 0.0)):
        queue.put(job)
    assert claim_ids(queue) == ["a-1"]
    queue.postpone("a-1", error="its own fault", not_before=NOW + 60)
    assert claim_ids(queue) == [], "it holds back those behind it"
    assert queue.claim(NOW + 60).job_id == "a-1"  # type: ignore[union-attr]
    queue.complete("a-1")
    assert claim_ids(queue) == ["b-1"]
    assert [job.job_id for job in queue.together("b-1", 10)] == ["b-1", "c-1"]


def test_a_postponed_job_waits_and_holds_back_those_behind_it(queue: JobQueue) -> None:
    queue.put(make_job("a"))
    queue.put(make_job("b"))
    queue.put(make_job("c", user_id="9", group=None))
    assert claim_ids(queue) == ["a-1", "c-1"]
    queue.postpone("a-1", error="model said no", not_before=NOW + 60)
    assert claim_ids(queue, NOW + 59) == []
    job = queue.claim(NOW + 60)
    assert job is not None
    assert (job.request_id, job.attempts, job.last_error) == ("a", 1, "model said no")
    queue.complete(job.job_id)
    assert claim_ids(queue, NOW) == ["b-1"]


def test_a_postponed_job_waits_after_a_restart_too(open_queue: OpenQueue) -> None:
    queue = open_queue()
    queue.put(make_job("a"))
    queue.put(make_job("b"))
    queue.claim(NOW)
    queue.postpone("a-1", error="x" * 100_000, not_before=NOW + 60)
    again = open_queue()
    assert again.claim(NOW) is None
    job = again.claim(NOW + 61)
    assert job is not None
    assert (job.job_id, job.attempts) == ("a-1", 1)
    assert len(job.last_error) <= 1000


def test_a_released_job_is_as_it_was_and_keeps_its_place(queue: JobQueue) -> None:
    queue.put(make_job("a"))
    queue.put(make_job("b"))
    first = queue.claim(NOW)
    queue.release("a-1")
    assert queue.claim(NOW) == first


def test_a_failed_job_frees_its_entities_and_says_why(queue: JobQueue) -> None:
    queue.put(make_job("a"))
    queue.put(make_job("b"))
    queue.claim(NOW)
    queue.fail("a-1", error="the gate\x00 was never satisfied", filed=True)
    [failed] = queue.failed()
    assert failed.job is not None
    assert (failed.job.request_id, failed.error, failed.filed) == (
        "a",
        "the gate was never satisfied",
        True,
    )
    assert failed.failed_at == NOW
    assert [job.job_id for job in queue.jobs("failed")] == ["a-1"]
    assert claim_ids(queue) == ["b-1"]


def test_a_retried_job_is_the_very_job_with_attempts_reset(open_queue: OpenQueue) -> None:
    queue = open_queue()
    jobs = [make_job(name, user_id=name, group=None) for name in "abc"]
    for job in jobs:
        queue.put(job)
    claim_ids(queue)
    for job in jobs:
        queue.fail(job.job_id, error="no", filed=False)
    assert queue.retry_failed("nobody-1") == 0
    assert queue.retry_failed("b-1") == 1
    assert queue.claim(NOW) == jobs[1]
    assert open_queue().retry_failed() == 2
    assert [queue.claim(NOW), queue.claim(NOW)] == [jobs[0], jobs[2]]
    assert queue.failed() == []


def test_the_claim_of_a_job_that_nobody_else_has_stands(queue: JobQueue) -> None:
    queue.put(make_job())
    job = queue.claim(NOW)
    assert job is not None
    queue.check_claim(job.job_id)
    queue.complete(job.job_id)


def test_settling_what_is_not_claimed_is_an_error(queue: JobQueue) -> None:
    queue.put(make_job())
    for settle in (
        lambda: queue.complete("r1-1"),
        lambda: queue.release("r1-1"),
        lambda: queue.postpone("r1-1", error="", not_before=0),
        lambda: queue.fail("r1-1", error="", filed=False),
    ):
        with pytest.raises(InvalidInput, match="r1-1"):
            settle()


def test_recover_gives_back_what_a_dead_process_had_claimed_in_the_old_order(
    open_queue: OpenQueue,
) -> None:
    dead = open_queue()
    for n in range(3):
        dead.put(make_job(f"r{n}"))
    dead.put(make_job("x", user_id="9", group=None))
    claim_ids(dead)
    die(dead)
    queue = open_queue()
    assert queue.take_over(NOW) == 2
    assert claim_ids(queue) == ["r0-1", "x-1"]
    assert queue.take_over(NOW) == 0
    queue.complete("r0-1")
    assert claim_ids(queue) == ["r1-1"]


def test_two_processes_that_put_the_same_id_at_once_make_one_job(open_queue: OpenQueue) -> None:
    queue, other = open_queue(), open_queue()
    for one in (queue, other):
        one.put(make_job("first", user_id="1", group=None))  # both have looked into the store now
    other.put(make_job("twice"))
    queue.put(make_job("twice"))
    queue.put(make_job("later"))
    assert claim_ids(queue) == ["first-1", "twice-1"]
    queue.complete("twice-1")
    assert claim_ids(queue) == ["later-1"]
    queue.complete("later-1")
    queue.complete("first-1")
    assert claim_ids(queue) == []
    assert queue.counts(NOW).pending == 0


def test_what_another_process_puts_is_seen(open_queue: OpenQueue) -> None:
    queue, other = open_queue(), open_queue()
    assert queue.claim(NOW) is None
    other.put(make_job("theirs"))
    assert claim_ids(queue) == ["theirs-1"]


def test_waiting_shows_one_scope_newest_first_to_any_process(open_queue: OpenQueue) -> None:
    queue = open_queue()
    for n in range(5):
        queue.put(make_job(f"r{n}"))
        queue.put(make_job(f"p{n}", group=None))
    reader = open_queue()
    for one in (queue, reader):
        assert [job.request_id for job in one.waiting("g:7", 3)] == ["r4", "r3", "r2"]
        assert [job.request_id for job in one.waiting("p:42")] == ["p4", "p3", "p2", "p1", "p0"]
        assert one.waiting("p:7") == []
    queue.claim(NOW)
    assert len(reader.waiting("g:7")) == len(queue.waiting("g:7")) == 5
    queue.complete("r0-1")
    assert [job.request_id for job in reader.waiting("g:7")] == ["r4", "r3", "r2", "r1"]
    assert [job.request_id for job in queue.waiting("g:7")] == ["r4", "r3", "r2", "r1"]


def test_counts_and_lists_by_state(queue: JobQueue) -> None:
    for n in range(4):
        queue.put(make_job(f"r{n}", user_id=str(n), group=None))
    queue.claim(NOW)
    queue.claim(NOW)
    queue.fail("r0-1", error="no", filed=False)
    counts = queue.counts(NOW + 10)
    assert (counts.pending, counts.processing, counts.failed) == (2, 1, 1)
    assert counts.oldest_pending_seconds == pytest.approx(10, abs=0.1)
    assert [job.request_id for job in queue.jobs("pending")] == ["r2", "r3"]
    assert [job.request_id for job in queue.jobs("pending", 1)] == ["r2"]
    assert [job.request_id for job in queue.jobs("processing")] == ["r1"]


def test_amending_to_nothing_removes_pending_and_failed_jobs_and_frees_their_entities(
    queue: JobQueue,
) -> None:
    for n in range(3):
        queue.put(make_job(f"r{n}"))
    queue.put(make_job("bad", user_id="1", group=None))
    queue.put(make_job("good", user_id="2", group=None))
    assert claim_ids(queue) == ["r0-1", "bad-1", "good-1"]
    queue.fail("bad-1", error="no", filed=False)
    assert queue.amend(lambda job: None if job.request_id in {"r0", "r1", "bad"} else job) == 2
    assert queue.failed() == []
    queue.complete("r0-1")
    assert claim_ids(queue) == ["r2-1"]


def test_cleanup_by_age_removes_only_what_is_filed(queue: JobQueue) -> None:
    for name, filed in (("filed", True), ("lost", False)):
        queue.put(make_job(name, user_id=name, group=None))
        queue.claim(NOW)
        queue.fail(f"{name}-1", error="no", filed=filed)
    day = 86_400
    assert queue.cleanup(NOW + 30 * day, max_age_days=30, max_failed=500) == 0
    assert queue.cleanup(NOW + 31 * day, max_age_days=30, max_failed=500) == 1
    assert [failed.job.request_id for failed in queue.failed() if failed.job] == ["lost"]


def test_cleanup_by_count_removes_only_what_is_filed(queue: JobQueue) -> None:
    for n in range(6):
        queue.put(make_job(f"r{n}", user_id=str(n), group=None))
        queue.claim(NOW)
        queue.fail(f"r{n}-1", error="no", filed=n % 2 == 0)
    assert queue.cleanup(NOW, max_age_days=30, max_failed=4) == 2
    assert [f.job.request_id for f in queue.failed() if f.job] == ["r1", "r3", "r4", "r5"]
    assert queue.cleanup(NOW, max_age_days=30, max_failed=0) == 1


def test_many_threads_put_and_claim_without_losing_or_doubling(queue: JobQueue) -> None:
    total, ran, lock = 120, [], threading.Lock()

    def put(part: int) -> None:
        for n in range(part, total, 4):
            queue.put(make_job(f"r{n}", user_id=str(n % 7), group=str(n % 3)))
            queue.put(make_job(f"r{n % 10}", user_id=str(n % 10 % 7), group=str(n % 10 % 3)))

    putters = [threading.Thread(target=put, args=(part,)) for part in range(4)]

    def run() -> None:
        while True:
            over = not any(putter.is_alive() for putter in putters)
            job = queue.claim(NOW)
            if job is not None:
                with lock:
                    ran.append(job.job_id)
                queue.complete(job.job_id)
            elif over and queue.counts(NOW).pending == 0:
                return

    runners = [threading.Thread(target=run) for _ in range(3)]
    for thread in (*putters, *runners):
        thread.start()
    for thread in (*putters, *runners):
        thread.join(60)
        assert not thread.is_alive()
    assert sorted(ran) == sorted(f"r{n}-1" for n in range(total))


# What a worker may do with what it has claimed, and what may happen around it.
STEPS = st.lists(
    st.sampled_from(
        ["put", "claim", "complete", "postpone", "release", "fail", "restart", "retry", "later"]
    ),
    max_size=40,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize(
    "implementation",
    [_sqlite_queue, pytest.param(_postgres_queue, marks=pytest.mark.slow)],
    ids=["sqlite", "postgres"],
)
@given(steps=STEPS, data=st.data())
def test_whatever_happens_no_job_is_lost_or_doubled_and_entities_stay_in_order(
    implementation: Callable[[], AbstractContextManager[OpenQueue]],
    steps: list[str],
    data: st.DataObject,
) -> None:
    with implementation() as opener:
        live(opener, steps, data)


def live(opener: OpenQueue, steps: list[str], data: st.DataObject) -> None:
    queue, now, number = opener(), NOW, 0
    running: dict[str, Job] = {}
    accepted: set[str] = set()
    done: set[str] = set()
    for step in steps:
        chosen = data.draw(st.sampled_from(sorted(running))) if running else None
        if step == "put":
            user, group = (
                data.draw(st.sampled_from("123")),
                data.draw(st.sampled_from([None, "a", "b"])),
            )
            accepted.add(queue.put(make_job(f"r{number:03d}", user_id=user, group=group)))
            number += 1
        elif step == "claim":
            job = queue.claim(now)
            if job is not None:
                assert not any(job.entities & other.entities for other in running.values())
                older = [
                    other for other in queue.jobs("pending") if other.request_id < job.request_id
                ]
                assert not any(job.entities & other.entities for other in older)
                running[job.job_id] = job
        elif step == "restart":
            die(queue)
            queue, running = opener(), {}
            queue.take_over(now)
        elif step == "retry":
            queue.retry_failed()
        elif step == "later":
            now += 30
        elif chosen is not None:
            del running[chosen]
            if step == "complete":
                queue.complete(chosen)
                done.add(chosen)
            elif step == "postpone":
                queue.postpone(
                    chosen, error="later", not_before=now + data.draw(st.sampled_from([0, 20, 50]))
                )
            elif step == "release":
                queue.release(chosen)
            else:
                queue.fail(chosen, error="no", filed=False)
    held = [
        job.job_id for state in ("pending", "processing", "failed") for job in queue.jobs(state)
    ]
    assert sorted(held) == sorted(accepted - done)
    queue.retry_failed()
    queue.take_over(now)
    rest = set(running)
    for job_id in running:
        queue.complete(job_id)
    while (job := queue.claim(now + 100)) is not None:
        rest.add(job.job_id)
        queue.complete(job.job_id)
    assert rest == accepted - done


def test_messages_are_handed_out_behind_a_cursor_and_leave_together(queue: JobQueue) -> None:
    first = [talk("a"), make_job("turn"), talk("b"), talk("c", 0.0)]
    assert queue.put_all(first) == ["a-1", "turn-1", "b-1", "c-1"]
    found = queue.talk_after(-1, 2)
    assert [job.job_id for _, job in found] == ["a-1", "b-1"]
    rest = queue.talk_after(found[-1][0], 2)
    assert [job.job_id for _, job in rest] == ["c-1"] and queue.talk_after(rest[-1][0], 2) == []
    assert queue.settle_filed(["a-1", "b-1", "c-1", "turn-1", "unknown"]) == 3
    assert queue.talk_after(-1, 9) == [] and claim_ids(queue) == ["turn-1"]
    queue.complete("turn-1")
    # What comes into an empty queue stands behind everything that was there.
    queue.put(talk("d"))
    assert [job.job_id for _, job in queue.talk_after(rest[-1][0], 9)] == ["d-1"]


def test_jobs_that_are_put_together_are_seen_together(open_queue: OpenQueue) -> None:
    jobs, seen, looking = [make_job(f"turn{n}") for n in range(200)], set[int](), open_queue()
    putting = [
        threading.Thread(target=open_queue().put_all, args=(some,)) for some in (jobs, jobs[::-1])
    ]
    for thread in putting:
        thread.start()
    while any(thread.is_alive() for thread in putting):
        seen.add(looking.counts(NOW).pending)
    assert seen <= {0, 200} and looking.counts(NOW).pending == 200
    with pytest.raises(InvalidInput):
        looking.put_all([make_job("small"), make_job("large", new_info=["多" * 2_000_000])])
    assert looking.counts(NOW).pending == 200


def test_a_message_that_is_claimed_is_left_to_its_worker(queue: JobQueue) -> None:
    queue.put(talk("a", 0.0))
    assert queue.is_due(NOW)
    assert claim_ids(queue) == ["a-1"]
    assert (
        not queue.is_due(NOW) and queue.settle_filed(["a-1"]) == 0 and queue.withdraw(["a-1"]) == 0
    )
    queue.complete("a-1")
    queue.put(talk("b", NOW + 60))
    assert not queue.is_due(NOW) and queue.is_due(NOW + 60)


def test_jobs_of_one_message_are_found_by_how_their_ids_begin(queue: JobQueue) -> None:
    queue.put_all([talk("talk-1-a"), talk("talk-1-b"), talk("talk-10-a"), make_job("talk-1-c")])
    assert [job.job_id for job in queue.talk_of("talk-1-")] == ["talk-1-a-1", "talk-1-b-1"]
    assert queue.withdraw(["talk-1-a-1", "talk-1-b-1", "unknown"]) == 2
    assert queue.talk_of("talk-1-") == []
