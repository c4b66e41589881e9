"""The material and the baselines of `scale`: texts and vectors, times, FTS5 alone and
`langchain_chroma`.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from historian.schema.event import EventFilter
from historian.schema.protocols import Matrix, Vector
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.text.search_words import FTS5_TOKENIZER, query_tokens, search_tokens

from .machine import percentile, row
from .quality.retrieval_corpora import corpora
from .stores import Texts

DIMENSION = 384
TOP_K = 12


class Material:
    """Texts and clustered vectors; the same seed gives the same material."""

    def __init__(self, paths: Sequence[Path], scopes: int) -> None:
        self.random = np.random.default_rng(7)
        self._made_up = Texts(self.random)
        found = corpora(paths) if paths else {}
        self.texts = [
            document.text for one in found.values() for part in one for document in part.documents
        ]
        self.questions = [
            question.text for one in found.values() for part in one for question in part.questions
        ]
        self._centres = self._directions(scopes)
        self._subjects = self._directions(scopes * 20).reshape(scopes, 20, DIMENSION)

    def text(self) -> str:
        if not self.texts:
            return self._made_up.sentence(10, 25)
        return self.texts[int(self.random.integers(len(self.texts)))]

    def query(self) -> str:
        if not self.questions:
            return self._made_up.sentence(4, 14)
        return self.questions[int(self.random.integers(len(self.questions)))]

    def vectors(self, scope: int, count: int) -> Matrix:
        subjects = self._subjects[scope, self.random.integers(0, 20, count)]
        made = 2 * self._centres[scope] + subjects + 0.7 * self._directions(count)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    def _directions(self, count: int) -> Matrix:
        made = self.random.normal(size=(count, DIMENSION)).astype(np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def measure(label: str, calls: Sequence[Callable[[], object]]) -> None:
    """Print the elapsed time and the processor time of this process, which is more reliable on a
    busy machine.
    """
    passed, busy = [], []
    for call in calls:
        started, worked = time.perf_counter(), time.process_time()
        call()
        passed.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
    worked_for = " ".join(f"{percentile(busy, at) * 1000:.3f}" for at in (0.5, 0.95, 0.99))
    print(f"{row(label, passed)}   processor {worked_for}", flush=True)


def fts5(
    store: SqliteEventStore,
    material: Material,
    options: argparse.Namespace,
    cases: Sequence[tuple[int, str, Vector]],
) -> None:
    """Measure FTS5's own BM25 over the same words, with the scope as one more word of every row."""
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "fts.sqlite")
        connection.execute(
            f'CREATE VIRTUAL TABLE words USING fts5(tokens, tokenize = "{FTS5_TOKENIZER}")'
        )
        for scope in range(options.scopes):
            found = store.find(EventFilter(f"g:g{scope}"), limit=options.events)
            rows = [(f"scope{scope} " + " ".join(search_tokens(event.text)),) for event in found]
            connection.executemany("INSERT INTO words (tokens) VALUES (?)", rows)
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        connection.commit()

        def search(scope: int, query: str) -> None:
            words = " OR ".join(f'"{word}"' for word in query_tokens(query))
            connection.execute(
                "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT ?",
                (f"scope{scope} AND ({words})", TOP_K),
            ).fetchall()

        measure("FTS5 alone, scope as a word", [lambda c=c: search(c[0], c[1]) for c in cases])  # type: ignore[misc]
        connection.close()


def chroma(
    store: SqliteEventStore, material: Material, options: argparse.Namespace, folder: Path
) -> None:
    from langchain_chroma import Chroma

    peer = Chroma(
        collection_name="peer",
        persist_directory=str(folder / "peer"),
        collection_configuration={"hnsw": {"space": "cosine"}, "embedding_function": None},
    )
    started = time.perf_counter()
    for scope in range(options.scopes):
        ids, matrix = store.vectors(EventFilter(f"g:g{scope}"))
        for first in range(0, len(ids), 5_000):
            part = slice(first, first + 5_000)
            texts = [event.text for event in store.get(ids[part])]
            peer._collection.upsert(
                ids=ids[part],
                embeddings=matrix[part],
                documents=texts,
                metadatas=[{"scope": scope}] * len(texts),
            )
    print(f"langchain_chroma filled in {time.perf_counter() - started:.0f} s", flush=True)
    drawn = material.random.integers(0, options.scopes, options.chroma_queries).tolist()
    cases = [(scope, material.vectors(scope, 1)[0].tolist()) for scope in drawn]

    def search(scope: int, vector: list[float]) -> object:
        return peer.similarity_search_by_vector(vector, k=TOP_K, filter={"scope": scope})

    measure("langchain_chroma with a filter", [lambda c=c: search(*c) for c in cases])  # type: ignore[misc]
