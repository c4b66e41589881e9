"""The chat model against a real server that misbehaves in every way we know: the right result, and no call too many."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from historian.models.chat.model import LangChainChatModel, make_chat_model
from historian.models.chat.structured_output import Method
from historian.models.given import GivenModels
from historian.schema.errors import (
    ContentDeclined,
    ModelAnswerUnusable,
    ModelError,
    ModelRefused,
    ModelRested,
    ModelUnavailable,
    SettingsError,
)
from historian.schema.protocols import ChatModel, Usage
from historian.schema.settings import ChatSettings, ModelSettings
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from support.servers.openai_server import OpenAIServer, logged_requests, run_server_process

QUESTION = '{"draft": "Ann likes tea"}\n{"draft": "小史给阿明讲了《今天》"}'
KEY = "sk-secret-of-the-test"


class RecordTexts(BaseModel):
    """The finished texts."""

    model_config = ConfigDict(title="record_texts")

    texts: list[str] = Field(description="finished texts")


EXPECTED = RecordTexts(texts=["Ann likes tea", "小史给阿明讲了《今天》"])


@pytest.fixture(scope="module")
def one_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def server(one_server: OpenAIServer) -> Iterator[OpenAIServer]:
    yield one_server
    one_server.behaviour = "proper"
    one_server.forget()


def chat_of(base_url: str, **settings: object) -> LangChainChatModel:
    given = {
        "base_url": base_url,
        "model": "test",
        "api_key": KEY,
        "timeout_seconds": 20.0,
        **settings,
    }
    model = make_chat_model(ChatSettings.model_validate(given))
    assert model is not None
    return model


@pytest.fixture
async def chat(server: OpenAIServer) -> AsyncIterator[LangChainChatModel]:
    model = chat_of(server.base_url)
    yield model
    await model.aclose()


async def ask(chat: ChatModel) -> RecordTexts:
    return await chat.structured(RecordTexts, purpose="rewrite", system="Rewrite.", user=QUESTION)


def methods(server: OpenAIServer) -> list[str]:
    return [seen.method for seen in server.requests()]


@pytest.mark.parametrize(
    ("behaviour", "asked"),
    [
        ("tool_call", ["tool"]),
        ("arguments_as_object", ["tool"]),
        ("fenced", ["tool"]),
        ("fenced_call", ["tool"]),
        ("json", ["tool"]),
        ("prose", ["tool"]),
        ("single_quotes", ["tool"]),
        ("thinking", ["tool"]),
        ("no_usage", ["tool"]),
        ("only_when_not_tools", ["tool", "tool", "tool", "schema"]),
        ("only_when_not_schema", ["tool"]),
        ("only_text", ["tool", "tool", "tool", "schema", "text"]),
        ("tools_crash", ["tool", "schema"]),
        ("tools_not_found", ["tool", "schema"]),
        ("repairable", ["tool", "tool"]),
    ],
)
async def test_an_answer_in_any_form_is_understood_with_no_call_too_many(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str, asked: list[str]
) -> None:
    server.behaviour = behaviour
    assert await ask(chat) == EXPECTED
    assert methods(server) == asked
    server.forget()
    if behaviour != "repairable":
        assert await ask(chat) == EXPECTED
        assert len(methods(server)) == 1, "what was learnt saves the other methods"


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        (["empty_call"], ["tool", "schema"]),
        (["null_call"], ["tool", "schema"]),
        (["list_call"], ["tool", "schema"]),
        (["empty"], ["tool", "schema"]),
        (["garbage"], ["tool", "schema"]),
        (["truncated"], ["tool", "schema"]),
        (["truncated_call"], ["tool", "schema"]),
        (["no_choices"], ["tool", "schema"]),
        (["null_choices"], ["tool", "schema"]),
        (["wrong_types"], ["tool", "tool"]),
        (["wrong_types", "wrong_types"], ["tool", "tool", "schema"]),
        (["wrong_types", "400"], ["tool", "tool", "tool"]),
        (["garbage", "garbage", "garbage"], ["tool", "schema", "text", "text"]),
    ],
)
async def test_after_useless_answers_the_next_method_or_the_repair_turn_helps(
    server: OpenAIServer, chat: LangChainChatModel, first: list[str], asked: list[str]
) -> None:
    server.script(*first)
    assert await ask(chat) == EXPECTED
    assert methods(server) == asked


@pytest.mark.parametrize(
    ("behaviour", "calls", "words"),
    [
        ("garbage", 4, "no JSON object of this form"),
        ("refusal_text", 4, "no JSON object of this form"),
        ("truncated", 4, "cut off"),
        ("wrong_types", 4, "texts: Input should be a valid list"),
        ("empty_call", 4, "no arguments"),
        ("empty", 4, "empty"),
        ("no_choices", 4, "empty"),
        ("refusal", 1, "I can not do that"),
        ("filtered", 1, "content filter"),
        ("400_inspection", 1, "does not accept this content"),
        ("400_filter", 1, "does not accept this content"),
        ("400_too_long", 1, "does not accept this input"),
        ("413", 1, "does not accept this input"),
    ],
)
async def test_nothing_usable_ends_as_such_after_at_most_four_answers(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str, calls: int, words: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(ModelAnswerUnusable, match=words):
        await ask(chat)
    assert server.count() == calls


@pytest.mark.parametrize(
    ("behaviour", "kind", "calls", "words"),
    [
        ("400", ModelRefused, 6, "temperature.*Check models.chat.model"),
        ("401", ModelRefused, 1, "Check models.chat.api_key"),
        ("402", ModelRefused, 1, "Top up the account"),
        ("403", ModelRefused, 1, "models.chat.api_key"),
        ("404", ModelRefused, 3, "models.chat.base_url.*models.chat.model"),
        ("web_page", ModelRefused, 1, "ends in /v1"),
        ("half_json", ModelRefused, 1, "base_url"),
        ("429", ModelUnavailable, 1, "HTTP 429.*Rate limit reached"),
        ("500", ModelUnavailable, 3, "HTTP 500"),
        ("503", ModelUnavailable, 1, "HTTP 503"),
        ("error_in_200", ModelUnavailable, 1, "provider is overloaded"),
        ("close", ModelUnavailable, 1, "cannot be reached"),
        ("cut", ModelUnavailable, 1, "cannot be reached"),
    ],
)
async def test_an_endpoint_in_trouble_is_named_with_what_to_do(
    server: OpenAIServer,
    chat: LangChainChatModel,
    behaviour: str,
    kind: type[ModelError],
    calls: int,
    words: str,
) -> None:
    server.behaviour = behaviour
    with pytest.raises(kind, match=words) as caught:
        await ask(chat)
    assert server.count() == calls
    message = str(caught.value)
    assert server.base_url in message
    assert "'test'" in message
    assert KEY not in message
    assert caught.value.__cause__ is None, (
        "a cause may carry what the server said, with the key in it"
    )


async def test_a_server_known_to_work_that_answers_500_is_not_asked_in_other_forms(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await ask(chat)
    server.forget()
    server.behaviour = "500"
    with pytest.raises(ModelUnavailable):
        await ask(chat)
    assert methods(server) == ["tool"]


async def test_a_400_for_one_input_from_a_server_known_to_work_is_about_the_input(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await ask(chat)
    server.behaviour = "400"
    with pytest.raises(ModelAnswerUnusable, match="Every method rejected this input"):
        await ask(chat)
    server.behaviour = "proper"
    server.forget()
    assert await ask(chat) == EXPECTED
    assert methods(server) == ["tool"], "nothing was learnt from it about the forms"


async def test_a_web_page_from_a_server_known_to_work_is_an_outage(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await ask(chat)
    server.behaviour = "web_page"
    with pytest.raises(ModelUnavailable, match="another form than before"):
        await ask(chat)


@pytest.mark.parametrize(
    ("behaviour", "seconds"), [("429", 7.0), ("429_date", 30.0), ("503", None)]
)
async def test_the_wait_that_the_server_asks_for_is_passed_on(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str, seconds: float | None
) -> None:
    server.behaviour = behaviour
    with pytest.raises(ModelUnavailable) as caught:
        await ask(chat)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
async def test_a_server_that_hangs_or_drips_is_left_when_the_time_is_up(
    server: OpenAIServer, behaviour: str
) -> None:
    chat = chat_of(server.base_url, timeout_seconds=0.4)
    await chat.probe()  # the client is imported and connected
    server.behaviour = behaviour
    started = time.monotonic()
    with pytest.raises(
        ModelUnavailable, match=r"no complete answer within 0.4 s \(models.chat.timeout_seconds\)"
    ):
        await ask(chat)
    assert time.monotonic() - started < 15
    assert server.count(form="record_texts") == 1
    await chat.aclose()


@pytest.mark.parametrize("behaviour", ["gzip_bomb", "gzip_bomb_503", "zstd", "endless"])
async def test_an_answer_larger_than_any_is_left_unread_and_concerns_this_question_alone(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(ModelAnswerUnusable, match=r"sent an answer .*models\.chat\.base_url"):
        await ask(chat)
    assert server.count() == 1, "it is not asked for in other forms"
    server.behaviour = "zipped"
    assert await ask(chat) == EXPECTED


async def test_nobody_at_the_address_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        chat = chat_of(f"http://127.0.0.1:{port}/v1")
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await ask(chat)
        await chat.aclose()


async def test_the_method_is_remembered_and_left_when_it_fails(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "fenced"
    await ask(chat)
    assert chat.methods == {"record_texts": Method.JSON_SCHEMA}, (
        "a server that ignores tools is not sent them again"
    )
    server.script("garbage")
    server.forget()
    await ask(chat)
    assert methods(server) == ["schema", "tool"]
    server.forget()
    for _ in range(3):
        await ask(chat)
    assert methods(server) == ["tool"] * 3, "what was useless is not tried again and again"


async def test_a_method_that_was_rejected_is_not_sent_again(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "only_text"
    await ask(chat)
    server.forget()
    server.script("garbage")
    assert await ask(chat) == EXPECTED
    assert methods(server) == ["text", "text"], "text, and then its repair"


async def test_a_crash_that_passes_does_not_count_against_the_form(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.script("500")
    await ask(chat)
    server.script("garbage")
    server.forget()
    assert await ask(chat) == EXPECTED
    assert methods(server) == ["schema", "tool"]


async def test_another_form_starts_where_the_last_one_worked(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    class OtherTexts(RecordTexts):
        model_config = ConfigDict(title="other_texts")

    server.behaviour = "only_when_not_tools"
    await ask(chat)
    server.forget()
    await chat.structured(OtherTexts, purpose="rewrite", system="Rewrite.", user=QUESTION)
    assert methods(server) == ["schema"]


async def test_the_repair_turn_shows_the_answer_and_what_was_wrong(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "repairable"
    await ask(chat)
    messages = server.requests()[-1].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == '{"texts": 7}'
    assert "texts: Input should be a valid list" in messages[3]["content"]
    assert '{"texts": [string, …] (finished texts)}' in messages[3]["content"]


async def test_the_wrong_language_is_passed_on_for_the_gate_to_judge(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "wrong_language"
    assert (await ask(chat)).texts == ["Это ответ на другом языке."] * 2
    assert server.count() == 1


async def test_a_forced_tool_is_sent_in_the_object_form_and_settings_reach_the_body(
    server: OpenAIServer,
) -> None:
    chat = chat_of(server.base_url, temperature=0.25, extra_body={"top_k": 3})
    await ask(chat)
    seen = server.requests()[0]
    assert seen.body["tool_choice"] == {"type": "function", "function": {"name": "record_texts"}}
    assert seen.body["tools"][0]["function"]["description"] == "The finished texts."
    assert (seen.body["temperature"], seen.body["top_k"]) == (0.25, 3)
    assert not seen.body.get("stream")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    server.behaviour = "only_when_not_tools"
    chat2 = chat_of(server.base_url, extra_body={"top_k": 3}, temperature="server")
    await ask(chat2)
    body = server.requests()[-1].body
    assert body["response_format"]["type"] == "json_schema"
    assert body["top_k"] == 3
    assert "temperature" not in body
    await chat.aclose()
    await chat2.aclose()


async def test_a_key_from_the_environment_is_not_sent_to_a_server_without_one(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    chat = chat_of(server.base_url, api_key="")
    await ask(chat)
    assert "somebody" not in server.requests()[0].headers["authorization"]
    await chat.aclose()


async def test_usage_is_counted_by_purpose(server: OpenAIServer, chat: LangChainChatModel) -> None:
    await chat.probe()
    server.script("garbage", "proper", "429", "no_usage")
    await ask(chat)
    with pytest.raises(ModelUnavailable):
        await ask(chat)
    await chat.structured(RecordTexts, purpose="merge", system="", user=QUESTION)
    usage = chat.usage()
    assert usage["probe"].calls == 1
    assert (usage["rewrite"].calls, usage["rewrite"].failed_calls) == (2, 1)
    assert usage["rewrite"].prompt_tokens > 20
    assert usage["rewrite"].completion_tokens > 0
    assert usage["rewrite"].seconds > 0
    assert usage["merge"] == Usage(calls=1, seconds=usage["merge"].seconds)


@pytest.mark.parametrize(
    "behaviour", ["refusal", "filtered", "400_inspection", "400_filter", "empty", "no_choices"]
)
async def test_content_that_the_provider_declines_is_counted_and_not_asked_again(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(ContentDeclined):
        await ask(chat)
    assert chat.usage()["rewrite"].refused_by_provider == 1
    assert server.count() <= 4


async def test_a_model_whose_answers_were_mostly_refused_is_not_asked_for_that_purpose(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    chat.judged("rewrite", taken=9, refused=11)
    with pytest.raises(
        ModelRested, match=r"is not asked to rewrite for 60 min: use a stronger model"
    ):
        await ask(chat)
    assert server.count() == 0
    assert (
        await chat.structured(RecordTexts, purpose="merge_profile", system="", user=QUESTION)
        == EXPECTED
    )
    usage = chat.usage()["rewrite"]
    assert (usage.taken, usage.refused, usage.calls) == (9, 11, 0)


async def test_a_cancelled_call_is_counted_and_harms_nothing(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await chat.probe()
    server.script("hang")
    task = asyncio.create_task(ask(chat))
    await asyncio.to_thread(server.wait_for, 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.usage()["rewrite"].failed_calls == 1
    assert await ask(chat) == EXPECTED


async def test_many_calls_at_once_are_all_answered(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    answers = await asyncio.gather(*(ask(chat) for _ in range(20)))
    assert answers == [EXPECTED] * 20
    assert chat.usage()["rewrite"].calls == 20


def test_one_model_serves_several_event_loops(server: OpenAIServer) -> None:
    chat = chat_of(server.base_url)
    for _ in range(3):
        assert asyncio.run(ask(chat)) == EXPECTED


async def test_half_surrogates_in_a_prompt_are_sent_as_question_marks(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await chat.structured(RecordTexts, purpose="rewrite", system="x\ud83d", user="y\x00\udc00")
    assert server.requests()[0].body["messages"][1]["content"] == "y ?"


async def test_a_probe_asks_for_one_token_and_does_without_the_limit_where_it_is_refused(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await chat.probe()
    assert server.requests()[0].body["max_completion_tokens"] == 1
    server.script("400", "404")
    await chat.probe()
    assert "temperature" not in server.requests()[-2].body
    assert "max_completion_tokens" not in server.requests()[-1].body
    server.script("401")
    with pytest.raises(ModelRefused):
        await chat.probe()
    server.script("503")
    with pytest.raises(ModelUnavailable):
        await chat.probe()


def test_without_a_model_there_is_none_and_without_an_endpoint_it_is_an_error() -> None:
    assert make_chat_model(ChatSettings()) is None
    assert make_chat_model(ChatSettings(base_url="http://127.0.0.1:1/v1")) is None
    with pytest.raises(SettingsError, match=r"models\.historian\.base_url"):
        make_chat_model(ChatSettings(model="some"), section="models.historian")


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"base_url": "127.0.0.1:8000/v1"}, "base_url"),
        ({"base_url": "ftp://example.com/v1"}, "base_url"),
        ({"api_key": "你的密钥"}, "api_key"),
        ({"api_key": "sk-a b"}, "api_key"),
    ],
)
def test_an_address_or_a_key_that_can_never_work_is_an_error_at_once(
    settings: dict[str, str], key: str
) -> None:
    with pytest.raises(SettingsError, match=rf"models\.chat\.{key}") as caught:
        make_chat_model(ChatSettings(model="some", **settings))
    assert settings.get("api_key", "-") not in str(caught.value) or key == "base_url"


async def test_an_empty_system_message_is_left_out(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await chat.structured(RecordTexts, purpose="rewrite", system="", user=QUESTION)
    assert [message["role"] for message in server.requests()[0].body["messages"]] == ["user"]


@pytest.mark.slow
async def test_the_server_in_a_process_of_its_own_counts_into_a_file(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with run_server_process(log, "--behaviour", "fenced") as base_url:
        chat = chat_of(base_url)
        assert await ask(chat) == EXPECTED
        async with httpx.AsyncClient() as control:
            url = base_url.removesuffix("/v1") + "/control"
            answer = await control.post(url, json={"script": ["garbage"]})
        assert answer.json() == {"counts": {"chat:record_texts": 1}}
        assert await ask(chat) == EXPECTED
        await chat.aclose()
    assert [(line["form"], line["method"]) for line in logged_requests(log)] == [
        ("record_texts", "tool"),
        ("record_texts", "schema"),
        ("record_texts", "tool"),
    ]


def limits(server: OpenAIServer) -> list[int]:
    """The bound of each request so far."""
    return [
        seen.body.get("max_tokens") or seen.body.get("max_completion_tokens") or 0
        for seen in server.requests()
    ]


async def test_every_answer_is_bounded_and_a_server_that_knows_no_bound_is_asked_without(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    await ask(chat)
    (bound,) = limits(server)
    assert 500 < bound < 1_000, "about as long as the question, and some room"
    server.behaviour = "only_without_limit"
    await ask(chat)
    await ask(chat)
    assert server.count() == 5, "refused by both of its names, and never asked for again"


async def test_parameters_that_a_server_refuses_are_left_out_and_told_once(
    server: OpenAIServer, caplog: pytest.LogCaptureFixture
) -> None:
    chat = chat_of(
        server.base_url,
        extra_body={"seed": 7, "parallel_tool_calls": False, "stream_options": {}, "top_k": 3},
    )
    server.behaviour = "particular"
    with caplog.at_level(logging.WARNING):
        assert await ask(chat) == EXPECTED
        assert (server.count(), set(methods(server))) == (7, {"tool"}), (
            "six refusals cost one request each"
        )
        assert await ask(chat) == EXPECTED
    body = server.requests()[-1].body
    assert server.count() == 8, "what was refused is not sent again"
    assert (body["top_k"], body["tool_choice"], body["max_tokens"] > 500) == (3, "required", True)
    left_out = {
        "temperature",
        "max_completion_tokens",
        "seed",
        "parallel_tool_calls",
        "stream_options",
    }
    assert not left_out & body.keys()
    told = [message for message in caplog.messages if "does not accept" in message]
    assert len(told) == 6 and sum("another form" in message for message in told) == 2
    await chat.aclose()


async def test_a_parameter_of_a_model_that_the_caller_gives_is_left_out_as_well(
    server: OpenAIServer,
) -> None:
    from langchain_openai import ChatOpenAI

    given = ChatOpenAI(
        model="m",
        base_url=server.base_url,
        api_key=SecretStr("sk-x"),
        temperature=0.0,
        seed=7,
        max_retries=0,
    )
    chat = GivenModels(chat=given).chat_model(ModelSettings())
    assert chat is not None
    server.behaviour = "particular"
    assert await ask(chat) == EXPECTED
    before = server.count()
    assert await ask(chat) == EXPECTED
    assert server.count() == before + 1, "what was refused is not sent again"
    assert not {"temperature", "seed"} & server.requests()[-1].body.keys()
    assert (given.temperature, given.seed) == (0.0, 7), "the caller's object stays as it is"


async def test_a_refusal_after_which_nothing_gets_through_teaches_nothing(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.script("400", "404", "404", "404")
    with pytest.raises(ModelRefused):
        await ask(chat)
    await ask(chat)
    assert server.requests()[-1].body["temperature"] == 0


async def test_a_limit_larger_than_the_context_is_left_out(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "limit_too_large"
    assert await ask(chat) == EXPECTED
    assert set(methods(server)) == {"tool"} and limits(server)[-1] == 0


@pytest.mark.parametrize(
    "behaviour", ["thinks_long", "thinks_long_aloud", "stopped_while_thinking"]
)
async def test_a_model_that_thinks_long_is_given_room_once_and_for_all(
    server: OpenAIServer, chat: LangChainChatModel, behaviour: str
) -> None:
    server.behaviour = behaviour
    assert await ask(chat) == EXPECTED
    assert await ask(chat) == EXPECTED
    short, *room = limits(server)
    assert short < 1_000 and room == [4096, 4096]
    assert {seen.method for seen in server.requests()} == {"tool"}


async def test_a_model_that_never_ends_is_stopped_early_and_asked_in_another_form(
    server: OpenAIServer, chat: LangChainChatModel
) -> None:
    server.behaviour = "never_ends_with_tools"
    assert await ask(chat) == EXPECTED
    assert await ask(chat) == EXPECTED
    assert [seen.method for seen in server.requests()] == ["tool", "schema", "schema"]
    first, second, third = limits(server)
    assert max(first, second, third) < 1_000
