"""The systems that `benchmarks.quality.retrieval` compares: each ranks the documents of a conversation for its questions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.request import RecallRequest
from historian.retrieval.survey import Survey
from historian.schema.event import Event, EventFilter
from historian.schema.protocols import Matrix
from historian.schema.settings import QuerySettings
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index

from .retrieval_corpora import Conversation

DEPTHS = (3, 5, 10, 12)
DEEPEST = max(DEPTHS)
SCOPE = "g:g"
DAY = 86_400.0
Scores = npt.NDArray[np.float32]


@dataclass
class Prepared:
    """A conversation filed in its own store, with all data that is computed only once."""

    conversation: Conversation
    store: SqliteEventStore
    documents: Matrix
    queries: Matrix
    chained: Matrix
    """Unit vectors of the queries as the chain embeds them: the mean with the vector of the query
    without names."""
    sessions: npt.NDArray[np.intp]
    keyword: Scores = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    surveys: list[tuple[RecallRequest, Survey]] = field(default_factory=list)

    @property
    def now(self) -> float:
        return max(document.at.timestamp() for document in self.conversation.documents) + DAY


Rankings = list[list[int]]
System = Callable[[Prepared], Rankings]


def prepare(
    conversation: Conversation,
    model: str,
    documents: Matrix,
    queries: Matrix,
    chained: Matrix,
    directory: Path,
) -> Prepared:
    """File the conversation. `documents` and `queries` are its embeddings by `model`, `chained`
    the vectors that the chain computes for its queries.
    """
    store = SqliteEventStore(
        open_index(
            directory / f"{hashlib.sha256(conversation.name.encode()).hexdigest()[:16]}.sqlite"
        )
    )
    events = [
        Event(
            event_id=f"j-0:{n}",
            job_id="j-0",
            kind="fact",
            text=document.text,
            user_id=document.speaker or "u",
            group_id="g",
            request_type="group",
            timestamp=document.at.timestamp(),
            timestamp_local=document.at.isoformat(),
            timezone="UTC",
            user_name=document.speaker,
        )
        for n, document in enumerate(conversation.documents)
    ]
    store.set_fingerprint(model, documents.shape[1])
    store.file_job("j-0", events, list(documents))
    times = np.array([event.timestamp for event in events])
    sessions = np.concatenate([[0], np.cumsum(np.diff(times) > 3 * 3600)]).astype(np.intp)
    lengths = np.linalg.norm(chained, axis=1, keepdims=True)
    made = Prepared(conversation, store, documents, queries, chained / lengths, sessions)
    made.keyword = np.zeros((len(conversation.questions), len(events)), dtype=np.float32)
    recall = EventRecall(store, None, None, settings=QuerySettings, clock=lambda: 0.0)
    for n, question in enumerate(conversation.questions):
        for event_id, score in store.search_keywords(
            question.text, EventFilter(SCOPE), len(events)
        ):
            made.keyword[n, int(event_id.partition(":")[2])] = score
        request = RecallRequest(
            question.text,
            EventFilter(SCOPE),
            top_k=DEEPEST,
            half_life_days=60.0,
            now=made.now,
            timezone="UTC",
        )
        made.surveys.append((request, recall.survey(request)))
    return made


def by_score(scores: Scores) -> Rankings:
    return [row[:DEEPEST].tolist() for row in np.argsort(-scores, axis=1, kind="stable")]


def min_max(scores: Scores) -> Scores:
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    return np.asarray((scores - low) / np.maximum(high - low, np.float32(1e-9)), dtype=np.float32)


def weighted(prepared: Prepared, dense_weight: float, neighbour: float) -> Rankings:
    """Rank by the usual hybrid: the min-max normalised sum, with each document raised by its
    neighbours in the same session.
    """
    scores = dense_weight * min_max(prepared.queries @ prepared.documents.T) + (
        1 - dense_weight
    ) * min_max(prepared.keyword)
    lifted = scores.copy()
    if neighbour:
        same = prepared.sessions[1:] == prepared.sessions[:-1]
        lifted[:, 1:] += neighbour * scores[:, :-1] * same
        lifted[:, :-1] += neighbour * scores[:, 1:] * same
    return by_score(lifted)


def chain(prepared: Prepared, **settings: Any) -> Rankings:
    """Rank by the project's own chain with these settings and defaults for all others."""
    chosen = QuerySettings(**settings)
    recall = EventRecall(
        prepared.store, None, None, settings=lambda: chosen, clock=lambda: prepared.now
    )
    rankings = []
    for (request, survey), vector in zip(prepared.surveys, prepared.chained, strict=True):
        hits = recall.select(request, recall.fuse(request, survey, [vector]))
        rankings.append([int(hit.event.event_id.partition(":")[2]) for hit in hits])
    return rankings


def chroma(all_prepared: Sequence[Prepared], directory: Path) -> System:
    """Rank by `langchain_chroma`: all conversations in one collection, searched with a filter."""
    from langchain_chroma import Chroma

    store = Chroma(
        collection_name="peer",
        persist_directory=str(directory / "peer"),
        collection_configuration={"hnsw": {"space": "cosine"}, "embedding_function": None},
    )
    for prepared in all_prepared:
        name = prepared.conversation.name
        for first in range(0, len(prepared.documents), 5000):
            part = slice(first, first + 5000)
            texts = [document.text for document in prepared.conversation.documents[part]]
            store._collection.upsert(
                ids=[f"{name}:{first + n}" for n in range(len(texts))],
                embeddings=prepared.documents[part],
                documents=texts,
                metadatas=[{"scope": name}] * len(texts),
            )

    def search(prepared: Prepared) -> Rankings:
        rankings = []
        for vector in prepared.queries:
            found = store.similarity_search_by_vector(
                vector.tolist(), k=DEEPEST, filter={"scope": prepared.conversation.name}
            )
            rankings.append([int(str(document.id).rpartition(":")[2]) for document in found])
        return rankings

    return search
