"""Erasure of the data of a person or a group from the tables.

No later statement sees deleted rows. Their bytes remain in the files of the server until they are
vacuumed and overwritten. The write-ahead log and backups are left to the operator.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import psycopg

from ...schema.errors import StorageError
from ..files.bytes_below import StoredBytes
from ..tables.erasure import ErasureTables
from .database import PostgresDatabase
from .events.rows import PostgresEventRows

log = logging.getLogger(__name__)

_BYTES_AT_ONCE = 4 * 1024 * 1024

_TEXTS = """
SELECT c.relname, string_agg(
    CASE WHEN t.typname LIKE '\\_%%' THEN format('array_to_string(%%I, %%L)', a.attname, ' ') ELSE format('%%I', a.attname) END,
    ', ' ORDER BY a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    AND t.typname IN ('text', '_text', 'varchar', 'json', 'jsonb', 'bytea')
    AND c.relname NOT IN ('forget_requests', 'forget_known')
GROUP BY c.relname ORDER BY c.relname
"""
"""Lists every table with its columns that contain text."""


class PostgresErasure(ErasureTables):
    """The erasure of one schema."""

    _database: PostgresDatabase
    among = "unnest(%s::bigint[]) r"

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(PostgresEventRows(database))

    def erase_unattributed(self) -> int:
        """Empty the tables of checkpoints. Return the number of jobs that had checkpoints."""
        with self._database.writing() as transaction:
            if transaction.row("SELECT to_regclass('checkpoints')") == (None,):
                return 0
            ((count,),) = transaction.rows("SELECT count(DISTINCT thread_id) FROM checkpoints")
            transaction.execute("TRUNCATE checkpoints, checkpoint_blobs, checkpoint_writes")
        return int(count)

    def rewrite(self, stop: Callable[[], bool] = bool) -> bool:
        """Vacuum all tables with deleted rows, so that the server reuses their space.

        Locked tables are skipped. Readers and writers are not blocked. Return False if `stop`
        interrupted it.
        """
        with self._database.explaining(), self._database.session() as connection:
            for (table,) in connection.execute(
                "SELECT relname FROM pg_stat_user_tables WHERE schemaname = current_schema() AND n_dead_tup > 0 ORDER BY 1"
            ).fetchall():
                if stop():
                    return False
                try:
                    connection.execute(f'VACUUM (SKIP_LOCKED) "{table}"'.encode())
                except psycopg.errors.InsufficientPrivilege as error:
                    log.warning(
                        "deleted rows of %s are overwritten when the owner of the table runs "
                        "VACUUM: %s",
                        table,
                        error,
                    )
        return True

    def stored_bytes(self, unread: list[str]) -> Iterator[StoredBytes]:
        """Yield the texts of all tables in this schema, including those of other programs."""
        for table, columns in self._database.rows(_TEXTS):
            try:
                yield from self._texts_of(table, columns)
            except StorageError as error:
                unread.append(f"{table}: {error}")

    def _texts_of(self, table: str, columns: str) -> Iterator[StoredBytes]:
        """Yield the texts of a table, as whole rows in pieces of a few MiB.

        The binary form contains texts without escapes. The method uses a separate connection: each
        piece may be requested in another thread, and a transaction belongs to one thread.
        """
        offset, held, rows = 0, 0, list[bytes]()
        statement = f'COPY (SELECT {columns} FROM "{table}") TO STDOUT (FORMAT binary)'
        with (
            self._database.explaining(),
            self._database.session() as connection,
            connection.cursor() as cursor,
            cursor.copy(statement.encode()) as copy,
        ):
            for row in copy:
                rows.append(bytes(row))
                held += len(row)
                if held >= _BYTES_AT_ONCE:
                    yield StoredBytes(table, offset, b"".join(rows))
                    offset, held, rows = offset + held, 0, []
        yield StoredBytes(table, offset, b"".join(rows))
