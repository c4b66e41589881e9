"""Search over profiles: what is asked of the table in which each engine indexes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...schema.profile import Profile, ProfileFilter, ProfileKey
from ...schema.protocols import Matrix
from .events.rows import BesideEvents


class ProfileIndexTables(BesideEvents):
    """What is alike in the `ProfileIndex` of every engine, which it shares with the events."""

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        found = self._database.rows(
            f"SELECT item_id, revision FROM {self._events.profiles} WHERE vector IS NOT NULL AND item_id = ANY(%s)",
            ([profile.key.index_id for profile in profiles],),
        )
        fresh = dict(found)
        return [profile for profile in profiles if fresh.get(profile.key.index_id, -1) < profile.revision]

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        condition, parameters = self._conditions(where)
        those = f"FROM {self._events.profiles} p WHERE p.vector IS NOT NULL AND {condition}"
        found = self._database.rows(f"SELECT p.item_id, p.vector {those} ORDER BY p.row", parameters)
        matrix = self._database.matrix([vector for _, vector in found])
        return [ProfileKey.of_index_id(item_id) for item_id, _ in found], matrix

    def _conditions(self, where: ProfileFilter | None) -> tuple[str, list[Any]]:
        """Return `where` as a condition on the table of the profiles, `p`, with its parameters."""
        if where is None:
            return "1 = 1", []
        spoken, of_spoken = ("1 = 1", list[Any]())
        if where.spoken_in is not None:
            spoken, of_spoken = self._events.spoken_in(where.spoken_in, "p.entity_id")
        return (
            f"((p.entity_type = 'user' AND p.layer = ANY(%s) AND (p.layer != '' OR {spoken})) OR p.item_id = ANY(%s))",
            [list(where.user_layers), *of_spoken, [key.index_id for key in where.keys]],
        )
