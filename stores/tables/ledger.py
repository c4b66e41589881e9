"""Which jobs were applied to which profiles and articles."""

from __future__ import annotations

from .engine import Database


class LedgerTable:
    """The `Ledger` of one database. `add` is durable when it returns, also against power failures."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def has(self, entity_key: str, job_id: str) -> bool:
        found = self._database.row("SELECT 1 FROM ledger WHERE entity_key = %s AND job_id = %s", (entity_key, job_id))
        return found is not None

    def add(self, entity_key: str, job_id: str) -> None:
        """Record that a job was applied. Idempotent."""
        self._database.run("INSERT INTO ledger (entity_key, job_id) VALUES (%s, %s) ON CONFLICT DO NOTHING", (entity_key, job_id))
