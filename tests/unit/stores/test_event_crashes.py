"""Processes that are killed while they file, and processes that read while another one writes."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import StorageError
from historian.schema.event import Event, EventFilter
from historian.stores.sqlite.erasure import IndexErasure
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.tables.events.shadow_vectors import ShadowVectors
from historian.stores.tables.ledger import LedgerTable
from support.crashes.child import exit_code, in_child, is_killed
from support.events import file_texts, make_event, unit_vectors
from support.stores import open_events, writer_of

GROUP = EventFilter("g:7")


def assert_whole(store: SqliteEventStore, job_id: str, *, filed: bool) -> None:
    """Everything of a job of three events, two of them with vectors, is there, or nothing."""
    names = [f"{job_id}:{n}" for n in range(3)]
    assert store.is_filed(job_id) == filed
    assert len(store.get(names)) == (3 if filed else 0)
    assert len(
        [name for name, _ in store.search_keywords("阿橘", GROUP, 10_000) if name in names]
    ) == (3 if filed else 0)
    assert len([name for name in store.vectors(GROUP)[0] if name in names]) == (2 if filed else 0)
    assert len([name for name in store.embedded_ids() if name in names]) == (2 if filed else 0)


def file_one(store: SqliteEventStore, job_id: str) -> None:
    assert store.file_job(
        job_id, [make_event(job_id, n) for n in range(3)], [*unit_vectors(2), None]
    )


@pytest.mark.slow
def test_a_kill_at_any_statement_of_file_job_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    open_events(tmp_path).close()
    statement = 0
    killed = True
    while killed:
        statement += 1
        job_id = f"j{statement}-0"
        killed = statements(partial(file_one, job_id=job_id), tmp_path, statement)
        store = open_events(tmp_path)
        assert_whole(store, job_id, filed=not killed)
        if killed:
            file_one(store, job_id)
            assert_whole(store, job_id, filed=True)
        assert (
            store.change_number("g:7")[0] and store.count() == store.count(GROUP) == 3 * statement
        )
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
        assert connection.execute(
            "SELECT scope_number, last_row FROM scopes ORDER BY 1"
        ).fetchall() == [
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


def message(name: str, *texts: str, **fields: Any) -> list[Event]:
    values = {
        "kind": "message",
        "source": "message",
        "role": "user",
        "said_by": "42",
        "user_name": "Ann",
        **fields,
    }
    return [make_event(name, n, text=text, **values) for n, text in enumerate(texts)]


def statements(work: Callable[[SqliteEventStore], object], directory: Path, last: int) -> bool:
    """Run a work in a child that is killed before its nth statement. Return True if it was."""

    def run() -> None:
        store = open_events(directory)
        left = last

        def trace(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        writer_of(store.database).set_trace_callback(trace)
        work(store)

    return is_killed(run)


def seen_of(store: SqliteEventStore) -> tuple[list[str], list[str], list[str], list[str]]:
    """The texts, what two words find, and what is embedded."""
    found = [
        sorted(name for name, _ in store.search_keywords(word, GROUP, 100))
        for word in ("kettle", "teapot")
    ]
    return (
        sorted(event.text for event in store.find(GROUP)),
        *found,
        sorted(store.vectors(GROUP)[0]),
    )


MESSAGE_WORKS: dict[str, Callable[[SqliteEventStore], object]] = {
    "file": lambda store: store.file_messages(
        [message("m-3", "a teapot", "and a kettle"), message("m-4", "new")]
    ),
    "edit": lambda store: store.file_messages([message("m-1", "the teapot")]),
    "withdraw": lambda store: store.withdraw(["m-1"]),
    "expire": lambda store: store.expire(9, now=0.0, returned_before=0.0, said_before=2e9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MESSAGE_WORKS)
def test_a_kill_at_any_statement_that_changes_messages_leaves_the_state_before_or_after(
    tmp_path: Path, name: str
) -> None:
    work, states, number, killed = MESSAGE_WORKS[name], [], 0, True
    while killed:
        number += 1
        directory = tmp_path / str(number)
        directory.mkdir()
        store = open_events(directory)
        store.file_messages([message("m-1", "the kettle", "boils"), message("m-2", "stays")])
        store.set_vectors(["m-1:0", "m-2:0"], unit_vectors(2))
        store.file_job("j-0", [make_event("j-0", text="of the kettle", sources=("m-1",))], [None])
        before = seen_of(store)
        store.close()
        killed = statements(work, directory, number)
        store = open_events(directory)
        states.append(seen_of(store))
        work(store)
        after = seen_of(store)
        assert states[-1] in (before, after) and before != after
        assert killed or states[-1] == after
        assert store.count() == store.count(GROUP) == len(after[0])
        assert IndexErasure(
            store.database, lambda store=store: LedgerTable(store.database)
        ).overwrite()
        if name in ("edit", "withdraw"):
            assert_nowhere(directory, b"kettle", b"boils")
        store.close()
        with closing(sqlite3.connect(directory / "index.sqlite")) as connection:
            connection.execute(
                "INSERT INTO event_keywords (event_keywords, rank) VALUES ('integrity-check', 1)"
            )
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert number > 8 and before in states and after in states


def assert_nowhere(directory: Path, *words: bytes) -> None:
    """No file of a directory holds any of some words."""
    for path in directory.iterdir():
        content = path.read_bytes()
        assert not [word for word in words if word in content], path


def canaries(n: int, *, old: bool) -> str:
    return (
        f"{'xylophone' if old else 'harmless'}{n} 石榴{'红' if old else '青'}透了{n} "
        + f"zanzibar{n} " * (n % 40 if old else 1)
    )


@pytest.mark.parametrize("how", ["withdrawn", "edited"])
def test_the_words_of_withdrawn_and_edited_messages_are_in_none_of_the_files(
    tmp_path: Path, how: str
) -> None:
    store = open_events(tmp_path)
    for n in range(300):
        store.file_messages(
            [message(f"m-{n}", canaries(n, old=n % 3 == 0), user_name=f"Ann{n % 7}")]
        )
    vectors = unit_vectors(300)
    store.set_vectors([f"m-{n}:0" for n in range(300)], vectors)
    shadow = ShadowVectors(SqliteEventRows(store.database))
    shadow.begin("test:next", 8)
    items = shadow.lacking(0, 300)
    others = unit_vectors(300, seed=5)
    assert shadow.store(items, others) == 300
    gone = list(range(0, 300, 3))
    erasure = IndexErasure(store.database, lambda: LedgerTable(store.database))
    assert not erasure.has_remains()
    if how == "withdrawn":
        assert len(store.withdraw([f"m-{n}" for n in gone])) == 100
    else:
        assert (
            len(store.file_messages([message(f"m-{n}", canaries(n, old=False)) for n in gone]))
            == 100
        )
    assert erasure.has_remains() and not erasure.overwrite(lambda: True) and erasure.has_remains()
    assert erasure.overwrite() and not erasure.has_remains()
    assert_nowhere(
        tmp_path,
        b"xylophon",
        *(vectors[n].tobytes() for n in gone),
        *(others[n].tobytes() for n in gone),
    )
    assert_nowhere(tmp_path, "石榴红".encode(), "榴红".encode())
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"harmless" in content and vectors[1].tobytes() in content
    store.close()


def test_two_processes_file_edit_and_withdraw_the_same_messages(tmp_path: Path) -> None:
    open_events(tmp_path).close()

    def work(mine: int) -> Callable[[], None]:
        def run() -> None:
            store = open_events(tmp_path)
            for n in range(40):
                store.file_messages(
                    [message(f"m-{n}", f"first {n}"), message(f"m-{n}", f"words of {mine}")]
                )
                if n % 4 == 3:
                    store.withdraw([f"m-{n - 2}"])
            store.close()

        return run

    assert [exit_code(child) for child in [in_child(work(1)), in_child(work(2))]] == [0, 0]
    store = open_events(tmp_path)
    left = {event.job_id: event.text for event in store.find(GROUP, limit=100)}
    assert set(left) == {f"m-{n}" for n in range(40) if n % 4 != 1}
    assert set(left.values()) <= {"words of 1", "words of 2"} and store.count() == len(left) == 30
    store.close()
