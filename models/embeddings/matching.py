"""The embedder of a service that runs while another process changes over to another model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ...schema.errors import ModelRefused
from ...schema.protocols import Embedder, EventStore, Matrix, Vector
from .wrapped import WrappedEmbedder


class MatchingEmbedder(WrappedEmbedder):
    """An `Embedder` for as long as the stored vectors are of its model.

    Queries of one model compared with vectors of another give nonsense without an error where both have as many
    dimensions. So the fingerprint is looked at with every query (some ten microseconds); once it is another model's, every
    call raises ModelRefused, and searches go by keywords until the service is started with the model on record.
    """

    def __init__(self, embedder: Embedder, events: EventStore) -> None:
        super().__init__(embedder)
        self._events = events

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        await self._check()
        return await self._embedder.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        # After the model has answered: the change may come while it thinks.
        vector = await self._embedder.embed_query(text)
        await self._check()
        return vector

    async def _check(self) -> None:
        stored = await asyncio.to_thread(self._events.fingerprint)
        if stored is not None and stored[0] not in ("", self.model):
            raise ModelRefused(
                f"the stored vectors were made by {stored[0]} meanwhile, not by {self.model}: restart with that model in "
                "models.embedding; until then searches go by keywords"
            )
