"""Masking of the endpoints' secrets in messages and logs.

The secrets of an endpoint are its key, the user name and password in its address, and the values of
the address's query and of `extra_body`. Servers quote them in errors, in any encoding, and the HTTP
clients log addresses and requests. `Secrets.mask` and the filter of `guard_logs` replace them by
`***`.
"""

from __future__ import annotations

import base64
import binascii
import html
import logging
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from ..schema.settings import ChatSettings, ModelSettings

MASK = "***"
SHORTEST = 4
"""Minimum length of a secret. Shorter values would be masked within ordinary words."""
_SHORTEST_WORD = 6
"""Minimum length of a secret in `extra_body`; these are masked as whole words only."""
_LOOKED_AT = 20_000
"""Maximum number of characters of a text that are masked; the rest is cut off."""
_ROUNDS = 4
"""Maximum number of nested encodings that are decoded."""

_URL_USER = re.compile(r"(?<=://)[^/\s@'\"<>]+@")
_URL_QUERY = re.compile(r"(\bhttps?://[^\s?'\"<>]{0,2000})\?[^\s'\"<>]+")
_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{6,}")


class Secrets:
    """A set of secrets. Those in `words` are masked only as whole words."""

    def __init__(self, values: Iterable[str], words: Iterable[str] = ()) -> None:
        self.values = frozenset(value for value in values if len(value) >= SHORTEST)
        self.words = frozenset(word for word in words if len(word) >= _SHORTEST_WORD) - self.values
        parts = [_pattern_of(one) for one in sorted(self.values, key=len, reverse=True)]
        parts += [
            rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(self.words, key=len, reverse=True)
        ]
        self._pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None
        self._encoded = [one.encode().lower() for one in (*self.values, *self.words)]

    def mask(self, text: str) -> str:
        """Return `text` with every secret masked.

        Secrets are also found if their end is cut off, or if they are encoded (URL, JSON, HTML,
        base64, hex). A text with an escaped secret is returned unescaped. User names, passwords and
        queries of all URLs are masked.
        """
        text = text[:_LOOKED_AT]
        plain = without_url_secrets(text)
        if self._pattern is None:
            return plain
        plain = self._masked(plain)
        for decoded in _unescaped(plain):
            decoded = without_url_secrets(decoded)
            masked = self._masked(decoded)
            if masked != decoded:
                plain = masked
        return plain

    def _masked(self, text: str) -> str:
        assert self._pattern is not None
        return _RUN.sub(self._without_encoded, self._pattern.sub(MASK, text))

    def _without_encoded(self, run: re.Match[str]) -> str:
        return (
            MASK
            if any(secret in data for data in _decodings(run[0]) for secret in self._encoded)
            else run[0]
        )


def without_url_secrets(text: str) -> str:
    """Return `text` with the user name, password and query of each URL masked."""
    return _URL_QUERY.sub(rf"\1?{MASK}", _URL_USER.sub(f"{MASK}@", text)) if "://" in text else text


def secrets_of_url(url: str) -> Iterator[str]:
    """Yield the user name, the password and the query values of a URL, both encoded and decoded."""
    parts = urlsplit(url)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    for value in (user, password):
        yield value
        yield unquote(value)
    for name, value in parse_qsl(parts.query):
        yield value or name
    for pair in parts.query.split("&"):
        yield pair.partition("=")[2]


def strings_in(value: object) -> Iterator[str]:
    """Yield the strings in nested dictionaries and lists, without the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_in(item)


def _pattern_of(secret: str) -> str:
    """Return a pattern for the secret, and for at least its first half if it is long."""
    whole = re.escape(secret)
    begin = max(8, (len(secret) + 1) // 2)
    return whole if len(secret) < 12 else rf"{whole}|{re.escape(secret[:begin])}\S*"


def _unescaped(text: str) -> Iterator[str]:
    """Yield `text` with escapes of URLs, JSON and HTML decoded, and again for nested escapes."""
    for _ in range(_ROUNDS):
        before = text
        text = html.unescape(_JSON_ESCAPE.sub(_character, unquote(text)))
        if text == before:
            return
        yield text
        if "+" in text:
            yield unquote_plus(text)


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return (
        chr(int(code, 16)) if code else {"n": "\n", "t": "\t", "r": "\r"}.get(escape[3], escape[3])
    )


def _decodings(run: str) -> Iterator[bytes]:
    """Yield the bytes, in lower case, that a run of characters decodes to as base64 or as hex.

    The encoding may begin at any of the first four (base64) or two (hex) characters.
    """
    standard = run.replace("-", "+").replace("_", "/").replace("=", "")
    for start in range(4):
        part = standard[start:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            yield base64.b64decode(part + "=" * (-len(part) % 4)).lower()
        except binascii.Error:
            continue
    for start in range(2):
        part = run[start:]
        try:
            yield bytes.fromhex(part[: len(part) // 2 * 2]).lower()
        except ValueError:
            continue


_known = Secrets(())
"""The secrets of every endpoint of this process."""


def mask_known(text: str) -> str:
    """Return `text` with the secrets of every endpoint of this process masked."""
    return _known.mask(text)


class _Masking(logging.Filter):
    """A filter that masks the known secrets in log records of HTTP clients and in tracebacks."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            text = record.getMessage()
        except Exception:  # the handler reports a wrong format
            return True
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}\n{''.join(traceback.format_exception(record.exc_info[1])).rstrip()}"
        masked = mask_known(text)
        if masked != text:
            record.msg, record.args = masked, None
            record.exc_info = record.exc_text = None
        return True


_FILTER = _Masking()
_CLIENT_LOGGERS = (
    *(
        "httpx",
        "httpx2",
        "openai",
        "openai._base_client",
        "openai._response",
        "openai._legacy_response",
    ),
    *(
        f"httpcore{n}.{part}"
        for n in ("", "2")
        for part in ("connection", "http11", "http2", "proxy", "socks")
    ),
    *(
        "langchain_openai.chat_models.base",
        "langchain_openai.chat_models._client_utils",
        "langchain_openai.embeddings.base",
    ),
)


def guard_logs(secrets: Secrets) -> None:
    """Mask these secrets, too, in all logs of the HTTP clients of this process, at any level."""
    global _known
    if not secrets.values <= _known.values or not secrets.words <= _known.words:
        _known = Secrets(_known.values | secrets.values, _known.words | secrets.words)
    for name in _CLIENT_LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)


def guard_models(models: ModelSettings) -> None:
    """Mask the secrets of all endpoints of the settings, also before an endpoint is used.

    The logs of one endpoint may contain the secrets of another.
    """
    for one in (models.chat, models.background, models.embedding, models.rerank):
        body = one.extra_body if isinstance(one, ChatSettings) else {}
        with suppress(ValueError):  # an invalid address, which `checked_endpoint` reports
            guard_logs(
                Secrets([one.api_key.strip(), *secrets_of_url(one.base_url)], strings_in(body))
            )
