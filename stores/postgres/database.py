"""One schema of a PostgreSQL database, for threads of any number of processes on any machine.

Connections come from a pool. `search_path` names the schema, so that statements need no schema
names. A pooler that passes no startup options (PgBouncer) needs the same setting by `ALTER ROLE …
SET search_path`, which is checked at the start. Behind a pooler no state may last longer than a
transaction: state of a session (`session`: claims, LISTEN) uses `direct_url`.

Text cannot contain NUL in PostgreSQL: it is removed from every string that is passed as a
parameter.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Literal, LiteralString, TypeAlias

import psycopg
import psycopg_pool
from psycopg.adapt import Buffer
from psycopg.rows import TupleRow
from psycopg.types.string import StrDumper

from ...schema.errors import HistorianError, InvalidInput, StorageError
from ...schema.protocols import Vector
from ..migrations import migrations
from ..tables.engine import Database, checked_vector, lone_surrogate
from .address import read_address
from .errors import explained, is_away
from .transaction import Parameters, PostgresTransaction, lock_key, milliseconds
from .vector_type import as_matrix, register_vectors

VectorKind = Literal["float32", "half"]

_SCHEMA_NAME = re.compile("[a-z_][a-z0-9_]{0,62}")
_COLUMN_TYPE: dict[VectorKind, str] = {"float32": "vector", "half": "halfvec"}
_OLDEST_SERVER = 150_000
Kind: TypeAlias = Literal["read", "write", "write later"]
_BEGIN: dict[Kind, LiteralString] = {
    "read": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "write": "BEGIN; SET LOCAL idle_in_transaction_session_timeout = {silence}",
    "write later": "BEGIN; SET LOCAL idle_in_transaction_session_timeout = {silence}; SET LOCAL synchronous_commit = off",
}
# A process that is suspended while it writes holds locks. After the timeout the server rolls its
# transaction back.


class PostgresDatabase(Database):
    """The connections to one schema. Opening it applies the migrations.

    `vectors` is the type of the vector columns in a new schema: float32, or half of the bytes.
    `wait_seconds` is how long a caller waits for a connection. A process that is silent for
    `silence_seconds` while it holds locks loses them, and its uncommitted changes.

    All methods raise errors of PostgreSQL as StorageError (DatabaseAway if the server is
    unavailable) with a remedy and the address without its password. An invalid address or schema
    name raises InvalidInput. Inside `reading` and `writing` all statements of the same thread are
    part of that transaction.
    """

    def __init__(
        self,
        url: str,
        *,
        schema_name: str = "historian",
        pool_max: int = 8,
        direct_url: str = "",
        vectors: VectorKind = "float32",
        wait_seconds: float = 10.0,
        silence_seconds: float = 20.0,
    ) -> None:
        if not _SCHEMA_NAME.fullmatch(schema_name):
            raise InvalidInput(
                f"stores.schema_name: {schema_name!r} is not a valid schema name; use lower-case "
                "letters, digits and _ (at most 63)"
            )
        self.schema = schema_name
        self.vector_type = _COLUMN_TYPE[vectors]
        """The type of the vector columns."""
        self.silence_seconds = silence_seconds
        self._begin = {
            kind: text.format(silence=milliseconds(silence_seconds)).encode()
            for kind, text in _BEGIN.items()
        }
        self._process = os.getpid()
        is_pooled = direct_url not in ("", url)
        self._conninfo, self.name = read_address(
            "stores.url", url, schema_name, is_pooled=is_pooled
        )
        self._direct_conninfo = (
            read_address("stores.direct_url", direct_url, schema_name)[0]
            if direct_url
            else self._conninfo
        )
        # A pooler may use another server connection per transaction, which has no prepared
        # statements.
        self._options: dict[str, Any] = {
            "autocommit": True,
            "prepare_threshold": None if is_pooled else 5,
        }
        self._oids = (0, 0)
        self._open = threading.local()
        self.is_lost = False
        """True after a connection broke, until a statement succeeds."""
        self.when_in_trouble: Callable[[], None] = lambda: None
        """Called in any thread when the server cannot be reached. Must not block."""
        with self.explaining():
            self._prepare(vectors)
            self._pool = psycopg_pool.ConnectionPool(
                self._conninfo,
                kwargs=self._options,
                min_size=1,
                max_size=max(pool_max, 1),
                timeout=wait_seconds,
                # After this time the next caller tries again; growing pauses would outlast the
                # outage.
                reconnect_timeout=wait_seconds,
                configure=self._configure,
                name=f"historian-{schema_name}",
                open=True,
            )

    def lock_key(self, *parts: object) -> int:
        """Return the key of an advisory lock of this schema."""
        return lock_key(self.schema, *parts)

    def reading(self) -> AbstractContextManager[PostgresTransaction]:
        """Open a transaction in which all statements see the same state."""
        return self._transaction("read")

    def writing(self, *, durable: bool = True) -> AbstractContextManager[PostgresTransaction]:
        """Open a transaction, which is committed at the end of the block.

        It is rolled back if the block raises. With `durable=False` the commit does not wait for the
        disk: a crash of the server, but not of a client, may undo it.
        """
        return self._transaction("write" if durable else "write later")

    def rows(self, statement: str, parameters: Parameters = ()) -> list[TupleRow]:
        """Return the rows of one SELECT, in one round trip."""
        self._check_usable()
        outer: PostgresTransaction | None = getattr(self._open, "transaction", None)
        if outer is not None:
            return outer.rows(statement, parameters)
        with self.explaining():
            try:
                return self._read(statement, parameters)
            except psycopg.OperationalError as error:
                if not is_away(error) or isinstance(error, psycopg_pool.PoolTimeout):
                    raise
                self.is_lost = True
                self._pool.check()
                return self._read(statement, parameters)

    def end_suspended(self) -> int:
        """End the transactions of suspended processes that write to this schema.

        Return their number.

        The server would wait for the rest of these transactions. The timeouts in `_BEGIN` are not
        sufficient: inside a pipeline, which every batch of statements uses, a transaction counts as
        active, and the flush request that psycopg sends after a pipeline turns the timer of the
        server off.
        """
        ended = self.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()"
            " AND state IN ('active', 'idle in transaction') AND wait_event = 'ClientRead'"
            " AND state_change < clock_timestamp() - %s * interval '1 second'"
            " AND query !~* '^[[:space:]]*copy' AND pid IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
            " WHERE l.mode = 'RowExclusiveLock' AND c.relnamespace = current_schema()::regnamespace"
            " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
            (self.silence_seconds,),
        )
        return len(ended)

    def _read(self, statement: str, parameters: Parameters) -> list[TupleRow]:
        with self._pool.connection() as connection:
            found = PostgresTransaction(connection, self.schema).rows(statement, parameters)
        self.is_lost = False
        return found

    stored = staticmethod(checked_vector)
    matrix = staticmethod(as_matrix)

    def vector(self, value: Vector) -> Vector:
        return value

    def session(self) -> psycopg.Connection[TupleRow]:
        """Open a separate connection directly to the server.

        Its errors are not converted; use it inside `explaining`.
        """
        self._check_usable()
        connection = psycopg.Connection.connect(
            self._direct_conninfo, **{**self._options, "prepare_threshold": 5}
        )
        self._configure(connection)
        return connection

    def close(self) -> None:
        """Close the pool; connections in use are closed when they are given back.

        A second call does nothing.
        """
        if not self._closed and os.getpid() == self._process:
            self._closed = True
            self._pool.close(timeout=5.0)

    @contextmanager
    def _transaction(self, kind: Kind) -> Iterator[PostgresTransaction]:
        self._check_usable()
        outer: PostgresTransaction | None = getattr(self._open, "transaction", None)
        if outer is not None:
            yield outer
            return
        with self.explaining():
            connection = self._begun(kind)
            self._open.transaction = PostgresTransaction(connection, self.schema)
            try:
                yield self._open.transaction
                connection.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._open.transaction = None
                self._pool.putconn(connection)

    def _begun(self, kind: Kind) -> psycopg.Connection[TupleRow]:
        """Return a connection on which a transaction was begun.

        Pooled connections from before a restart of the server fail; a second attempt uses a new
        one.
        """
        for is_last in (False, True):
            connection = self._pool.getconn()
            try:
                connection.execute(self._begin[kind])
                self.is_lost = False
                return connection
            except BaseException as error:
                self._pool.putconn(connection)
                if not is_away(error):
                    raise
                self.is_lost = True
                if is_last:
                    raise
                self._pool.check()
        raise AssertionError("unreachable")

    def _prepare(self, vectors: VectorKind) -> None:
        """Migrate the schema, and read the type ids that connections need."""
        with psycopg.Connection.connect(self._direct_conninfo, **self._options) as connection:
            if connection.info.server_version < _OLDEST_SERVER:
                raise StorageError(
                    f"{self.name}: PostgreSQL {connection.info.server_version // 10_000}; version {_OLDEST_SERVER // 10_000} "
                    "or newer is needed"
                )
            self._migrate(PostgresTransaction(connection, self.schema), vectors)
            oids = connection.execute(
                "SELECT 'vector'::regtype::oid::bigint, 'halfvec'::regtype::oid::bigint"
            ).fetchone()
            self._oids = oids or self._oids
        if self._conninfo == self._direct_conninfo:
            return
        with psycopg.Connection.connect(self._conninfo, **self._options) as connection:
            (found,) = connection.execute("SELECT current_schema()").fetchone() or ("",)
            if found != self.schema:
                raise StorageError(
                    f"{self.name}: the connection stands in the schema {found!r}, not in {self.schema!r}; where a pooler passes "
                    f"no options, run `ALTER ROLE … SET search_path = {self.schema}, public`"
                )

    def _migrate(self, transaction: PostgresTransaction, vectors: VectorKind) -> None:
        """Apply the missing migrations, in one transaction that excludes all others.

        The caller closes the connection, which releases the lock. Raises StorageError if a newer
        version has written the schema, or if its vector columns have another type.
        """
        scripts = migrations("postgres/migrations", VECTOR_TYPE=_COLUMN_TYPE[vectors])
        execute = transaction.connection.execute
        if self._version(transaction) != len(scripts):
            # Lock before the transaction begins: otherwise it would not see tables that another
            # process created meanwhile.
            execute("SELECT pg_advisory_lock(%s)", (self.lock_key("migrations"),))
            with transaction.connection.transaction():
                version = self._version(transaction)
                if version > len(scripts):
                    raise StorageError(
                        f"{self.name}: written by a newer version (format {version}, this one knows {len(scripts)}); "
                        "upgrade langgraph-historian, or use another stores.schema_name"
                    )
                execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}".encode())
                execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
                execute(
                    "CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
                )
                for number, script in enumerate(scripts[version:], version + 1):
                    execute(script.encode())
                    execute("INSERT INTO migrations (number) VALUES (%s)", (number,))
        found = transaction.row(
            "SELECT format_type(atttypid, NULL) FROM pg_attribute"
            " WHERE attrelid = 'event_vectors'::regclass AND attname = 'vector'"
        )
        if found and found[0].rpartition(".")[2] != _COLUMN_TYPE[vectors]:
            kept = next(kind for kind, name in _COLUMN_TYPE.items() if found[0].endswith(name))
            raise StorageError(
                f"{self.name}: the stored vectors are {kept!r}, but stores.vectors is {vectors!r}; "
                f"set stores.vectors = {kept!r}, "
                f"or move to another stores.schema_name with `historian migrate --vectors {vectors}`"
            )

    def _version(self, transaction: PostgresTransaction) -> int:
        (there,) = transaction.row(
            "SELECT to_regclass(%s) IS NOT NULL", (f"{self.schema}.migrations",)
        ) or (False,)
        if not there:
            return 0
        (version,) = transaction.row(
            f"SELECT coalesce(max(number), 0) FROM {self.schema}.migrations"
        ) or (0,)
        return int(version)

    def _configure(self, connection: psycopg.Connection[TupleRow]) -> None:
        connection.adapters.register_dumper(str, _TextDumper)
        register_vectors(connection, *self._oids)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Convert errors of PostgreSQL, and of invalid text, to errors of Historian."""
        try:
            yield
        except (psycopg.Error, UnicodeEncodeError) as error:
            raise self._translated(error) from error

    def _translated(self, error: Exception) -> HistorianError:
        if isinstance(error, UnicodeEncodeError):
            return lone_surrogate(error)
        if is_away(error):
            self.when_in_trouble()
        return explained(error, self.name)


class _TextDumper(StrDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "") if "\0" in obj else obj)
