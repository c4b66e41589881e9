"""The record of the jobs that were applied to profiles and articles."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .engine import Database, OfDatabase, Transaction


def applied(asked: Transaction | Database, entity_key: str, job_ids: Iterable[str]) -> set[str]:
    """Return the jobs among `job_ids` that were applied."""
    query = "SELECT job_id FROM ledger WHERE entity_key = %s AND job_id = ANY(%s)"
    return {job_id for (job_id,) in asked.rows(query, (entity_key, list(job_ids)))}


def note_applied(transaction: Transaction, entity_key: str, job_ids: Iterable[str]) -> None:
    """Record that jobs were applied. Idempotent."""
    note = "INSERT INTO ledger (entity_key, job_id) VALUES (%s, %s) ON CONFLICT DO NOTHING"
    transaction.run_many(note, [(entity_key, job_id) for job_id in dict.fromkeys(job_ids)])


class LedgerTable(OfDatabase[Database]):
    """The record of the jobs or summaries that were applied to each profile or article.

    `add` is durable when it returns, also against power failures.
    """

    def has(self, entity_key: str, job_id: str) -> bool:
        return bool(applied(self._database, entity_key, [job_id]))

    def add(self, entity_key: str, *job_ids: str) -> None:
        """Record that jobs were applied. Idempotent."""
        if job_ids:
            with self._database.writing() as transaction:
                note_applied(transaction, entity_key, job_ids)

    def remove(self, job_ids: Collection[str]) -> None:
        """Remove the entries of jobs."""
        if job_ids:
            self._database.run("DELETE FROM ledger WHERE job_id = ANY(%s)", (list(job_ids),))
