"""Search over profiles in `index.sqlite`, by keywords and vectors. Derived from the profiles."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from ...schema.profile import Profile, ProfileFilter, ProfileKey
from ...schema.protocols import Matrix, Vector
from ...text.words import last_characters, search_tokens
from .database import SqliteDatabase
from .event_keywords import matching, query_words
from .event_rows import AMONG, as_json, blobs_to_matrix, spoken_in, vector_to_blob
from .fingerprint import check_dimension


class SqliteProfileIndex:
    """The `ProfileIndex` of one `index.sqlite`, which it shares with the events."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def put(self, profile: Profile, vector: Vector | None) -> None:
        """Replace the indexed revision of a profile. With None it has no vector for now.

        A revision older than the indexed one is ignored, since writers may call this in any order. Raises
        FingerprintMismatch if the dimension of the vector differs from the stored ones.
        """
        key = profile.key
        blob = None if vector is None else vector_to_blob(vector)
        text = profile_text(profile)
        words = " ".join([*search_tokens(text), *last_characters(text)])
        with self._database.writing() as connection:
            check_dimension(connection, [blob])
            known = connection.execute("SELECT revision FROM profiles WHERE item_id = ?", (key.index_id,)).fetchone()
            if known is not None and known[0] > profile.revision:
                return
            _remove(connection, key)
            row = connection.execute(
                "INSERT INTO profiles (item_id, entity_type, entity_id, layer, revision, words, vector)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key.index_id, key.entity_type, key.entity_id, key.layer, profile.revision, words, blob),
            ).lastrowid
            connection.execute("INSERT INTO profile_keywords (rowid, words) VALUES (?, ?)", (row, words))

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        found = self._database.rows(
            f"SELECT item_id, revision FROM profiles WHERE vector IS NOT NULL AND item_id {AMONG}",
            (as_json(profile.key.index_id for profile in profiles),),
        )
        fresh = dict(found)
        return [profile for profile in profiles if fresh.get(profile.key.index_id, -1) < profile.revision]

    def search_keywords(self, query: str, limit: int, where: ProfileFilter | None = None) -> list[tuple[ProfileKey, float]]:
        words = query_words(query)
        if not words or limit <= 0:
            return []
        with self._database.reading() as connection:
            condition, parameters = _conditions(connection, where)
            found = connection.execute(
                "SELECT p.item_id, -bm25(profile_keywords) AS score"
                " FROM profile_keywords CROSS JOIN profiles p ON p.row = profile_keywords.rowid"
                f" WHERE profile_keywords MATCH ? AND {condition} ORDER BY score DESC, p.row DESC LIMIT ?",
                (" OR ".join(map(matching, words)), *parameters, limit),
            ).fetchall()
        return [(_key(item_id), score) for item_id, score in found]

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        with self._database.reading() as connection:
            condition, parameters = _conditions(connection, where)
            found = connection.execute(
                f"SELECT p.item_id, p.vector FROM profiles p WHERE p.vector IS NOT NULL AND {condition} ORDER BY p.row",
                parameters,
            ).fetchall()
        return [_key(item_id) for item_id, _ in found], blobs_to_matrix([blob for _, blob in found])


def profile_text(profile: Profile) -> str:
    """Return the text of a profile that is searched and embedded: name, tags, summary, one line each."""
    return "\n".join(part for part in (profile.name, ", ".join(profile.tags), profile.summary) if part)


def _remove(connection: sqlite3.Connection, key: ProfileKey) -> None:
    connection.execute(
        "INSERT INTO profile_keywords (profile_keywords, rowid, words)"
        " SELECT 'delete', row, words FROM profiles WHERE item_id = ?",
        (key.index_id,),
    )
    connection.execute("DELETE FROM profiles WHERE item_id = ?", (key.index_id,))


def _conditions(connection: sqlite3.Connection, where: ProfileFilter | None) -> tuple[str, list[Any]]:
    """Return `where` as a condition on the table `profiles p`, with its parameters."""
    if where is None:
        return "1", []
    spoken, of_spoken = ("1", []) if where.spoken_in is None else spoken_in(connection, where.spoken_in, "p.entity_id")
    return (
        f"((p.entity_type = 'user' AND p.layer {AMONG} AND {spoken}) OR p.item_id {AMONG})",
        [as_json(where.user_layers), *of_spoken, as_json(key.index_id for key in where.keys)],
    )


def _key(item_id: str) -> ProfileKey:
    return ProfileKey.of_index_id(item_id)
