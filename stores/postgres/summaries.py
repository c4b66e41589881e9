"""The last plain summaries of every conversation, as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...schema.job import Job
from ...schema.protocols.documents.plain_summaries import KEEP_PER_SCOPE
from ..files.summary_lines import moment_of
from ..tables.engine import OfDatabase
from ..tables.tombstones import is_buried
from .database import PostgresDatabase, Transaction


class PostgresPlainSummaries(OfDatabase[PostgresDatabase]):
    """The last plain summaries of every conversation, newest last, 20 a scope."""

    def add(self, jobs: Sequence[Job]) -> None:
        """Store the texts of jobs that were not forgotten. Idempotent by job id."""
        with self._database.writing() as transaction:
            transaction.lock_entities({entity for job in jobs for entity in job.entities})
            for job in jobs:
                text = "\n".join(part for part in (job.action_summary, *job.new_info) if part)
                if text and not is_buried(transaction, job.job_id, job.entities, job.moment.timestamp()):
                    _insert_plain(transaction, job.scope.key, job.job_id, job.timestamp, job.user_id, text)
            _trim(transaction, {job.scope.key for job in jobs})

    def of(self, scope_key: str, limit: int = KEEP_PER_SCOPE) -> list[tuple[str, str]]:
        """Return (timestamp, text) of the last summaries of a scope, oldest first."""
        found = self._database.rows(
            "SELECT timestamp, text FROM plain_summaries WHERE scope_key = %s ORDER BY at DESC, number DESC LIMIT %s",
            (scope_key, limit),
        )
        return found[::-1]

    def restore(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Store missing entries, given as (scope key, entry). Return how many."""
        restored = 0
        with self._database.writing() as transaction:
            for key, entry in entries:
                values = [str(entry.get(name, "")) for name in ("job_id", "timestamp", "user_id", "text")]
                there = transaction.execute(
                    "SELECT 1 FROM plain_summaries WHERE scope_key = %s"
                    " AND job_id = %s AND timestamp = %s AND user_id = %s AND text = %s",
                    (key, *values),
                ).fetchone()
                if key and entry.get("text") and there is None:
                    restored += _insert_plain(transaction, key, *values)
            _trim(transaction, {key for key, _ in entries})
        return restored

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (scope key, entry) of all entries, scope by scope, oldest first."""
        return [(key, entry) for _, key, entry in self._entries()]

    def forget(self, unwanted: Callable[[str, dict[str, Any]], bool]) -> int:
        """Remove the entries for which `unwanted(scope key, entry)` is True. Return how many."""
        gone = [number for number, key, entry in self._entries() if unwanted(key, entry)]
        return self._database.run("DELETE FROM plain_summaries WHERE number = ANY(%s)", (gone,))

    def _entries(self) -> list[tuple[int, str, dict[str, Any]]]:
        found = self._database.rows(
            "SELECT number, scope_key, job_id, timestamp, user_id, text FROM plain_summaries ORDER BY scope_key, at, number"
        )
        names = ("job_id", "timestamp", "user_id", "text")
        return [(number, key, dict(zip(names, values, strict=True))) for number, key, *values in found]


def _insert_plain(transaction: Transaction, scope_key: str, job_id: str, timestamp: str, user_id: str, text: str) -> int:
    return transaction.execute(
        "INSERT INTO plain_summaries (scope_key, job_id, timestamp, user_id, text, at) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        (scope_key, job_id, timestamp, user_id, text, moment_of(timestamp)),
    ).rowcount


def _trim(transaction: Transaction, scope_keys: Collection[str]) -> None:
    for key in scope_keys:
        transaction.execute(
            "DELETE FROM plain_summaries WHERE number IN (SELECT number FROM plain_summaries WHERE scope_key = %s"
            " ORDER BY at DESC, number DESC OFFSET %s)",
            (key, KEEP_PER_SCOPE),
        )
