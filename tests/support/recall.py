"""Services with something to recall, and models that misbehave on purpose."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import numpy as np
from historian.schema.errors import ModelUnavailable
from historian.schema.event import Event
from historian.schema.protocols import Embedder, Matrix, Reranker, Vector
from historian.schema.settings import Settings
from historian.service import components as parts_module
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts, open_parts
from support.events import make_event

NOW = 1_771_666_200.0
"""2026-02-21T17:30:00+08:00"""
WORDS = ("三体", "咖啡", "吉他", "北京", "考试", "猫", "tea", "piano", "hiking", "exam")


class WordEmbedder:
    """Vectors by the words of WORDS that a text holds. `fault` is raised, `gate` awaited, `turned` changes the dimension."""

    is_remote = False
    model = "test:words"

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.turned = False
        self.calls: list[str] = []

    @property
    def dimension(self) -> int:
        return len(WORDS) + 1

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return np.stack([self.vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        self.calls.append(text)
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        vector = self.vector(text)
        return np.concatenate([vector, vector]) if self.turned else vector

    async def aclose(self) -> None:
        return None

    def vector(self, text: str) -> Vector:
        values = np.array([0.1, *(float(word in text) for word in WORDS)], dtype=np.float32)
        return np.asarray(values / np.linalg.norm(values), dtype=np.float32)


class ReversingReranker:
    """Ranks the documents from the last to the first. `fault` is raised, `gate` awaited, `most` answers so many only."""

    model = "test:reversing"

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.most = 10_000
        self.seen: list[tuple[str, list[str]]] = []

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        self.seen.append((query, list(documents)))
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return [(n, float(n)) for n in reversed(range(len(documents)))][: min(self.most, top_n)]

    async def aclose(self) -> None:
        return None


def down() -> ModelUnavailable:
    return ModelUnavailable("models.embedding (test) cannot be reached; start it")


def file_events(
    parts: Parts, events: Sequence[Event], embedder: WordEmbedder | None = None
) -> None:
    """File events, each as a job of its own, with their vectors."""
    for event in events:
        vector = None if embedder is None else embedder.vector(event.text)
        if embedder is not None:
            parts.events.set_fingerprint(embedder.model, embedder.dimension)
        assert parts.events.file_job(event.job_id, [event], [vector])


def events_in(
    group: str | None, texts: Sequence[str], *, prefix: str = "j", **fields: Any
) -> list[Event]:
    """An event a text, a minute apart, the last one at NOW."""
    first = NOW - 60.0 * len(texts)
    return [
        make_event(
            f"{prefix}{group or 'private'}{n}-0",
            0,
            group=group,
            text=text,
            **{"timestamp": first + 60.0 * n, **fields},
        )
        for n, text in enumerate(texts)
    ]


@asynccontextmanager
async def open_memory(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    worker: bool = False,
) -> AsyncIterator[tuple[CognitiveService, Parts]]:
    """A service without a worker, whose models are replaced by the given ones. Gives its parts as well."""
    memory = CognitiveService.open(settings, worker=worker, clock=lambda: NOW)
    with replaced_models(embedder, reranker):
        await memory.start()
    try:
        parts = memory.lifecycle.opened.parts
        assert parts is not None
        yield memory, parts
    finally:
        await memory.aclose()


def stored_parts(settings: Settings) -> Parts:
    """Parts to write with, beside a service."""
    return open_parts(settings, clock=lambda: NOW)


@contextmanager
def replaced_models(embedder: Embedder | None, reranker: Reranker | None) -> Iterator[None]:
    """Inside of it `open_parts` makes these models."""
    saved = parts_module.usable_embedder, parts_module.usable_reranker
    parts_module.usable_embedder = lambda *_: embedder
    parts_module.usable_reranker = lambda *_: reranker
    try:
        yield
    finally:
        parts_module.usable_embedder, parts_module.usable_reranker = saved
