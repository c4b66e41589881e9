"""A LangGraph store with Historian's search: by words and, with an embedder, also by vectors.

>>> store = HistorianStore("config.toml")                                                     # doctest: +SKIP
>>> agent = create_react_agent(model, tools, store=store)                                     # doctest: +SKIP
>>> await store.aput(("notes", "42"), "tea", {"text": "她喜欢喝龙井茶"})                        # doctest: +SKIP
>>> await store.asearch(("notes",), query="喝什么茶")                                           # doctest: +SKIP

The store is the file `items.sqlite` in the data directory. It holds data that an application
stores under its own keys, and is independent of events. Several processes may use it at once.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from langchain_core.embeddings import Embeddings
from langgraph.store import base

from ...models.embeddings.factory import make_embedder
from ...retrieval.fusion import from_zero, stretched, with_estimates
from ...retrieval.scope_index.words import Scores
from ...schema.protocols import Vector
from ...schema.settings import Settings
from ...schema.settings.source import load_settings
from ...service.blocking import run_blocking
from ...service.cognitive import CognitiveService
from ...stores.opening import open_items
from ...stores.tables.items import NewItem, Rows, StoredItem
from .embeddings import HistorianEmbeddings
from .store_conditions import compared, fits

log = logging.getLogger(__name__)

READ_AT_ONCE = 200
"""Number of items that a filtered search reads per query, until it has as many as requested."""


@dataclass(frozen=True, slots=True)
class _Put:
    """A put operation with its value as JSON and the texts to index."""

    op: base.PutOp
    value: str | None
    texts: Sequence[str]


_Found = tuple[StoredItem, dict[str, Any], float | None]
"""An item with its value, and its score or None if it does not match the query."""
_Vectors = Mapping[tuple[str, str], Vector]
"""Vectors by ("document" or "query", text)."""


class HistorianStore(base.BaseStore):
    """A `BaseStore` in the data directory of `config`.

    - `config`: a settings file, Settings, an open CognitiveService, or None as in
      `CognitiveService.open`.
    - `index`: `{"embed": …, "fields": […]}`, as in LangGraph's other stores. Without `embed` the
      configured embedder is used (the service's, if `config` is a service). If there is no
      embedder, or if it fails, items are found by words alone. `fields` are the paths of the texts
      in the value; the default is the whole value.
    - `ttl`: as in LangGraph's other stores. Expired items are never returned; they are deleted at
      the next write.

    A search with a query returns the matching items first, best first, each with a score from 0 to
    1 relative to the other items of this search. Items that do not match follow without a score,
    newest first. A search without a query returns the newest items first. Filters accept `$eq`,
    `$ne`, `$gt`, `$gte`, `$lt` and `$lte`. Raises StorageError.
    """

    supports_ttl = True

    def __init__(
        self,
        config: str | Path | Settings | CognitiveService | None = None,
        *,
        index: base.IndexConfig | None = None,
        ttl: base.TTLConfig | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        given = config.settings if isinstance(config, CognitiveService) else config
        settings = given if isinstance(given, Settings) else load_settings(given)
        self.ttl_config = ttl
        self._settings = settings
        self._clock = clock
        asked = index or {}
        self._fields = asked.get("fields") or ["$"]
        self._embeddings = (
            base.ensure_embeddings(asked["embed"])
            if "embed" in asked
            else _configured(config, settings)
        )
        self._model = _model_of(self._embeddings)
        self._items = open_items(settings)

    def close(self) -> None:
        """Close the file."""
        self._items.close()

    async def aclose(self) -> None:
        """`close` without blocking the event loop."""
        await asyncio.to_thread(self._items.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Carry out operations: first all reads, then all writes in one transaction."""
        planned = list(ops)
        puts = self._puts(planned)
        return self._carried_out(planned, puts, run_blocking(self._vectors(planned, puts)))

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """`batch` without blocking the event loop."""
        planned = list(ops)
        puts = self._puts(planned)
        return await asyncio.to_thread(
            self._carried_out, planned, puts, await self._vectors(planned, puts)
        )

    async def _vectors(self, ops: Sequence[base.Op], puts: Sequence[_Put]) -> _Vectors:
        """Return the vectors of all texts and queries; {} if there is no embedder or it fails."""
        documents = list(dict.fromkeys(text for put in puts for text in put.texts))
        queries = list(
            dict.fromkeys(op.query for op in ops if isinstance(op, base.SearchOp) and op.query)
        )
        if self._embeddings is None or not (documents or queries):
            return {}
        try:
            found = await self._embeddings.aembed_documents(documents) if documents else []
            asked = await asyncio.gather(*map(self._embeddings.aembed_query, queries))
        except Exception as error:
            log.warning(
                "the store works by words alone for now: the embedder fails (%s)",
                type(error).__name__,
            )
            return {}
        named = [
            *(("document", text) for text in documents),
            *(("query", text) for text in queries),
        ]
        return {name: _unit(vector) for name, vector in zip(named, [*found, *asked], strict=True)}

    def _puts(self, ops: Sequence[base.Op]) -> list[_Put]:
        """Return the writes, with only the last one per key.

        Raises ValueError or TypeError for a value that is not JSON.
        """
        last: dict[tuple[tuple[str, ...], str], _Put] = {}
        for op in ops:
            base.validate_op_namespace(op)
            if isinstance(op, base.PutOp):
                value = None if op.value is None else json.dumps(op.value, allow_nan=False)
                paths = [] if value is None or op.index is False else op.index or self._fields
                texts = [
                    text for path in paths for text in base.get_text_at_path(op.value, path) if text
                ]
                last[tuple(op.namespace), op.key] = _Put(op, value, texts)
        return list(last.values())

    def _carried_out(
        self, ops: Sequence[base.Op], puts: Sequence[_Put], vectors: _Vectors
    ) -> list[base.Result]:
        now = self._clock()
        read: list[StoredItem] = []
        results = [self._result(op, vectors, now, read) for op in ops]
        if rows := [item.row for item in read if item.ttl_seconds is not None]:
            self._items.touch(rows, now)
        if puts:
            self._items.put([self._new(put, vectors) for put in puts], now)
        return results

    def _new(self, put: _Put, vectors: _Vectors) -> NewItem:
        seconds = None if put.op.ttl is None else put.op.ttl * 60
        found = [vectors["document", text] for text in put.texts if ("document", text) in vectors]
        return NewItem(
            _joined(put.op.namespace), put.op.key, put.value, seconds, put.texts, found, self._model
        )

    def _result(
        self, op: base.Op, vectors: _Vectors, now: float, read: list[StoredItem]
    ) -> base.Result:
        """Return the result of an operation. Items whose time to live restarts go into `read`."""
        if isinstance(op, base.GetOp):
            found = self._items.get(_joined(op.namespace), op.key, now)
            if found is not None and op.refresh_ttl:
                read.append(found)
            return None if found is None else base.Item(**_fields_of(found))
        if isinstance(op, base.SearchOp):
            hits = self._search(op, vectors.get(("query", op.query or "")), now)
            if op.refresh_ttl:
                read += [item for item, _, _ in hits]
            return [
                base.SearchItem(**{**_fields_of(item), "value": value}, score=score)
                for item, value, score in hits
            ]
        if isinstance(op, base.ListNamespacesOp):
            names = (tuple(name.split(".")) for name in self._items.namespaces(now))
            wanted = (
                name for name in names if all(fits(one, name) for one in op.match_conditions or ())
            )
            return sorted({name[: op.max_depth] for name in wanted})[
                op.offset : op.offset + op.limit
            ]
        return None

    def _search(self, op: base.SearchOp, vector: Vector | None, now: float) -> list[_Found]:
        namespace = _joined(op.namespace_prefix)
        rows = np.array(self._items.rows(namespace, now, op.filter or {}), dtype=np.int64)
        scores = (
            self._scores(op.query, namespace, rows, vector)
            if op.query
            else np.full(len(rows), np.nan, dtype=np.float32)
        )
        order = np.argsort(
            -scores, kind="stable"
        )  # rows without score come last, in the order of `rows`
        found: list[_Found] = []
        wanted_at_once = READ_AT_ONCE if op.filter else max(op.offset + op.limit, 1)
        for first in range(0, len(order), wanted_at_once):
            if len(found) >= op.offset + op.limit:
                break
            places = order[first : first + wanted_at_once]
            known = dict(zip(rows[places].tolist(), scores[places].tolist(), strict=True))
            for item in self._items.read(namespace, list(known)):
                value = json.loads(item.value)
                if all(
                    compared(value.get(name), wanted) for name, wanted in (op.filter or {}).items()
                ):
                    found.append(
                        (item, value, None if np.isnan(known[item.row]) else known[item.row])
                    )
        return found[op.offset : op.offset + op.limit]

    def _scores(self, query: str, namespace: str, rows: Rows, vector: Vector | None) -> Scores:
        """Return one score per row, or NaN for a row without a common word and without a vector.

        The scores of words and vectors are added with the weights of `cognitive.query`.
        """
        ascending = np.argsort(rows)
        matched = self._items.matching(query, namespace)
        words = np.zeros(len(rows), dtype=np.float32)
        places, found = _places_of(np.array(list(matched), dtype=np.int64), rows, ascending)
        words[places] = np.array(list(matched.values()), dtype=np.float32)[found]
        words = from_zero(words)
        total, scored = words, words > 0
        if vector is not None:
            owners, matrix = self._items.vectors(self._model, len(vector))
            places, mine = _places_of(owners, rows, ascending)
            near = np.full(len(rows), -np.inf, dtype=np.float32)
            # If only few rows are compared, copying them is faster. `matrix @ vector` is not used:
            # BLAS would start threads for it, which wait while all processors are busy.
            few = len(places) < len(owners) / 4
            np.maximum.at(
                near,
                places,
                np.vecdot(matrix[mine], vector) if few else np.vecdot(matrix, vector)[mine],
            )
            has_vector = np.isfinite(near)
            weights = self._settings.query
            similarities = with_estimates(near, has_vector, words)
            total = weights.vector_weight * stretched(similarities) + weights.keyword_weight * words
            scored |= has_vector
        return np.where(scored, total, np.float32(np.nan)).astype(np.float32)


def _places_of(
    sought: Rows, rows: Rows, ascending: Rows
) -> tuple[Rows, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Return the positions in `rows` of the values of `sought`, and a mask of `sought`.

    Values that are not in `rows` have no position, and False in the mask. `ascending` are the
    indices that sort `rows`.
    """
    if not len(rows):
        return np.empty(0, np.int64), np.zeros(len(sought), dtype=bool)
    places = ascending[np.minimum(np.searchsorted(rows, sought, sorter=ascending), len(rows) - 1)]
    found = rows[places] == sought
    return places[found], found


def _configured(config: object, settings: Settings) -> Embeddings | None:
    opened = config.lifecycle.opened if isinstance(config, CognitiveService) else None
    embedder = make_embedder(settings.models.embedder) if opened is None else opened.parts.embedder
    return None if embedder is None else HistorianEmbeddings(embedder)


def _model_of(embeddings: Embeddings | None) -> str:
    """Return the model name stored with vectors. Vectors of different models are not compared."""
    if isinstance(embeddings, HistorianEmbeddings):
        return embeddings.embedder.model
    return f"{type(embeddings).__name__}:{getattr(embeddings, 'model', None) or getattr(embeddings, 'model_name', '')}"


def _unit(values: Sequence[float]) -> Vector:
    vector = np.asarray(values, dtype=np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector


def _joined(namespace: Sequence[str]) -> str:
    return ".".join(namespace)


def _fields_of(item: StoredItem) -> dict[str, Any]:
    return {
        "namespace": tuple(item.namespace.split(".")),
        "key": item.key,
        "value": json.loads(item.value),
        "created_at": datetime.fromtimestamp(item.created_at, UTC),
        "updated_at": datetime.fromtimestamp(item.updated_at, UTC),
    }
