"""Embeddings of texts that are stored, under the model and dimension on record."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ...schema.errors import FingerprintMismatch, ModelAnswerUnusable, ModelError
from ...schema.protocols import Embedder, EventStore, Vector

log = logging.getLogger(__name__)


async def vectors_for(texts: Sequence[str], embedder: Embedder | None, events: EventStore) -> list[Vector | None]:
    """One vector a text, or None for all without an embedder, where it fails, or its model is not the one on record."""
    if embedder is None:
        return [None] * len(texts)
    try:
        matrix = await embedder.embed_documents(texts)
        await asyncio.to_thread(events.set_fingerprint, embedder.model, int(matrix.shape[1]))
    except (ModelError, FingerprintMismatch) as error:
        log.warning("stored without vectors for now: %s", error)
        return [None] * len(texts)
    return list(matrix)


async def embedded_apart(texts: Sequence[str], embedder: Embedder) -> list[Vector | None]:
    """One vector a text; None for a text that the model can make nothing of, which is found by halving.

    Raises ModelUnavailable and ModelRefused.
    """
    if not texts:
        return []
    try:
        return list(await embedder.embed_documents(texts))
    except ModelAnswerUnusable as error:
        if len(texts) == 1:
            log.warning("a text of %d characters cannot be embedded: %s", len(texts[0]), error)
            return [None]
    middle = len(texts) // 2
    return [*await embedded_apart(texts[:middle], embedder), *await embedded_apart(texts[middle:], embedder)]
