"""Search over profiles in the table `profile_index`, by words in a GIN index and by vectors.

BM25 is computed here from the rows that contain a word of the query, with the statistics of the
profiles that match the filter.
"""

from __future__ import annotations

import numpy as np

from ...schema.profile import Profile, ProfileFilter, ProfileKey, profile_text
from ...schema.protocols import Vector
from ..tables.events.rows import sizes
from ..tables.fingerprint import check_dimension
from ..tables.profile_index import ProfileIndex
from .word_arrays import asked_words, bm25, word_array


class PostgresProfileIndex(ProfileIndex):
    """The `ProfileIndex` of one schema."""

    def put(self, profile: Profile, vector: Vector | None) -> None:
        key = profile.key
        length, words = word_array(profile_text(profile))
        array = None if vector is None else self._database.stored(vector)
        with self._database.writing() as transaction:
            transaction.lock_entities([key.entity])
            check_dimension(transaction, sizes([vector]))
            transaction.run(
                "INSERT INTO profile_index (item_id, entity_type, entity_id, layer, revision, length, words, vector)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (item_id) DO UPDATE SET revision = excluded.revision,"
                " length = excluded.length, words = excluded.words, vector = excluded.vector"
                " WHERE profile_index.revision <= excluded.revision",
                (
                    key.index_id,
                    key.entity_type,
                    key.entity_id,
                    key.layer,
                    profile.revision,
                    length,
                    words,
                    array,
                ),
            )

    def search_keywords(
        self, query: str, limit: int, where: ProfileFilter | None = None
    ) -> list[tuple[ProfileKey, float]]:
        words = asked_words(query)
        if not words or limit <= 0:
            return []
        with self._database.reading() as transaction:
            condition, parameters = self._conditions(where)
            total, mean = transaction.row(
                f"SELECT count(*), coalesce(avg(length), 0)::float8 FROM profile_index p WHERE {condition}",
                parameters,
            )
            found = transaction.rows(
                f"SELECT item_id, length, words FROM profile_index p WHERE words && %s AND {condition} ORDER BY row DESC",
                (words, *parameters),
            )
        scores = bm25(words, [(length, has) for _, length, has in found], total, mean)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(ProfileKey.of_index_id(found[n][0]), float(scores[n])) for n in best]
