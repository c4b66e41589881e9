"""A backup from anywhere is restored, or refused: nothing outside of it is read, nothing waits."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from historian.schema.errors import InvalidInput
from historian.service.backups.making import back_up
from historian.service.components import open_parts
from historian.stores.files.ordinary import read_ordinary
from support.command import historian
from support.crashes.child import exit_code, in_child
from support.memory import settings_for

NOW = 1_800_000_000.0
SECRET = "# what is not in the backup\n"


def link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def link_to_a_folder(path: Path, outside: Path) -> None:
    path.symlink_to(outside.parent, target_is_directory=True)


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside)


def pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def device(path: Path, outside: Path) -> None:
    path.symlink_to("/dev/zero")


def unix_socket(path: Path, outside: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(before)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    parts = open_parts(settings_for(tmp_path / "data"), clock=lambda: NOW)
    asyncio.run(parts.aclose())
    (tmp_path / "data" / "profiles" / "users").mkdir(parents=True, exist_ok=True)
    (tmp_path / "data" / "profiles" / "users" / "42.md").write_text("# Ann\n")
    return tmp_path / "data"


@pytest.fixture
def backup(data: Path, tmp_path: Path) -> Path:
    back_up(data, tmp_path / "backup", version="1", now=NOW)
    return tmp_path / "backup"


def restored(backup: Path, data: Path) -> tuple[int, str]:
    """Restore in a child that is ended if it waits; return its exit code, and what is in `told`."""
    told = data.parent / "told"

    def work() -> None:
        signal.alarm(20)
        ended = historian("restore", backup, "--yes", "--data-dir", data)
        told.write_text(ended.err)
        os._exit(ended.status)

    return exit_code(in_child(work)), told.read_text() if told.exists() else ""


@pytest.mark.parametrize("harm", [link, link_to_a_folder, hard_link, pipe, device, unix_socket])
@pytest.mark.parametrize(
    "place",
    [
        "profiles/users/7.md",
        "profiles/users/42.md",
        "backup.json",
        "index.sqlite",
        "queue.sqlite",
        "queues/pending/1-a.json",
    ],
)
def test_what_is_no_ordinary_file_of_the_backup_is_refused_with_its_name_and_changes_nothing(
    data: Path, backup: Path, tmp_path: Path, harm: Callable[[Path, Path], None], place: str
) -> None:
    outside = tmp_path / "outside" / "secret"
    outside.parent.mkdir()
    path = backup / place
    outside.write_bytes(path.read_bytes() if path.exists() else SECRET.encode())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    harm(path, outside)
    status, told = restored(backup, data)
    assert (status, path.name in told.replace("\n", "")) == (2, True), told
    assert [one.name for one in (data / "profiles" / "users").iterdir()] == ["42.md"]
    assert not (data / "restoring.json").exists()


def test_files_that_are_linked_within_the_backup_alone_are_its_own(
    data: Path, backup: Path
) -> None:
    (backup / "profiles" / "users" / "7.md").hardlink_to(backup / "profiles" / "users" / "42.md")
    status, told = restored(backup, data)
    assert status == 0, told
    assert (data / "profiles" / "users" / "7.md").read_text() == "# Ann\n"


@pytest.mark.parametrize(
    "name",
    [
        "queue.sqlite-wal",
        "index.sqlite-journal",
        "owner.lock",
        "owner.json",
        "chromadb/x",
        "restoring.json",
    ],
)
def test_what_no_backup_holds_is_not_put_beside_the_databases(
    data: Path, backup: Path, name: str
) -> None:
    (backup / name).parent.mkdir(exist_ok=True)
    (backup / name).write_text("foreign")
    status, told = restored(backup, data)
    assert status == 0, told
    assert not (data / name).exists() or (data / name).read_text() != "foreign"


def test_a_file_that_a_pipe_replaces_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="not an ordinary file"):
        read_ordinary(tmp_path / "pipe")
    assert read_ordinary(tmp_path / "missing") is None
