"""What is particular to the queue of files: names, bad files, full disks, killed processes."""

from __future__ import annotations

import errno
import gc
import json
import multiprocessing
import os
import signal
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from historian.schema.errors import InvalidInput, StorageError
from historian.schema.ids import encode_id
from historian.schema.job import MAX_JOB_BYTES
from historian.stores.files.queue.job_files import ROOM, file_name, name_prefix, order
from historian.stores.files.queue.job_queue import FileJobQueue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.clock import Clock
from support.crashes.child import is_killed
from support.crashes.killed_at import killed_at_every_call
from support.jobs import make_job

NOW = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "queues"


@pytest.fixture
def queue(folder: Path) -> FileJobQueue:
    return FileJobQueue(folder, clock=Clock(NOW))


def files(folder: Path) -> dict[str, list[str]]:
    return {p.name: sorted(f.name for f in p.iterdir()) for p in folder.iterdir() if p.is_dir()}


def drop_in(folder: Path, name: str, content: bytes) -> Path:
    path = folder / "pending" / name
    path.write_bytes(content)
    return path


def test_a_file_is_named_by_time_request_and_sequence(queue: FileJobQueue, folder: Path) -> None:
    queue.put(make_job("r-1", 42))
    assert files(folder)["pending"] == ["1800000000000-r-1-42.json"]


def test_names_grow_though_the_clock_stands_still_or_goes_back_and_over_restarts(folder: Path) -> None:
    clock = Clock(NOW)
    queue = FileJobQueue(folder, clock=clock)
    for n in range(12):
        if n % 3 == 2:
            queue = FileJobQueue(folder, clock=clock)
        queue.put(make_job(f"r{n:02d}"))
        clock.now -= 3600 * (n % 2)
    names = sorted(files(folder)["pending"], key=order)
    assert [name[14:] for name in names] == [f"r{n:02d}-1.json" for n in range(12)]
    assert len({name_prefix(name) for name in names}) == 12


def test_names_grow_after_a_restart_though_the_note_of_the_newest_is_lost_or_garbage(folder: Path) -> None:
    FileJobQueue(folder, clock=Clock(NOW)).put(make_job("a"))
    for n, text in enumerate([None, b"", b"\x00" * 20, b"nonsense"]):
        (folder / "newest").unlink()
        if text is not None:
            (folder / "newest").write_bytes(text)
        FileJobQueue(folder, clock=Clock(NOW - 1000)).put(make_job(f"b{n}"))
    names = sorted(files(folder)["pending"], key=order)
    assert [name[14:] for name in names] == ["a-1.json", "b0-1.json", "b1-1.json", "b2-1.json", "b3-1.json"]


def test_names_grow_across_processes_whose_clocks_differ(folder: Path) -> None:
    ahead, behind = FileJobQueue(folder, clock=Clock(NOW)), FileJobQueue(folder, clock=Clock(NOW - 60))
    for n in range(6):
        (ahead, behind)[n % 2].put(make_job(f"r{n}"))
    names = sorted(files(folder)["pending"], key=order)
    assert [name[14:] for name in names] == [f"r{n}-1.json" for n in range(6)]
    assert len({name_prefix(name) for name in names}) == 6


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_names_are_ordered_by_their_time(a: int, b: int) -> None:
    assert (order(file_name(a, "x")) < order(file_name(b, "x"))) == (a < b)
    assert name_prefix(file_name(a, "4-x")) == a


@pytest.mark.parametrize("request_id", ["../x", "-1001234", "@ann:matrix.org", "记" * 128, "a/b\\c", "CON", ".", "A" * 128])
def test_any_id_stays_in_its_folder(queue: FileJobQueue, folder: Path, request_id: str) -> None:
    job = make_job(request_id, user_id=request_id, group=None)
    queue.put(job)
    assert len(files(folder)["pending"]) == 1
    assert {p.name for p in folder.parent.iterdir()} == {"queues"}
    assert queue.claim(NOW) == job
    queue.fail(job.job_id, error="no", filed=False)
    assert queue.retry_failed(job.job_id) == 1
    assert queue.claim(NOW) == job


def newer_job() -> bytes:
    return json.dumps({**make_job("new").model_dump(), "schema_version": 99}).encode()


def deep() -> bytes:
    return b'{"payload":' + b'{"a":' * 100_000


BAD = {
    "empty": (b"", "not JSON"),
    "half": (make_job().to_json().encode()[:100], "not JSON"),
    "bytes": (b"\xff\xfe\x00", "not JSON"),
    "list": (b"[]", "expected an object"),
    "deep": (deep(), "not JSON"),
    "no-job": (b'{"request_id": "x"}', "missing"),
    "unknown": (json.dumps({**make_job().model_dump(), "colour": 1}).encode(), "colour"),
    "old": (json.dumps({**make_job().model_dump(), "schema_version": 0}).encode(), "schema_version"),
    "strange": (json.dumps({**make_job().model_dump(), "schema_version": "one"}).encode(), "schema_version"),
    "new": (newer_job(), "upgrade"),
    "large": (b" " * 2 * MAX_JOB_BYTES + b"{}", "bytes"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("state", ["pending", "processing"])
def test_a_bad_file_is_put_aside_with_the_reason_and_not_in_the_way(
    queue: FileJobQueue, folder: Path, kind: str, state: str
) -> None:
    content, reason = BAD[kind]
    name = f"1700000000000-{kind}-1.json"
    (folder / state / name).write_bytes(content)
    queue.put(make_job("good"))
    queue.take_over(NOW)
    job = queue.claim(NOW)
    assert job is not None and job.request_id == "good"
    [failed] = queue.failed()
    assert (failed.name, failed.job, failed.filed, failed.failed_at) == (name, None, False, NOW)
    assert reason in failed.error
    assert (folder / "failed" / name).read_bytes() == content
    assert queue.retry_failed() == 0


def test_things_that_are_no_files_are_put_aside(queue: FileJobQueue, folder: Path, tmp_path: Path) -> None:
    pending = folder / "pending"
    (pending / "1700000000000-folder-1.json").mkdir()
    (pending / "1700000000000-folder-1.json" / "inner").write_text("x")
    secret = tmp_path / "secret.json"
    secret.write_text(make_job("secret").to_json())
    (pending / "1700000000000-link-1.json").symlink_to(secret)
    (pending / "1700000000000-dangling-1.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(pending / "1700000000000-pipe-1.json")
    (pending / "note.txt").write_text("hello")
    (pending / ".hidden").write_text("left alone")
    assert queue.claim(NOW) is None
    assert sorted(failed.error.split(",")[0].split(":")[0] for failed in queue.failed()) == [
        "a device or pipe",
        "a folder",
        "a link",
        "a link",
        "not a job file",
    ]
    assert [path.name for path in pending.iterdir()] == [".hidden"]
    assert queue.cleanup(NOW, max_age_days=0, max_files=0) == 4  # the folder stays: a person put it there
    assert secret.exists()
    assert [failed.name for failed in queue.failed()] == ["1700000000000-folder-1.json"]


def test_two_bad_files_of_one_name_are_both_kept(queue: FileJobQueue, folder: Path) -> None:
    for content in (b"1", b"2", b"3"):
        drop_in(folder, "1700000000000-x-1.json", content)
        assert queue.claim(NOW) is None
    assert len(queue.failed()) == 3


def test_cleanup_removes_what_was_never_readable_but_no_job_of_a_newer_version(queue: FileJobQueue, folder: Path) -> None:
    drop_in(folder, "1700000000000-junk-1.json", b"junk")
    drop_in(folder, "1700000000000-new-1.json", newer_job())
    queue.claim(NOW)
    assert queue.cleanup(NOW + 31 * 86_400, max_age_days=30, max_files=500) == 1
    assert [failed.name for failed in queue.failed()] == ["1700000000000-new-1.json"]
    assert files(folder)["failed"] == ["1700000000000-new-1.json", "1700000000000-new-1.json.reason"]


def test_a_job_put_aside_for_its_version_comes_back_once_that_is_known(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_in(folder, "1700000000000-new-1.json", newer_job())
    assert queue.claim(NOW) is None
    document = json.loads(newer_job())
    document["schema_version"] = 1
    (folder / "failed" / "1700000000000-new-1.json").write_text(json.dumps(document))  # as the newer version reads it
    assert queue.retry_failed("new-1") == 1
    assert queue.claim(NOW) == make_job("new")
    assert files(folder)["failed"] == []


def test_where_even_putting_aside_fails_the_bad_file_is_not_in_the_way(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_in(folder, "1700000000000-junk-1.json", b"junk")
    queue.put(make_job("good"))
    real = os.replace

    def refuse(source: object, target: object) -> None:
        if "failed" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "replace", refuse)
    job = queue.claim(NOW)
    assert job is not None and job.request_id == "good"
    assert queue.claim(NOW) is None


def test_running_out_of_file_handles_puts_nothing_aside(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.put(make_job())

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuse)
        with pytest.raises(StorageError, match="ulimit"):
            queue.claim(NOW)
    assert queue.claim(NOW) == make_job()


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_job_that_does_not_fit_on_the_disk_is_refused_and_may_be_put_again(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, refuse)
        with pytest.raises(StorageError, match="free some space"):
            queue.put(make_job())
    assert files(folder)["pending"] == []
    queue.put(make_job())
    assert queue.claim(NOW) == make_job()


def test_a_failed_flush_of_the_folder_means_not_accepted(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def refuse(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").resolve() == (folder / "pending").resolve():
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(StorageError):
            queue.put(make_job())
    assert files(folder)["pending"] == []


def flushed(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> set[Path]:
    """Do the work; return the files and folders that were flushed to the disk meanwhile."""
    found: set[Path] = set()
    real = os.fsync

    def noted(descriptor: int) -> None:
        found.add(Path(f"/proc/self/fd/{descriptor}").resolve())
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", noted)
        work()
    return found


def unflushed(folder: Path, queue: FileJobQueue, patch: pytest.MonkeyPatch) -> Path:
    """Let `queue` put a job and be killed between the renaming and the flush of the folder. Return the file."""

    def work() -> None:
        real = os.replace

        def killed(source: str, target: Path) -> None:
            real(source, target)
            os.kill(os.getpid(), signal.SIGKILL)

        patch.setattr(os, "replace", killed)
        queue.put(make_job())

    assert is_killed(work)
    (path,) = (folder / "pending").glob("*.json")
    return path.resolve()


@pytest.mark.parametrize("claimed", [False, True])
def test_a_job_that_a_killed_process_did_not_flush_is_flushed_before_it_is_accepted_again(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch, claimed: bool
) -> None:
    path = unflushed(folder, queue, monkeypatch)
    other = FileJobQueue(folder, clock=Clock(NOW))
    other.warm()
    if claimed:
        FileJobQueue(folder, clock=Clock(NOW)).claim(NOW)
        path = path.parent.with_name("processing") / path.name
    assert {path, path.parent} <= flushed(monkeypatch, lambda: other.put(make_job()))
    assert not flushed(monkeypatch, lambda: other.put(make_job())), "once is enough"
    assert sum(map(len, files(folder).values())) == 1


def test_two_queues_of_one_process_accept_only_what_is_flushed(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second is asked, and listed the folder, while the first has renamed the file and not flushed the folder."""
    second = FileJobQueue(folder, clock=Clock(NOW))
    real, seen = os.replace, []

    def asked_in_between(source: str, target: Path) -> None:
        real(source, target)
        monkeypatch.setattr(os, "replace", real)
        seen.append(flushed(monkeypatch, lambda: second.put(make_job())))

    monkeypatch.setattr(os, "replace", asked_in_between)
    queue.put(make_job())
    assert (folder / "pending").resolve() in seen[0]


def test_a_listed_job_that_its_process_took_back_is_written_anew(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that put it was told of an error, and removed the file again."""
    path = unflushed(folder, queue, monkeypatch)
    other = FileJobQueue(folder, clock=Clock(NOW))
    other.warm()
    path.unlink()
    other.put(make_job())
    assert FileJobQueue(folder, clock=Clock(NOW)).claim(NOW) == make_job()


def test_where_the_flush_of_a_job_that_is_there_fails_it_is_not_accepted(
    queue: FileJobQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unflushed(folder, queue, monkeypatch)
    other = FileJobQueue(folder, clock=Clock(NOW))

    def refuse(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(StorageError):
            other.put(make_job())
    other.put(make_job())
    assert len(files(folder)["pending"]) == 1


def test_a_job_as_large_as_allowed_can_be_postponed_and_failed_and_retried(queue: FileJobQueue) -> None:
    room = MAX_JOB_BYTES - ROOM - len(make_job(payload={"x": ""}).to_json().encode())
    job = make_job(payload={"x": "y" * room})
    queue.put(job)
    for n in range(12):
        assert queue.claim(NOW + n) is not None
        queue.postpone(job.job_id, error="🐈" * 5000, not_before=NOW + n + 0.123456)
    assert queue.claim(NOW + 99) is not None
    queue.fail(job.job_id, error='"\\\n' * 5000, filed=False)
    assert queue.retry_failed() == 1
    assert queue.claim(NOW) == job


def test_what_no_file_can_hold_is_refused(queue: FileJobQueue, folder: Path) -> None:
    with pytest.raises(InvalidInput, match="at most"):
        queue.put(make_job(payload={"x": "y" * MAX_JOB_BYTES}))
    with pytest.raises(InvalidInput, match="a lone surrogate"):
        queue.put(make_job(payload={"x": "\ud800"}))
    assert files(folder)["pending"] == []


def test_folders_that_were_removed_while_running_are_made_again(queue: FileJobQueue, folder: Path) -> None:
    for place in (folder / "pending", folder / "processing"):
        place.rmdir()
    assert queue.claim(NOW) is None
    queue.put(make_job())
    assert queue.claim(NOW) == make_job()


def test_a_job_removed_by_hand_frees_its_entities_and_is_not_written_again(queue: FileJobQueue, folder: Path) -> None:
    for n in range(4):
        queue.put(make_job(f"r{n}"))
    for settle in (
        lambda: queue.postpone("r0-1", error="x", not_before=NOW + 10),
        lambda: queue.fail("r1-1", error="x", filed=False),
        lambda: queue.release("r2-1"),
        lambda: queue.complete("r3-1"),
    ):
        assert queue.claim(NOW) is not None
        for path in (folder / "processing").iterdir():
            path.unlink()
        settle()
    assert files(folder) == {"pending": [], "processing": [], "failed": []}


def test_a_postponed_job_removed_by_another_process_holds_nobody_back(queue: FileJobQueue, folder: Path) -> None:
    queue.put(make_job("a"))
    queue.put(make_job("b"))
    queue.claim(NOW)
    queue.postpone("a-1", error="x", not_before=NOW + 1000)
    FileJobQueue(folder, clock=Clock(NOW)).amend(lambda job: None if job.request_id == "a" else job)
    job = queue.claim(NOW)
    assert job is not None and job.request_id == "b"


def test_recover_can_leave_what_was_claimed_a_moment_ago(queue: FileJobQueue, folder: Path) -> None:
    queue.put(make_job())
    queue.claim(NOW)
    other = FileJobQueue(folder, clock=Clock(NOW))
    assert other.take_over(NOW + 299, older_than=300) == 0
    assert other.take_over(NOW + 300, older_than=300) == 1


def test_of_two_copies_recover_keeps_the_one_with_more_attempts(folder: Path) -> None:
    for pending, processing in ((2, 1), (1, 2)):
        queue = FileJobQueue(folder, clock=Clock(NOW))
        name = "1700000000000-r1-1.json"
        for state, attempts in (("pending", pending), ("processing", processing)):
            (folder / state / name).write_text(make_job(attempts=attempts).to_json())
        queue.take_over(NOW)
        job = queue.claim(NOW)
        assert job is not None and job.attempts == 2
        assert queue.claim(NOW) is None
        queue.complete(job.job_id)


def test_many_files_are_found_by_the_folders_time_stamp(folder: Path) -> None:
    queue, other = FileJobQueue(folder, clock=Clock(NOW)), FileJobQueue(folder, clock=Clock(NOW))
    for n in range(300):
        other.put(make_job(f"r{n:03d}"))
    assert queue.claim(NOW) is not None
    assert queue.claim(NOW) is None
    other.put(make_job("new", user_id="9", group=None))
    assert queue.claim(NOW) is None, "a long list is not made again at once"
    job = queue.claim(NOW + 1)
    assert job is not None and job.request_id == "new"
    queue.complete(job.job_id)
    assert queue.claim(NOW + 2) is None
    assert queue.claim(NOW + 9) is None


def test_what_lay_there_before_comes_before_what_is_put_now(queue: FileJobQueue, folder: Path) -> None:
    for n in range(3):
        queue.put(make_job(f"old{n}"))
    restarted = FileJobQueue(folder, clock=Clock(NOW))
    restarted.put(make_job("new"))
    job = restarted.claim(NOW)
    assert job is not None and job.request_id == "old0"


def test_own_jobs_are_found_without_listing_many_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = FileJobQueue(folder, clock=Clock(NOW))
    for n in range(300):
        queue.put(make_job(f"r{n:03d}"))
    assert queue.claim(NOW) is not None
    assert queue.claim(NOW) is None
    monkeypatch.setattr(os, "listdir", lambda _: pytest.fail("listed"))
    queue.put(make_job("new", user_id="9", group=None))
    job = queue.claim(NOW)
    assert job is not None and job.request_id == "new"


def test_waiting_reads_few_files_however_many_there_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer, reader = FileJobQueue(folder, clock=Clock(NOW)), FileJobQueue(folder, clock=Clock(NOW))
    for n in range(400):
        writer.put(make_job(f"r{n:03d}", group=str(n % 20)))
    opened: list[str] = []
    real: Callable[..., object] = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a: (opened.append(self.name), real(self, *a))[1])
    assert len(reader.waiting("g:3", 5)) == 5
    assert len(opened) <= 205
    opened.clear()
    assert len(reader.waiting("g:3", 5)) == 5
    assert len(opened) <= 105


def _put_many(folder: Path, name: str, go: object) -> None:
    queue = FileJobQueue(folder, clock=Clock(NOW))
    queue.warm()
    go.wait()  # type: ignore[attr-defined]
    for n in range(40):
        queue.put(make_job(f"both{n:02d}"))
        queue.put(make_job(f"{name}{n:02d}"))


def test_two_processes_that_put_at_once_lose_and_double_nothing(folder: Path) -> None:
    context = multiprocessing.get_context("fork")
    queue, go = FileJobQueue(folder, clock=Clock(NOW)), context.Event()
    processes = [context.Process(target=_put_many, args=(folder, name, go)) for name in ("a", "b")]
    for process in processes:
        process.start()
    go.set()
    ran = []
    while True:
        over = not any(process.is_alive() for process in processes)
        while (job := queue.claim(NOW)) is not None:
            ran.append(job.job_id)
            queue.complete(job.job_id)
        if over:
            break
    assert [process.exitcode for process in processes] == [0, 0]
    assert sorted(ran) == sorted(f"{name}{n:02d}-1" for name in ("a", "b", "both") for n in range(40))
    assert files(folder) == {"pending": [], "processing": [], "failed": []}


def _one_life(folder: Path) -> None:
    """Everything that can happen to three jobs."""
    queue = FileJobQueue(folder, clock=Clock(NOW))
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


@pytest.mark.slow
def test_a_process_killed_anywhere_loses_and_doubles_nothing(tmp_path: Path) -> None:
    runs = 0

    def reset() -> None:
        nonlocal runs
        runs += 1

    for n in killed_at_every_call(lambda: _one_life(tmp_path / str(runs)), reset):
        folder = tmp_path / str(n)
        FileJobQueue(folder, clock=Clock(NOW))
        everywhere = [name for names in files(folder).values() for name in names if name[0] != "."]
        assert len(everywhere) == len(set(everywhere)), f"killed at call {n}: a file in two folders"
        accepted = {name[14:-5] for name in everywhere}
        assert accepted in ({"a-1", "b-1", "c-1"}, {"a-1", "b-1"}, {"a-1"}, set()), f"killed at call {n}"
        queue = FileJobQueue(folder, clock=Clock(NOW))
        queue.take_over(NOW)
        assert not [name for names in files(folder).values() for name in names if name[0] == "."]
        for request in ("a", "b", "c"):  # the bot does not know what was accepted, and puts all again
            user = {"a": {}, "b": {"user_id": "1", "group": None}, "c": {"user_id": "2", "group": None}}[request]
            queue.put(make_job(request, **user))
        queue.retry_failed()
        ran = []
        while (job := queue.claim(NOW + 10)) is not None:
            ran.append(job.request_id)
            assert job.attempts <= 1
            queue.complete(job.job_id)
        assert sorted(ran) == ["a", "b", "c"], f"killed at call {n}"
        assert files(folder) == {"pending": [], "processing": [], "failed": []}
    assert n > 50


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(min_size=1, max_size=20), st.binary(max_size=300), max_size=6))
def test_no_file_whatever_makes_claim_raise(tmp_path: Path, contents: dict[str, bytes]) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    queue = FileJobQueue(folder, clock=Clock(NOW))
    for name, content in contents.items():
        drop_in(folder, f"1700000000000-{encode_id(name)}.json", content)
    queue.put(make_job())
    assert queue.claim(NOW) == make_job()
    assert queue.claim(NOW) is None
    assert len(queue.failed()) == len({encode_id(name) for name in contents})


def test_a_finished_job_leaves_little_more_than_its_id_in_memory(queue: FileJobQueue) -> None:
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
