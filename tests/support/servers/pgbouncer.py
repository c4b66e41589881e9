"""PgBouncer before a server on loopback, in transaction mode."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support.servers.ports import free_port
from support.waiting import eventually_now

SETTINGS = """[databases]
{database} = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users.txt
admin_users = {user}
pool_mode = transaction
default_pool_size = {pool_size}
"""


class PgBouncer:
    """A running one. `at` is its host and port."""

    def __init__(self, port: int, user: str, password: str) -> None:
        self.at = f"127.0.0.1:{port}"
        self._console = {
            "host": "127.0.0.1",
            "port": port,
            "user": user,
            "password": password,
            "dbname": "pgbouncer",
        }

    def answers(self) -> bool:
        try:
            return bool(self.console("SHOW VERSION"))
        except psycopg.OperationalError:
            return False

    def console(self, command: str) -> list[dict[str, Any]]:
        """Give a command to its console; return what it shows."""
        with psycopg.connect(**self._console, autocommit=True) as connection:
            cursor = connection.execute(command.encode())
            names = [column.name for column in cursor.description or ()]
            return (
                [dict(zip(names, row, strict=True)) for row in cursor.fetchall()] if names else []
            )


@contextmanager
def pgbouncer(
    server: str, database: str, user: str, password: str, *, pool_size: int, runs_as: str | None
) -> Iterator[PgBouncer]:
    """Start it before the `server` (host:port), for one user; skips the test where the program is missing.

    `runs_as` is a user of this machine: it refuses to run as root.
    """
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("no PgBouncer to test with: install the package pgbouncer")
    host, _, port = server.partition(":")
    own_port = free_port()
    with tempfile.TemporaryDirectory(prefix="historian-pgbouncer-") as folder:
        place = Path(folder)
        (place / "users.txt").write_text(f'"{user}" "{password}"\n')
        (place / "pgbouncer.ini").write_text(
            SETTINGS.format(
                database=database,
                host=host,
                port=port,
                own_port=own_port,
                folder=folder,
                user=user,
                pool_size=pool_size,
            )
        )
        if runs_as is not None:
            for one in (place, *place.iterdir()):
                shutil.chown(one, runs_as)
        with subprocess.Popen(
            [program, "-q", str(place / "pgbouncer.ini")], user=runs_as
        ) as process:
            try:
                bouncer = PgBouncer(own_port, user, password)
                eventually_now(bouncer.answers)
                yield bouncer
            finally:
                process.terminate()
                process.wait(10)
