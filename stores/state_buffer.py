"""Conversation states that wait to be summarised, as rows of the table `buffered_states`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..schema.article import Spoken, SpokenRole
from ..schema.scope import Scope
from ..schema.two_layers import ArticleKey, BufferedState
from ..text.tokens import estimate_tokens
from .layer_files import key_from
from .sqlite_database import SqliteDatabase
from .tombstones import is_buried

_TAKEN = "buffered"
"""The entity under which the ledger notes whose job's states were taken."""
_ROLES: dict[str, SpokenRole] = {"user": "user", "assistant": "assistant", "tool": "tool", "record": "record"}
_LABEL_TOKENS = 4
"""What a speaker's name and the line end cost."""


class SqliteStateBuffer:
    """The `StateBuffer` of one `index.sqlite`.

    That a job's states were taken is noted in the transaction that takes them, and stays noted when they are released: a
    job that runs again does not bring back what a summary has covered.
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
        with self._database.writing() as connection:
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
        with self._database.reading() as connection:
            found = connection.execute("SELECT 1 FROM ledger WHERE entity_key = ? AND job_id = ?", (_TAKEN, job_id)).fetchone()
        return found is not None

    def tokens(self, key: ArticleKey) -> int:
        with self._database.reading() as connection:
            (total,) = connection.execute(
                "SELECT ifnull(sum(tokens), 0) FROM buffered_states WHERE user_id = ? AND scope_key = ?",
                (key.user_id, key.scope.key),
            ).fetchone()
        return int(total)

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
        with self._database.writing() as connection:
            return connection.execute(
                "DELETE FROM buffered_states WHERE user_id = ?1 AND scope_key = ?2 AND sequence <= (SELECT sequence"
                " FROM buffered_states WHERE entry_id = ?3 AND user_id = ?1 AND scope_key = ?2)",
                (key.user_id, key.scope.key, entry_id),
            ).rowcount

    def keys(self) -> list[ArticleKey]:
        with self._database.reading() as connection:
            found = connection.execute("SELECT DISTINCT user_id, scope_key FROM buffered_states ORDER BY 1, 2").fetchall()
        return [key for user_id, scope_key in found if (key := key_from(user_id, scope_key)) is not None]

    def delete(self, user_id: str) -> int:
        return self._delete("user_id", user_id)

    def delete_scope(self, scope: Scope) -> int:
        return self._delete("scope_key", scope.key)

    def _delete(self, column: str, value: str) -> int:
        with self._database.writing() as connection:
            count = connection.execute(f"DELETE FROM buffered_states WHERE {column} = ?", (value,)).rowcount
        self._database.truncate_log()
        return count

    def _all(self, key: ArticleKey) -> list[BufferedState]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT entry_id, role, text, name, at, tokens FROM buffered_states"
                " WHERE user_id = ? AND scope_key = ? ORDER BY sequence",
                (key.user_id, key.scope.key),
            ).fetchall()
        return [
            BufferedState(entry_id, Spoken(_ROLES[role], text, name, at), tokens)
            for entry_id, role, text, name, at, tokens in rows
        ]


def spoken_tokens(spoken: Spoken) -> int:
    """About what a state costs in a prompt, its speaker's name included."""
    return estimate_tokens(spoken.text) + estimate_tokens(spoken.name) + _LABEL_TOKENS
