"""Search over profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...profile import Profile, ProfileFilter, ProfileKey
from ..vectors import Matrix, Vector


class ProfileIndex(Protocol):
    """Search over profiles: texts, keywords and vectors by (key, revision). Derived from the profiles."""

    def put(self, profile: Profile, vector: Vector | None) -> None: ...

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Return the profiles whose revision is not indexed yet, or is indexed without a vector."""

    def search_keywords(self, query: str, limit: int, where: ProfileFilter | None = None) -> list[tuple[ProfileKey, float]]:
        """Return the keys of matching profiles with BM25 scores (higher is better), best first. Accepts any query text."""

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        """Return keys and embeddings of the matching embedded profiles; shape (0, 0) if there are none."""
