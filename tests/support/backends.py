"""The stores of one memory for conformance tests: in a directory, or in a schema of PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from historian.stores.postgres.erasure import PostgresErasure
from historian.stores.postgres.events.rows import PostgresEventRows
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.postgres.profile_index import PostgresProfileIndex
from historian.stores.sqlite.erasure import IndexErasure
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.profile_index import SqliteProfileIndex
from historian.stores.sqlite.queue import QUEUE, open_queue_file
from historian.stores.tables.erasure import ErasureTables
from historian.stores.tables.event_transfer import EventTransferTables
from historian.stores.tables.events.shadow_vectors import ShadowVectors
from historian.stores.tables.events.store import EventStore
from historian.stores.tables.ledger import LedgerTable
from historian.stores.tables.notes import NoteTables
from historian.stores.tables.profile_index import ProfileIndex

from .postgres import Schema
from .stores import open_events


class Stores(NamedTuple):
    """What stands beside the events, over one database."""

    events: EventStore
    profile_index: ProfileIndex
    ledger: LedgerTable
    manifest: NoteTables
    shadow: ShadowVectors
    transfer: EventTransferTables
    erasure: ErasureTables


OpenStores = Callable[[], Stores]


def in_directory(directory: Path) -> Stores:
    events = open_events(directory)
    database = events.database
    rows, documents = SqliteEventRows(database), LedgerTable(open_queue_file(directory / QUEUE))
    return Stores(
        events,
        SqliteProfileIndex(rows),
        LedgerTable(database),
        NoteTables(rows),
        ShadowVectors(rows),
        EventTransferTables(rows),
        IndexErasure(database, lambda: documents),
    )


def in_schema(schema: Schema) -> Stores:
    database = schema.open()
    return Stores(
        PostgresEventStore(database),
        PostgresProfileIndex(PostgresEventRows(database)),
        LedgerTable(database),
        NoteTables(PostgresEventRows(database)),
        ShadowVectors(PostgresEventRows(database)),
        EventTransferTables(PostgresEventRows(database)),
        PostgresErasure(database),
    )
