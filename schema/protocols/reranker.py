"""The reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Orders texts by relevance to a query."""

    @property
    def model(self) -> str: ...

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` pairs of (index in `documents`, score), best first; each index once.

        Documents that the endpoint omits are omitted. The caller gives up, and cancels the call, at `until`, a time of the
        running loop; one that is cancelled before was not late. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable.
        """

    async def aclose(self) -> None: ...
