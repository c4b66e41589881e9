"""Embedders that wrap another embedder and check, release or keep it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from ...schema.errors import ModelRefused
from ...schema.protocols import Embedder, Fingerprints, Matrix, Vector


class WrappedEmbedder:
    """Base class that forwards the properties of an `Embedder`; subclasses implement the calls."""

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


class MatchingEmbedder(WrappedEmbedder):
    """An `Embedder` that raises ModelRefused if the stored vectors were made by another model.

    Comparing vectors of two models with the same dimension gives meaningless results without an
    error. So the stored fingerprint is read at every call (about ten microseconds). After another
    process has changed it, every call raises ModelRefused, and searches use keywords until the
    service is restarted with the stored model.
    """

    def __init__(self, embedder: Embedder, events: Fingerprints) -> None:
        super().__init__(embedder)
        self._events = events

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        await self._check()
        return await self._embedder.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        vector = await self._embedder.embed_query(text)
        await self._check()  # after the call: the fingerprint may change while the model computes
        return vector

    async def _check(self) -> None:
        stored = await asyncio.to_thread(self._events.fingerprint)
        if stored is not None and stored[0] not in ("", self.model):
            raise ModelRefused(
                f"the stored vectors were replaced by vectors of {stored[0]}, but this process uses "
                f"{self.model}: set models.embedding to {stored[0]} and restart; until then searches "
                "use keywords"
            )


class KeptEmbedder(WrappedEmbedder):
    """An `Embedder` whose `aclose` does nothing, because the caller who made it closes it."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._embedder.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self._embedder.embed_query(text)

    async def aclose(self) -> None:
        return None


class Released(Exception):
    """Raised to a caller that should stop waiting for the embedder."""


class ReleasableEmbedder(WrappedEmbedder):
    """An `Embedder` for background work whose calls raise `Released` as soon as `released` is set.

    They do not wait until the call of the wrapped embedder is cancelled.
    """

    def __init__(self, embedder: Embedder, released: asyncio.Event) -> None:
        super().__init__(embedder)
        self._released = released

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self._unless_released(self._embedder.embed_documents(texts))

    async def embed_query(self, text: str) -> Vector:
        return await self._unless_released(self._embedder.embed_query(text))

    async def _unless_released(self, call: Coroutine[Any, Any, Matrix]) -> Matrix:
        asked = asyncio.create_task(call)
        released = asyncio.create_task(self._released.wait())
        try:
            await asyncio.wait((asked, released), return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                return asked.result()
            raise Released
        finally:
            released.cancel()
            if not asked.done():
                asked.cancel()
                # Retrieve the exception; otherwise asyncio logs that it was never retrieved.
                asked.add_done_callback(lambda task: task.cancelled() or task.exception())
