"""The embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .vectors import Matrix, Vector

Fingerprint = tuple[str, int]
"""(model, dimension)."""


class Fingerprints(Protocol):
    """The model that has made the stored vectors."""

    def fingerprint(self) -> Fingerprint | None:
        """Return the model of the stored vectors; None if there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model. Raises FingerprintMismatch if another one is stored."""


class Embedder(Protocol):
    """Converts texts to unit vectors. `dimension` is None at most until the first call returned."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    @property
    def is_remote(self) -> bool: ...

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, in order. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable."""

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of one text, with priority over waiting documents. Raises as `embed_documents`."""

    async def aclose(self) -> None: ...
