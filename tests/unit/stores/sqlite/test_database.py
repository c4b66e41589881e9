"""The connections to one SQLite file: transactions, migrations, damage, locks, forks."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.stores.sqlite import transaction
from historian.stores.sqlite.database import SqliteDatabase
from support.crashes.child import exit_code, in_child
from support.waiting import eventually

ONE = "CREATE TABLE notes (text TEXT);\n-- a comment; with a semicolon\nCREATE INDEX notes_by_text ON notes (text);"
TWO = "ALTER TABLE notes ADD COLUMN at REAL;"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "notes.sqlite"


def write(database: SqliteDatabase, text: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def texts(database: SqliteDatabase) -> list[str]:
    with database.reading() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def test_migrations_run_once_and_later_ones_are_added(path: Path) -> None:
    first = SqliteDatabase(path, [ONE])
    write(first, "kept")
    first.close()
    second = SqliteDatabase(path, [ONE, TWO])
    assert texts(second) == ["kept"]
    with second.reading() as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT at FROM notes").fetchone() == (None,)
    second.close()
    with pytest.raises(StorageError, match="newer version"):
        SqliteDatabase(path, [ONE])


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    with pytest.raises(StorageError):
        SqliteDatabase(path, [ONE, "CREATE TABLE more (x);\nCREATE TABLE notes (x);"])
    database = SqliteDatabase(path, [ONE])
    assert texts(database) == []
    database.close()


def test_a_block_that_raises_writes_nothing_and_the_next_one_works(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    with pytest.raises(KeyError), database.writing() as connection:
        connection.execute("INSERT INTO notes (text) VALUES ('half')")
        raise KeyError("stop")
    with pytest.raises(StorageError, match=r"notes\.sqlite"), database.writing() as connection:
        connection.execute("INSERT INTO nowhere VALUES (1)")
    write(database, "whole")
    assert texts(database) == ["whole"]
    database.close()


def test_commits_are_synced_to_the_disk_unless_asked_otherwise(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    full, normal = 2, 1
    with database.writing(durable=False) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (normal,)
    with database.writing() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (full,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
    database.close()


def test_a_reader_sees_one_state_and_cannot_write(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    write(database, "first")
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (1,)
        write(database, "second")
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    assert texts(database) == ["first", "second"]
    with pytest.raises(StorageError), database.reading() as connection:
        connection.execute("INSERT INTO notes (text) VALUES ('no')")
    assert texts(database) == ["first", "second"]
    database.close()


def test_many_threads_share_it(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    threads = [threading.Thread(target=write, args=(database, str(n))) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts(database), key=int) == [str(n) for n in range(20)]
    database.close()


@pytest.mark.parametrize(
    "garbage",
    [b"this is no database" * 500, os.urandom(10_000), b"SQLite format 3\x00" + bytes(8000)],
)
def test_a_file_of_garbage_is_a_storage_error_that_names_it(path: Path, garbage: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(garbage)
    with pytest.raises(StorageError, match=r"notes\.sqlite.*damaged"):
        SqliteDatabase(path, [ONE])
    assert path.read_bytes() == garbage


def test_garbage_in_the_middle_is_a_storage_error_when_it_is_read(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    for _ in range(20):
        write(database, "x" * 4000)
    database.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(os.urandom(size - 4096 * 3))
    database = SqliteDatabase(path, [ONE])
    with pytest.raises(StorageError, match="damaged"):
        texts(database)
    database.close()


def test_a_writer_that_waits_too_long_gives_up_and_readers_do_not_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "BUSY_SECONDS", 0.05)
    database = SqliteDatabase(path, [ONE])
    write(database, "before")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locked"):
            write(database, "waiting")
        assert texts(database) == ["before"]
        other.execute("ROLLBACK")
    write(database, "after")
    assert texts(database) == ["before", "after"]
    database.close()


def test_a_full_disk_is_a_storage_error_and_nothing_is_written(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    with database.writing() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StorageError, match="free some space"):
        write(database, "x" * 100_000)
    assert texts(database) == []
    write(database, "small")
    assert texts(database) == ["small"]
    database.close()


def test_a_directory_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=r"check that the directory exists"):
        SqliteDatabase(tmp_path / "file" / "notes.sqlite", [ONE])


def test_a_closed_database_says_so(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    write(database, "x")
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"):
        texts(database)
    with pytest.raises(StorageError, match="closed"):
        write(database, "y")
    assert not path.with_name(path.name + "-wal").exists()


@pytest.mark.parametrize("deleted", [False, True])
def test_a_file_that_is_gone_while_it_is_open_is_not_written_and_goes_on_when_it_is_back(
    path: Path, deleted: bool
) -> None:
    database = SqliteDatabase(path, [ONE])
    write(database, "before")
    aside = path.with_name("aside.sqlite")
    aside.hardlink_to(path)
    path.unlink()
    if deleted:
        aside.unlink()
    told: list[str] = []
    database.when_in_trouble = lambda: told.append("trouble")
    for work in (
        lambda: write(database, "lost"),
        lambda: texts(database),
        database.check_in_place,
        database.vacuum,
    ):
        with pytest.raises(
            StorageError, match=r"moved or deleted.*Stop the bot.*historian restore"
        ):
            work()
    assert database.place == "gone" and len(told) == 4
    if not deleted:
        aside.rename(path)
        write(database, "after")
        assert texts(database) == ["before", "after"]
    database.close()


def test_a_commit_is_an_error_if_the_file_was_replaced_meanwhile(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    write(database, "before")
    backup = path.with_name("backup.sqlite")
    with closing(SqliteDatabase(backup, [ONE])) as other:
        write(other, "of the backup")
    with (
        pytest.raises(StorageError, match="replaced by another file"),
        database.writing() as connection,
    ):
        connection.execute("INSERT INTO notes (text) VALUES ('lost')")
        backup.replace(path)
    with pytest.raises(StorageError, match="replaced by another file"):
        texts(database)
    database.close()
    again = SqliteDatabase(path, [ONE])
    assert texts(again) == ["of the backup"], (
        "the log that the former file has left does not get into it"
    )
    again.close()


def test_a_file_that_is_moved_away_takes_along_what_was_still_in_its_log(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    write(database, "before")
    aside = path.with_name("aside.sqlite")
    path.rename(aside)
    with pytest.raises(StorageError):
        texts(database)
    with closing(sqlite3.connect(aside)) as moved:
        assert moved.execute("SELECT text FROM notes").fetchall() == [("before",)]
    database.close()


def test_a_forked_child_may_not_use_its_parents_connections(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])

    def work() -> None:
        with pytest.raises(StorageError, match="fork"):
            texts(database)
        database.close()
        mine = SqliteDatabase(path, [ONE])
        write(mine, "from the child")
        mine.close()

    assert exit_code(in_child(work)) == 0
    assert texts(database) == ["from the child"]
    database.close()


def test_a_rewriting_of_the_file_is_broken_off_for_a_writer_and_changes_nothing(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    with database.writing() as connection:
        connection.executemany(
            "INSERT INTO notes (text) VALUES (?)", [(f"note {n} " * 9,) for n in range(3_000)]
        )
    assert not database.writers_wait
    writer = threading.Thread(target=write, args=(database, "in between"))

    def stop() -> bool:
        """Wait for the writer where the file is being rewritten for the first time."""
        if writer.ident is None:
            writer.start()
        return asyncio.run(eventually(lambda: database.writers_wait))

    assert not database.vacuum(stop)
    writer.join(10)
    assert len(texts(database)) == 3_001
    assert database.vacuum()
    database.close()


def sqlite_bytes() -> int:
    """What SQLite holds in this process, all connections together."""
    maps = Path("/proc/self/maps")
    loaded = (
        [line.split()[-1] for line in maps.read_text().splitlines() if "libsqlite3" in line]
        if maps.exists()
        else []
    )
    if not loaded:
        pytest.skip("SQLite is no shared library here")
    library = ctypes.CDLL(loaded[0])
    library.sqlite3_memory_used.restype = ctypes.c_int64
    return int(library.sqlite3_memory_used())


def test_what_connections_cache_is_bounded_and_given_back(path: Path) -> None:
    database = SqliteDatabase(path, [ONE])
    empty = sqlite_bytes()
    with database.writing(durable=False) as connection:
        connection.executemany(
            "INSERT INTO notes (text) VALUES (?)", ((f"{n} " + "x" * 2_000,) for n in range(12_000))
        )
    with contextlib.ExitStack() as stack:
        for connection in [stack.enter_context(database.reading()) for _ in range(4)]:
            assert (
                connection.execute("SELECT sum(length(text)) FROM notes").fetchone()[0] > 24_000_000
            )
    assert sqlite_bytes() - empty < 20_000_000
    database.release_memory()
    assert sqlite_bytes() - empty < 1_000_000
    assert len(texts(database)) == 12_000
    database.close()
