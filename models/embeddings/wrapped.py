"""An embedder around another one, which changes what it is asked and nothing of what it is."""

from __future__ import annotations

from ...schema.protocols import Embedder


class WrappedEmbedder:
    """What every `Embedder` around another one has of it; the calls are left to whoever wraps it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimension(self) -> int | None:
        return self._embedder.dimension

    @property
    def is_remote(self) -> bool:
        return self._embedder.is_remote

    async def aclose(self) -> None:
        await self._embedder.aclose()
