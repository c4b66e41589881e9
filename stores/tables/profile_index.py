"""Search over profiles: the part of the index that both engines share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ...schema.profile import Profile, ProfileFilter, ProfileKey
from ...schema.protocols import Matrix, Vector
from .events.rows import BesideEvents


class ProfileIndex(BesideEvents, ABC):
    """Search over profiles by keywords and vectors, in the database of the events.

    The index is derived from the profiles.
    """

    @abstractmethod
    def put(self, profile: Profile, vector: Vector | None) -> None:
        """Replace the indexed revision of a profile. `vector` is None if there is none yet.

        A revision older than the indexed one is ignored, since writers may call this in any order.
        Raises FingerprintMismatch if the dimension of the vector differs from the stored ones.
        """

    @abstractmethod
    def search_keywords(
        self, query: str, limit: int, where: ProfileFilter | None = None
    ) -> list[tuple[ProfileKey, float]]:
        """Return the keys of matching profiles with BM25 scores (higher is better), best first.

        Accepts any query text.
        """

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Return the profiles whose revision is not indexed yet, or is indexed without a vector."""
        found = self._database.rows(
            f"SELECT item_id, revision FROM {self._events.profiles} WHERE vector IS NOT NULL AND item_id = ANY(%s)",
            ([profile.key.index_id for profile in profiles],),
        )
        fresh = dict(found)
        return [
            profile
            for profile in profiles
            if fresh.get(profile.key.index_id, -1) < profile.revision
        ]

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        """Return keys and embeddings of matching embedded profiles; shape (0, 0) if there are none."""
        condition, parameters = self._conditions(where)
        those = f"FROM {self._events.profiles} p WHERE p.vector IS NOT NULL AND {condition}"
        found = self._database.rows(
            f"SELECT p.item_id, p.vector {those} ORDER BY p.row", parameters
        )
        matrix = self._database.matrix([vector for _, vector in found])
        return [ProfileKey.of_index_id(item_id) for item_id, _ in found], matrix

    def _conditions(self, where: ProfileFilter | None) -> tuple[str, list[Any]]:
        """Return `where` as a condition on the table `p` of the profiles, with its parameters."""
        if where is None:
            return "1 = 1", []
        spoken, of_spoken = ("1 = 1", list[Any]())
        if where.spoken_in is not None:
            spoken, of_spoken = self._events.spoken_in(where.spoken_in, "p.entity_id")
        return (
            f"((p.entity_type = 'user' AND p.layer = ANY(%s) AND (p.layer != '' OR {spoken})) OR p.item_id = ANY(%s))",
            [list(where.user_layers), *of_spoken, [key.index_id for key in where.keys]],
        )
