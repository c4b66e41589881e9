"""Conversation states to be summarised, as rows of the table `buffered_states`."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from ...schema.article import Spoken, SpokenRole
from ...schema.entity import Entity
from ...schema.summary import ArticleKey, BufferedState, Restored
from ...text.tokens import estimate_tokens
from .database import SqliteDatabase
from .event_rows import AMONG, as_json
from .line_vectors import erase_rows
from .tombstones import is_buried

_TAKEN = "buffered"
"""The entity key in the ledger for jobs whose states were added."""
ROLES: dict[str, SpokenRole] = {"user": "user", "assistant": "assistant", "tool": "tool", "record": "record"}
_LABEL_TOKENS = 4
"""Tokens of the punctuation after a name and of the line end."""


class SqliteStateBuffer:
    """The `StateBuffer` of one `index.sqlite`.

    The transaction that adds the states of a job also records the job in the ledger. The entry stays when the states are
    released, so that a repeated job does not add states that a summary has covered.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def add(
        self, key: ArticleKey, job_id: str, states: Sequence[tuple[str, Spoken]], *, entities: Collection[str], at: float
    ) -> bool:
        rows = [
            (entry_id, key.user_id, key.scope.key, spoken.role, spoken.text, spoken.name, spoken.at, spoken_tokens(spoken))
            for entry_id, spoken in states
        ]
        # Made durable by the ledger entry of the finished job, which is committed before the job's file is removed.
        with self._database.writing(durable=False) as connection:
            if is_buried(connection, job_id, entities, at):
                return False
            new = connection.execute(
                "INSERT OR IGNORE INTO ledger (entity_key, job_id) VALUES (?, ?) RETURNING 1", (_TAKEN, job_id)
            ).fetchone()
            if new is None:
                return False
            connection.executemany(
                "INSERT OR IGNORE INTO buffered_states (entry_id, user_id, scope_key, role, text, name, at, tokens)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
        return True

    def was_taken(self, job_id: str) -> bool:
        found = self._database.row("SELECT 1 FROM ledger WHERE entity_key = ? AND job_id = ?", (_TAKEN, job_id))
        return found is not None

    def tokens(self, key: ArticleKey) -> int:
        return sum(self.fill(key))

    def fill(self, key: ArticleKey) -> tuple[int, int]:
        row = self._database.row(
            "SELECT ifnull(sum(tokens) FILTER (WHERE role <> 'record'), 0), ifnull(sum(tokens) FILTER (WHERE role = 'record'), 0)"
            " FROM buffered_states WHERE user_id = ? AND scope_key = ?",
            (key.user_id, key.scope.key),
        )
        return int(row[0]), int(row[1])

    def oldest(self, key: ArticleKey, tokens: int) -> list[BufferedState]:
        states: list[BufferedState] = []
        total = 0
        for state in self._all(key):
            if states and total >= tokens:
                break
            states.append(state)
            total += state.tokens
        return states

    def through(self, key: ArticleKey, entry_id: str) -> list[BufferedState]:
        states = self._all(key)
        place = next((n for n, state in enumerate(states, 1) if state.entry_id == entry_id), 0)
        return states[:place]

    def release(self, key: ArticleKey, entry_id: str) -> int:
        return self._database.run(
            "DELETE FROM buffered_states WHERE user_id = ?1 AND scope_key = ?2 AND sequence <= (SELECT sequence"
            " FROM buffered_states WHERE entry_id = ?3 AND user_id = ?1 AND scope_key = ?2)",
            (key.user_id, key.scope.key, entry_id),
        )

    def remove(self, entry_ids: Collection[str]) -> int:
        count = self._database.run(f"DELETE FROM buffered_states WHERE entry_id {AMONG}", (as_json(entry_ids),))
        self._database.truncate_log()
        return count

    def restore(self, key: ArticleKey, states: Sequence[BufferedState]) -> list[Restored]:
        with self._database.writing() as connection:
            jobs = dict.fromkeys(job_of_entry(state.entry_id) for state in states)
            taken = {
                job_id
                for job_id in jobs
                if connection.execute("SELECT 1 FROM ledger WHERE entity_key = ? AND job_id = ?", (_TAKEN, job_id)).fetchone()
            }
            connection.executemany(
                "INSERT OR IGNORE INTO ledger (entity_key, job_id) VALUES (?, ?)", [(_TAKEN, job_id) for job_id in jobs]
            )
            return [_restored(connection, key, state, taken) for state in states]

    def keys(self) -> list[ArticleKey]:
        found = self._database.rows("SELECT DISTINCT user_id, scope_key FROM buffered_states ORDER BY 1, 2")
        return [key for user_id, scope_key in found if (key := ArticleKey.parse(user_id, scope_key)) is not None]

    def erase(self, entity: Entity) -> int:
        return erase_rows(self._database, "buffered_states", entity)

    def _all(self, key: ArticleKey) -> list[BufferedState]:
        rows = self._database.rows(
            "SELECT entry_id, role, text, name, at, tokens FROM buffered_states"
            " WHERE user_id = ? AND scope_key = ? ORDER BY sequence",
            (key.user_id, key.scope.key),
        )
        return [
            BufferedState(entry_id, Spoken(ROLES[role], text, name, at), tokens)
            for entry_id, role, text, name, at, tokens in rows
        ]


def job_of_entry(entry_id: str) -> str:
    """Return the job id of a state. An entry id is `{job id}:{number}`, and a job id contains no colon."""
    return entry_id.rpartition(":")[0]


def _restored(connection: sqlite3.Connection, key: ArticleKey, state: BufferedState, taken: Collection[str]) -> Restored:
    spoken = state.spoken
    given = (key.user_id, key.scope.key, spoken.role, spoken.text, spoken.name, spoken.at)
    found = connection.execute(
        "SELECT user_id, scope_key, role, text, name, at FROM buffered_states WHERE entry_id = ?", (state.entry_id,)
    ).fetchone()
    if found is not None:
        return "same" if tuple(found) == given else "different"
    if job_of_entry(state.entry_id) in taken:
        return "same"
    connection.execute(
        "INSERT INTO buffered_states (entry_id, user_id, scope_key, role, text, name, at, tokens)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (state.entry_id, *given, spoken_tokens(spoken)),
    )
    return "restored"


def spoken_tokens(spoken: Spoken) -> int:
    """Return the estimated tokens of a state in a prompt, including the name of its speaker."""
    return estimate_tokens(spoken.text) + estimate_tokens(spoken.name) + _LABEL_TOKENS
