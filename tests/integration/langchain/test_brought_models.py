"""Models that a caller brings: LangChain's chat models, embeddings and document compressors, of whatever provider."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, HistorianEmbeddings, HistorianStore, InvalidInput, Scope
from historian.models.calls import error_of
from historian.models.endpoint import FormRejected, InputRejected, endpoint_of
from historian.models.given import GivenModels, embedder_of
from historian.models.rerank import reranker_of
from historian.models.usage import UsageMeter
from historian.schema.errors import ModelAnswerUnusable, ModelRefused, ModelUnavailable
from historian.schema.settings import ModelSettings
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelRateLimitError,
)
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, Field, SecretStr
from support.memory import private_fields, settings_for
from support.models.scripted_model import ScriptedModel
from support.recall import WORDS, WordEmbedder
from support.servers.openai_answers import echo_responder
from support.servers.openai_server import OpenAIServer

ANN = Scope.private("7")
USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


class Provider(ScriptedModel):
    """A chat model of some provider that knows the `methods` and answers as the test server does. Fails with `fault`."""

    methods: tuple[str, ...] = ("tool", "schema")
    asked: list[str] = Field(default_factory=list)
    fault: Any = None
    api_key: SecretStr = SecretStr("a-key-that-nobody-may-see")
    model: str = "some-model"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **more: Any
    ) -> Runnable[Any, AIMessage]:
        if "tool" not in self.methods:
            raise NotImplementedError
        name = tools[0]["function"]["name"]
        assert tool_choice == name

        async def answer(messages: list[BaseMessage]) -> AIMessage:
            arguments = self._answer("tool", messages, {"tools": tools})
            return AIMessage(
                "", tool_calls=[{"name": name, "args": arguments, "id": "1"}], usage_metadata=USAGE
            )  # type: ignore[arg-type]

        return RunnableLambda(answer)  # type: ignore[return-value]

    def with_structured_output(
        self, schema: Any, *, include_raw: bool = False, **more: Any
    ) -> Runnable[Any, Any]:
        if "schema" not in self.methods:
            raise ValueError("no such method")
        assert include_raw and schema["title"] and more == {"method": "json_schema"}

        async def answer(messages: list[BaseMessage]) -> dict[str, Any]:
            found = self._answer(
                "schema", messages, {"response_format": {"json_schema": {"name": schema["title"]}}}
            )
            return {"raw": AIMessage(json.dumps(found)), "parsed": found}

        return RunnableLambda(answer)

    async def _agenerate(self, messages: list[BaseMessage], *arguments: Any, **options: Any) -> Any:
        self.script.append(json.dumps(self._answer("text", messages, {}), ensure_ascii=False))
        return self._generate(messages)

    def _answer(self, method: str, messages: Any, form: Mapping[str, Any]) -> Any:
        self.asked.append(method)
        if self.fault is not None:
            raise self.fault
        said = [
            one
            if isinstance(one, tuple)
            else ("user" if one.type == "human" else "system", one.content)
            for one in messages
        ]
        return echo_responder(
            {"messages": [{"role": role, "content": text} for role, text in said], **form}
        )


class Vectors(Embeddings):
    model = "some-vectors"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(2 * value) for value in WordEmbedder().vector(text)]


class LongestFirst(BaseDocumentCompressor):
    scored: bool = False

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        found = sorted(documents, key=lambda one: -len(one.page_content))[:2]
        if self.scored:
            for one in found:
                one.metadata["relevance_score"] = len(one.page_content) / 100
        return found


@pytest.mark.parametrize("methods", [("tool", "schema"), ("schema",), ()])
async def test_a_chat_model_of_any_provider_does_the_background_work(
    tmp_path: Path, methods: tuple[str, ...]
) -> None:
    model = Provider(script=[], methods=methods)
    async with CognitiveService.open(settings_for(tmp_path), chat_model=model) as memory:
        await memory.enqueue_job("I told her a story", ["She likes tea"], **private_fields())
        assert await memory.settled(20)
        assert [event.rewritten_by for event in await memory.list_events(ANN)] == ["model", "model"]
        profile = await memory.get_profile("user", "7", ANN)
        assert profile is not None and "tea" in profile.summary
        stats = await memory.stats()
    assert stats["models"]["chat"] == "some-model" and stats["usage"]["rewrite"]["calls"] >= 1
    assert set(model.asked) == {methods[0] if methods else "text"}, (
        "what it does not know is not asked of it"
    )
    if methods[:1] == ("tool",):
        assert stats["usage"]["rewrite"]["prompt_tokens"] >= 10


async def test_a_chat_openai_of_ones_own_is_asked_as_the_one_of_the_settings_is(
    tmp_path: Path,
) -> None:
    from langchain_openai import ChatOpenAI

    asked: list[list[dict[str, Any]]] = []
    for place in ("settings", "given"):
        with OpenAIServer() as server:
            given: Any = {}
            settings = settings_for(tmp_path / place, base_url=server.base_url)
            if place == "given":
                settings = settings_for(tmp_path / place)
                given["chat_model"] = ChatOpenAI(
                    model="test", base_url=server.base_url, api_key=SecretStr("none")
                )
            async with CognitiveService.open(settings, **given) as memory:
                await memory.enqueue_job(
                    "I told her a story", ["She likes tea"], **private_fields(request_id="r1")
                )
                assert await memory.settled(20)
                assert [event.rewritten_by for event in await memory.list_events(ANN)] == [
                    "model",
                    "model",
                ]
            asked.append([request.body for request in server.requests("chat")])
    parts = ("messages", "tools", "tool_choice")
    assert asked[0] and [[one[part] for part in parts] for one in asked[0]] == [
        [one[part] for part in parts] for one in asked[1]
    ]


async def test_embeddings_and_a_compressor_of_ones_own_find_and_order(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with CognitiveService.open(
        settings, embeddings=Vectors(), reranker=LongestFirst()
    ) as memory:
        await memory.enqueue_job(
            new_info=["She drinks tea in the long afternoons of autumn", "Tea helps her"],
            **private_fields(),
        )
        assert await memory.settled(20)
        hits = await memory.search("tea", ANN)
        assert [hit.event.text.split()[1] for hit in hits[:2]] == [
            "drinks",
            "helps",
        ] and "dense" in hits[0].scores
        assert hits[0].scores["rerank"] > hits[1].scores["rerank"]
        stats = await memory.stats()
        assert stats["models"] == {
            "chat": "",
            "embedding": "Vectors:some-vectors",
            "rerank": "LongestFirst",
        }
        async with HistorianStore(memory) as store:
            await store.aput(("notes",), "a", {"text": "tea"})
            assert (await store.asearch(("notes",), query="tea"))[0].score == 1.0
    async with CognitiveService.open(
        settings, embeddings=HistorianEmbeddings(WordEmbedder())
    ) as memory:
        assert memory.reading_state() == "keywords", "vectors of other embeddings are not compared"
        assert await memory.search("tea", ANN)


@pytest.mark.parametrize(
    ("argument", "given"), [("chat_model", "gpt"), ("embeddings", len), ("reranker", Vectors())]
)
def test_what_is_no_model_is_refused_before_anything_is_opened(
    tmp_path: Path, argument: str, given: Any
) -> None:
    with pytest.raises(
        InvalidInput, match=rf"{argument}: expected .*LangChain .*, got {type(given).__name__}"
    ):
        CognitiveService.open(settings_for(tmp_path), **{argument: given})


class Refusal(Exception):
    def __init__(self, said: str, status_code: int) -> None:
        super().__init__(said)
        self.status_code = status_code


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Refusal("a-key-that-nobody-may-see is wrong", 401), ModelRefused),
        (Refusal("slow down", 429), ModelUnavailable),
        (Refusal("prompt is too long: 9 tokens", 400), InputRejected),
        (Refusal("tools are not supported", 400), FormRejected),
        (ModelAuthenticationError("wrong"), ModelRefused),
        (ModelRateLimitError("slow down"), ModelUnavailable),
        (ContextOverflowError("too long"), InputRejected),
        (ConnectionRefusedError("nobody there"), ModelUnavailable),
        (NotImplementedError(), FormRejected),
        (type("ReadTimeout", (Exception,), {})("late"), ModelUnavailable),
        (RuntimeError("whatever"), ModelUnavailable),
    ],
)
async def test_errors_of_any_client_are_told_from_one_another_and_hold_no_key(
    error: Exception, expected: type[Exception]
) -> None:
    model = Provider(script=[])
    told = error_of(error, endpoint_of(model, "chat_model"), 5.0)
    assert (
        isinstance(told, expected)
        and "nobody-may-see" not in str(told)
        and "some-model" in str(told)
    )

    class Form(BaseModel):
        value: str

    model.fault = error
    with pytest.raises(HistorianErrors) as raised:
        chat = GivenModels(chat=model).chat_model(ModelSettings())
        assert chat is not None
        await chat.structured(Form, purpose="rewrite", system="", user="x")
    assert "nobody-may-see" not in str(raised.value) and raised.value.__cause__ is None


HistorianErrors = (ModelUnavailable, ModelRefused, ModelAnswerUnusable)


async def test_a_model_that_fails_waits_and_the_job_is_not_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Provider(script=[], fault=Refusal("overloaded", 529))
    async with CognitiveService.open(settings_for(tmp_path), chat_model=model) as memory:
        await memory.enqueue_job(new_info=["She likes tea"], **private_fields())
        assert not await memory.settled(0.3)
        assert await memory.search("tea", ANN), "it is found while it waits"
    assert any(
        "529" in record.message for record in caplog.records if record.levelno >= logging.WARNING
    )


async def test_vectors_and_rankings_that_are_none_are_refused() -> None:
    class Broken(Vectors):
        def embed_query(self, text: str) -> list[float]:
            return [0.0] * len(WORDS)

    with pytest.raises(ModelAnswerUnusable):
        await embedder_of(Broken(), UsageMeter()).embed_query("tea")
    assert (await embedder_of(Vectors(), UsageMeter()).embed_documents([])).shape == (0, 0)
    ranked = await reranker_of(LongestFirst(scored=True), UsageMeter()).rerank(
        "x", ["a", "bbb", "cc"], 5
    )
    assert ranked == [(1, 0.03), (2, 0.02)]
    assert [
        place
        for place, _ in await reranker_of(LongestFirst(), UsageMeter()).rerank(
            "x", ["a", "bbb", "cc"], 1
        )
    ] == [1]

    class Nothing(BaseDocumentCompressor):
        def compress_documents(
            self, documents: Sequence[Document], query: str, callbacks: Any = None
        ) -> Sequence[Document]:
            return [Document("made up")]

    with pytest.raises(ModelAnswerUnusable, match="no usable ranking"):
        await reranker_of(Nothing(), UsageMeter()).rerank("x", ["a"], 1)
