"""Which jobs were applied to which profile, in `index.sqlite`."""

from __future__ import annotations

from .database import SqliteDatabase


class SqliteLedger:
    """Pairs of an entity's key and a job's id. A pair, once added, is there when `add` returns, power cut or not."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def has(self, entity_key: str, job_id: str) -> bool:
        found = self._database.row("SELECT 1 FROM ledger WHERE entity_key = ? AND job_id = ?", (entity_key, job_id))
        return found is not None

    def add(self, entity_key: str, job_id: str) -> None:
        """Note that a job was applied; a second time changes nothing."""
        self._database.run("INSERT OR IGNORE INTO ledger (entity_key, job_id) VALUES (?, ?)", (entity_key, job_id))
