"""The mean of a scope that grows."""

from __future__ import annotations

import numpy as np
from historian.retrieval.scope_index.centre import PRIOR_EVENTS, VectorSum
from historian.retrieval.scope_index.table import MEAN_KEPT, ScopeTable
from historian.retrieval.scope_index.words import Scores
from historian.schema.protocols import Matrix, Vector
from support.events import DIMENSION, make_event
from support.events import unit_vectors as listed


def unit_vectors(count: int, *, seed: int = 0, dimension: int = DIMENSION) -> Matrix:
    return np.array(listed(count, seed=seed, dimension=dimension), dtype=np.float32)


QUERY = unit_vectors(1, seed=99)[0]


def grown(table: ScopeTable, first: int, vectors: Matrix) -> None:
    rows = range(first, first + len(vectors))
    events = [make_event("j", n) for n in rows]
    assert table.grow(rows, events, [], rows, vectors)


def brute_force(matrix: Matrix, query: Vector, mean: Vector) -> Scores:
    rows, asked = matrix - mean, query - mean
    return np.asarray(
        rows @ asked / np.linalg.norm(rows, axis=1) / np.linalg.norm(asked), dtype=np.float32
    )


def mean_of(matrix: Matrix) -> Vector:
    return np.asarray(
        matrix.sum(axis=0, dtype=np.float64) / (len(matrix) + PRIOR_EVENTS), dtype=np.float32
    )


def test_a_sum_counts_the_general_mean_of_each_language_as_eight_events() -> None:
    means = unit_vectors(2, seed=1)
    vectors = np.vstack([np.tile(means[0], (3, 1)), means[1:]])
    total = VectorSum(means)
    total.add(vectors[:2])
    total.add(vectors[2:])
    general = (3 * means[0] + means[1]) / 4
    assert np.allclose(
        total.mean(means.shape[1]), (vectors.sum(axis=0) + 8 * general) / 12, atol=1e-6
    )
    total.add(vectors[3:], -1)
    assert total.count == 3 and np.allclose(total.mean(means.shape[1]), means[0], atol=1e-6)


def test_without_vectors_the_mean_is_the_origin() -> None:
    empty = VectorSum(None)
    empty.add(np.zeros((0, 5), dtype=np.float32))
    assert empty.count == 0 and empty.mean(5).tolist() == [0.0] * 5


def test_a_table_that_grew_event_by_event_compares_as_one_read_at_once() -> None:
    vectors = unit_vectors(300, seed=2)
    table = ScopeTable((0, 0))
    table.seal()
    for n in range(len(vectors)):
        grown(table, n, vectors[n : n + 1])
        found, mean = table.snapshot.similarities(QUERY, centred=True), table.snapshot.mean
        assert np.allclose(found, brute_force(vectors[: n + 1], QUERY, mean), atol=4e-5)
        behind = (n + 1) // MEAN_KEPT
        assert any(
            np.allclose(mean, mean_of(vectors[: n + 1 - k]), atol=1e-6) for k in range(behind + 1)
        )


def test_an_event_that_gets_its_vector_later_is_compared_by_it() -> None:
    vectors = unit_vectors(100, seed=4)
    table = ScopeTable((0, 0))
    table.seal()
    grown(table, 0, vectors)
    table.grow(
        [len(vectors)], [make_event(event_id="late")], [], [], np.zeros((0, 0), dtype=np.float32)
    )
    before = table.snapshot
    of_known = before.similarities(QUERY, centred=True)[:-1]
    assert not before.is_all_embedded
    late = unit_vectors(1, seed=5)
    table.grow([], [], [], [len(vectors)], late)
    every = np.vstack([vectors, late])
    assert table.snapshot.is_all_embedded and not before.is_all_embedded and not before.embedded[-1]
    found = table.snapshot.similarities(QUERY, centred=True)
    assert np.allclose(found, brute_force(every, QUERY, table.snapshot.mean), atol=4e-5)
    assert np.array_equal(before.similarities(QUERY, centred=True)[:-1], of_known)
