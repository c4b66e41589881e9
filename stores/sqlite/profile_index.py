"""Search over profiles in `index.sqlite` by keywords and vectors. Derived from the profiles."""

from __future__ import annotations

from collections.abc import Sequence

from ...schema.profile import Profile, ProfileFilter, ProfileKey, profile_text
from ...schema.protocols import Vector
from ...text.search_words import last_characters, query_words, search_tokens
from ..tables.engine import Transaction
from ..tables.events.rows import sizes
from ..tables.fingerprint import check_dimension
from ..tables.profile_index import ProfileIndex
from .events.keywords import matching


class SqliteProfileIndex(ProfileIndex):
    """The `ProfileIndex` in `index.sqlite`, which also contains the events."""

    def put(self, profile: Profile, vector: Vector | None) -> None:
        key = profile.key
        blob = None if vector is None else self._database.stored(vector)
        text = profile_text(profile)
        words = " ".join([*search_tokens(text), *last_characters(text)])
        with self._database.writing() as transaction:
            check_dimension(transaction, sizes([vector]))
            known = transaction.row(
                "SELECT revision FROM profiles WHERE item_id = %s", (key.index_id,)
            )
            if known is not None and known[0] > profile.revision:
                return
            remove_words(transaction, [key.index_id])
            transaction.run("DELETE FROM profiles WHERE item_id = %s", (key.index_id,))
            (row,) = transaction.row(
                "INSERT INTO profiles (item_id, entity_type, entity_id, layer, revision, words, vector)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING row",
                (
                    key.index_id,
                    key.entity_type,
                    key.entity_id,
                    key.layer,
                    profile.revision,
                    words,
                    blob,
                ),
            )
            transaction.run(
                "INSERT INTO profile_keywords (rowid, words) VALUES (%s, %s)", (row, words)
            )

    def search_keywords(
        self, query: str, limit: int, where: ProfileFilter | None = None
    ) -> list[tuple[ProfileKey, float]]:
        words = query_words(query)
        if not words or limit <= 0:
            return []
        condition, parameters = self._conditions(where)
        found = self._database.rows(
            "SELECT p.item_id, -bm25(profile_keywords) AS score"
            " FROM profile_keywords CROSS JOIN profiles p ON p.row = profile_keywords.rowid"
            f" WHERE profile_keywords MATCH %s AND {condition} ORDER BY score DESC, p.row DESC LIMIT %s",
            (" OR ".join(map(matching, words)), *parameters, limit),
        )
        return [(ProfileKey.of_index_id(item_id), score) for item_id, score in found]


def remove_words(transaction: Transaction, item_ids: Sequence[str]) -> None:
    """Remove profiles from the index of words. To be called before their rows are deleted."""
    transaction.run(
        "INSERT INTO profile_keywords (profile_keywords, rowid, words)"
        " SELECT 'delete', row, words FROM profiles WHERE item_id = ANY(%s)",
        (list(item_ids),),
    )
