"""Which jobs were applied to which profiles and articles, in `index.sqlite`."""

from __future__ import annotations

from .database import SqliteDatabase


class SqliteLedger:
    """The `Ledger` of one `index.sqlite`. `add` is durable when it returns, also against power failures."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def has(self, entity_key: str, job_id: str) -> bool:
        found = self._database.row("SELECT 1 FROM ledger WHERE entity_key = ? AND job_id = ?", (entity_key, job_id))
        return found is not None

    def add(self, entity_key: str, job_id: str) -> None:
        """Record that a job was applied. Idempotent."""
        self._database.run("INSERT OR IGNORE INTO ledger (entity_key, job_id) VALUES (?, ?)", (entity_key, job_id))
