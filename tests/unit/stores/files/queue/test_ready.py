from historian.stores.files.queue.ready import Entry, ReadyJobs
from hypothesis import given
from hypothesis import strategies as st


def name(n: int) -> str:
    return f"{n:013d}-r{n}-1.json"


def take_all(lines: ReadyJobs, now: float = 0) -> list[str]:
    taken = []
    while (entry := lines.take(now)) is not None:
        taken.append(entry.job_id)
    return taken


def test_an_older_job_that_comes_late_goes_before_those_that_wait_but_not_before_one_that_runs() -> None:
    lines = ReadyJobs()
    lines.add(name(5), "five", ["a"], 0)
    lines.add(name(6), "six", ["a"], 0)
    running = lines.take(0)
    assert running is not None
    lines.add(name(1), "one", ["a"], 0)
    assert take_all(lines) == []
    lines.remove(running)
    assert take_all(lines) == ["one"]


def test_an_older_job_that_comes_late_displaces_a_head_that_was_ready() -> None:
    lines = ReadyJobs()
    lines.add(name(5), "five", ["a", "b"], 0)
    lines.add(name(1), "one", ["b"], 0)
    assert take_all(lines) == ["one"]


def test_a_job_that_is_given_back_lets_older_ones_pass_that_came_while_it_ran() -> None:
    lines = ReadyJobs()
    lines.add(name(5), "five", ["a", "b"], 0)
    running = lines.take(0)
    assert running is not None
    lines.add(name(1), "one", ["a", "c"], 0)
    lines.put_back(running, 0)
    lines.add(name(3), "three", ["a", "c"], 0)
    order = []
    while (entry := lines.take(0)) is not None:
        order.append(entry.job_id)
        lines.remove(entry)
    assert order == ["one", "three", "five"]


def test_a_clock_that_goes_back_makes_a_due_job_wait_again() -> None:
    lines = ReadyJobs()
    lines.add(name(1), "one", ["a"], 100)
    lines.add(name(2), "two", ["b"], 100)
    first = lines.take(100)
    assert first is not None and first.job_id == "one"
    assert lines.take(50) is None
    assert take_all(lines, 100) == ["two"]


@given(
    jobs=st.lists(st.tuples(st.sets(st.sampled_from("abcd"), min_size=1), st.sampled_from([0, 10, 20])), max_size=25),
    moves=st.lists(st.tuples(st.sampled_from(["add", "take", "remove", "back"]), st.integers(0, 30)), max_size=80),
    shuffled=st.randoms(use_true_random=False),
)
def test_it_agrees_with_a_plain_search_over_all_jobs(
    jobs: list[tuple[set[str], int]], moves: list[tuple[str, int]], shuffled: object
) -> None:
    lines = ReadyJobs()
    waiting: dict[str, Entry] = {}
    claimed: dict[str, Entry] = {}
    left = [(n, *job) for n, job in enumerate(jobs)]
    shuffled.shuffle(left)  # type: ignore[attr-defined]
    for move, number in moves:
        if move == "add" and left:
            n, entities, not_before = left.pop()
            waiting[f"j{n}"] = lines.add(name(n), f"j{n}", entities, not_before)
        elif move == "take":
            busy = {e for entry in claimed.values() for e in entry.entities}
            expected = None
            for entry in sorted(waiting.values(), key=lambda e: e.key):
                if not busy & set(entry.entities) and entry.not_before <= number:
                    expected = entry
                    break
                busy |= set(entry.entities)
            assert lines.take(number) is expected
            if expected is not None:
                claimed[expected.job_id] = waiting.pop(expected.job_id)
        elif move == "remove" and (everything := {**waiting, **claimed}):
            job_id = sorted(everything)[number % len(everything)]
            lines.remove(everything[job_id])
            waiting.pop(job_id, None)
            claimed.pop(job_id, None)
        elif move == "back" and claimed:
            job_id = sorted(claimed)[number % len(claimed)]
            waiting[job_id] = claimed.pop(job_id)
            lines.put_back(waiting[job_id], number)
    assert len(lines) == len(waiting) + len(claimed)
