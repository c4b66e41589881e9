"""What forgetting reads of the tables: every text of every store, as bytes in which it stands whole."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from historian.schema.entity import Entity
from historian.schema.forgetting import ForgetRequest
from historian.schema.profile import ProfileKey, ProfileLine
from historian.schema.summary import Article, ArticleKey, Spoken
from historian.service.entity_data.byte_scan import forms
from historian.stores.postgres.database import PostgresDatabase
from historian.stores.postgres.erasure import PostgresErasure
from historian.stores.postgres.events.rows import PostgresEventRows
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.postgres.items import PostgresItems
from historian.stores.tables.articles import ArticleStorage
from historian.stores.tables.forget_requests import ForgetRequestTable
from historian.stores.tables.items import NewItem
from historian.stores.tables.notes import FileChange, IndexedFile, NoteTables
from historian.stores.tables.profiles import ProfileStorage
from historian.stores.tables.state_buffer import StateBuffer
from profiles import profile_of
from support.events import make_event
from support.memory import AT
from support.postgres import Schema


@pytest.fixture
def database(schema: Schema) -> PostgresDatabase:
    return schema.open()


def places_of(database: PostgresDatabase, text: str) -> set[str]:
    unread: list[str] = []
    found = {
        one.place
        for one in PostgresErasure(database).stored_bytes(unread)
        if any(form in one.data for form in forms(text)[:3])
    }
    assert unread == []
    return found


def test_every_table_with_texts_is_read_but_for_the_requests_themselves(
    database: PostgresDatabase,
) -> None:
    canary = '秘密 "of" Ann\\, in two\tparts'
    key = ArticleKey("42")
    PostgresEventStore(database).file_job(
        "j1-0", [make_event("j1-0", text=f"1 {canary}", speakers=(f"2 {canary}",))], [None]
    )
    ProfileStorage(lambda: database).write(
        profile_of(ProfileKey("user", "42"), f"3 {canary}"), expected_revision=0, now=AT
    )
    article = Article(key, sources=("s",)).with_chapters(
        {"Bedrock": [ProfileLine("4", f"4 {canary}")]}
    )
    ArticleStorage(lambda: database).write(
        article, expected_revision=0, now=AT, forgotten=lambda: False
    )
    StateBuffer(lambda: database).add(
        key, "j2-0", [("j2-0:0", Spoken("user", f"6 {canary}", "", AT))], entities=[], at=1.0
    )
    PostgresItems(database).put([NewItem("a", canary, "{}")], 1.0)
    NoteTables(PostgresEventRows(database)).write(
        "g:7", "/", [FileChange(IndexedFile(canary, 1, 1, "h", "1"), (), ())]
    )
    ForgetRequestTable(lambda: database).ask(
        ForgetRequest(Entity("user", "42"), 1.0, texts=(canary,))
    )
    with database.writing() as transaction:  # what another program keeps here
        transaction.execute("CREATE TABLE strange (thing bytea, more jsonb)")
        transaction.execute("INSERT INTO strange VALUES (%s, '{}')", (canary.encode(),))
    everywhere = {"events", "documents", "buffered_states", "items", "note_files", "strange"}
    assert places_of(database, canary) == everywhere
    assert {n for n in "12" if places_of(database, f"{n} {canary}") == {"events"}} == {"1", "2"}
    assert PostgresErasure(database).erase_unattributed() == 0, (
        "no worker has made the tables of checkpoints yet"
    )


def test_many_rows_come_in_pieces_of_a_few_mebibytes(database: PostgresDatabase) -> None:
    with database.writing() as transaction:
        transaction.execute(
            "CREATE TABLE long_texts AS SELECT repeat('x', 1000000) || n AS text FROM generate_series(1, 9) n"
        )

    def of_the_table() -> Iterator[tuple[int, int]]:
        for one in PostgresErasure(database).stored_bytes([]):
            if one.place == "long_texts":
                yield one.offset, len(one.data)

    pieces = list(of_the_table())
    assert len(pieces) > 1 and all(size < 6 * 1024 * 1024 for _, size in pieces)
    assert [offset + size for offset, size in pieces[:-1]] == [offset for offset, _ in pieces[1:]]


def test_what_is_deleted_is_vacuumed_beside_readers_and_writers(database: PostgresDatabase) -> None:
    store = PostgresEventStore(database)
    store.file_job("j1-0", [make_event("j1-0", n) for n in range(50)], [None] * 50)
    erasure = PostgresErasure(database)
    assert erasure.erase_events(Entity("user", "42").where) == 50
    with database.reading() as transaction:
        assert transaction.rows("SELECT count(*) FROM events") == [(0,)]
        assert erasure.rewrite() and not erasure.writers_wait() and not erasure.holds(["events"])
    assert list(erasure.merge_words()) == []


def test_texts_that_are_read_a_piece_at_a_time_by_several_threads_leave_none_in_a_transaction(
    database: PostgresDatabase,
) -> None:
    with database.writing() as transaction:
        transaction.execute("CREATE TABLE others (thing text)")
        transaction.execute(
            "INSERT INTO others SELECT repeat('x', 1048576) FROM generate_series(1, 9)"
        )
    texts = (one for one in PostgresErasure(database).stored_bytes([]) if one.place == "others")
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        assert first.submit(next, texts).result() is not None
        assert first.submit(database.run, "INSERT INTO others VALUES ('y')").result(10) == 1
        assert len(second.submit(list, texts).result(10)) == 2
        assert first.submit(database.run, "INSERT INTO others VALUES ('z')").result(10) == 1
