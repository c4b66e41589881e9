"""Stores over a directory, and the connection behind one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from historian.stores.chroma.index import ChromaIndex
from historian.stores.sqlite.database import SqliteDatabase
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.stores.tables.events.store import EventStore
from historian.stores.tables.tombstones import SECONDS_OF_EVER, add_tombstones


def open_events(directory: Path) -> SqliteEventStore:
    """The event store in `directory`, which is made if it is missing."""
    return SqliteEventStore(open_index(directory / "index.sqlite"))


def not_in_index(store: EventStore, directory: Path) -> list[str]:
    """The ids of embedded events that the derived index in `directory` was not given yet."""
    numbers = ChromaIndex(directory / "chromadb").noted_numbers(store.fingerprint())
    return [event.event_id for event in store.embedded_after(numbers or {}, 10).events]


def bury(
    store: EventStore, *entities: str, job_ids: Sequence[str] = (), until: float = SECONDS_OF_EVER
) -> None:
    """Let nothing of entities (`user:42`) up to a time, and nothing of jobs, be filed any more."""
    with store.database.writing() as transaction:
        transaction.lock_entities(entities, exclusive=True)
        add_tombstones(transaction, "job", job_ids, SECONDS_OF_EVER)
        add_tombstones(transaction, "entity", entities, until)


def writer_of(database: SqliteDatabase) -> sqlite3.Connection:
    """The connection that writes, outside any transaction: for a PRAGMA or a trace."""
    with database.writing() as connection:
        return connection


@contextmanager
def refusing_writes(
    database: SqliteDatabase, fault: Literal["full", "read-only"] = "read-only"
) -> Iterator[None]:
    """Inside of it the database takes nothing that is written, as if its disk were full or read-only."""
    writer = writer_of(database)
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(
        f"PRAGMA max_page_count = {pages}" if fault == "full" else "PRAGMA query_only = ON"
    )
    try:
        yield
    finally:
        writer.execute(
            "PRAGMA max_page_count = 1000000" if fault == "full" else "PRAGMA query_only = OFF"
        )


def causes_of(documents: Any, key: Any) -> set[str]:
    """The jobs and summaries that are recorded for a document, also of revisions that are not kept any more."""
    noted = "SELECT job_id FROM ledger WHERE entity_key = %s"
    return {
        cause for (cause,) in documents._database.rows(noted, (documents.naming.ledger_key(key),))
    }
