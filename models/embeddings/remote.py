"""Embeddings from an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...schema.errors import ModelAnswerUnusable, ModelError
from ...schema.protocols import Matrix, Vector
from ..endpoint import Endpoint, FormRejected, InputRejected
from ..loop_clients import LoopClients
from ..request_pace import RequestPace
from .local import model_fingerprint, prepared_text
from .unit_vectors import unit_rows

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings

logger = logging.getLogger(__name__)

REQUEST_SECONDS = 60.0
"""Time limit of one request. A recall gives up long before, by its own budget."""
SHORTEST_CUT = 256
"""A text that the endpoint refuses is halved down to about so many characters before it is given up."""


class RemoteEmbedder:
    """An `Embedder` (see schema/protocols.py) on an endpoint. Safe to use from several event loops.

    Documents go in batches, with the configured interval between their requests; queries go at once. A batch that the
    endpoint refuses is halved, and the smaller size kept where that helps; a single text that it refuses is shortened,
    because a vector of the beginning of a text is better than none.
    """

    is_remote = True

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        dimensions: int | None,
        query_instruction: str,
        document_instruction: str,
        batch_size: int,
        interval_seconds: float,
        timeout_seconds: float = REQUEST_SECONDS,
    ) -> None:
        self._endpoint = endpoint
        self._dimensions = dimensions
        self._dimension = dimensions
        self._query_instruction = query_instruction
        self._document_instruction = document_instruction
        self._batch_size = batch_size
        self._timeout_seconds = timeout_seconds
        self._has_answered = False
        self._pace = RequestPace(interval_seconds)
        self._clients: LoopClients[OpenAIEmbeddings] = LoopClients(self._open)

    @property
    def model(self) -> str:
        return model_fingerprint("openai", self._endpoint.model, self._dimensions, self._document_instruction)

    @property
    def dimension(self) -> int | None:
        return self._dimension

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        prepared = [prepared_text(text, self._document_instruction) for text in texts]
        parts: list[Matrix] = []
        done = 0
        while done < len(prepared):
            batch = prepared[done : done + self._batch_size]
            parts.append((await self._batch(batch))[0])
            done += len(batch)
        return np.concatenate(parts) if parts else np.zeros((0, self._dimension or 0), dtype=np.float32)

    async def embed_query(self, text: str) -> Vector:
        prepared = prepared_text(text, self._query_instruction)
        try:
            rows = await self._request([prepared])
        except ModelError as error:
            rows = await self._shortened(prepared, error)
        vector: Vector = rows[0]
        return vector

    async def aclose(self) -> None:
        await self._clients.aclose()

    async def _batch(self, texts: list[str]) -> tuple[Matrix, bool]:
        """The vectors of a batch, and whether every text was taken as it is. Halves what the endpoint does not take."""
        await self._pace.wait()
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
        if first_whole and second_whole and len(texts) - half < self._batch_size:
            # all texts pass in smaller company, so it was the number of them: no later batch needs to learn that
            self._batch_size = len(texts) - half
            logger.warning("Embedding batches are cut to %d texts: %s", self._batch_size, refusal)
        return np.concatenate([first, second]), first_whole and second_whole

    async def _shortened(self, text: str, error: ModelError) -> Matrix:
        """The vector of the longest part of `text` that the endpoint takes; raises the last error where it takes none."""
        length = len(text) // 2
        while length >= SHORTEST_CUT // 2 and _is_about_size(error):
            try:
                rows = await self._request([text[:length]])
            except ModelError as again:
                error, length = again, length // 2
            else:
                logger.warning("A text of %d characters was embedded by its first %d.", len(text), length)
                return rows
        raise error

    async def _open(self) -> tuple[OpenAIEmbeddings, Any]:
        def build() -> tuple[OpenAIEmbeddings, Any]:
            from ..openai_client import embeddings_client

            return embeddings_client(
                self._endpoint,
                dimensions=self._dimensions,
                batch_size=self._batch_size,
                timeout_seconds=self._timeout_seconds,
            )

        return await asyncio.to_thread(build)

    async def _request(self, texts: list[str]) -> Matrix:
        client = await self._clients.get()
        import openai

        from ..openai_client import error_of_client

        try:
            async with asyncio.timeout(self._timeout_seconds):
                raw = await client.aembed_documents(texts, chunk_size=len(texts))
        except TimeoutError:
            raise self._endpoint.timed_out(self._timeout_seconds) from None
        except openai.OpenAIError as error:
            raise error_of_client(error, self._endpoint, self._timeout_seconds) from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise self._endpoint.foreign(what, has_answered=self._has_answered) from None
        self._has_answered = True
        rows = unit_rows(raw, count=len(texts), dimension=self._dimension, source=self._endpoint.name)
        self._dimension = rows.shape[1]
        return rows


def _is_about_size(error: ModelError) -> bool:
    """Whether fewer or shorter texts may pass: HTTP 413, or 400 and 422, with which most servers say the same."""
    return isinstance(error, InputRejected) or (isinstance(error, FormRejected) and error.status in (400, 422))
