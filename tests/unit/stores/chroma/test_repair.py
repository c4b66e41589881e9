"""The derived index and the truth, after crashes in between, losses and damage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.stores.chroma.index import COLLECTION, ChromaIndex
from historian.stores.index_repair import repair
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.tables.events.shadow_vectors import ShadowVectors
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from support.events import make_event, unit_vectors
from support.stores import open_events


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    opened = open_events(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ChromaIndex]:
    opened = ChromaIndex(tmp_path / "chromadb")
    yield opened
    opened.close()


def file_jobs(store: SqliteEventStore, jobs: int) -> None:
    for n in range(jobs):
        job_id = f"j{n}-0"
        store.file_job(
            job_id, [make_event(job_id, i) for i in range(3)], [*unit_vectors(2, seed=n), None]
        )


def assert_same(store: SqliteEventStore, index: ChromaIndex) -> None:
    names, matrix = store.vectors(EventFilter(None))
    found = index._open().get(include=["embeddings", "documents"])
    assert sorted(found["ids"]) == sorted(names) and None not in (found["documents"] or [])
    held = dict(zip(found["ids"], found["embeddings"] if len(names) else [], strict=True))
    for name, vector in zip(names, matrix, strict=True):
        np.testing.assert_allclose(held[name], vector, atol=1e-6)


def written_by(
    work: Callable[[], object], index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> int:
    """How many vectors `work` writes into the index."""
    written: list[str] = []
    upsert = ChromaIndex.upsert

    def counted(self: ChromaIndex, ids: Sequence[str], *columns: Any) -> None:
        written.extend(ids)
        upsert(self, ids, *columns)

    with monkeypatch.context() as patch:
        patch.setattr(ChromaIndex, "upsert", counted)
        work()
    return len(written)


def test_a_crash_between_truth_and_index_is_repaired(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_jobs(store, 3)
    event = store.get(["j0-0:0"])[0]
    index.upsert([event.event_id], unit_vectors(1, seed=99))
    assert written_by(lambda: repair(store, index, 2), index, monkeypatch) == 6
    assert_same(store, index)
    assert written_by(lambda: repair(store, index), index, monkeypatch) == 0


def test_edits_and_deletions_reach_the_index(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_jobs(store, 3)
    repair(store, index)
    store.delete(["j0-0:0", "j0-0:2"])
    store.edit("j1-0:0", "no vector yet", None)
    store.edit("j1-0:1", "another", unit_vectors(1, seed=50)[0])
    store.set_vectors(["j1-0:2"], unit_vectors(1, seed=51))
    assert written_by(lambda: repair(store, index), index, monkeypatch) == 2, "it is not rebuilt"
    assert_same(store, index)


def test_a_lost_index_is_filled_anew(store: SqliteEventStore, index: ChromaIndex) -> None:
    file_jobs(store, 4)
    repair(store, index)
    index.reset()
    repair(store, index, 3)
    assert_same(store, index)


def test_an_index_that_holds_strangers_is_filled_anew(
    store: SqliteEventStore, index: ChromaIndex
) -> None:
    file_jobs(store, 2)
    repair(store, index)
    index.upsert(["stranger"], unit_vectors(1, seed=60))
    repair(store, index)
    assert_same(store, index)


def test_a_damaged_directory_is_a_storage_error_and_repaired_without_embedding(
    store: SqliteEventStore, tmp_path: Path
) -> None:
    file_jobs(store, 2)
    first = ChromaIndex(tmp_path / "chromadb")
    repair(store, first)
    first.close()
    (tmp_path / "chromadb" / "chroma.sqlite3").write_bytes(b"garbage " * 1000)
    index = ChromaIndex(tmp_path / "chromadb")
    for use in (index.count, index.ids, lambda: index.delete(["x"])):
        with pytest.raises(StorageError, match=r"chromadb.*derived"):
            use()
    repair(store, index)
    assert_same(store, index)
    index.close()


def test_another_model_reaches_the_index(store: SqliteEventStore, index: ChromaIndex) -> None:
    file_jobs(store, 2)
    repair(store, index)
    shadow = ShadowVectors(SqliteEventRows(store.database))
    shadow.begin("large", 16)
    made = [one for one in shadow.lacking(0, 9) if one.event_id in ("j0-0:0", "j1-0:1")]
    shadow.store(made, unit_vectors(2, dimension=16))
    shadow.change_over()
    repair(store, index)
    assert_same(store, index)


def test_it_stops_between_batches_when_asked_and_goes_on_later(
    store: SqliteEventStore, index: ChromaIndex
) -> None:
    file_jobs(store, 5)
    asked = iter([False, False, True, True])
    repair(store, index, 2, stop=lambda: next(asked))
    assert index.count() == 4
    repair(store, index)
    assert_same(store, index)


def test_a_deletion_and_an_event_filed_between_two_looks_are_both_seen(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_jobs(store, 2)
    repair(store, index)
    store.delete(["j0-0:0"])
    store.file_job("j9-0", [make_event("j9-0", 0)], unit_vectors(1, seed=77))
    assert written_by(lambda: repair(store, index), index, monkeypatch) == 1
    assert_same(store, index)


def test_a_lost_vector_is_written_again_alone(
    store: SqliteEventStore, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_jobs(store, 3)
    repair(store, index)
    index.delete(["j1-0:1"])
    assert written_by(lambda: repair(store, index), index, monkeypatch) == 1
    assert_same(store, index)


def test_numbers_that_the_store_has_not_reached_are_those_of_another_one(
    store: SqliteEventStore, index: ChromaIndex, tmp_path: Path
) -> None:
    file_jobs(store, 3)
    repair(store, index)
    (tmp_path / "other").mkdir()
    other = open_events(tmp_path / "other")
    file_jobs(other, 1)
    other.edit("j0-0:0", "another text", unit_vectors(1, seed=5)[0])
    repair(other, index)
    assert_same(other, index)
    other.close()


def test_errors_of_the_truth_are_no_reason_to_empty_the_index(
    store: SqliteEventStore, index: ChromaIndex
) -> None:
    file_jobs(store, 2)
    repair(store, index)
    store.close()
    with pytest.raises(StorageError, match="closed"):
        repair(store, index)
    assert index.count() == 4


def test_an_index_that_stays_broken_is_an_error(
    store: SqliteEventStore, index: ChromaIndex, tmp_path: Path
) -> None:
    class Broken(ChromaIndex):
        def upsert(self, ids: Any, vectors: Any, documents: Any = ()) -> None:
            raise StorageError("no space")

    file_jobs(store, 2)
    with pytest.raises(StorageError, match="no space"):
        repair(store, Broken(tmp_path / "chromadb"))
    repair(store, index)
    assert index.count() == 4


def test_importing_it_does_not_import_chroma() -> None:
    import subprocess
    import sys

    code = "import sys, historian.stores.chroma.index; sys.exit('chromadb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_a_closed_index_says_so(index: ChromaIndex) -> None:
    index.close()
    with pytest.raises(StorageError, match="closed"):
        index.count()


class TwoWords(Embeddings):
    """Vectors of two words, as those of the events below."""

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0] if "tea" in text else [0.0, 1.0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def test_langchain_opens_the_collection_and_finds_a_text_with_its_metadata(
    store: SqliteEventStore, index: ChromaIndex, tmp_path: Path
) -> None:
    texts = "Ann likes tea", "Bob rides a bike"
    rows = [np.array(row, dtype=np.float32) for row in TwoWords().embed_documents(list(texts))]
    store.file_job(
        "j1-0",
        [make_event("j1-0", n, text=text, user_name="Ann") for n, text in enumerate(texts)],
        rows,
    )
    repair(store, index)
    index.close()
    opened = Chroma(COLLECTION, TwoWords(), persist_directory=str(tmp_path / "chromadb"))
    (found,) = opened.similarity_search("who drinks tea?", k=1, filter={"scope": "g:7"})
    assert (found.id, found.page_content) == ("j1-0:0", "Ann likes tea")
    assert found.metadata == {
        "scope": "g:7",
        "kind": "fact",
        "day": "2026-02-02",
        "timestamp": 1_770_000_000.0,
        "speaker": "42",
        "name": "Ann",
        "source": "job",
        "is_absolute": True,
    }
    assert opened.similarity_search("tea", k=1, filter={"scope": "g:8"}) == []


def test_a_collection_of_bare_ids_of_a_former_version_is_filled_anew(
    store: SqliteEventStore, index: ChromaIndex
) -> None:
    file_jobs(store, 2)
    names, matrix = store.vectors(EventFilter(None))
    index.upsert(names, list(matrix))
    assert index.count() == store.embedded_count()
    repair(store, index)
    assert_same(store, index)
