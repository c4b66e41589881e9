"""Dated summaries as rows of the table `summaries`, and the last plain summaries of every conversation.

A dated summary is a JSON object in the form of a line of the local store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ...schema.entity import Entity
from ...schema.job import Job
from ...schema.protocols.documents.plain_summaries import KEEP_PER_SCOPE
from ...schema.summary import ArticleKey, Summary
from ..files.summaries import DatedSummaries, as_line, moment_of, parse_line
from ..tables.engine import OfDatabase
from ..tables.persons import erase_rows
from ..tables.tombstones import is_buried
from .database import PostgresDatabase, Transaction


class PostgresSummaries(OfDatabase[PostgresDatabase], DatedSummaries):
    """The `SummaryStorage` of one schema."""

    def read(self, key: ArticleKey) -> list[Summary]:
        query = "SELECT data FROM summaries WHERE user_id = %s AND scope_key = %s ORDER BY created_at, number"
        found = self._database.rows(query, (key.user_id, key.scope.key))
        return [one for (data,) in found if (one := parse_line(data, key)) is not None]

    def keys(self) -> list[ArticleKey]:
        found = self._database.rows("SELECT DISTINCT user_id, scope_key FROM summaries ORDER BY 1, 2")
        return [key for row in found if (key := ArticleKey.parse(*row)) is not None]

    def erase(self, entity: Entity) -> int:
        return erase_rows(self._database, "summaries", entity)

    @contextmanager
    def _locked(self, key: ArticleKey) -> Iterator[None]:
        """Begin a transaction, of which all is that this thread reads and writes in it."""
        with self._database.writing() as transaction:
            transaction.lock_entities(key.entities)
            transaction.lock(self._database.lock_key(f"summaries {key}"))
            yield

    def _change(
        self, key: ArticleKey, changed: Mapping[str, Summary | None], unwanted: Callable[[str], bool] = lambda line: False
    ) -> int:
        person = (key.user_id, key.scope.key)
        with self._database.writing() as transaction:
            gone = [summary_id for summary_id, one in changed.items() if one is None]
            transaction.run("DELETE FROM summaries WHERE user_id = %s AND scope_key = %s AND id = ANY(%s)", (*person, gone))
            transaction.run_many(
                "INSERT INTO summaries (user_id, scope_key, id, created_at, data) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (user_id, scope_key, id) DO UPDATE SET data = excluded.data",
                [(*person, one.id, moment_of(one.created_at), as_line(one)) for one in changed.values() if one is not None],
            )
        return 0


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
