"""The remote embedder against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from historian.models.embeddings.factory import make_embedder
from historian.models.embeddings.remote import RemoteEmbedder
from historian.models.usage import UsageMeter
from historian.schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable
from historian.schema.settings import EmbeddingSettings
from support.servers.openai_server import OpenAIServer, hashed_vector


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(dimension=16) as server:
        yield server


def embedder_of(server: OpenAIServer, **settings: object) -> RemoteEmbedder:
    given = {"base_url": server.base_url, "model": "bge-m3", **settings}
    embedder = make_embedder(EmbeddingSettings.model_validate(given))
    assert isinstance(embedder, RemoteEmbedder)
    return embedder


def sent(server: OpenAIServer) -> list[list[str]]:
    return [seen.body["input"] for seen in server.requests("embeddings")]


async def test_documents_go_in_batches_and_come_back_in_order(server: OpenAIServer) -> None:
    embedder = embedder_of(server, batch_size=3)
    texts = [f"text {n}" for n in range(7)]
    rows = await embedder.embed_documents(texts)
    assert [len(batch) for batch in sent(server)] == [3, 3, 1]
    assert rows.dtype == np.float32
    assert np.allclose(rows, [hashed_vector(text, 16) for text in texts], atol=1e-6)
    assert (embedder.dimension, embedder.is_remote) == (16, True)
    body = server.requests("embeddings")[0].body
    assert body["encoding_format"] == "float"
    assert "dimensions" not in body
    assert (await embedder.embed_documents([])).shape == (0, 16)
    await embedder.aclose()


async def test_dimensions_and_instructions_are_sent(server: OpenAIServer) -> None:
    embedder = embedder_of(
        server, dimensions=8, query_instruction="Find: ", document_instruction="Note: "
    )
    assert embedder.dimension == 8
    assert (await embedder.embed_documents(["tea", "  "])).shape == (2, 8)
    assert (await embedder.embed_query("tea")).shape == (8,)
    assert sent(server) == [["Note: tea", "Note: ."], ["Find: tea"]]
    assert embedder.model.startswith("openai:bge-m3@8#")
    await embedder.aclose()


async def test_vectors_are_brought_to_length_one(server: OpenAIServer) -> None:
    server.embedding_fault = "unnormalised"
    embedder = embedder_of(server)
    assert np.linalg.norm(await embedder.embed_query("tea")) == pytest.approx(1.0, abs=1e-6)
    await embedder.aclose()


@pytest.mark.parametrize(
    ("fault", "words"), [("zero", "all zeros"), ("nan", "NaN"), ("short", "0 vectors for 1 texts")]
)
async def test_vectors_that_mean_nothing_are_refused(
    server: OpenAIServer, fault: str, words: str
) -> None:
    server.embedding_fault = fault
    embedder = embedder_of(server)
    with pytest.raises(ModelAnswerUnusable, match=words):
        await embedder.embed_query("tea")
    with pytest.raises(ModelAnswerUnusable, match=words):
        await embedder.embed_documents(["one", "two"])
    await embedder.aclose()


async def test_another_dimension_than_before_is_refused(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    await embedder.embed_query("tea")
    server.dimension = 24
    with pytest.raises(ModelAnswerUnusable, match="24 dimensions, but 16 were expected"):
        await embedder.embed_query("tea")
    await embedder.aclose()


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("401", ModelRefused),
        ("404", ModelRefused),
        ("400", ModelRefused),
        ("429", ModelUnavailable),
        ("500", ModelUnavailable),
        ("close", ModelUnavailable),
        ("cut", ModelUnavailable),
        ("web_page", ModelRefused),
        ("gzip_bomb", ModelUnavailable),
        ("endless", ModelUnavailable),
        ("no_choices", ModelError),
    ],
)
async def test_errors_name_the_endpoint(
    server: OpenAIServer, behaviour: str, kind: type[ModelError]
) -> None:
    embedder = embedder_of(server, api_key="sk-secret-of-the-test")
    server.fail("embeddings", behaviour)
    for call in (embedder.embed_query("tea"), embedder.embed_documents(["tea"])):
        with pytest.raises(kind, match=r"models\.embedding") as caught:
            await call
        assert "sk-secret" not in str(caught.value)
    await embedder.aclose()


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
async def test_a_server_that_hangs_is_left_when_the_time_is_up(
    server: OpenAIServer, behaviour: str
) -> None:
    embedder = embedder_of(server, batch_size=4)
    embedder.timeout_seconds = 0.3
    await embedder.embed_query("warm")
    server.fail("embeddings", behaviour)
    async with asyncio.timeout(20):
        with pytest.raises(ModelUnavailable, match="no complete answer within"):
            await embedder.embed_documents(["tea"])
    await embedder.aclose()


async def test_batches_shrink_to_what_the_server_takes_and_stay_so(server: OpenAIServer) -> None:
    server.longest_batch = 5
    embedder = embedder_of(server, batch_size=16)
    texts = [f"text {n}" for n in range(16)]
    rows = await embedder.embed_documents(texts)
    assert np.allclose(rows, [hashed_vector(text, 16) for text in texts], atol=1e-6)
    assert [len(batch) for batch in sent(server)] == [16, 8, 4, 4, 8, 4, 4]
    server.forget()
    await embedder.embed_documents(texts[:5])
    assert [len(batch) for batch in sent(server)] == [4, 1]
    await embedder.aclose()


async def test_a_text_that_is_too_long_is_embedded_by_its_beginning(server: OpenAIServer) -> None:
    server.longest_input = 600
    embedder = embedder_of(server)
    long = "".join(f"{n} " for n in range(500))
    rows = await embedder.embed_documents(["short", long])
    assert np.allclose(rows[0], hashed_vector("short", 16), atol=1e-6)
    assert len(sent(server)[-1][0]) <= 600
    assert long.startswith(sent(server)[-1][0])
    assert (await embedder.embed_query(long)).shape == (16,)
    server.forget()
    await embedder.embed_documents(["short", "too"])
    assert len(sent(server)) == 1, "one long text says nothing about the size of batches"
    await embedder.aclose()


async def test_documents_keep_the_interval_and_queries_do_not_wait(server: OpenAIServer) -> None:
    embedder = embedder_of(server, batch_size=1, queue_interval_seconds=0.4)
    await embedder.embed_query("warm")
    batch = asyncio.create_task(embedder.embed_documents(["a", "b"]))
    await asyncio.to_thread(server.wait_for, 2, "embeddings")
    await embedder.embed_query("urgent")
    assert not batch.done()
    await batch
    assert sent(server) == [["warm"], ["a"], ["urgent"], ["b"]]
    await embedder.aclose()


def test_one_embedder_serves_several_event_loops(server: OpenAIServer) -> None:
    embedder = embedder_of(server)
    for _ in range(3):
        assert asyncio.run(embedder.embed_query("x")).shape == (16,)


async def test_tokens_are_counted_as_the_server_tells_them_characters_where_it_tells_none(
    server: OpenAIServer,
) -> None:
    usage = UsageMeter()
    settings = EmbeddingSettings(base_url=server.base_url, model="bge-m3", batch_size=2)
    embedder = make_embedder(settings, usage)
    assert embedder is not None
    await embedder.embed_documents(["one", "two", "three"])
    await embedder.embed_query("four")
    used = usage.by_purpose()["embedding"]
    assert (used.calls, used.prompt_tokens, used.characters) == (3, 15, 0) and used.seconds > 0
    server.embedding_fault = "no_usage"
    await embedder.embed_query("four")
    server.statuses["embeddings"] = "http_500"
    with pytest.raises(ModelError):
        await embedder.embed_query("five")
    used = usage.by_purpose()["embedding"]
    assert (used.calls, used.failed_calls, used.prompt_tokens, used.characters) == (4, 1, 15, 4)
    await embedder.aclose()
