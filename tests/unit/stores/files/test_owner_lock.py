from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path

import pytest
from historian.schema.errors import OwnerLockHeld, StorageError
from historian.stores.files.owner_lock import OwnerLock, owner_of, program_name

NOW = 1_800_000_000.0


def _own(data_dir: Path, ready: object, stop: object) -> None:
    lock = OwnerLock(data_dir)
    lock.acquire(NOW)
    ready.set()  # type: ignore[attr-defined]
    stop.wait(60)  # type: ignore[attr-defined]


def test_a_second_owner_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    first, second = OwnerLock(tmp_path / "data"), OwnerLock(tmp_path / "data")
    first.acquire(NOW)
    first.acquire(NOW)
    with first:
        with pytest.raises(
            OwnerLockHeld, match=rf"process {os.getpid()} on .* since 2027-01-15T08:00:00"
        ):
            second.acquire(NOW)
        owner = owner_of(tmp_path / "data")
        assert (
            owner is not None
            and owner.pid == os.getpid()
            and owner.command == program_name(sys.argv)
        )
    assert not first.is_held and owner_of(tmp_path / "data") is None
    second.acquire(NOW)
    assert second.is_held
    second.release()
    second.release()


def test_the_arguments_of_the_owners_program_are_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/home/ann/bot.py", "--token", "sk-very-secret"])
    with_lock = OwnerLock(tmp_path)
    with_lock.acquire(NOW)
    with with_lock:
        assert b"secret" not in (tmp_path / "owner.json").read_bytes()
        owner = owner_of(tmp_path)
        assert owner is not None and owner.command == "bot.py"
        # As an earlier version wrote it, which may be the running owner.
        note = '{"pid": 7, "host": "h", "started_at": "t", "command": "/home/ann/bot.py --token sk-very-secret"}'
        (tmp_path / "owner.json").write_text(note)
        with pytest.raises(OwnerLockHeld, match=r"process 7 on h since t \(bot\.py\)") as caught:
            OwnerLock(tmp_path).acquire(NOW)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["/x/historian/interfaces/cli/__main__.py", "worker"], "cli"),
        (["-c"], "-c"),
        ([], "python"),
        ([""], "python"),
    ],
)
def test_a_program_is_named_without_folder_and_arguments(arguments: list[str], name: str) -> None:
    assert program_name(arguments) == name


def test_there_is_no_owner_where_there_is_nothing(tmp_path: Path) -> None:
    assert owner_of(tmp_path / "nowhere") is None
    assert list(tmp_path.iterdir()) == []


def test_an_owner_that_is_killed_owns_nothing_any_more(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready, stop = context.Event(), context.Event()
    process = context.Process(target=_own, args=(tmp_path, ready, stop))
    process.start()
    assert ready.wait(30)
    owner = owner_of(tmp_path)
    assert owner is not None and owner.pid == process.pid
    with pytest.raises(OwnerLockHeld, match=str(process.pid)):
        OwnerLock(tmp_path).acquire(NOW)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(30)
    assert (tmp_path / "owner.json").exists()
    assert owner_of(tmp_path) is None
    with_lock = OwnerLock(tmp_path)
    with_lock.acquire(NOW)
    with_lock.release()


@pytest.mark.parametrize("note", ["", "{}", "[]", '{"pid": "x"}'])
def test_an_owner_whose_note_is_spoilt_still_owns(tmp_path: Path, note: str) -> None:
    lock = OwnerLock(tmp_path)
    lock.acquire(NOW)
    (tmp_path / "owner.json").write_text(note)
    with lock, pytest.raises(OwnerLockHeld, match="unknown"):
        OwnerLock(tmp_path).acquire(NOW)


def test_entering_what_was_not_acquired_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="acquire"), OwnerLock(tmp_path):
        pass
