"""langchain-openai, set up for servers that deviate from the OpenAI protocol.

Importing this module is slow (it imports the OpenAI client): import it inside functions.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import openai
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from ..schema.errors import ModelError
from .bounded_answers import ANSWER_BYTES, ENCODINGS, MEGABYTE, VECTOR_BYTES, AnswerNotRead, bounded
from .endpoint import NO_KEY, Endpoint, retry_after_seconds
from .usage import EMBEDDING, UsageMeter

CONNECT_SECONDS = 10.0
"""Time limit of connecting, whatever the limit of the call is."""


PREVIEW_CHARACTERS = 4_000
"""Of an answer in another form. More than is shown, so that no secret is cut in two before it is masked."""


class ForeignAnswer(ValueError):
    """HTTP 200, but no chat completion: a web page or an error object. `error` is the error object, if any."""

    def __init__(self, preview: str, error: Mapping[str, Any] | None = None) -> None:
        super().__init__(preview)
        self.error = error


class TolerantChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that accepts completions with small faults: no role, arguments as an object, no usage, no choices."""

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        if isinstance(response, openai.BaseModel):
            response = response.model_dump(warnings=False)
        if not isinstance(response, dict):
            raise ForeignAnswer(str(response)[:PREVIEW_CHARACTERS])
        choices = response.get("choices")
        choices = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        error = response.get("error")
        if not choices and (error or "choices" not in response):
            error = {"message": error} if isinstance(error, str) else error
            raise ForeignAnswer(str(response)[:PREVIEW_CHARACTERS], error if isinstance(error, dict) else None)
        mended = [_mended_choice(choice) for choice in choices or [{}]]
        result = super()._create_chat_result({**response, "error": None, "choices": mended}, generation_info)
        for generation, choice in zip(result.generations, mended, strict=True):
            if refusal := choice["message"].get("refusal"):
                generation.message.additional_kwargs["refusal"] = refusal
        return result


def _mended_choice(choice: dict[str, Any]) -> dict[str, Any]:
    message = choice.get("message")
    message = dict(message) if isinstance(message, dict) else {"content": choice.get("text") or ""}
    message["role"] = "assistant"
    if not isinstance(message.get("content"), str | list):
        message["content"] = ""
    calls = message.get("tool_calls")
    message["tool_calls"] = [_mended_call(call) for call in calls if isinstance(call, dict)] if calls else None
    return {**choice, "message": message}


def _mended_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call with arguments as text: an object as JSON, text that is no JSON as it is, anything else as `{}`."""
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError):  # almost JSON is left to answer_reading
            arguments = json.loads(arguments, strict=False)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments if isinstance(arguments, dict) else {})
    return {
        "id": call.get("id") or "call",
        "type": "function",
        "function": {"name": function.get("name") or "", "arguments": text.strip() or "{}"},
    }


@functools.cache
def _trusted() -> Any:
    """Return the TLS context of all clients of this process. Each would else read all certificates anew, which takes 20 ms.

    It is that of the library under `openai`, which is `httpx` or `httpx2` and says which certificates it trusts.
    """
    return importlib.import_module(openai.DefaultAsyncHttpxClient.mro()[1].__module__).create_ssl_context()


def _http_client(timeout_seconds: float, most_bytes: int) -> openai.DefaultAsyncHttpxClient:
    timeout = openai.Timeout(timeout_seconds, connect=min(timeout_seconds, CONNECT_SECONDS))
    return openai.DefaultAsyncHttpxClient(verify=_trusted(), timeout=timeout, headers=ENCODINGS, event_hooks=bounded(most_bytes))


@functools.cache
def _unused() -> openai.DefaultHttpxClient:
    """Return the client for calls that block, of which there are none: without it, each model would make one of its own."""
    return openai.DefaultHttpxClient(verify=_trusted())


def chat_client(endpoint: Endpoint, timeout_seconds: float) -> tuple[TolerantChatOpenAI, openai.DefaultAsyncHttpxClient]:
    """Return a chat client and the HTTP client under it, which the caller closes. Both belong to one event loop."""
    http = _http_client(timeout_seconds, ANSWER_BYTES)
    model = TolerantChatOpenAI(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key or NO_KEY),
        base_url=endpoint.base_url,
        timeout=http.timeout,
        max_retries=0,
        use_responses_api=False,
        disable_streaming=True,
        cache=False,
        http_client=_unused(),
        http_async_client=http,
    )
    return model, http


class CountedEmbeddings:
    """The part of an OpenAI client that asks for embeddings; counts what its server reports."""

    def __init__(self, client: Any, usage: UsageMeter) -> None:
        self._client = client
        self._usage = usage

    async def create(self, **request: Any) -> Any:
        async with self._usage.call(EMBEDDING, sum(map(len, request["input"]))) as reported:
            answer = await self._client.create(**request)
            told = getattr(answer, "usage", None)
            reported.note(getattr(told, "prompt_tokens", None), getattr(told, "total_tokens", None))
        return answer


def embeddings_client(
    endpoint: Endpoint, dimensions: int | None, batch_size: int, timeout_seconds: float, usage: UsageMeter
) -> tuple[OpenAIEmbeddings, openai.DefaultAsyncHttpxClient]:
    """Return an embeddings client and the HTTP client under it, which the caller closes. Both belong to one event loop."""
    http = _http_client(timeout_seconds, MEGABYTE + batch_size * VECTOR_BYTES)
    embeddings = OpenAIEmbeddings(
        model=endpoint.model,
        openai_api_key=SecretStr(endpoint.key or NO_KEY),
        openai_api_base=endpoint.base_url,
        dimensions=dimensions,
        check_embedding_ctx_length=False,
        chunk_size=batch_size,
        max_retries=0,
        request_timeout=http.timeout,
        model_kwargs={"encoding_format": "float"},
        http_client=_unused(),
        http_async_client=http,
    )
    embeddings.async_client = CountedEmbeddings(embeddings.async_client, usage)
    return embeddings, http


@contextlib.asynccontextmanager
async def translated_errors(endpoint: Endpoint, timeout_seconds: float, *, has_answered: bool) -> AsyncIterator[None]:
    """Limit one request's time, and raise what goes wrong as one of Historian's errors.

    No cause is attached: a client's error may carry what the server said, and that may contain the key.
    """
    try:
        async with asyncio.timeout(timeout_seconds):
            yield
    except TimeoutError:
        raise endpoint.timed_out(timeout_seconds) from None
    except AnswerNotRead as error:  # older clients raise it as the cause of an APIConnectionError
        raise endpoint.not_read(str(error)) from None
    except openai.OpenAIError as error:
        raise error_of_client(error, endpoint, timeout_seconds) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, ForeignAnswer) and error.error is not None:
            raise error_of_body(error.error, endpoint) from None
        what = str(error) if isinstance(error, ForeignAnswer) else f"{type(error).__name__}: {error}"
        raise endpoint.foreign(what, has_answered=has_answered) from None


def error_of_client(error: openai.OpenAIError, endpoint: Endpoint, timeout_seconds: float) -> ModelError:
    """Return what the OpenAI client raised as one of Historian's errors."""
    if isinstance(error, openai.APITimeoutError):
        return endpoint.timed_out(timeout_seconds)
    if isinstance(error, openai.APIStatusError):
        return endpoint.error_of_status(error.status_code, _said(error), retry_after=retry_after_seconds(error.response.headers))
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        if isinstance(cause, AnswerNotRead):
            return endpoint.not_read(str(cause))
        why = f"{type(cause).__name__}: {cause}" if cause else error.message
        return endpoint.unavailable(f"can not be reached ({endpoint.hide(why)})")
    return endpoint.unavailable(f"failed ({endpoint.hide(str(error))})")


def error_of_body(error: Mapping[str, Any], endpoint: Endpoint) -> ModelError:
    """Return the error for an error object that came with HTTP 200, as routers send when their provider fails."""
    detail = str(error.get("message") or dict(error))
    code = error.get("code")
    status = int(code) if isinstance(code, int | str) and str(code).isdigit() else 0
    if 400 <= status < 600:
        return endpoint.error_of_status(status, detail)
    return endpoint.unavailable(f"answered with an error: {endpoint.hide(detail)}")


def _said(error: openai.APIStatusError) -> str:
    """Return the server's message with its codes."""
    body = error.body
    if isinstance(body, Mapping):
        words = [str(body[key]) for key in ("message", "code", "type", "param", "detail", "error") if body.get(key)]
        return " / ".join(dict.fromkeys(words)) or str(dict(body))
    return str(body or error.message)
