"""Row-wise reading and writing of the tables that both engines share.

Used to move a memory from one engine to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from ..schema.event import Event
from .tables.engine import Database
from .tables.events.rows import NAMES, BesideEvents, EventRows
from .tables.meta import note, noted

Row = tuple[Any, ...]
"""The values of one row: text, numbers, booleans, None, lists of text, vectors as arrays."""
Kind = Literal["plain", "flag", "list", "vector"]
_KINDS: dict[str, Kind] = {
    "is_absolute": "flag",
    "embedded": "flag",
    "done": "flag",
    "gate_reasons": "list",
    "speakers": "list",
    "times": "list",
    "sources": "list",
    "people": "list",
    "tags": "list",
    "vector": "vector",
}
MARK = "moved here"


class _Table(NamedTuple):
    """A table that is moved; `columns` begin with the columns of `key`.

    `of_documents` is True if the table is in the database of the documents, False if it is in that
    of the events. `where` is the condition on the rows that are moved. `name` is the name of the
    table in the database, if it differs from the key in `TABLES`.
    """

    key: tuple[str, ...]
    columns: tuple[str, ...]
    of_documents: bool = False
    where: str = "1 = 1"
    name: str = ""


def _table(key: str, others: str = "", **more: Any) -> _Table:
    return _Table(tuple(key.split()), (*key.split(), *others.split()), **more)


_VECTORS = _table("sequence", "row vector")
TABLES: dict[str, _Table] = {
    "scopes": _table("scope_number", "scope_key events last_row last_vector additions removals"),
    "events": _table("row", " ".join([*NAMES, "embedded"])),
    "event_vectors": _VECTORS,
    "next_event_vectors": _VECTORS,
    "kept_event_vectors": _VECTORS,
    "event_revisions": _table("row revision", "text is_absolute rewritten_by replaced_at run"),
    "reprocessing_runs": _table("run", "started last_row seen changed gained lost done"),
    "filed_jobs": _table("job_id"),
    "tombstones": _table("kind value", "until"),
    "ledger": _table("entity_key job_id", where="replace(entity_key, ':', '') = entity_key"),
    "note_files": _table("file_number", "scope_key root path mtime_ns size content_hash form"),
    "note_chunks": _table("file_number chunk_id", "event_id"),
    "buffered_states": _table("sequence", "entry_id user_id scope_key role text name at tokens"),
    "other_profile_vectors": _table("role item_id", "revision vector"),
    "meta": _table(
        "name",
        "value",
        where=f"name NOT IN ('words', 'messages', 'remains', 'reembedding', '{MARK}')",
    ),
    "documents": _table(
        "kind entity_type entity_id place revision", "updated_at content", of_documents=True
    ),
    "ledger of documents": _table(
        "entity_key job_id",
        of_documents=True,
        where="replace(entity_key, ':', '') != entity_key",
        name="ledger",
    ),
    "summaries": _table("number", "user_id scope_key id created_at data", of_documents=True),
    "corrections": _table("correction_id", "scope_key at until body", of_documents=True),
    "correction_entities": _table("entity correction_id", of_documents=True),
}


class TableContents(BesideEvents):
    """The tables that both engines share, with their row numbers.

    `documents` returns the database of the documents, which is a separate file in a data directory.
    """

    def __init__(self, rows: EventRows, documents: Callable[[], Database]) -> None:
        super().__init__(rows)
        self._documents = documents

    def encode(self, kind: Kind, value: Any) -> Any:
        """Return a value in the form in which the database stores it."""
        return (
            self._events.as_list(value)
            if kind == "list"
            else self._database.stored(value)
            if kind == "vector"
            else value
        )

    def decode(self, kind: Kind, value: Any) -> Any:
        if kind == "list":
            return self._events.of_list(value)
        return (
            self._database.vector(value)
            if kind == "vector"
            else bool(value)
            if kind == "flag"
            else value
        )

    def tables(self) -> Sequence[str]:
        """Return the names of the tables in the order in which they are moved."""
        return tuple(TABLES)

    def count(self, table: str) -> int:
        ((count,),) = self._home(table).rows(f"SELECT count(*) FROM {_moved(table)}")
        return int(count)

    def read(self, table: str, after: Row | None, limit: int) -> list[Row]:
        """Return at most `limit` rows after the key `after` (see `key_of`), in key order.

        None as `after` starts with the first row.
        """
        key, columns = TABLES[table].key, TABLES[table].columns
        behind = f" AND ({', '.join(key)}) > ({_places(len(key))})" if after is not None else ""
        found = self._home(table).rows(
            f"SELECT {', '.join(columns)} FROM {_moved(table)}{behind} ORDER BY {', '.join(key)} LIMIT {limit}",
            after or (),
        )
        kinds = [_KINDS.get(column, "plain") for column in columns]
        return [
            tuple(self.decode(kind, value) for kind, value in zip(kinds, row, strict=True))
            for row in found
        ]

    def key_of(self, table: str, row: Row) -> Row:
        """Return the key of a row, a tuple of texts and numbers."""
        return row[: len(TABLES[table].key)]

    def write(self, table: str, rows: Sequence[Row], mark: str) -> None:
        """Store rows, the search words of events, and then `mark`.

        Existing rows are not changed.
        """
        columns, home = TABLES[table].columns, self._home(table)
        kinds = [_KINDS.get(column, "plain") for column in columns]
        with home.writing() as transaction:
            transaction.run_many(
                f"INSERT INTO {TABLES[table].name or table} ({', '.join(columns)}) VALUES ({_places(len(columns))})"
                " ON CONFLICT DO NOTHING",
                [
                    [self.encode(kind, value) for kind, value in zip(kinds, row, strict=True)]
                    for row in rows
                ],
            )
            if table == "events":
                n = columns.index(NAMES[0])
                said = [(row[0], Event(*row[n : n + len(NAMES)]).said) for row in rows]
                self._events.add_words(transaction, said)
            if home is self._database:
                note(transaction, MARK, mark)
        if home is not self._database:
            with self._database.writing() as transaction:
                note(transaction, MARK, mark)

    def mark(self) -> str:
        """Return the last mark that a move to this memory has stored; "" if there was no move."""
        return noted(self._database, MARK) or ""

    def finish(self, mark: str) -> None:
        """Complete a move after all rows were written, and store `mark`.

        New rows are numbered after the moved ones, and derived indexes are rebuilt.
        """
        with self._database.writing() as transaction:
            self._events.arrived(transaction)
            note(transaction, MARK, mark)

    def _home(self, table: str) -> Database:
        return self._documents() if TABLES[table].of_documents else self._database


def _moved(table: str) -> str:
    """Return the part of a query after FROM that selects the rows to move."""
    return f"{TABLES[table].name or table} WHERE {TABLES[table].where}"


def _places(count: int) -> str:
    return ", ".join(["%s"] * count)
