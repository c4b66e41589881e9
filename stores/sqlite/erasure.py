"""Erasure of the data of a person or a group from `index.sqlite`, without remains in the file.

Rows are deleted with `secure_delete`, which overwrites them with zeros. That is not sufficient:
FTS5 keeps the words of a deleted row until their segment is merged, and moved pages leave copies.
Therefore `merge_words` merges each keyword index into one segment, and `rewrite` rewrites the whole
file and empties the write-ahead log. (`secure-delete` of FTS5 would have the same effect as the
merge row by row, but it needs SQLite 3.42 and makes the file read-only for older versions.)
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence

from ..files.durable import remove_durably
from ..tables.engine import Transaction
from ..tables.erasure import ErasureTables
from ..tables.ledger import LedgerTable
from .database import SqliteDatabase
from .events import keywords as event_keywords
from .events.rows import SqliteEventRows
from .profile_index import remove_words
from .queue import QUEUE
from .transaction import SqliteTransaction

log = logging.getLogger(__name__)

_PAGES_AT_ONCE = 200
_UNATTRIBUTED = ("checkpoints.sqlite*", "*.damaged*")


class IndexErasure(ErasureTables):
    """The erasure in a data directory: `index.sqlite`, and files that are deleted as a whole."""

    _database: SqliteDatabase
    among = "(SELECT value AS r FROM json_each(%s))"

    def __init__(self, database: SqliteDatabase, documents: Callable[[], LedgerTable]) -> None:
        """`documents` returns the ledger of profiles and articles, which is in another file."""
        super().__init__(SqliteEventRows(database))
        self._documents = documents

    def remove_applied(self, transaction: Transaction, job_ids: Sequence[str]) -> None:
        super().remove_applied(transaction, job_ids)
        self._documents().remove(job_ids)

    def remove_profile_words(self, transaction: SqliteTransaction, item_ids: Sequence[str]) -> None:
        remove_words(transaction, item_ids)

    def erase_unattributed(self) -> int:
        """See `ErasureTables.erase_unattributed`. A lost checkpoint costs only a model call."""
        directory = self._database.path.parent
        files = {
            path for pattern in _UNATTRIBUTED for path in directory.glob(pattern) if path.is_file()
        }
        return sum(remove_durably(path) for path in sorted(files))

    def merge_words(self) -> Iterator[None]:
        """Merge each keyword index into one segment, in short transactions.

        Yields between two transactions; others may write meanwhile.
        """
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO profile_keywords (profile_keywords) VALUES ('optimize')"
            )
        # A negative number starts a merge of all segments, not only of those of equal size.
        pages = -_PAGES_AT_ONCE
        while True:
            yield
            with self._database.writing() as connection:
                if not event_keywords.merge_words(connection, pages):
                    return
            pages = _PAGES_AT_ONCE

    def check_words(self) -> None:
        """Rebuild the keyword indexes that contain words of missing rows (after damage)."""
        with self._database.writing() as connection:
            for table in ("event_keywords", "profile_keywords"):
                _check_or_rebuild(connection, table)

    def rewrite(self, stop: Callable[[], bool] = bool) -> bool:
        """Rewrite the file without the remains of deleted data, and empty the log.

        Return False if `stop` interrupted it. Takes the time and the free space of a copy of the
        file; readers are not blocked. `stop` is called every few milliseconds. If an active reader
        prevents emptying the log, the log is overwritten after the reader ends. Raises
        StorageError.
        """
        if not self._database.vacuum(stop):
            return False
        if not self._database.truncate_log():
            log.warning(
                "a reader of index.sqlite is active; deleted data in the write-ahead log is "
                "overwritten when it ends"
            )
        return True

    def holds(self, places: Collection[str]) -> bool:
        """See `ErasureTables.holds`."""
        ours = (self._database.path.name, QUEUE)
        return any(place.removesuffix("-wal").removesuffix("-shm") in ours for place in places)

    def writers_wait(self) -> bool:
        """Return True if a thread of this process waits to write."""
        return self._database.writers_wait


def _check_or_rebuild(connection: sqlite3.Connection, table: str) -> None:
    """Rebuild an index from its rows if it contains words of missing rows (after damage)."""
    connection.execute("SAVEPOINT words")
    try:
        connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK TO words")
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    connection.execute("RELEASE words")
