"""The log of an open database is deleted or replaced by somebody else."""

from __future__ import annotations

import gc
import multiprocessing
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.stores.sqlite.database import SqliteDatabase
from support.crashes.child import exit_code, in_child

NOTES = "CREATE TABLE notes (text TEXT NOT NULL);"
RESTART = r"notes.sqlite: its log .* Restart this process"
LOGS = ("-wal", "-shm")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


def write(database: SqliteDatabase, text: str) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def texts_in_another_process(path: Path) -> list[str]:
    """Return what a process finds that knows nothing of the open connections here."""
    program = "import sqlite3, sys; print(*(t for t, in sqlite3.connect(sys.argv[1]).execute('SELECT text FROM notes')))"
    ended = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, encoding="utf-8", check=True
    )
    return ended.stdout.split()


@pytest.mark.parametrize("gone", [LOGS, LOGS[:1], LOGS[1:]], ids=["both", "log", "index"])
def test_nothing_is_accepted_into_a_log_that_was_deleted_and_what_was_accepted_before_is_saved(
    path: Path, gone: tuple[str, ...]
) -> None:
    database = SqliteDatabase(path, [NOTES])
    write(database, "before")
    for suffix in gone:
        beside(path, suffix).unlink()
    told: list[str] = []
    database.when_in_trouble = lambda: told.append("trouble")
    for work in (lambda: write(database, "lost"), database.check_in_place, database.vacuum):
        with pytest.raises(StorageError, match=RESTART):
            work()
    assert database.place == "unlogged" and len(told) == 3
    assert texts_in_another_process(path) == ["before"]
    database.close()


def test_a_commit_into_a_log_that_was_deleted_meanwhile_is_refused(path: Path) -> None:
    database = SqliteDatabase(path, [NOTES])
    with pytest.raises(StorageError, match=RESTART), database.writing() as connection:
        connection.execute("INSERT INTO notes VALUES ('in between')")
        for suffix in LOGS:
            beside(path, suffix).unlink()
    database.close()


def test_a_process_that_lost_the_log_opens_the_file_no_more_and_another_one_does(
    path: Path,
) -> None:
    """Its connections share the index of the log, and would mix the former log with the new one."""
    database = SqliteDatabase(path, [NOTES])
    write(database, "before")
    for suffix in LOGS:
        beside(path, suffix).unlink()
    with pytest.raises(StorageError, match=RESTART):
        SqliteDatabase(path, [NOTES])
    database.close()
    with pytest.raises(StorageError, match=RESTART):
        SqliteDatabase(path, [NOTES])
    assert texts_in_another_process(path) == ["before"]


def _write_and_be_killed(path: Path, ready: object) -> None:
    write(SqliteDatabase(path, [NOTES]), "theirs")
    ready.set()  # type: ignore[attr-defined]
    multiprocessing.Event().wait()


def test_the_log_of_another_process_outlives_the_end_of_one_that_lost_its_own(path: Path) -> None:
    def lose_it() -> None:
        database = SqliteDatabase(path, [NOTES])
        write(database, "ours")
        database.truncate_log()
        for suffix in LOGS:
            beside(path, suffix).unlink()
        context = multiprocessing.get_context("spawn")
        ready = context.Event()
        process = context.Process(target=_write_and_be_killed, args=(path, ready))
        process.start()
        assert ready.wait(60)
        process.kill()
        process.join()
        with pytest.raises(StorageError, match=RESTART):
            write(database, "lost")
        database.close()
        del database
        gc.collect()

    assert exit_code(in_child(lose_it)) == 0
    assert texts_in_another_process(path) == ["ours", "theirs"]


def _write(path: Path) -> None:
    with closing(SqliteDatabase(path, [NOTES])) as database:
        write(database, "new")
        assert database.rows("SELECT text FROM notes") == [("new",)]


def test_a_new_file_is_not_opened_with_the_log_of_a_deleted_one_that_another_process_still_has_open(
    path: Path,
) -> None:
    database = SqliteDatabase(path, [NOTES])
    write(database, "former")
    path.unlink()
    process = multiprocessing.get_context("spawn").Process(target=_write, args=(path,))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    with pytest.raises(StorageError, match="was replaced by another file"):
        write(database, "lost")
    database.close()
    assert texts_in_another_process(path) == ["new"]


def test_a_database_that_ended_without_being_closed_is_opened_again(path: Path) -> None:
    """The garbage collector closes its connections, and the logs go with them."""
    ended = SqliteDatabase(path, [NOTES])
    write(ended, "a")
    del ended
    gc.collect()
    with closing(SqliteDatabase(path, [NOTES])) as database:
        write(database, "b")
        assert database.rows("SELECT text FROM notes") == [("a",), ("b",)]
