"""Embeddings of texts to be stored, checked against the model and dimension in the store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from ...schema.errors import FingerprintMismatch, ModelAnswerUnusable, ModelError, ModelUnavailable
from ...schema.protocols import Embedder, Fingerprints, Vector

log = logging.getLogger(__name__)


async def vectors_for(
    texts: Sequence[str], embedder: Embedder | None, events: Fingerprints
) -> list[Vector | None]:
    """Return one vector per text, or None for each text if they cannot be embedded.

    This is so if there is no embedder, if it fails, or if its model is not the recorded one.
    """
    if embedder is None or not texts:
        return [None] * len(texts)
    try:
        matrix = await embedder.embed_documents(texts)
        await asyncio.to_thread(events.set_fingerprint, embedder.model, int(matrix.shape[1]))
    except (ModelError, FingerprintMismatch) as error:
        level = (
            logging.DEBUG if isinstance(error, ModelUnavailable) else logging.WARNING
        )  # the beginning of an outage is logged elsewhere
        log.log(level, "stored without vectors for now: %s", error)
        return [None] * len(texts)
    return list(matrix)


async def embedded_apart(texts: Sequence[str], embedder: Embedder) -> list[Vector | None]:
    """Return one vector per text, or None for a text that cannot be embedded.

    Such texts are found by bisection. Raises ModelUnavailable or ModelRefused.
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
    return [
        *await embedded_apart(texts[:middle], embedder),
        *await embedded_apart(texts[middle:], embedder),
    ]
