"""What every `VectorIndex` promises. `open_index()` opens the same index again after it was closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from historian.schema.errors import FingerprintMismatch
from historian.schema.protocols import VectorIndex
from historian.stores.chroma.index import ChromaIndex
from support.events import DIMENSION, unit_vectors

OpenIndex = Callable[[], VectorIndex]


def _chroma(place: Path) -> OpenIndex:
    return lambda: ChromaIndex(place / "chromadb")


@pytest.fixture(params=[_chroma], ids=["chroma"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> OpenIndex:
    opener: OpenIndex = request.param(tmp_path)
    return opener


@pytest.fixture
def index(open_index: OpenIndex) -> Iterator[VectorIndex]:
    opened = open_index()
    yield opened
    opened.close()


def test_an_empty_index_finds_nothing(index: VectorIndex) -> None:
    assert index.count() == 0
    assert index.query(unit_vectors(1)[0], 5) == []
    index.upsert([], [])
    index.delete([])
    index.delete(["nobody"])


def test_neighbours_come_with_their_cosine_best_first(index: VectorIndex) -> None:
    vectors = unit_vectors(20)
    index.upsert([f"e{n}" for n in range(20)], vectors)
    found = index.query(vectors[3], 5)
    cosines = np.stack(vectors) @ vectors[3]
    best = np.argsort(-cosines)[:5]
    assert [name for name, _ in found] == [f"e{n}" for n in best]
    np.testing.assert_allclose([score for _, score in found], cosines[best], atol=1e-5)
    assert len(index.query(vectors[3], 100)) == 20
    assert index.query(vectors[3], 0) == []


def test_an_upsert_replaces_and_the_last_of_two_counts(index: VectorIndex) -> None:
    first, second, third = unit_vectors(3)
    index.upsert(["e", "e"], [first, second])
    assert index.count() == 1
    assert index.query(second, 1)[0][1] == pytest.approx(1, abs=1e-5)
    index.upsert(["e"], [third])
    assert index.count() == 1
    assert index.query(third, 1)[0][1] == pytest.approx(1, abs=1e-5)


def test_deleted_ids_are_gone(index: VectorIndex) -> None:
    vectors = unit_vectors(3)
    index.upsert(["a", "b", "c"], vectors)
    index.delete(["a", "c", "a", "nobody"])
    assert index.count() == 1
    assert [name for name, _ in index.query(vectors[0], 5)] == ["b"]


def test_more_than_one_batch_goes_in_and_out(index: VectorIndex) -> None:
    vectors = unit_vectors(5600)
    names = [f"e{n}" for n in range(5600)]
    index.upsert(names, vectors)
    assert index.count() == 5600
    index.delete(names)
    assert index.count() == 0


def test_another_dimension_is_refused_and_welcome_after_a_reset(index: VectorIndex) -> None:
    index.upsert(["a"], unit_vectors(1))
    other = unit_vectors(1, dimension=DIMENSION * 2)
    with pytest.raises(FingerprintMismatch, match="reembed"):
        index.upsert(["b"], other)
    with pytest.raises(FingerprintMismatch, match="reembed"):
        index.query(other[0], 5)
    assert index.count() == 1
    index.reset()
    assert index.count() == 0
    index.upsert(["b"], other)
    assert index.query(other[0], 5)[0][0] == "b"


def test_lists_of_different_length_are_refused(index: VectorIndex) -> None:
    with pytest.raises(ValueError, match="shorter"):
        index.upsert(["a", "b"], unit_vectors(1))


def test_what_was_stored_is_there_after_reopening(open_index: OpenIndex) -> None:
    vectors = unit_vectors(2)
    first = open_index()
    first.upsert(["a", "b"], vectors)
    first.close()
    second = open_index()
    assert second.count() == 2
    assert second.query(vectors[1], 1)[0][0] == "b"
    second.close()


def test_ids_are_any_strings(index: VectorIndex) -> None:
    names = ["a:0", "群 '\"🐱", "%2e%2e-1:0", "$and"]
    vectors = unit_vectors(4)
    index.upsert(names, vectors)
    for name, vector in zip(names, vectors, strict=True):
        assert index.query(vector, 1)[0][0] == name
