"""Conversation states that are to be summarised, as rows of the table `buffered_states`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from ...schema.summary import (
    ROLES,
    ArticleKey,
    BufferedState,
    Restored,
    Spoken,
    job_of_entry,
)
from ...text.tokens import spoken_tokens
from .engine import Transaction
from .persons import OF_KEY, PersonTable
from .tombstones import is_buried

_TAKEN = "buffered"
"""The entity key in the ledger for jobs whose states were added."""

_INSERT = (
    "INSERT INTO buffered_states (entry_id, user_id, scope_key, role, text, name, at, tokens)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)


class StateBuffer(PersonTable):
    """The `StateBuffer` in one database.

    The transaction that adds the states of a job also records the job in the ledger. The entry
    remains when the states are released, so that a repeated job does not add states that a summary
    has covered.
    """

    table = "buffered_states"

    def add(
        self,
        key: ArticleKey,
        job_id: str,
        states: Sequence[tuple[str, Spoken]],
        *,
        entities: Collection[str],
        at: float,
    ) -> bool:
        # This commit need not be durable: the ledger entry of the finished job is committed before
        # the job is removed.
        """Store the states (entry id, state) of a job atomically.

        Return False and change nothing if the states of the job were added before, or the job is
        forgotten (`entities` and `at` as for `EventStore.is_forgotten`).
        """
        with self._database.writing(durable=False) as transaction:
            transaction.lock_entities([*entities, *key.entities])
            if is_buried(transaction, job_id, entities, at) or not _take(transaction, [job_id]):
                return False
            transaction.run_many(
                _INSERT, [_row(key, entry_id, spoken) for entry_id, spoken in states]
            )
        return True

    def was_taken(self, job_id: str) -> bool:
        found = self._database.row(
            "SELECT 1 FROM ledger WHERE entity_key = %s AND job_id = %s", (_TAKEN, job_id)
        )
        return found is not None

    def tokens(self, key: ArticleKey) -> int:
        return sum(self.fill(key))

    def fill(self, key: ArticleKey) -> tuple[int, int]:
        """Return the tokens of what was said, and the tokens of records (events of filed jobs)."""
        ((said, recorded),) = self._database.rows(
            "SELECT coalesce(sum(tokens) FILTER (WHERE role <> 'record'), 0),"
            f" coalesce(sum(tokens) FILTER (WHERE role = 'record'), 0) FROM buffered_states WHERE {OF_KEY}",
            (key.user_id, key.scope.key),
        )
        return int(said), int(recorded)

    def through(self, key: ArticleKey, entry_id: str) -> list[BufferedState]:
        """Return the states up to and including `entry_id`; none if it is no longer buffered."""
        states = self.read(key)
        return states[: next((n for n, one in enumerate(states, 1) if one.entry_id == entry_id), 0)]

    def release(self, key: ArticleKey, entry_id: str) -> int:
        """Remove the states up to and including `entry_id`. Return their number.

        It is 0 if that state is no longer buffered.
        """
        person = (key.user_id, key.scope.key)
        return self._database.run(
            f"DELETE FROM buffered_states WHERE {OF_KEY}"
            f" AND sequence <= (SELECT sequence FROM buffered_states WHERE entry_id = %s AND {OF_KEY})",
            (*person, entry_id, *person),
        )

    def remove(self, entry_ids: Collection[str]) -> int:
        """Permanently remove states of any key. Return their number."""
        count = self._database.run(
            "DELETE FROM buffered_states WHERE entry_id = ANY(%s)", (list(entry_ids),)
        )
        self._database.truncate_log()
        return count

    def restore(self, states: Sequence[BufferedState]) -> list[Restored]:
        """Store states of an archive, oldest first.

        States of a job that was added before are skipped ("same").
        """
        results: list[Restored] = []
        for key, some in groupby(states, attrgetter("key")):
            mine = list(some)
            jobs = list(dict.fromkeys(job_of_entry(state.entry_id) for state in mine))
            with self._database.writing() as transaction:
                transaction.lock_entities(key.entities)
                taken = set(jobs) - _take(transaction, jobs)
                results += [_restored(transaction, state, taken) for state in mine]
        return results

    def read(self, key: ArticleKey) -> list[BufferedState]:
        """Return all states of a key, oldest first."""
        found = self._database.rows(
            f"SELECT entry_id, role, text, name, at, tokens FROM buffered_states WHERE {OF_KEY} ORDER BY sequence",
            (key.user_id, key.scope.key),
        )
        return [
            BufferedState(key, entry_id, Spoken(ROLES[role], text, name, at), tokens)
            for entry_id, role, text, name, at, tokens in found
        ]


def _take(transaction: Transaction, job_ids: Sequence[str]) -> set[str]:
    """Record the jobs whose states are added. Return those that were not recorded before."""
    statement = (
        "INSERT INTO ledger (entity_key, job_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
    )
    return {
        job_id for job_id in job_ids if transaction.row(statement, (_TAKEN, job_id)) is not None
    }


def _row(key: ArticleKey, entry_id: str, spoken: Spoken) -> tuple[Any, ...]:
    return (
        entry_id,
        key.user_id,
        key.scope.key,
        spoken.role,
        spoken.text,
        spoken.name,
        spoken.at,
        spoken_tokens(spoken),
    )


def _restored(transaction: Transaction, state: BufferedState, taken: Collection[str]) -> Restored:
    row = _row(state.key, state.entry_id, state.spoken)
    found = transaction.row(
        "SELECT user_id, scope_key, role, text, name, at FROM buffered_states WHERE entry_id = %s",
        (state.entry_id,),
    )
    if found is not None:
        return "same" if tuple(found) == row[1:-1] else "different"
    if job_of_entry(state.entry_id) in taken:
        return "same"
    transaction.run(_INSERT, row)
    return "restored"
