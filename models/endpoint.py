"""The endpoint of a model, and the translation of its HTTP errors to Historian's errors.

Network errors, 408, 409, 425, 429 and 5xx become `ModelUnavailable` (try again later). Every other
status becomes `ModelRefused` (the settings are wrong). As an exception, a response that rejects
this one input (too long, or stopped by a content filter) becomes `ModelAnswerUnusable`, because the
next input may pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..schema.errors import (
    ContentDeclined,
    ModelAnswerUnusable,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    SettingsError,
)
from .secrets import Secrets, guard_logs, mask_known, secrets_of_url, strings_in

OPENAI_URL = "https://api.openai.com/v1"
"""The base URL used when a key is configured without a `base_url`."""

NO_KEY = "not-needed"
"""The key that is sent if none is configured: the client requires one, and local servers ignore it.
`OPENAI_API_KEY` is never read from the environment, because it may belong to another endpoint."""

LIMIT = "max_completion_tokens"
"""The name of the token limit in a chat request."""

_TRY_LATER = frozenset({408, 409, 425, 429})
_FORM_MAY_BE_AT_FAULT = frozenset({400, 404, 405, 406, 415, 422})
"""Statuses by which servers reject `tools`, `tool_choice` or `response_format`: usually 400 or 422,
but routers without a provider that supports tools return 404."""
_FORM_MAY_CRASH = frozenset({500, 501})
"""llama.cpp without chat templates returns 500 for `tools`; other small servers return 501."""
_CAN_BE_INPUT = frozenset({400, 403, 422, 429})
"""Statuses by which servers reject one input. They include 429 for "request too large": a single
request above the limit per minute can never pass."""

_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum (context|prompt|input)|(prompt|input|text|request) (is |was )?too (long|large)"
    r"|exceeds? the (available )?context|string_above_max_length|range of input length|too many tokens",
    re.IGNORECASE,
)
_DECLINED = re.compile(
    r"content[ _]?(filter|policy|management)|data_?inspection_?failed|inappropriate content|content exists risk"
    r"|considered high risk|prohibited[ _]content|safety (system|polic|setting)|flagged|(?<!case[ -])sensitive|敏感|不安全|违规",
    re.IGNORECASE,
)
"""Phrases by which content filters refuse a text: Azure `content_filter`, DashScope
`data_inspection_failed`, DeepSeek "Content Exists Risk", Moonshot "high risk", Gemini
PROHIBITED_CONTENT, Zhipu, and routers with moderation."""

_LONGEST_DETAIL = 300


class FormRejected(ModelRefused):
    """The endpoint rejected this form of request; the same question in another form may pass.

    `said` is the server's message. It may contain secrets and is never shown.
    """

    said = ""


class FormFailed(ModelUnavailable):
    """The endpoint failed with HTTP 500 or 501: it may be down, or may not support this form."""


class InputRejected(ModelAnswerUnusable):
    """The endpoint rejects this input in any form, because it is too long.

    `said` is as in `FormRejected`.
    """

    said = ""

    @classmethod
    def of(cls, message: str, said: str) -> InputRejected:
        error = cls(message)
        error.said = said
        return error


class AnswerTooLarge(ModelAnswerUnusable):
    """The endpoint's answer is too large, or has an encoding that was not requested."""


def plain_key(key: SecretStr | str | None) -> str:
    """Return the key as text, or "" if there is none."""
    if isinstance(key, SecretStr):
        return key.get_secret_value().strip()
    return (key or "").strip()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The settings section, the address and the model of an endpoint.

    It builds error messages without its secrets: the key, the secrets in the address (user name,
    password and query values), and the values of `extra_body`.
    """

    section: str
    base_url: str = field(repr=False)
    model: str
    key: str = field(default="", repr=False)
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    secrets: Secrets = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        secrets = Secrets([self.key, *secrets_of_url(self.base_url)], strings_in(self.extra_body))
        object.__setattr__(self, "secrets", secrets)

    @property
    def address(self) -> str:
        """The base URL without user name, password and query."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return self.secrets.mask(f"{parts.scheme}://{host}{parts.path}")

    @property
    def name(self) -> str:
        return f"{self.address} (model {self.model!r}, [{self.section}])"

    def hide(self, text: str) -> str:
        """Return `text` in one line, shortened, without secrets, which some servers quote."""
        line = " ".join(mask_known(self.secrets.mask(text)).split())
        return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL] + "…"

    def unavailable(self, what: str, *, retry_after: float | None = None) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self.name} {what}. Nothing is lost; the call is tried again later",
            retry_after=retry_after,
        )

    def timed_out(self, seconds: float) -> ModelUnavailable:
        return self.unavailable(
            f"gave no complete answer within {seconds:g} s ({self.section}.timeout_seconds)"
        )

    def not_read(self, what: str) -> AnswerTooLarge:
        """Return the error for an answer that is not read to its end; `what` describes it."""
        return AnswerTooLarge(
            f"{self.name} sent {self.hide(what)}. Check which server answers at "
            f"{self.section}.base_url."
        )

    def foreign(self, preview: str, *, has_answered: bool) -> ModelError:
        """Return the error for HTTP 200 without a valid answer, such as a web page.

        Before the first valid answer this means a wrong address; after it, an outage with an error
        page of a gateway.
        """
        if has_answered:
            return self.unavailable(f"answered in another form than before: {self.hide(preview)!r}")
        return ModelRefused(
            f"{self.name} gave an answer that does not follow the OpenAI protocol: "
            f"{self.hide(preview)!r}. "
            f"Check {self.section}.base_url: for most servers it ends in /v1."
        )

    def error_of_status(
        self, status: int, detail: str, *, retry_after: float | None = None
    ) -> ModelError:
        """Return the error for an HTTP status; `detail` is the server's message."""
        said = f"; it says: {self.hide(detail)}" if detail.strip() else ""
        if status in _CAN_BE_INPUT and _DECLINED.search(detail):
            return self.declined(f"HTTP {status}{said}")
        if status == 413 or (status in _CAN_BE_INPUT and _TOO_LONG.search(detail)):
            return InputRejected.of(
                f"{self.name} does not accept this input: HTTP {status}{said}.", detail
            )
        if status in _TRY_LATER or status >= 500:
            message = (
                f"{self.name} answered HTTP {status}{said}. Nothing is lost; the call is tried "
                "again later"
            )
            kind = FormFailed if status in _FORM_MAY_CRASH else ModelUnavailable
            return kind(message, retry_after=retry_after, status=status)
        message = f"{self.name} refused with HTTP {status}{said}. {self._remedy(status)}"
        if status not in _FORM_MAY_BE_AT_FAULT:
            return ModelRefused(message, status=status)
        rejected = FormRejected(message, status=status)
        rejected.said = detail
        return rejected

    def declined(self, what: str) -> ContentDeclined:
        """Return the error for content that the model or its provider declines, with the reason."""
        return ContentDeclined(
            f"{self.name} does not accept this content: {what}. Loosen the content filter of "
            f"{self.section}, or use another endpoint; until then rules do its work"
        )

    def _remedy(self, status: int) -> str:
        if status == 401:
            return f"Check {self.section}.api_key."
        if status == 402:
            return f"Top up the account, or choose another endpoint in [{self.section}]."
        if status == 403:
            return f"Check that {self.section}.api_key has access to this model in your region."
        if status in (404, 405):
            return f"Check {self.section}.base_url (for most servers it ends in /v1) and {self.section}.model."
        return f"Check {self.section}.model and the other keys of [{self.section}]."


@dataclass(frozen=True, slots=True)
class GivenEndpoint(Endpoint):
    """The `Endpoint` of a model object given by the caller; `section` is the argument's name."""

    @property
    def name(self) -> str:
        return f"the model {self.model!r} given as `{self.section}`"

    def timed_out(self, seconds: float) -> ModelUnavailable:
        return self.unavailable(f"gave no answer within {seconds:g} s")

    def foreign(self, preview: str, *, has_answered: bool) -> ModelError:
        """Return the error for a call that the object's class does not support."""
        return FormRejected(f"{self.name} does not support this call: {self.hide(preview)}.")

    def _remedy(self, status: int) -> str:
        return f"Check how the `{self.section}` was made."


def endpoint_of(given: object, argument: str) -> GivenEndpoint:
    """Return the endpoint of a model object. Its keys are masked in the HTTP clients' logs."""
    names = (
        getattr(given, name, "") for name in ("model", "model_name", "model_id", "deployment_name")
    )
    model = next((name for name in names if isinstance(name, str) and name), type(given).__name__)
    fields = getattr(given, "__dict__", {}).values()
    keys = [plain_key(value) for value in fields if isinstance(value, SecretStr)]
    endpoint = GivenEndpoint(
        argument, "", model, next(iter(keys), ""), {str(n): key for n, key in enumerate(keys)}
    )
    guard_logs(endpoint.secrets)
    return endpoint


def checked_endpoint(
    section: str,
    base_url: str,
    model: str,
    key: SecretStr | str | None,
    extra_body: Mapping[str, Any] | None = None,
) -> Endpoint:
    """Return the endpoint of these settings. A key without `base_url` means OpenAI's endpoint.

    Raises SettingsError if both are missing or one is invalid; the message contains neither key nor
    address. The endpoint's secrets are masked in the logs of the HTTP clients.
    """
    key = plain_key(key)
    if not (base_url or key):
        raise SettingsError(
            f"{section}.model is {model!r}, but neither {section}.base_url (a local server) "
            f"nor {section}.api_key is set: set one of them."
        )
    base_url = base_url or OPENAI_URL
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # its message would quote the address
        is_address = False
    if not is_address:
        raise SettingsError(
            f"{section}.base_url is not the address of a server: expected an address such as "
            "https://api.example.com/v1 "
            "or http://127.0.0.1:11434/v1."
        )
    if not key.isascii() or any(character.isspace() for character in key):
        raise SettingsError(
            f"{section}.api_key contains blanks or characters outside ASCII, which no key has: "
            "enter the real key, "
            "or leave it empty for a local server."
        )
    endpoint = Endpoint(section, base_url, model, key, extra_body or {})
    guard_logs(endpoint.secrets)
    return endpoint


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by `Retry-After-Ms` or `Retry-After` (seconds or a date).

    They are at most a day. Return None if there is no valid header.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _seconds_until(value, headers.get("date"))
        if math.isfinite(seconds):
            return min(max(seconds, 0.0), 86_400.0)
    return None


def _seconds_until(moment: str, server_time: str | None) -> float:
    """Return the seconds from `server_time` to `moment`, or NaN if they cannot be parsed.

    Both are HTTP dates. Without `server_time`, the current time is used.
    """
    try:
        until = parsedate_to_datetime(moment)
        start = parsedate_to_datetime(server_time) if server_time else datetime.now(UTC)
        return (until - start).total_seconds()
    except (ValueError, TypeError):
        return math.nan


def clean_text(text: str) -> str:
    """Return `text` encodable as UTF-8: NUL becomes a space, a lone surrogate a question mark."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
