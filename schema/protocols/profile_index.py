"""Search over profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..profile import Profile, ProfileFilter, ProfileKey
from .vectors import Matrix, Vector


class ProfileIndex(Protocol):
    """Search over profiles: texts, keywords and vectors by (key, revision). Derived from the profiles."""

    def put(self, profile: Profile, vector: Vector | None) -> None: ...

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Those whose revision is not indexed yet, or was indexed without a vector."""

    def search_keywords(self, query: str, limit: int, where: ProfileFilter | None = None) -> list[tuple[ProfileKey, float]]:
        """Keys of the profiles that `where` admits with BM25 scores (higher is better), best first. Never raises on a query."""

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        """Keys and embeddings of the profiles that `where` admits and that are embedded; shape (0, 0) when there are none."""
