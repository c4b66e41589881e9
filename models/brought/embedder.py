"""LangChain embeddings as an `Embedder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...schema.protocols import Matrix, Vector
from ..embeddings.remote import FIRST_SECONDS, REQUEST_SECONDS, TEXT_SECONDS
from ..embeddings.unit_vectors import unit_rows
from ..embeddings.wrapped import WrappedEmbedder
from ..endpoint import clean_text
from ..usage import EMBEDDING, UsageMeter
from .calls import endpoint_of, translated

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


class KeptEmbedder(WrappedEmbedder):
    """An `Embedder` that whoever made it closes."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._embedder.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self._embedder.embed_query(text)

    async def aclose(self) -> None:
        return None


@dataclass(eq=False, repr=False)
class LangChainEmbedder:
    """An `Embedder` (see schema/protocols) over any `Embeddings`. Who made those closes them.

    Stored vectors are compared with those of the same class and model name alone.
    """

    given: Embeddings
    usage: UsageMeter = field(default_factory=UsageMeter)
    is_remote = True
    dimension: int | None = None

    def __post_init__(self) -> None:
        self._endpoint = endpoint_of(self.given, "embeddings")
        kind = type(self.given).__name__
        self.model = kind if self._endpoint.model == kind else f"{kind}:{self._endpoint.model}"

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        prepared = [clean_text(text).strip() or "." for text in texts]
        async with (
            self.usage.call(EMBEDDING, sum(map(len, prepared))),
            translated(self._endpoint, min(REQUEST_SECONDS, FIRST_SECONDS + len(prepared) * TEXT_SECONDS)),
        ):
            raw = await self.given.aembed_documents(prepared) if prepared else []
        return self._checked(raw, len(prepared))

    async def embed_query(self, text: str) -> Vector:
        prepared = clean_text(text).strip() or "."
        async with self.usage.call(EMBEDDING, len(prepared)), translated(self._endpoint, FIRST_SECONDS + TEXT_SECONDS):
            raw = await self.given.aembed_query(prepared)
        vector: Vector = self._checked([raw], 1)[0]
        return vector

    async def aclose(self) -> None:
        return None

    def _checked(self, raw: Sequence[Sequence[float]], count: int) -> Matrix:
        if not count:
            import numpy as np

            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        rows = unit_rows(raw, count=count, dimension=self.dimension, source=self._endpoint.name)
        self.dimension = rows.shape[1]
        return rows
