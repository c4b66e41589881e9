"""An embedder for work that nobody waits for: the wait for its vectors ends when something else is to be done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from ...schema.protocols import Embedder, Matrix, Vector
from .wrapped import WrappedEmbedder


class Released(Exception):
    """Nobody waits any longer for what the embedder was asked."""


class ReleasableEmbedder(WrappedEmbedder):
    """An `Embedder` whose calls raise `Released` once `released` is set, also where the embedder does not heed cancellation."""

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
                asked.add_done_callback(_take_notice)


def _take_notice(asked: asyncio.Task[Any]) -> None:
    """Look at how a call ended that nobody waits for, so that asyncio does not log what it raised."""
    if not asked.cancelled():
        asked.exception()
