"""What LangGraph promises of a `BaseStore`: the same cases for its own stores and for `HistorianStore`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.store import HistorianStore
from langchain_core.embeddings import Embeddings
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from support.memory import settings_for
from support.postgres import Schema, server_url

KINDS = ["memory", "sqlite", "historian", "historian-postgres"]


class Letters(Embeddings):
    """Vectors by how often each letter occurs."""

    dims = 26

    def embed_query(self, text: str) -> list[float]:
        counts = Counter(text.lower())
        values = [float(counts[chr(97 + n)]) for n in range(self.dims)]
        length = math.hypot(*values) or 1.0
        return [value / length for value in values]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def opened(kind: str, directory: Path, schema: Schema, index: Any = None) -> Iterator[BaseStore]:
    if kind == "memory":
        yield InMemoryStore(index=index)
    elif kind == "sqlite":
        with SqliteStore.from_conn_string(str(directory / "peer.sqlite"), index=index) as peer:
            peer.setup()
            yield peer
    else:
        stores = (
            {"url": server_url(), "schema_name": schema.name, "pool_max": 4}
            if kind == "historian-postgres"
            else {}
        )
        settings = settings_for(directory)
        there = settings.model_copy(update={"stores": settings.stores.model_copy(update=stores)})
        with HistorianStore(there, index=index) as mine:
            yield mine


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> Iterator[BaseStore]:
    yield from opened(request.param, tmp_path, schema)


@pytest.fixture(params=["memory", "historian", "historian-postgres"])
def vectors(request: pytest.FixtureRequest, tmp_path: Path, schema: Schema) -> Iterator[BaseStore]:
    """A store with an embedder, over the field `text`. LangGraph's own needs an SQLite that loads extensions for that."""
    yield from opened(
        request.param,
        tmp_path,
        schema,
        {"dims": Letters.dims, "embed": Letters(), "fields": ["text"]},
    )


def keys(found: Any) -> list[str]:
    return [item.key for item in found]


def test_an_item_is_put_read_changed_and_removed(store: BaseStore) -> None:
    store.put(("a", "b"), "k", {"text": "one", "deep": {"list": [1, None, True, 0.5]}})
    first = store.get(("a", "b"), "k")
    assert first is not None and first.value == {
        "text": "one",
        "deep": {"list": [1, None, True, 0.5]},
    }
    assert (first.namespace, first.key) == (
        ("a", "b"),
        "k",
    ) and first.created_at <= first.updated_at
    store.put(("a", "b"), "k", {"text": "two 你好 \x00 😀"})
    changed = store.get(("a", "b"), "k")
    assert (
        changed is not None
        and changed.value == {"text": "two 你好 \x00 😀"}
        and changed.updated_at >= first.updated_at
    )
    assert (
        store.get(("a",), "k") is None
        and store.get(("a", "b"), "other") is None
        and store.get(("A", "b"), "k") is None
    )
    store.delete(("a", "b"), "k")
    store.delete(("a", "b"), "never there")
    assert store.get(("a", "b"), "k") is None and store.search(("a",)) == []


def test_a_batch_answers_in_order_and_reads_before_it_writes(store: BaseStore) -> None:
    store.put(("t", "x"), "k1", {"data": 1})
    results = store.batch(
        [
            PutOp(("t", "x"), "k1", {"data": 2}),
            GetOp(("t", "x"), "k1"),
            SearchOp(("t",), filter={"data": 1}),
            ListNamespacesOp(),
            PutOp(("t", "y"), "k2", {"data": 3}),
            PutOp(("t", "y"), "k2", {"data": 4}),
            GetOp(("t", "y"), "k2"),
        ]
    )
    assert results[0] is None and results[1].value == {"data": 1} and keys(results[2]) == ["k1"]  # type: ignore[union-attr]
    assert results[3] == [("t", "x")] and results[4:] == [None, None, None]
    assert store.get(("t", "x"), "k1").value == {"data": 2}  # type: ignore[union-attr]
    assert store.get(("t", "y"), "k2").value == {"data": 4}  # type: ignore[union-attr]


@pytest.mark.parametrize("namespace", [(), ("a", "b.c"), ("a", ""), ("langgraph", "a")])
async def test_a_namespace_that_is_none_is_refused(
    store: BaseStore, namespace: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})
    if isinstance(store, SqliteStore):
        return  # it has no asynchronous methods
    with pytest.raises(InvalidNamespaceError):
        await store.aput(namespace, "k", {})


def test_a_search_stays_in_its_namespace_and_those_below_it(store: BaseStore) -> None:
    for labels in [
        ("foo",),
        ("foo", "bar"),
        ("foobar",),
        ("FOO",),
        ("foo*",),
        ("foo/",),
        ("foo_", "bar"),
    ]:
        store.put(labels, "-".join(labels), {"n": 1})
    assert sorted(keys(store.search(("foo",)))) == ["foo", "foo-bar"]
    assert keys(store.search(("foo", "bar"))) == ["foo-bar"]
    assert len(store.search(())) == 7 and store.search(("f",)) == []


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"colour": "red"}, ["a", "c"]),
    ({"n": {"$gt": 1}}, ["b", "c"]),
    ({"n": {"$gte": 1, "$lt": 3}}, ["a", "b"]),
    ({"n": {"$lte": 1}}, ["a"]),
    ({"colour": {"$ne": "red"}}, ["b"]),
    ({"colour": {"$eq": "blue"}}, ["b"]),
    ({"colour": "red", "n": 3}, ["c"]),
    ({"missing": "x"}, []),
]


@pytest.mark.parametrize(("wanted", "found"), FILTERS)
def test_a_filter_takes_what_it_says(
    store: BaseStore, wanted: dict[str, Any], found: list[str]
) -> None:
    for key, colour, n in [("a", "red", 1), ("b", "blue", 2), ("c", "red", 3)]:
        store.put(("f",), key, {"colour": colour, "n": n, "in": {"side": colour}})
    assert sorted(keys(store.search(("f",), filter=wanted))) == found


def test_pages_of_a_search_hold_every_item_once(store: BaseStore) -> None:
    for n in range(25):
        store.put(("p",), f"k{n}", {"n": n, "odd": n % 2})
    pages = [keys(store.search(("p",), limit=10, offset=first)) for first in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0] and len(set(sum(pages, []))) == 25  # noqa: RUF017
    assert len(store.search(("p",), filter={"odd": 1}, limit=10, offset=10)) == 2


NAMES = [
    *(("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")),
    *(("users", "1"), ("users", "2", "s")),
]


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ({}, sorted(NAMES)),
        ({"prefix": ("a", "b")}, NAMES[:3]),
        ({"suffix": ("f",)}, NAMES[2:5]),
        ({"prefix": ("a",), "suffix": ("f",)}, NAMES[2:4]),
        (
            {"prefix": ("a", "b"), "max_depth": 3},
            [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")],
        ),
        ({"max_depth": 1}, [("a",), ("b",), ("users",)]),
        ({"prefix": ("a", "b"), "limit": 1, "offset": 1}, [NAMES[1]]),
        ({"prefix": ("a", "*", "f")}, NAMES[2:4]),
        ({"suffix": ("*", "f")}, NAMES[2:5]),
        ({"prefix": ("users", "1")}, [("users", "1")]),
        ({"prefix": ("user",)}, []),
    ],
)
def test_namespaces_are_listed(
    store: BaseStore, asked: dict[str, Any], listed: list[tuple[str, ...]]
) -> None:
    for labels in NAMES:
        store.put(labels, "k", {"n": 1})
    assert sorted(store.list_namespaces(**asked)) == listed
    condition = MatchCondition("prefix", ("users",))
    assert store.batch([ListNamespacesOp((condition,))]) == [[("users", "1"), ("users", "2", "s")]]


def test_a_query_brings_what_fits_it_best_first(vectors: BaseStore) -> None:
    vectors.put(("v",), "near", {"text": "zebra jazz"})
    vectors.put(("v",), "far", {"text": "mmm ooo"})
    vectors.put(("w",), "elsewhere", {"text": "zebra jazz quiz"})
    found = vectors.search(("v",), query="zebra jazz")
    assert keys(found) == ["near", "far"]
    assert found[0].score is not None and found[0].score > (found[1].score or 0.0)
    assert keys(vectors.search(("v",), query="zebra jazz", limit=1)) == ["near"]
    vectors.put(("v",), "near", {"text": "mmm mmm"})
    vectors.put(("v",), "far", {"text": "zebra jazz"})
    assert keys(vectors.search(("v",), query="zebra jazz"))[0] == "far"


def test_a_query_and_a_filter_hold_together(vectors: BaseStore) -> None:
    for n in range(8):
        vectors.put(("v",), f"k{n}", {"text": "zebra " + "jazz " * n, "odd": n % 2})
    found = vectors.search(("v",), query="zebra", filter={"odd": 1}, limit=3)
    assert keys(found) == ["k1", "k3", "k5"]


def test_what_is_indexed_can_be_told_for_each_item(vectors: BaseStore) -> None:
    vectors.put(("v",), "other", {"text": "mmm", "more": "zebra jazz"}, index=["more"])
    vectors.put(
        ("v",),
        "list",
        {"text": "mmm", "parts": [{"t": "ooo"}, {"t": "zebra jazz kiwi"}]},
        index=["parts[*].t"],
    )
    vectors.put(("v",), "not", {"text": "zebra jazz"}, index=False)
    vectors.put(("v",), "plain", {"text": "mmm"})
    found = vectors.search(("v",), query="zebra jazz")
    assert keys(found)[:2] == ["other", "list"]
    assert [item.key for item in found if item.score is None] == ["not"]
    assert vectors.get(("v",), "not") is not None
