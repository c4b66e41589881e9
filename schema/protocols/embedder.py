"""The embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .vectors import Matrix, Vector


class Embedder(Protocol):
    """Texts to unit vectors. `model` names what made them; `dimension` is known after the first call at the latest."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    @property
    def is_remote(self) -> bool: ...

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """One row a text, in order. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable (no usable vectors)."""

    async def embed_query(self, text: str) -> Vector:
        """As `embed_documents`; goes ahead of documents that wait."""

    async def aclose(self) -> None: ...
