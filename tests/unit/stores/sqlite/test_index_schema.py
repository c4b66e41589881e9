"""The migrations of `index.sqlite`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from historian.schema.event import EventFilter
from historian.stores.sqlite.database import SqliteDatabase
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import MIGRATIONS, open_index
from historian.stores.tables.events.revisions import Change, EventRevisionTables
from support.events import file_texts

COLUMNS = (
    "row, event_id, job_id, kind, text, user_id, group_id, request_type, timestamp, timestamp_local, timezone, user_name,"
    " is_absolute, gate_reasons, rewritten_by, source, schema_version, embedded"
)


def test_events_filed_before_they_named_their_speakers_are_read_and_found_by_their_person(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.sqlite"
    with closing(SqliteDatabase(path, MIGRATIONS[:4])) as before, before.writing() as connection:
        connection.execute(
            "INSERT INTO scopes (scope_number, scope_key, events, last_row) VALUES (1, 'g:7', 1, 1)"
        )
        connection.execute(
            f"INSERT INTO events ({COLUMNS}) VALUES (4294967297, 'j-0:0', 'j-0', 'fact', 'Ann has a cat', '42', '7', 'group',"
            " 1.0, '1970-01-01T00:00:01+00:00', 'UTC', 'Ann', 1, '[]', 'rules', 'job', 1, 0)"
        )
    store = SqliteEventStore(open_index(path))
    (event,) = store.find(EventFilter(None, people=("42",)))
    assert (event.text, event.speakers, event.handed_over, event.occurs_from, event.holds) == (
        "Ann has a cat",
        (),
        "",
        None,
        True,
    )
    assert store.find(EventFilter(None, people=("43",))) == []
    store.close()


def test_what_was_filed_before_events_kept_their_words_is_read_and_may_be_written_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.sqlite"
    with closing(SqliteDatabase(path, MIGRATIONS[:6])) as before, before.writing() as connection:
        connection.execute(
            "INSERT INTO scopes (scope_number, scope_key, events, last_row) VALUES (1, 'g:7', 1, 1)"
        )
        connection.execute(
            f"INSERT INTO events ({COLUMNS}) VALUES (4294967297, 'j-0:0', 'j-0', 'fact', 'Ann has a kat', '42', '7', 'group',"
            " 1.0, '1970-01-01T00:00:01+00:00', 'UTC', 'Ann', 0, '[]', 'rules', 'job', 1, 0)"
        )
    database = open_index(path)
    store, revisions = SqliteEventStore(database), EventRevisionTables(SqliteEventRows(database))
    (event,) = store.find(EventFilter(None))
    assert (event.version, event.handed_over, event.occurs_from, event.holds) == (
        "",
        "",
        None,
        True,
    )
    revisions.begin("r", 2.0)
    changes = [
        Change(event, replace(event, text="Ann has a cat", is_absolute=True, version="1.0.0"))
    ]
    assert revisions.advance(
        "r",
        seen=1,
        rows=(-1, 4294967297),
        changes=changes,
        now="2026-02-02T00:00:00+00:00",
        done=True,
    )
    assert [one.text for one in revisions.of(["j-0:0"])["j-0:0"]] == ["Ann has a kat"]
    assert [one for one, _ in store.search_keywords("cat", EventFilter("g:7"), 5)] == ["j-0:0"]
    assert store.search_keywords("kat", EventFilter("g:7"), 5) == []
    store.close()


def test_the_newest_events_of_a_scope_are_read_without_sorting_the_others(tmp_path: Path) -> None:
    store = SqliteEventStore(open_index(tmp_path / "index.sqlite"))
    file_texts(store, ["a", "b", "c"], group="7")
    where = EventFilter("g:7", kinds=("fact",), time_to=2e9)
    assert [event.text for event in store.find(where, limit=2)] == ["c", "b"]
    condition, values = store.in_order_of_time(where)
    query = f"SELECT e.row FROM events e WHERE {condition} ORDER BY e.timestamp DESC, e.row DESC LIMIT 2"
    plan = " ".join(row[3] for row in store.database.rows(f"EXPLAIN QUERY PLAN {query}", values))
    assert "events_of_scope_by_time (<expr>=? AND timestamp<?)" in plan and "B-TREE" not in plan
    store.close()
