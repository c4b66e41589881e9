"""A connection to PostgreSQL in a transaction, and the keys of advisory locks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

import psycopg
from psycopg.rows import TupleRow

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]


class PostgresTransaction:
    """A connection in a transaction. Statements have `%s` or `%(name)s` in place of values."""

    def __init__(self, connection: psycopg.Connection[TupleRow], schema: str) -> None:
        self.connection = connection
        self._schema = schema

    def execute(self, statement: str, parameters: Parameters = ()) -> psycopg.Cursor[TupleRow]:
        """Execute one statement. Its rows come in binary form, vectors as arrays."""
        return self.connection.execute(statement.encode(), parameters, binary=True)

    def executemany(self, statement: str, rows: Sequence[Parameters]) -> None:
        """Execute one statement for each of `rows`, in one round trip."""
        if rows:
            with self.connection.cursor() as cursor:
                cursor.executemany(statement.encode(), rows)

    def rows(self, statement: str, parameters: Parameters = ()) -> list[TupleRow]:
        return self.execute(statement, parameters).fetchall()

    def row(self, statement: str, parameters: Parameters = ()) -> TupleRow | None:
        return self.execute(statement, parameters).fetchone()

    def run(self, statement: str, parameters: Parameters = ()) -> int:
        return self.execute(statement, parameters).rowcount

    run_many = executemany

    def lock_key(self, *parts: object) -> int:
        """Return the key of an advisory lock of this schema."""
        return lock_key(self._schema, *parts)

    def lock_entities(self, entities: Iterable[str], *, exclusive: bool = False) -> None:
        """Lock entities (`user:42`) until the end of the transaction: shared by writers,
        exclusive for erasure.
        """
        self.lock(*(self.lock_key("entity", entity) for entity in entities), shared=not exclusive)

    def lock_name(self, *parts: str, shared: bool = False) -> None:
        """Take the lock of a name until the end of the transaction."""
        self.lock(self.lock_key(*parts), shared=shared)

    def lock(self, *keys: int, shared: bool = False) -> None:
        """Take advisory locks (`lock_key`) until the end of the transaction, in ascending order."""
        function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
        self.execute(f"SELECT {function}(key) FROM unnest(%s::bigint[]) key", (sorted(set(keys)),))


def lock_key(*parts: object) -> int:
    """Return the key of an advisory lock for these parts: a hash as a signed number of 64 bits."""
    named = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(named, digest_size=8).digest(), "big", signed=True)


def milliseconds(seconds: float) -> int:
    """Return a time limit in milliseconds for the server: at least 1, since 0 means no limit."""
    return max(1, round(1000 * seconds))
