import errno
import os
import threading
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.stores.files import durable
from historian.stores.files.durable import remove_durably, sweep_leftovers, write_atomically
from support.crashes.killed_at import killed_at_every_call


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.json"
    write_atomically(path, b"x")
    write_atomically(path, b"")
    assert path.read_bytes() == b""
    assert [p.name for p in path.parent.iterdir()] == ["c.json"]


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_full_or_forbidden_disk_leaves_the_old_file_alone_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    path = tmp_path / "c.json"
    write_atomically(path, b"old")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(StorageError, match=r"c\.json.*(free some|remount|let the user)"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["c.json"]


def test_a_write_that_is_cut_short_is_carried_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    write_atomically(tmp_path / "c.json", b"0123456789")
    assert (tmp_path / "c.json").read_bytes() == b"0123456789"


def test_an_interruption_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "c.json", b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_sees_the_old_or_the_new_file_wherever_the_writer_is_killed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "c.json"
    old, new = b"old" * 1000, b"new" * 2000
    seen = []
    for _ in killed_at_every_call(
        lambda: write_atomically(path, new), lambda: write_atomically(path, old)
    ):
        seen.append(path.read_bytes())
        sweep_leftovers(tmp_path)
        assert [p.name for p in tmp_path.iterdir()] == ["c.json"]
    assert set(seen) == {old, new}
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(("moment", "removed"), [("fsync", 0), ("replace", 1)])
def test_the_file_of_a_live_writer_is_not_swept_and_is_written_again_where_it_was_closed_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, removed: int
) -> None:
    real, swept = getattr(os, moment), []

    def sweep_before(*arguments: object) -> None:
        if not swept:
            swept.append(sweep_leftovers(tmp_path))
        real(*arguments)

    monkeypatch.setattr(os, moment, sweep_before)
    write_atomically(tmp_path / "c.json", b"x")
    assert swept == [removed]
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]
    assert (tmp_path / "c.json").read_bytes() == b"x"


def test_many_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    contents = [bytes([65 + n]) * 5000 for n in range(8)]
    threads = [threading.Thread(target=write_atomically, args=(path, data)) for data in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert [p.name for p in tmp_path.iterdir()] == ["c.json"]


def test_removing_says_whether_there_was_something(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new" / "a", b"x")
    assert remove_durably(tmp_path / "new" / "a")
    assert not remove_durably(tmp_path / "new" / "a")


def test_a_file_system_that_cannot_flush_folders_is_borne(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def flush(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").is_dir():
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", flush)
    write_atomically(tmp_path / "c.json", b"x")
    assert (tmp_path / "c.json").exists()


def test_temporary_names_are_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    real = os.fsync
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: (names.extend(path.name for path in tmp_path.iterdir()), real(fd))[1],
    )
    write_atomically(tmp_path / "c.json", b"x")
    assert names[0].startswith(durable.TEMPORARY_PREFIX)


def test_a_sweep_passes_over_what_its_writer_names_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{durable.TEMPORARY_PREFIX}x").write_text("x")

    def gone(path: Path) -> None:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "unlink", gone)
    assert durable.sweep_leftovers(tmp_path) == 0


def test_a_sweep_goes_on_where_a_folder_vanishes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "history" / "1").mkdir(parents=True)
    (tmp_path / ".tmp-left").touch()
    scandir = os.scandir

    def vanishing(folder: str | Path) -> object:
        if Path(folder).name == "history":
            raise FileNotFoundError(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", vanishing)
    assert sweep_leftovers(tmp_path) == 1
