"""`HistorianStore` beside LangGraph's own `AsyncSqliteStore` and `AsyncPostgresStore`, in one run.

    python -m benchmarks.langgraph_store [--items 10000] [--calls 200] [--url postgresql://…] [--directory DIR]
                                         [--locomo FILE] [--conversations N]

Times: values are sentences of made-up words, half Chinese and half English; vectors are random, and making them costs nothing in
any store. Items lie in a hundred namespaces; a search is in one of them, or in all. What is found, with `--locomo`: each turn of
a conversation is an item, each conversation a namespace; all stores get the vectors of the same local embedder.

LangGraph's stores search by vectors, Historian's by words and vectors. `AsyncSqliteStore` needs an extension for that, which many
builds of Python cannot load: without it it lists the newest items whatever the query is. All wait for the disk after a write.
LangGraph's stores embed a question as if it were a document; as "questions embedded as questions" the same store gets the vectors
that the embedder makes for questions.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psycopg
from historian import HistorianEmbeddings, HistorianStore
from historian.schema.settings.source import parse_settings
from langchain_core.embeddings import Embeddings
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from psycopg import sql

from benchmarks.machine import machine_line, percentile
from benchmarks.postgres_server import postgres_server, server_line
from benchmarks.quality.retrieval_corpora import Conversation, corpora
from benchmarks.stores import Texts

NAMESPACES = 100
BATCH = 500
TOP = 10
LOADS_EXTENSIONS = hasattr(sqlite3.Connection, "enable_load_extension")
SQLITE, POSTGRES = "AsyncSqliteStore", "AsyncPostgresStore"
AS_QUESTIONS = f"{POSTGRES}, questions embedded as questions"
WORDS, OURS, OURS_POSTGRES = "HistorianStore, words", "HistorianStore", "HistorianStore, PostgreSQL"

Stores = Mapping[str, BaseStore]
Calls = Sequence[Callable[[], Awaitable[Any]]]


class RandomVectors(Embeddings):
    """A random vector per text; the same text always gets the same vector."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension

    def embed_query(self, text: str) -> list[float]:
        random = np.random.default_rng(list(text.encode()[:64]))
        values: list[float] = random.normal(size=self._dimension).tolist()
        return values

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class KeptVectors(Embeddings):
    """The vectors of known texts, computed once. For a text in `questions`, the vector of a
    question is returned even if it is embedded as a document.
    """

    def __init__(
        self,
        documents: Mapping[str, list[float]],
        queries: Mapping[str, list[float]],
        questions: Collection[str] = (),
    ) -> None:
        self._documents = documents
        self._queries = queries
        self._questions = questions

    def embed_query(self, text: str) -> list[float]:
        return self._queries[text]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [
            self._queries[text] if text in self._questions else self._documents[text]
            for text in texts
        ]


@asynccontextmanager
async def opened(
    directory: Path, url: str, dimension: int, embed: Embeddings, asking: Embeddings | None
) -> AsyncIterator[Stores]:
    """Open the stores, each empty and in a separate place. If `asking` is given, open one more
    PostgreSQL store that embeds by it.
    """
    index: Any = {"dims": dimension, "embed": embed, "fields": ["text"]}
    async with AsyncExitStack() as stack:

        async def ours(name: str, *, url: str = "", **more: Any) -> HistorianStore:
            given = {
                "cognitive": {"data_dir": str(directory / name)},
                "stores": {"url": url},
                **more,
            }
            settings = parse_settings(given, environ={}, base=directory)
            return await stack.enter_async_context(
                HistorianStore(settings, index=None if more else index)
            )

        sqlite = AsyncSqliteStore.from_conn_string(
            str(directory / "peer.sqlite"), index=index if LOADS_EXTENSIONS else None
        )
        stores: dict[str, BaseStore] = {SQLITE: await stack.enter_async_context(sqlite)}
        for name, embedding in ((POSTGRES, embed), (AS_QUESTIONS, asking)):
            if embedding is not None:
                embedded: Any = {**index, "embed": embedding}
                peer = AsyncPostgresStore.from_conn_string(
                    new_database(url, f"peer_{len(stores)}"), index=embedded
                )
                stores[name] = await stack.enter_async_context(peer)
        for peer_store in stores.values():
            await peer_store.setup()  # type: ignore[attr-defined]
        stores[WORDS] = await ours("words", models={"embedding": {"provider": "none"}})
        stores[OURS] = await ours("vectors")
        stores[OURS_POSTGRES] = await ours("postgres", url=new_database(url, "ours"))
        yield stores


def new_database(url: str, name: str) -> str:
    """Create an empty database on the server and return its address. The next run creates it
    again.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in ("DROP DATABASE IF EXISTS {} WITH (FORCE)", "CREATE DATABASE {}"):
            connection.execute(sql.SQL(statement).format(sql.Identifier(f"historian_bench_{name}")))
    return address_of(url, name)


def address_of(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/historian_bench_{name}"))


def namespace(number: int) -> tuple[str, ...]:
    return ("users", f"u{number % NAMESPACES}")


async def filled(store: BaseStore, puts: Sequence[PutOp]) -> float:
    """Put items in batches; return the seconds that it took."""
    start = time.perf_counter()
    for first in range(0, len(puts), BATCH):
        await store.abatch(puts[first : first + BATCH])
    return time.perf_counter() - start


async def measured(calls: Calls) -> str:
    """Return p50 and p99 of the calls in milliseconds."""
    taken = []
    for call in calls:
        start = time.perf_counter()
        await call()
        taken.append(time.perf_counter() - start)
    return " / ".join(f"{percentile(taken, share) * 1000:.3g}" for share in (0.5, 0.99))


def rounds(store: BaseStore, sentences: Sequence[str], chosen: Sequence[int]) -> dict[str, Calls]:
    """Return the calls that are measured, by name."""
    return {
        "put": [
            partial(store.aput, namespace(n), f"k{n}", {"text": sentences[-n], "n": n})
            for n in chosen
        ],
        "get": [partial(store.aget, namespace(n), f"k{n}") for n in chosen],
        f"search in a namespace of {len(sentences) // NAMESPACES} items": [
            partial(store.asearch, namespace(n), query=sentences[n][:40]) for n in chosen
        ],
        "search in all": [
            partial(store.asearch, ("users",), query=sentences[n][:40]) for n in chosen
        ],
        "filter in all": [partial(store.asearch, ("users",), filter={"n": n}) for n in chosen],
        "delete": [partial(store.adelete, namespace(n), f"k{n}") for n in chosen],
    }


async def times(stores: Stores, sentences: Sequence[str], calls: int) -> None:
    """Print a table of the times of the calls in each store."""
    puts = [
        PutOp(namespace(n), f"k{n}", {"text": text, "n": n}) for n, text in enumerate(sentences)
    ]
    chosen = np.random.default_rng(7).integers(0, len(sentences), calls).tolist()
    table: dict[str, list[str]] = {}
    for name, store in stores.items():
        seconds = await filled(store, puts)
        print(f"  {name}: filled in {seconds:.1f} s", flush=True)
        table.setdefault(f"{len(puts):,} items in batches of {BATCH}", []).append(
            f"{seconds:.1f} s"
        )
        for label, one in rounds(store, sentences, chosen).items():
            if label != "delete":
                await measured(one[:5])  # connections are open and caches are filled
            value = await measured(one)
            lists = name == SQLITE and not LOADS_EXTENSIONS and label.startswith("search")
            table.setdefault(label, []).append(f"({value}, lists the newest)" if lists else value)
    print(
        f"\n| p50 / p99 in ms, n = {calls} | {' | '.join(stores)} |\n|{' --- |' * (len(stores) + 1)}"
    )
    for label, row in table.items():
        print(f"| {label} | {' | '.join(row)} |")


async def recall(stores: Stores, conversations: Sequence[Conversation]) -> None:
    """Print a table of the share of the evidence of a question that is among the first items of a
    search.
    """
    puts = [
        PutOp(("locomo", one.name), str(position), {"text": document.text})
        for one in conversations
        for position, document in enumerate(one.documents)
    ]
    asked = [(one.name, question) for one in conversations for question in one.questions]
    print(f"\n{len(conversations)} conversations, {len(puts)} turns, {len(asked)} questions\n")
    print("| store | R@5 | R@10 |\n| --- | --- | --- |")
    for name, store in stores.items():
        await filled(store, puts)
        found = []
        for place, question in asked:
            items = await store.asearch(("locomo", place), query=question.text, limit=TOP)
            hits = [int(item.key) in question.evidence for item in items]
            found.append([sum(hits[:top]) / len(question.evidence) for top in (5, TOP)])
        remark = " (no search: the newest items)" if name == SQLITE and not LOADS_EXTENSIONS else ""
        print(
            f"| {name}{remark} | {' | '.join(f'{100 * value:.1f} %' for value in np.mean(found, axis=0))} |",
            flush=True,
        )


async def vectors_of(conversations: Sequence[Conversation]) -> tuple[int, KeptVectors, KeptVectors]:
    """Return the dimension, the vectors of the local embedder, and the same with questions always
    embedded as questions.
    """
    embedder = HistorianEmbeddings(provider="local")
    texts = sorted({document.text for one in conversations for document in one.documents})
    questions = sorted({question.text for one in conversations for question in one.questions})
    start = time.perf_counter()
    both = texts + questions  # LangGraph's stores also embed the questions as documents
    documents = dict(zip(both, await embedder.aembed_documents(both), strict=True))
    queries = {text: await embedder.aembed_query(text) for text in questions}
    print(f"\n{len(both)} texts embedded in {time.perf_counter() - start:.0f} s", flush=True)
    return (
        len(documents[both[0]]),
        KeptVectors(documents, queries),
        KeptVectors(documents, queries, frozenset(questions)),
    )


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--directory", type=Path)
    parser.add_argument(
        "--url",
        default="",
        help="of a PostgreSQL server on which databases may be made; default: one for this run",
    )
    parser.add_argument("--locomo", type=Path, help="LoCoMo's file: measure what is found, too")
    parser.add_argument("--conversations", type=int, help="only the first ones of it")
    options = parser.parse_args()
    random = Texts(np.random.default_rng(1))
    sentences = [random.sentence(10, 25) for _ in range(options.items)]
    with postgres_server(options.url) as url:
        print(
            machine_line("langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres"),
            f"SQLite {sqlite3.sqlite_version}",
        )
        if not LOADS_EXTENSIONS:
            print("this Python's SQLite loads no extensions: AsyncSqliteStore cannot search")
        with tempfile.TemporaryDirectory(dir=options.directory) as directory:
            async with opened(
                Path(directory), url, options.dimension, RandomVectors(options.dimension), None
            ) as stores:
                print(server_line(address_of(url, "peer_1")), flush=True)
                await times(stores, sentences, options.calls)
        if options.locomo:
            conversations = corpora([options.locomo])["LoCoMo turns"][: options.conversations]
            dimension, kept, asking = await vectors_of(conversations)
            with tempfile.TemporaryDirectory(dir=options.directory) as directory:
                async with opened(Path(directory), url, dimension, kept, asking) as stores:
                    await recall(stores, conversations)


if __name__ == "__main__":
    asyncio.run(main())
