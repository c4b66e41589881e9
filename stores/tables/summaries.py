"""Dated summaries as rows of the table `summaries`, one JSON object per row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from ...schema.summary import ArticleKey, Forgotten, Restored, Summary
from ...text.tokens import estimate_tokens
from ..files.summary_lines import as_line, as_told, moment_of, parse_line
from .engine import Database, Transaction
from .persons import OF_KEY, PersonTable


class SummaryStorage(PersonTable):
    """The `SummaryStorage` in one database.

    The database is looked up at each use, so that a lost file is opened again.
    """

    table = "summaries"

    def read(self, key: ArticleKey) -> list[Summary]:
        return _read(self._database, key)

    def add(self, summary: Summary, *, forgotten: Forgotten) -> bool:
        """Store a summary.

        Return False and change nothing if its id is stored already or the person is forgotten.
        """
        with self._changing(summary.key) as (transaction, known):
            if forgotten() or summary.id in known:
                return False
            _write(transaction, [summary])
        return True

    def mark_promoted(
        self, key: ArticleKey, ids: Collection[str], *, at: str, into: int | None
    ) -> int:
        """Mark summaries as no longer in short-term memory. Return the number of newly marked ones.

        `into` is the revision of the article that contains them; None if there is none.
        """
        with self._changing(key) as (transaction, known):
            marked = [one for one in known.values() if one.id in ids and one.is_short_term]
            _write(
                transaction, [replace(one, promoted_at=at, promoted_into=into) for one in marked]
            )
        return len(marked)

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        """Permanently remove lines from summaries. Return the number of removed lines.

        Summaries without remaining lines are deleted.
        """
        removed = 0
        with self._changing(key) as (transaction, known):
            for one in known.values():
                told = one.text.splitlines()
                text = "\n".join(left := [line for line in told if not unwanted(line)])
                removed += len(told) - len(left)
                if left and len(left) < len(told):
                    _write(transaction, [replace(one, text=text, tokens=estimate_tokens(text))])
                elif told and not left:
                    transaction.run(
                        f"DELETE FROM summaries WHERE {OF_KEY} AND id = %s",
                        (*_columns(key), one.id),
                    )
        self._database.truncate_log()
        return removed

    def restore(self, summaries: Sequence[Summary]) -> list[Restored]:
        """Store the summaries of an archive that are missing. Return the result per summary."""
        results: list[Restored] = []
        for key, some in groupby(summaries, attrgetter("key")):
            with self._changing(key) as (transaction, known):
                new = []
                for summary in some:
                    found = known.get(summary.id)
                    results.append(
                        "restored"
                        if found is None
                        else "same"
                        if as_told(found) == as_told(summary)
                        else "different"
                    )
                    new += [summary] if found is None else []
                _write(transaction, new)
        return results

    @contextmanager
    def _changing(self, key: ArticleKey) -> Iterator[tuple[Transaction, dict[str, Summary]]]:
        """Begin a transaction that locks the summaries of a key.

        Yield it, and the summaries by id.
        """
        with self._database.writing() as transaction:
            transaction.lock_entities(key.entities)
            transaction.lock_name(f"summaries {key}")
            yield transaction, {one.id: one for one in _read(transaction, key)}


def _read(asked: Transaction | Database, key: ArticleKey) -> list[Summary]:
    found = asked.rows(
        f"SELECT data FROM summaries WHERE {OF_KEY} ORDER BY created_at, number", _columns(key)
    )
    return [one for (data,) in found if (one := parse_line(data, key)) is not None]


def _write(transaction: Transaction, summaries: Sequence[Summary]) -> None:
    transaction.run_many(
        "INSERT INTO summaries (user_id, scope_key, id, created_at, data) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT (user_id, scope_key, id) DO UPDATE SET data = excluded.data",
        [
            (*_columns(one.key), one.id, moment_of(one.created_at).timestamp(), as_line(one))
            for one in summaries
        ],
    )


def _columns(key: ArticleKey) -> tuple[str, str]:
    return key.user_id, key.scope.key
