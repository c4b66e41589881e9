"""The local embedder with a cache on disk, for the benchmarks that run over the same texts again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from historian.models.embeddings.factory import make_embedder
from historian.schema.protocols import Matrix, Vector
from historian.schema.settings import EmbeddingSettings


class CachedEmbedder:
    """The local embedder; its results are cached in a directory."""

    def __init__(self, cache: Path | None) -> None:
        self._inner: Any = make_embedder(EmbeddingSettings(provider="local"))
        self._cache = cache
        self._known: dict[str, Vector] = {}
        self._added = 0
        if cache is not None and (cache / "vectors.npz").exists():
            loaded = np.load(cache / "vectors.npz")
            self._known = dict(zip(loaded["keys"].tolist(), loaded["rows"], strict=True))

    model = property(lambda self: self._inner.model)
    dimension = property(lambda self: self._inner.dimension)
    is_remote = False

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        keys = [digest_of("passage", text) for text in texts]
        lacking = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._known
        }
        for start in range(0, len(lacking), 32):
            some = list(lacking.items())[start : start + 32]
            made = await self._inner.embed_documents([text for _, text in some])
            self._known.update(zip([key for key, _ in some], made, strict=True))
        self._added += len(lacking)
        return np.stack([self._known[key] for key in keys])

    async def embed_query(self, text: str) -> Vector:
        key = digest_of("query", text)
        if key not in self._known:
            self._known[key] = await self._inner.embed_query(text)
            self._added += 1
        return self._known[key]

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return np.stack([await self.embed_query(text) for text in texts])

    async def aclose(self) -> None:
        if self._cache is not None and self._added:
            self._cache.mkdir(parents=True, exist_ok=True)
            np.savez(
                self._cache / "vectors.npz",
                keys=list(self._known),
                rows=np.stack(list(self._known.values())),
            )
        await self._inner.aclose()


def digest_of(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
