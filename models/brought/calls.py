"""Calls of models that the caller brought, and their errors as Historian's own, whichever provider's client raised them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from ...schema.errors import HistorianError, ModelError, ModelUnavailable
from ..endpoint import Endpoint, FormRejected, InputRejected, plain_key, retry_after_seconds
from ..secrets import guard_logs

_STATUSES = {
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelInvalidRequestError": 400,
    "ModelRateLimitError": 429,
    "ModelAPIError": 503,
}
"""LangChain's errors of models, by the status that they stand for."""
_DECLINES = ("ContentFilterFinishReasonError", "OpenAIRefusalError")
_NOT_SUPPORTED = (NotImplementedError, TypeError, ValueError, KeyError, AttributeError)


@dataclass(frozen=True, slots=True)
class BroughtEndpoint(Endpoint):
    """A model object as an `Endpoint`: `section` is the argument by which it was given. Its messages hold no key of it."""

    @property
    def name(self) -> str:
        return f"the model {self.model!r} given as `{self.section}`"

    def timed_out(self, seconds: float) -> ModelUnavailable:
        return self.unavailable(f"gave no answer within {seconds:g} s")

    def _remedy(self, status: int) -> str:
        return f"Check how the `{self.section}` was made."


def endpoint_of(given: object, argument: str) -> BroughtEndpoint:
    """Return the endpoint of a model object. From now on the HTTP clients log none of its keys."""
    names = (getattr(given, name, "") for name in ("model", "model_name", "model_id", "deployment_name"))
    model = next((name for name in names if isinstance(name, str) and name), type(given).__name__)
    keys = [plain_key(value) for value in getattr(given, "__dict__", {}).values() if isinstance(value, SecretStr)]
    endpoint = BroughtEndpoint(argument, "", model, next(iter(keys), ""), dict(enumerate(keys)))  # type: ignore[arg-type]
    guard_logs(endpoint.secrets)
    return endpoint


@asynccontextmanager
async def translated(endpoint: Endpoint, seconds: float) -> AsyncIterator[None]:
    """Limit one call's time, and raise what goes wrong as one of Historian's errors, without the foreign one as its cause."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except HistorianError:
        raise
    except TimeoutError:
        raise endpoint.timed_out(seconds) from None
    except Exception as error:
        raise error_of(error, endpoint, seconds) from None


def error_of(error: Exception, endpoint: Endpoint, seconds: float) -> ModelError:
    """Return what a provider's client raised as one of Historian's errors."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    said = f"{type(error).__name__}: {error}"
    if any(kind in _DECLINES for kind in kinds):
        return endpoint.declined(endpoint.hide(said))
    if "ContextOverflowError" in kinds:
        return InputRejected(f"{endpoint.name} does not accept this input: {endpoint.hide(said)}.")
    status = _status_of(error) or next((_STATUSES[kind] for kind in kinds if kind in _STATUSES), None)
    if status is not None:
        headers = getattr(getattr(error, "response", None), "headers", None)
        after = retry_after_seconds(headers) if isinstance(headers, Mapping) else None
        return endpoint.error_of_status(status, said, retry_after=after)
    if any("Timeout" in kind for kind in kinds):
        return endpoint.timed_out(seconds)
    if isinstance(error, _NOT_SUPPORTED):
        return FormRejected(f"{endpoint.name} does not support this call: {endpoint.hide(said)}.")
    return endpoint.unavailable(f"failed ({endpoint.hide(said)})")


def _status_of(error: Exception) -> int | None:
    """Return the HTTP status that an error of a client carries, wherever it does."""
    response: Any = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (error, "code"), (response, "status_code")):
        status = getattr(holder, name, None)
        if type(status) is int and 400 <= status < 600:
            return status
    return None
