"""The time limit of one call of a model, and the translation of client errors to Historian's.

The errors come from OpenAI's client, from httpx, or from the clients of LangChain models that a
caller gives. They are recognised by class names and attributes, so that no client is imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ..schema.errors import HistorianError, ModelError
from .bounded_answers import AnswerNotRead
from .endpoint import Endpoint, InputRejected, retry_after_seconds

if TYPE_CHECKING:
    from langchain_core.rate_limiters import InMemoryRateLimiter

_STATUSES = {
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelInvalidRequestError": 400,
    "ModelRateLimitError": 429,
    "ModelAPIError": 503,
}
"""The HTTP status that each of LangChain's model errors stands for."""
_DECLINES = {"ContentFilterFinishReasonError", "OpenAIRefusalError"}
_CONNECTION = {"APIConnectionError", "TransportError", "InvalidURL"}
"""Errors of OpenAI's client and of httpx when no connection is made."""
_NO_ANSWER = (NotImplementedError, TypeError, ValueError, KeyError, AttributeError)
"""Errors that clients raise for an answer in an unexpected form, and for an unsupported call."""


class ForeignAnswer(ValueError):
    """HTTP 200 with a body that is no answer of the protocol: a web page or an error object.

    `error` is the error object, or None.
    """

    def __init__(self, preview: str, error: Mapping[str, Any] | None = None) -> None:
        super().__init__(preview)
        self.error = error


def pace_of(interval_seconds: float) -> InMemoryRateLimiter | None:
    """Return a limiter that admits one request per `interval_seconds`, the first one at once.

    Return None if the interval is 0.
    """
    if interval_seconds <= 0:
        return None
    from langchain_core.rate_limiters import InMemoryRateLimiter

    pace = InMemoryRateLimiter(requests_per_second=1 / interval_seconds, check_every_n_seconds=0.02)
    pace.available_tokens = 1.0
    return pace


@asynccontextmanager
async def translated(
    endpoint: Endpoint, seconds: float, *, has_answered: bool = True
) -> AsyncIterator[None]:
    """Limit the time of one call, and raise its errors as Historian's errors.

    `has_answered` is False until the endpoint has given a first usable answer. The client's error
    is not attached as the cause: it may quote the server, and this text may contain the key.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except HistorianError:
        raise
    except Exception as error:
        raise error_of(error, endpoint, seconds, has_answered=has_answered) from None


def error_of(
    error: Exception, endpoint: Endpoint, seconds: float, *, has_answered: bool = True
) -> ModelError:
    """Return the Historian error for an error of a client."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    cause = error.__cause__
    unread = next((one for one in (error, cause) if isinstance(one, AnswerNotRead)), None)
    if unread is not None:
        return endpoint.not_read(str(unread))
    said = _said(error)
    if kinds & _DECLINES:
        return endpoint.declined(endpoint.hide(said))
    if "ContextOverflowError" in kinds:
        return InputRejected.of(
            f"{endpoint.name} does not accept this input: {endpoint.hide(said)}.", said
        )
    if isinstance(error, ForeignAnswer) and error.error is not None:
        return _error_of_body(error.error, endpoint)
    status = _status_of(error) or next(
        (_STATUSES[kind] for kind in kinds if kind in _STATUSES), None
    )
    if status is not None:
        headers = getattr(getattr(error, "response", None), "headers", None)
        after = retry_after_seconds(headers) if isinstance(headers, Mapping) else None
        return endpoint.error_of_status(status, said, retry_after=after)
    if any("Timeout" in kind for kind in kinds):
        return endpoint.timed_out(seconds)
    if isinstance(error, _NO_ANSWER):
        return endpoint.foreign(said, has_answered=has_answered)
    why = endpoint.hide(f"{type(cause).__name__}: {cause}" if cause else said)
    return endpoint.unavailable(
        f"cannot be reached ({why})" if kinds & _CONNECTION else f"failed ({why})"
    )


def _error_of_body(error: Mapping[str, Any], endpoint: Endpoint) -> ModelError:
    """Return the error for an error object with HTTP 200: routers send it if a provider fails."""
    detail = str(error.get("message") or dict(error))
    code = error.get("code")
    status = int(code) if isinstance(code, int | str) and str(code).isdigit() else 0
    if 400 <= status < 600:
        return endpoint.error_of_status(status, detail)
    return endpoint.unavailable(f"answered with an error: {endpoint.hide(detail)}")


def _status_of(error: Exception) -> int | None:
    """Return the HTTP status from the attributes of a client's error, or None."""
    response: Any = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (error, "code"), (response, "status_code")):
        status = getattr(holder, name, None)
        if type(status) is int and 400 <= status < 600:
            return status
    return None


def _said(error: Exception) -> str:
    """Return the server's message with its codes, or else the message of the client."""
    if isinstance(error, ForeignAnswer):
        return str(error)
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        words = [
            str(body[key])
            for key in ("message", "code", "type", "param", "detail", "error")
            if body.get(key)
        ]
        return " / ".join(dict.fromkeys(words)) or str(dict(body))
    return str(body) if body else f"{type(error).__name__}: {error}"
