"""What an HTTP endpoint of a model can answer instead of an answer, put into Historian's own errors.

The rules, by status: network trouble, 408, 409, 425, 429 and 5xx are `ModelUnavailable` (try later); every other
error is `ModelRefused` (mend the settings), except where the endpoint says that it is this one *input* it does not
want (too long, or caught by its content inspection): that is `ModelAnswerUnusable`, because the next input may pass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..schema.errors import ModelAnswerUnusable, ModelError, ModelRefused, ModelUnavailable, SettingsError

OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go when a key is configured and no `base_url`: the endpoint that gave the protocol its name."""

NO_KEY = "not-needed"
"""Sent as key where none is configured: the client insists on one, local servers ignore it. An `OPENAI_API_KEY` in the
environment is never used, it may belong to somebody else's endpoint."""

_TRY_LATER = frozenset({408, 409, 425, 429})
_FORM_MAY_BE_AT_FAULT = frozenset({400, 404, 405, 406, 415, 422})
"""Statuses with which servers turn down `tools`, `tool_choice` or `response_format`: 400 and 422 are usual, routers
that find no provider with tools answer 404."""
_FORM_MAY_CRASH = frozenset({500, 501})
"""llama.cpp without templates answers 500 to `tools`; 501 is used by small servers for the same thing."""
_CAN_BE_INPUT = frozenset({400, 403, 422, 429})
"""429 belongs here for "request too large": one request above the limit per minute can never pass."""

_INPUT_AT_FAULT = re.compile(
    r"context[ _]?(length|window|size)|maximum (context|prompt|input)|(prompt|input|text|request) (is |was )?too (long|large)"
    r"|exceeds? the (available )?context|string_above_max_length|range of input length|too many tokens"
    r"|content[ _]?(filter|policy|management)|data_?inspection_?failed|inappropriate content|content exists risk"
    r"|considered high risk|(?<!case[ -])sensitive|敏感|不安全",
    re.IGNORECASE,
)
"""How providers word that the input itself is the trouble: over-long prompts, and content inspection (Azure
`content_filter`, DashScope `data_inspection_failed`, DeepSeek "Content Exists Risk", Moonshot "high risk", Zhipu)."""

_LONGEST_DETAIL = 300


class FormRejected(ModelRefused):
    """The endpoint turned down this form of request; the same question in another form may pass."""


class FormFailed(ModelUnavailable):
    """The endpoint broke on this request (500, 501): it may be down, or not able to take this form."""


class InputRejected(ModelAnswerUnusable):
    """The endpoint does not want this input in any form: too long, or caught by its content inspection."""


def plain_key(key: SecretStr | str | None) -> str:
    """The key as text, "" where there is none."""
    if isinstance(key, SecretStr):
        return key.get_secret_value().strip()
    return (key or "").strip()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who was asked: the section of the settings, the address and the model. It words every error, and hides the key."""

    section: str
    base_url: str
    model: str
    key: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """The base URL without any user name, password or query in it."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}" if host else self.base_url

    @property
    def name(self) -> str:
        return f"{self.address} (model {self.model!r}, [{self.section}])"

    def hide(self, text: str) -> str:
        """`text` on one line, shortened, without the key: servers like to repeat it."""
        line = " ".join(text.split())
        if len(self.key) >= 4:
            line = line.replace(self.key, "***")
        return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL] + "…"

    def unavailable(self, what: str, *, retry_after: float | None = None) -> ModelUnavailable:
        return ModelUnavailable(f"{self.name} {what}. Nothing is lost; it is tried again later", retry_after=retry_after)

    def timed_out(self, seconds: float) -> ModelUnavailable:
        return self.unavailable(f"gave no complete answer within {seconds:g} s ({self.section}.timeout_seconds)")

    def foreign(self, preview: str, *, has_answered: bool) -> ModelError:
        """For HTTP 200 with a web page or the like: a wrong address at first, a gateway's page in an outage later."""
        if has_answered:
            return self.unavailable(f"answered with something else than before: {self.hide(preview)!r}")
        return ModelRefused(
            f"{self.name} answered with something that is no answer of the OpenAI protocol: {self.hide(preview)!r}. "
            f"Check {self.section}.base_url: for most servers it ends in /v1."
        )

    def error_of_status(self, status: int, detail: str, *, retry_after: float | None = None) -> ModelError:
        """The error for an HTTP status; `detail` is what the server said."""
        said = f"; it says: {self.hide(detail)}" if detail.strip() else ""
        if status == 413 or (status in _CAN_BE_INPUT and _INPUT_AT_FAULT.search(detail)):
            return InputRejected(f"{self.name} does not accept this input: HTTP {status}{said}.")
        if status in _TRY_LATER or status >= 500:
            message = f"{self.name} answered HTTP {status}{said}. Nothing is lost; it is tried again later"
            kind = FormFailed if status in _FORM_MAY_CRASH else ModelUnavailable
            return kind(message, retry_after=retry_after, status=status)
        refused = FormRejected if status in _FORM_MAY_BE_AT_FAULT else ModelRefused
        return refused(f"{self.name} refused with HTTP {status}{said}. {self._remedy(status)}", status=status)

    def _remedy(self, status: int) -> str:
        if status == 401:
            return f"Check {self.section}.api_key."
        if status == 402:
            return f"The account has to be topped up, or choose another endpoint in [{self.section}]."
        if status == 403:
            return f"Check that {self.section}.api_key may use this model from this place."
        if status in (404, 405):
            return f"Check {self.section}.base_url (for most servers it ends in /v1) and {self.section}.model."
        return f"Check {self.section}.model and the other keys of [{self.section}]."


def checked_endpoint(section: str, base_url: str, model: str, key: str) -> Endpoint:
    """An endpoint that requests can be sent to. Raises SettingsError for what can never work; the key is not shown."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            f"{section}.base_url is {base_url!r}: expected an address such as https://api.example.com/v1 "
            "or http://127.0.0.1:11434/v1."
        )
    if not key.isascii() or any(character.isspace() for character in key):
        raise SettingsError(
            f"{section}.api_key holds blanks or characters beyond ASCII, which no key does: put the real key there, "
            "or leave it empty for a local server."
        )
    return Endpoint(section, base_url, model, key)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The wait a server asks for in `Retry-After-Ms` or `Retry-After` (seconds or a date), at most a day."""
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
    """Seconds from the server's own `Date` to `moment` (both HTTP dates); NaN where they can not be read."""
    try:
        until = parsedate_to_datetime(moment)
        start = parsedate_to_datetime(server_time) if server_time else datetime.now(UTC)
        return (until - start).total_seconds()
    except (ValueError, TypeError):
        return math.nan


def clean_text(text: str) -> str:
    """`text` that can be sent as UTF-8: NUL becomes a space, half of a surrogate pair a question mark."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
