"""What every `VectorIndex` promises. `open_index()` opens the same index again after it was closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

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


def test_an_empty_index_holds_nothing(index: VectorIndex) -> None:
    assert index.count() == 0 and index.ids() == []
    assert index.noted_numbers(None) is None
    index.upsert([], [])
    index.delete([])
    index.delete(["nobody"])


def test_an_upsert_replaces_and_the_last_of_two_counts(index: VectorIndex) -> None:
    first, second, third = unit_vectors(3)
    index.upsert(["e", "e"], [first, second])
    index.upsert(["e"], [third])
    assert index.count() == 1 and index.ids() == ["e"]


def test_numbers_are_those_of_one_model_until_a_reset(open_index: OpenIndex) -> None:
    index = open_index()
    index.upsert(["a"], unit_vectors(1))
    index.note_numbers(("small", 8), {1: 4, 7: 2})
    index.close()
    again = open_index()
    assert again.noted_numbers(("small", 8)) == {1: 4, 7: 2}
    assert again.noted_numbers(("large", 8)) is None and again.noted_numbers(None) is None
    again.reset()
    assert again.noted_numbers(("small", 8)) is None
    again.close()


def test_deleted_ids_are_gone(index: VectorIndex) -> None:
    vectors = unit_vectors(3)
    index.upsert(["a", "b", "c"], vectors)
    index.delete(["a", "c", "a", "nobody"])
    assert index.count() == 1
    assert index.ids() == ["b"]


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
    assert index.count() == 1
    index.reset()
    assert index.count() == 0
    index.upsert(["b"], other)
    assert index.ids() == ["b"]


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
    assert sorted(second.ids()) == ["a", "b"]
    second.close()


def test_ids_are_any_strings(index: VectorIndex) -> None:
    names = ["a:0", "群 '\"🐱", "%2e%2e-1:0", "$and"]
    vectors = unit_vectors(4)
    index.upsert(names, vectors)
    assert sorted(index.ids()) == sorted(names)
