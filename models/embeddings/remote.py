"""Embeddings by a LangChain object, for an OpenAI-compatible endpoint or given by the caller."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...schema.errors import ModelAnswerUnusable, ModelError, ModelUnavailable
from ...schema.protocols import Matrix, Vector
from ..calls import pace_of, translated
from ..endpoint import AnswerTooLarge, Endpoint, FormRejected, InputRejected
from ..loop_clients import LoopClients
from ..usage import EMBEDDING, UsageMeter
from .local import prepared_text
from .unit_vectors import unit_rows

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

logger = logging.getLogger(__name__)

REQUEST_SECONDS = 60.0
"""Maximum time limit of one request. The time limit of a recall is much shorter."""
FIRST_SECONDS, TEXT_SECONDS = 10.0, 1.0
"""Time limit of a request: FIRST_SECONDS plus TEXT_SECONDS per text, at most REQUEST_SECONDS."""
SHORTEST_CUT = 256
"""A rejected text is halved until it has about half this number of characters; then the error is
raised."""


@dataclass(eq=False, repr=False)
class RemoteEmbedder:
    """An `Embedder` (see schema/protocols) over any LangChain embeddings.

    Safe to use from several event loops; `clients` returns the embeddings of each loop. `model` is
    the fingerprint of stored vectors. Documents are sent in batches, with the configured interval
    between requests; queries are sent at once. A rejected batch is halved, and the smaller size is
    used from then on if it is accepted. A single rejected text is shortened: a vector of its
    beginning is better than none.
    """

    endpoint: Endpoint
    clients: LoopClients[Embeddings]
    model: str
    _: KW_ONLY
    dimension: int | None = None
    query_instruction: str = ""
    document_instruction: str = ""
    batch_size: int = 16
    interval_seconds: float = 0.0
    timeout_seconds: float = REQUEST_SECONDS
    usage: UsageMeter = field(default_factory=UsageMeter)
    is_remote = True

    def __post_init__(self) -> None:
        self._has_answered = False
        self._pace = pace_of(self.interval_seconds)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        prepared = [prepared_text(text, self.document_instruction) for text in texts]
        parts: list[Matrix] = []
        done = 0
        while done < len(prepared):
            batch = prepared[done : done + self.batch_size]
            parts.append((await self._batch(batch))[0])
            done += len(batch)
        return (
            np.concatenate(parts) if parts else np.zeros((0, self.dimension or 0), dtype=np.float32)
        )

    async def embed_query(self, text: str) -> Vector:
        prepared = prepared_text(text, self.query_instruction)
        try:
            rows = await self._request([prepared], is_query=True)
        except ModelError as error:
            rows = await self._shortened(prepared, error)
        vector: Vector = rows[0]
        return vector

    async def aclose(self) -> None:
        await self.clients.aclose()

    async def _batch(self, texts: list[str]) -> tuple[Matrix, bool]:
        """Return the vectors of a batch, and whether every text was accepted in full length.

        A rejected batch is sent in halves.
        """
        if self._pace is not None:
            await self._pace.aacquire()
        try:
            return await self._request(texts), True
        except ModelError as error:
            if len(texts) == 1:
                return await self._shortened(texts[0], error), False
            if not (_is_about_size(error) or isinstance(error, ModelAnswerUnusable)):
                raise
            refusal = error
        half = len(texts) // 2
        first, first_whole = await self._batch(texts[:half])
        second, second_whole = await self._batch(texts[half:])
        if first_whole and second_whole and len(texts) - half < self.batch_size:
            # Every text is accepted in a smaller batch, so the size of the batch was rejected.
            self.batch_size = len(texts) - half
            logger.warning(
                "Embedding batches are reduced to %d texts: %s", self.batch_size, refusal
            )
        return np.concatenate([first, second]), first_whole and second_whole

    async def _shortened(self, text: str, error: ModelError) -> Matrix:
        """Return the vector of the longest beginning of `text` that is accepted, or raise."""
        length = len(text) // 2
        while length >= SHORTEST_CUT // 2 and _is_about_size(error):
            try:
                rows = await self._request([text[:length]])
            except ModelError as again:
                error, length = again, length // 2
            else:
                logger.warning(
                    "A text of %d characters was embedded by its first %d characters.",
                    len(text),
                    length,
                )
                return rows
        raise error

    async def _request(self, texts: list[str], *, is_query: bool = False) -> Matrix:
        """Return the vectors of one request, which is counted and has a time limit."""
        client = await self.clients.get()
        seconds = min(self.timeout_seconds, FIRST_SECONDS + len(texts) * TEXT_SECONDS)
        try:
            async with (
                self.usage.call(EMBEDDING, sum(map(len, texts))),
                translated(self.endpoint, seconds, has_answered=self._has_answered),
            ):
                raw = (
                    await _query_rows(client, texts[0])
                    if is_query
                    else await client.aembed_documents(texts)
                )
        except AnswerTooLarge as error:
            # These texts are not at fault: requests for single texts would fail in the same way.
            raise ModelUnavailable(str(error)) from None
        self._has_answered = True
        rows = unit_rows(raw, count=len(texts), dimension=self.dimension, source=self.endpoint.name)
        self.dimension = rows.shape[1]
        return rows


async def _query_rows(client: Embeddings, text: str) -> list[list[float]]:
    try:
        return [await client.aembed_query(text)]
    except IndexError:  # OpenAIEmbeddings raises it if an answer has no vector
        return []


def _is_about_size(error: ModelError) -> bool:
    """Return True if fewer or shorter texts may be accepted.

    The status is HTTP 413, or 400 or 422, which most servers use instead.
    """
    return isinstance(error, InputRejected) or (
        isinstance(error, FormRejected) and error.status in (400, 422)
    )
