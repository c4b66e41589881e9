"""The reranker against a real server, in every form of answer."""

from __future__ import annotations

import pytest
from historian.models.endpoint import Endpoint
from historian.models.rerank import RankEndpoint, RemoteReranker, make_reranker, ranking
from historian.models.usage import UsageMeter
from historian.schema.errors import (
    ModelAnswerUnusable,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    SettingsError,
)
from historian.schema.settings import RerankSettings
from support.servers.openai_server import OpenAIServer

DOCUMENTS = ["xyz", "tea", "te"]


def reranker_of(base_url: str, **settings: object) -> RemoteReranker:
    given = {"base_url": base_url, "model": "bge-reranker", **settings}
    reranker = make_reranker(RerankSettings.model_validate(given))
    assert reranker is not None
    return reranker


@pytest.mark.parametrize("form", ["results", "data", "scores", "list"])
async def test_every_form_of_answer_is_read(server: OpenAIServer, form: str) -> None:
    server.rerank_form = form
    reranker = reranker_of(server.base_url, api_key="sk-x", query_instruction="te")
    assert [index for index, _ in await reranker.rerank("a", DOCUMENTS, 2)] == [1, 2]
    seen = server.requests("rerank")[0]
    assert seen.body == {
        "model": "bge-reranker",
        "query": "tea",
        "documents": DOCUMENTS,
        "top_n": 2,
    }
    assert seen.headers["authorization"] == "Bearer sk-x"
    await reranker.aclose()


async def test_an_address_that_ends_in_rerank_is_taken_as_it_is(server: OpenAIServer) -> None:
    reranker = reranker_of(server.base_url + "/rerank/")
    assert (await reranker.rerank("tea", DOCUMENTS, 1))[0][0] == 1
    await reranker.aclose()


async def test_only_valid_indexes_are_used_each_once(server: OpenAIServer) -> None:
    server.rerank_form = "wrong_indexes"
    reranker = reranker_of(server.base_url)
    assert await reranker.rerank("tea", DOCUMENTS, 3) == [(1, 0.25)]
    server.rerank_form = "nothing"
    with pytest.raises(ModelAnswerUnusable):
        await reranker.rerank("tea", DOCUMENTS, 3)
    assert await reranker.rerank("tea", [], 3) == []
    await reranker.aclose()


@pytest.mark.parametrize(
    "answer", [None, 7, "x", {}, {"results": None}, {"results": [1]}, {"scores": ["a", None]}, []]
)
def test_no_answer_breaks_the_reading(answer: object) -> None:
    assert ranking(answer, 3) == []


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("401", ModelRefused),
        ("404", ModelRefused),
        ("429", ModelUnavailable),
        ("503", ModelUnavailable),
        ("close", ModelUnavailable),
        ("cut", ModelUnavailable),
        ("web_page", ModelAnswerUnusable),
        ("gzip_bomb", ModelAnswerUnusable),
        ("endless", ModelAnswerUnusable),
        ("hang", ModelUnavailable),
        ("drip", ModelUnavailable),
    ],
)
async def test_errors_are_mapped_and_time_is_limited(
    server: OpenAIServer, behaviour: str, kind: type[ModelError]
) -> None:
    server.fail("rerank", behaviour)
    endpoint = Endpoint("models.rerank", server.base_url, "m", "sk-secret-of-the-test")
    reranker = RemoteReranker(
        endpoint,
        RankEndpoint(endpoint),
        timeout_seconds=0.5 if behaviour in ("hang", "drip") else 10.0,
    )
    with pytest.raises(kind, match=r"models\.rerank") as caught:
        await reranker.rerank("tea", DOCUMENTS, 3)
    assert "sk-secret" not in str(caught.value)
    await reranker.aclose()


def test_it_is_used_only_when_it_is_configured_whole() -> None:
    assert make_reranker(RerankSettings()) is None
    with pytest.raises(SettingsError, match=r"models\.rerank\.model"):
        make_reranker(RerankSettings(base_url="http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("form", "tokens", "characters"), [("usage", 21, 0), ("cohere", 12, 0), ("results", 0, 10)]
)
async def test_tokens_are_counted_as_the_server_tells_them(
    server: OpenAIServer, form: str, tokens: int, characters: int
) -> None:
    usage = UsageMeter()
    reranker = make_reranker(RerankSettings(base_url=server.base_url, model="bge-reranker"), usage)
    assert reranker is not None
    server.rerank_form = form
    await reranker.rerank("te", DOCUMENTS, 2)
    used = usage.by_purpose()["rerank"]
    assert (used.calls, used.prompt_tokens, used.characters) == (1, tokens, characters)
    await reranker.aclose()
