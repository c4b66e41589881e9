"""Processes that are killed while they file, and processes that read while another one writes."""

from __future__ import annotations

import os
import signal
import sqlite3
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.stores.sqlite.events.store import SqliteEventStore
from support.crashes.child import exit_code, in_child, is_killed
from support.events import file_texts, make_event, unit_vectors
from support.stores import open_events, writer_of

GROUP = EventFilter("g:7")


def assert_whole(store: SqliteEventStore, job_id: str, *, filed: bool) -> None:
    """Everything of a job of three events, two of them with vectors, is there, or nothing."""
    names = [f"{job_id}:{n}" for n in range(3)]
    assert store.is_filed(job_id) == filed
    assert len(store.get(names)) == (3 if filed else 0)
    assert len([name for name, _ in store.search_keywords("阿橘", GROUP, 10_000) if name in names]) == (3 if filed else 0)
    assert len([name for name in store.vectors(GROUP)[0] if name in names]) == (2 if filed else 0)
    assert len([name for name in store.unindexed(10_000).ids if name in names]) == (2 if filed else 0)


def file_one(store: SqliteEventStore, job_id: str) -> None:
    assert store.file_job(job_id, [make_event(job_id, n) for n in range(3)], [*unit_vectors(2), None])


@pytest.mark.slow
def test_a_kill_at_any_statement_of_file_job_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    open_events(tmp_path).close()
    statement = 0
    killed = True
    while killed:
        statement += 1
        job_id = f"j{statement}-0"

        def work(job_id: str = job_id, last: int = statement) -> None:
            store = open_events(tmp_path)
            left = last

            def trace(_: str) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            writer_of(store.database).set_trace_callback(trace)
            file_one(store, job_id)

        killed = is_killed(work)
        store = open_events(tmp_path)
        assert_whole(store, job_id, filed=not killed)
        if killed:
            file_one(store, job_id)
            assert_whole(store, job_id, filed=True)
        assert store.change_number("g:7")[0] and store.count() == store.count(GROUP) == 3 * statement
        store.close()
    assert statement > 15


def test_a_kill_between_filings_loses_nothing_that_was_reported(tmp_path: Path) -> None:
    open_events(tmp_path).close()
    reader, writer = os.pipe()

    def work() -> None:
        store = open_events(tmp_path)
        for n in range(100_000):
            file_one(store, f"j{n}-0")
            os.write(writer, b".")

    child = in_child(work)
    os.close(writer)
    reported = 0
    while reported < 40:
        reported += len(os.read(reader, 1))
    os.kill(child, signal.SIGKILL)
    assert exit_code(child) == -signal.SIGKILL
    while more := os.read(reader, 4096):
        reported += len(more)
    os.close(reader)
    store = open_events(tmp_path)
    for n in range(reported + 2):
        assert_whole(store, f"j{n}-0", filed=n < reported or store.is_filed(f"j{n}-0"))
    assert store.count() in (3 * reported, 3 * reported + 3)
    store.close()


def test_two_processes_read_whole_jobs_while_a_third_one_writes(tmp_path: Path) -> None:
    open_events(tmp_path).close()

    def read() -> None:
        store = open_events(tmp_path)
        seen = 0
        while seen < 120:
            news = store.news("g:7", 0, 0)
            found = store.search_keywords("阿橘", GROUP, 1000)
            assert (
                len(news.embedded) == len(news.vectors)
                and len(news.embedded) % 2 == 0
                and len(found) % 3 == 0
                and len(found) >= seen
            )
            seen = len(found)
        store.close()

    readers = [in_child(read), in_child(read)]
    store = open_events(tmp_path)
    for n in range(40):
        file_one(store, f"j{n}-0")
    assert [exit_code(child) for child in readers] == [0, 0]
    store.close()


def test_two_processes_write_the_same_jobs_and_each_is_filed_once(tmp_path: Path) -> None:
    def write() -> None:
        store = open_events(tmp_path)
        for n in range(30):
            store.file_job(f"j{n}-0", [make_event(f"j{n}-0", i) for i in range(3)], [None] * 3)
        store.close()

    assert [exit_code(child) for child in [in_child(write), in_child(write)]] == [0, 0]
    store = open_events(tmp_path)
    assert store.count() == 90 and store.scopes() == [("g:7", 90)]
    assert len(store.search_keywords("阿橘", GROUP, 1000)) == 90
    store.close()


def test_what_another_process_files_and_forgets_moves_the_change_number(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    file_texts(store, ["one"])
    before = store.change_number("g:7")

    def write() -> None:
        other = open_events(tmp_path)
        file_texts(other, ["two"], "j2-0")
        other.delete(["j1-0:0"])

    assert exit_code(in_child(write)) == 0
    additions, removals = store.change_number("g:7")
    assert additions > before[0] and removals > before[1]
    assert [event.text for event in store.find(GROUP)] == ["two"]
    store.close()


def test_each_new_scope_takes_one_number(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    for n in range(30):
        file_texts(store, ["a", "b"], f"j{n}-0", group=f"{n % 3}")
    with store.database.reading() as connection:
        assert connection.execute("SELECT scope_number, last_row FROM scopes ORDER BY 1").fetchall() == [
            (1, 20),
            (2, 20),
            (3, 20),
        ]
    store.close()


def test_a_file_of_garbage_in_place_of_the_index_is_a_storage_error(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    file_texts(store, ["one"])
    store.close()
    (tmp_path / "index.sqlite").write_bytes(b"garbage " * 2000)
    with pytest.raises(StorageError, match=r"index\.sqlite.*damaged.*BACKUP"):
        open_events(tmp_path)


def test_forgotten_text_is_in_none_of_the_files(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    for n in range(50):
        file_texts(store, [f"harmless sentence {n}", f"xylophone zanzibar {n}"], f"j{n}-0", user_id="42" if n % 2 else "43")
    secret = unit_vectors(1, seed=77)[0]
    store.set_vectors(["j1-0:1"], [secret])
    wanted = [event.event_id for event in store.find(GROUP, limit=1000) if "zanzibar" in event.text]
    assert store.forget(wanted) == 50
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert b"zanzibar" not in content and b"xylophon" not in content and secret.tobytes() not in content, path
        assert b"harmless" in content or path.name != "index.sqlite"
    assert len(store.search_keywords("harmless", GROUP, 100)) == 50
    store.close()
    with sqlite3.connect(tmp_path / "index.sqlite") as connection:
        connection.execute("INSERT INTO event_keywords (event_keywords) VALUES ('integrity-check')")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
