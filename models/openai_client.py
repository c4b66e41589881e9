"""LangChain objects for OpenAI-compatible endpoints that may deviate from the protocol.

Importing this module is slow (it imports the OpenAI client): import it inside functions.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
from typing import Any

import openai
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from .bounded_answers import ANSWER_BYTES, ENCODINGS, MEGABYTE, VECTOR_BYTES, bounded
from .calls import ForeignAnswer
from .endpoint import LIMIT, NO_KEY, Endpoint
from .usage import note_tokens

CONNECT_SECONDS = 10.0
"""Maximum time for connecting, also if the time limit of the call is longer."""


PREVIEW_CHARACTERS = 4_000
"""Length of the preview of an unexpected answer. It is longer than the shown text, so that a secret
is not cut in two before it is masked."""


class TolerantChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that accepts completions with small faults: no role, arguments as an object, no usage, no choices."""

    limit_name: str = LIMIT
    """The name of the token limit in a request."""

    def bind_schema(self, response_format: dict[str, Any]) -> Runnable[Any, AIMessage]:
        """Return the model with a JSON schema for its answers.

        The answers are not parsed; `with_structured_output` would parse each of them.
        """
        return self.bind(response_format=response_format)

    def _get_request_payload(
        self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the request with its parameters in `extra_body`, whose fields are sent unchanged.

        If `response_format` were an argument, the client would parse the answer, fail on truncated
        JSON, and lose the text of the model.
        """
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        body = payload.pop("extra_body", None) or {}
        for name in payload.keys() - {"model", "messages", "stream"}:
            body = {**body, (self.limit_name if name == LIMIT else name): payload.pop(name)}
        return {**payload, "extra_body": body}

    def _create_chat_result(
        self,
        response: dict[str, Any] | openai.BaseModel,
        generation_info: dict[str, Any] | None = None,
    ) -> ChatResult:
        if isinstance(response, openai.BaseModel):
            response = response.model_dump(warnings=False)
        if not isinstance(response, dict):
            raise ForeignAnswer(str(response)[:PREVIEW_CHARACTERS])
        choices = response.get("choices")
        choices = (
            [choice for choice in choices if isinstance(choice, dict)]
            if isinstance(choices, list)
            else []
        )
        error = response.get("error")
        if not choices and (error or "choices" not in response):
            error = {"message": error} if isinstance(error, str) else error
            raise ForeignAnswer(
                str(response)[:PREVIEW_CHARACTERS], error if isinstance(error, dict) else None
            )
        mended = [_mended_choice(choice) for choice in choices or [{}]]
        result = super()._create_chat_result(
            {**response, "error": None, "choices": mended}, generation_info
        )
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
    message["tool_calls"] = (
        [_mended_call(call) for call in calls if isinstance(call, dict)] if calls else None
    )
    return {**choice, "message": message}


def _mended_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call with its arguments as text.

    An object becomes JSON, text that is not JSON is unchanged, and anything else becomes `{}`.
    """
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError):  # answer_reading handles invalid JSON
            arguments = json.loads(arguments, strict=False)
    text = (
        arguments
        if isinstance(arguments, str)
        else json.dumps(arguments if isinstance(arguments, dict) else {})
    )
    return {
        "id": call.get("id") or "call",
        "type": "function",
        "function": {"name": function.get("name") or "", "arguments": text.strip() or "{}"},
    }


@functools.cache
def _trusted() -> Any:
    """Return the TLS context that all clients of this process share.

    Without it, each client would read all certificates, which takes 20 ms. It is made by the
    library under `openai` (`httpx` or `httpx2`), which decides which certificates are trusted.
    """
    return importlib.import_module(
        openai.DefaultAsyncHttpxClient.mro()[1].__module__
    ).create_ssl_context()


def _http_client(timeout_seconds: float, most_bytes: int) -> openai.DefaultAsyncHttpxClient:
    timeout = openai.Timeout(timeout_seconds, connect=min(timeout_seconds, CONNECT_SECONDS))
    return openai.DefaultAsyncHttpxClient(
        verify=_trusted(), timeout=timeout, headers=ENCODINGS, event_hooks=bounded(most_bytes)
    )


@functools.cache
def _unused() -> openai.DefaultHttpxClient:
    """Return a client for blocking calls, which are never made.

    Without it, each model would make such a client of its own.
    """
    return openai.DefaultHttpxClient(verify=_trusted())


def chat_client(
    endpoint: Endpoint, timeout_seconds: float, temperature: float | None = None
) -> tuple[TolerantChatOpenAI, openai.DefaultAsyncHttpxClient]:
    """Return a chat model and its HTTP client, which the caller closes.

    Both belong to one event loop.
    """
    http = _http_client(timeout_seconds, ANSWER_BYTES)
    model = TolerantChatOpenAI(
        model=endpoint.model,
        api_key=SecretStr(endpoint.key or NO_KEY),
        base_url=endpoint.base_url,
        temperature=temperature,
        extra_body=dict(endpoint.extra_body) or None,
        timeout=http.timeout,
        max_retries=0,
        use_responses_api=False,
        disable_streaming=True,
        cache=False,
        http_client=_unused(),
        http_async_client=http,
    )
    return model, http


class ReportingClient:
    """A wrapper of an OpenAI client for embeddings that records the reported tokens."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def create(self, **request: Any) -> Any:
        answer = await self._client.create(**request)
        told = getattr(answer, "usage", None)
        note_tokens(getattr(told, "prompt_tokens", None), getattr(told, "total_tokens", None))
        return answer


def embeddings_client(
    endpoint: Endpoint, dimensions: int | None, batch_size: int, timeout_seconds: float
) -> tuple[OpenAIEmbeddings, openai.DefaultAsyncHttpxClient]:
    """Return embeddings and their HTTP client, which the caller closes.

    Both belong to one event loop.
    """
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
    embeddings.async_client = ReportingClient(embeddings.async_client)
    return embeddings, http
