"""A memory of a former version, in which talk was kept as observations, opened by this one; on every engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from historian.schema.event import Event, EventFilter
from historian.stores.postgres import database as postgres_database
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.sqlite.database import SqliteDatabase
from historian.stores.sqlite.index_schema import MIGRATIONS
from historian.stores.tables.engine import Database
from historian.stores.tables.meta import note
from support.backends import OpenStores, Stores
from support.events import unit_vectors
from support.former_talk import FORMER, messages, observations
from support.postgres import Schema
from support.stores import open_events

EVERYWHERE = EventFilter(None)


def former_version(stores: Stores) -> None:
    """Let a memory look as if a former version had closed it."""
    database: Database = stores.events.database  # type: ignore[attr-defined]
    with database.writing() as transaction:
        note(transaction, "messages", None)
    stores.events.close()


def test_all_talk_becomes_messages_that_words_and_vectors_find_as_before(
    open_stores: OpenStores,
) -> None:
    stores = open_stores()
    before = {name: observations(name) for name in FORMER}
    every = [one for some in before.values() for one in some]
    vectors = unit_vectors(len(every))
    assert len(stores.events.file_new(every, vectors)) == len(every)
    queries = ("leeds", "ann", "搬家", "鸡蛋", "house 7", "rain")
    found = [stores.events.search_keywords(query, EventFilter("g:7"), 50) for query in queries]
    was_there = stores.events.change_number("g:7")
    former_version(stores)
    events = open_stores().events
    after = {name: messages(name) for name in FORMER}
    assert {one.event_id: one for one in events.find(EVERYWHERE, limit=1_000)} == {
        one.event_id: one for some in after.values() for one in some
    }
    assert [
        events.search_keywords(query, EventFilter("g:7"), 50) for query in queries
    ] == found and all(found)
    assert sorted(events.vectors(EVERYWHERE)[0]) == sorted(one.event_id for one in every)
    assert events.without_vector(5) == [] and events.change_number("g:7")[1] > was_there[1]
    assert {(one.user_id, one.name) for one in events.names("g:7")} == {
        (one.user_id, one.user_name) for some in after.values() for one in some if one.user_name
    }


def test_it_is_done_once_by_one_of_several_that_open_the_memory(open_stores: OpenStores) -> None:
    stores = open_stores()
    stores.events.file_new(observations("by name") + observations("tool"), [None] * 2)
    former_version(stores)
    opened = [open_stores().events for _ in range(3)]
    number = opened[0].change_number("g:7")
    late = observations("bot")
    opened[1].file_new(late, [None])
    assert open_stores().events.change_number("g:7") == (number[0] + 1, number[1])
    kinds = {one.text: one.kind for one in opened[2].find(EVERYWHERE)}
    assert kinds["I moved to Leeds"] == "message" and kinds[late[0].text] == "action"


def test_a_message_that_was_an_observation_can_be_edited_withdrawn_and_expire(
    open_stores: OpenStores,
) -> None:
    stores = open_stores()
    every = [one for name in ("long", "bot", "by name") for one in observations(name)]
    stores.events.file_new(every, [None] * len(every))
    former_version(stores)
    events = open_stores().events
    (name,), (short,) = (
        {one.job_id for one in observations("long")},
        {one.job_id for one in observations("by name")},
    )
    assert len(events.withdraw([name])) == len(observations("long"))
    assert events.search_keywords("house", EventFilter("g:7"), 5) == []
    (message,) = events.find(EventFilter(None, event_ids=(observations("by name")[0].event_id,)))
    assert events.edit(message.event_id, "I moved to York", None)
    assert [one for one, _ in events.search_keywords("ann york", EventFilter("g:7"), 1)] == [
        message.event_id
    ]
    assert events.known_messages([short]) == {short}
    assert events.expire(9, now=0.0, returned_before=9e9) == 0
    assert events.expire(9, now=0.0, returned_before=0.0, said_before=9e9) == 2
    assert events.count() == 0


# --- files and schemas of the former version


_LATER = {
    "role",
    "message_id",
    "reply_to",
    "times",
    "sources",
    "people",
    "worded_at",
    "tags",
    "metadata",
    "expires_at",
}
COLUMNS = [field.name for field in fields(Event) if field.name not in _LATER]


def rows_of(
    events: list[Event], as_list: Callable[[tuple[str, ...]], object]
) -> list[list[object]]:
    """The rows of a table of the former version: in scope 1, not embedded."""
    return [
        [
            2**32 + n,
            *(
                as_list(value) if isinstance(value := getattr(event, name), tuple) else value
                for name in COLUMNS
            ),
            False,
        ]
        for n, event in enumerate(events, 1)
    ]


INSERT = f"INSERT INTO events (row, {', '.join(COLUMNS)}, embedded) VALUES ({', '.join(['%s'] * (len(COLUMNS) + 2))})"
SCOPE = "INSERT INTO scopes (scope_number, scope_key, events, last_row) VALUES (1, 'g:7', %s, %s)"


def test_a_file_of_the_former_version_is_opened(tmp_path: Path) -> None:
    every = [one for name in FORMER for one in observations(name)]
    before = SqliteDatabase(tmp_path / "index.sqlite", MIGRATIONS[:11])
    with before.writing() as transaction:
        transaction.run(SCOPE, (len(every), len(every)))
        transaction.run_many(
            INSERT, rows_of(every, lambda value: json.dumps(value, ensure_ascii=False))
        )
    before.close()
    store = open_events(tmp_path)
    expected = {one.event_id: one for name in FORMER for one in messages(name)}
    assert {one.event_id: one for one in store.find(EVERYWHERE, limit=1_000)} == expected
    assert store.search_keywords("leeds", EventFilter("g:7"), 5)
    store.close()


def test_a_schema_of_the_former_version_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [one for name in FORMER for one in observations(name)]
    schema, scripts = Schema.fresh(), postgres_database.migrations
    monkeypatch.setattr(
        postgres_database, "migrations", lambda *given, **more: scripts(*given, **more)[:3]
    )
    with schema.open().writing() as transaction:
        transaction.run(SCOPE, (len(every), len(every)))
        transaction.run_many(INSERT, rows_of(every, list))
    monkeypatch.undo()
    store = PostgresEventStore(schema.open())
    expected = {one.event_id: one for name in FORMER for one in messages(name)}
    assert {one.event_id: one for one in store.find(EVERYWHERE, limit=1_000)} == expected
    assert store.search_keywords("leeds", EventFilter("g:7"), 5)
    schema.close()
