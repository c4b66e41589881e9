"""The secrets of the configured endpoints, kept out of messages and logs.

An endpoint knows its key, the user name and password in its address, the values of the address's query and of `extra_body`.
Servers repeat them in errors, in any encoding, and the HTTP clients log addresses and requests: `Secrets.mask` and the filter of
`guard_logs` put `***` there.
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
"""Shorter values are no secrets, and their letters would be masked everywhere."""
_SHORTEST_WORD = 6
"""The same for values of `extra_body`, which are masked as whole words only."""
_LOOKED_AT = 20_000
"""Characters of a text that are looked at; the rest is cut off."""
_ROUNDS = 4
"""How many encodings inside one another are undone."""

_URL_USER = re.compile(r"(?<=://)[^/\s@'\"<>]+@")
_URL_QUERY = re.compile(r"(\bhttps?://[^\s?'\"<>]{0,2000})\?[^\s'\"<>]+")
_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{6,}")


class Secrets:
    """A set of secrets. `words` are masked only as whole words."""

    def __init__(self, values: Iterable[str], words: Iterable[str] = ()) -> None:
        self.values = frozenset(value for value in values if len(value) >= SHORTEST)
        self.words = frozenset(word for word in words if len(word) >= _SHORTEST_WORD) - self.values
        parts = [_pattern_of(one) for one in sorted(self.values, key=len, reverse=True)]
        parts += [rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(self.words, key=len, reverse=True)]
        self._pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None
        self._encoded = [one.encode().lower() for one in (*self.values, *self.words)]

    def mask(self, text: str) -> str:
        """Return `text` with every secret masked: as it is, cut off at its end, or encoded (URL, JSON, HTML, base64, hex).

        A text that holds an escaped secret comes back unescaped. User names, passwords and queries of all URLs are masked.
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
        return MASK if any(secret in data for data in _decodings(run[0]) for secret in self._encoded) else run[0]


def without_url_secrets(text: str) -> str:
    """Return `text` with the user name, password and query of each URL masked."""
    return _URL_QUERY.sub(rf"\1?{MASK}", _URL_USER.sub(f"{MASK}@", text)) if "://" in text else text


def secrets_of_url(url: str) -> Iterator[str]:
    """Yield the user name, the password and the values of the query, as they stand and decoded."""
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
    """Yield the strings in nested dictionaries and lists, without the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings_in(item)


def _pattern_of(secret: str) -> str:
    """Return a pattern of the secret, and of its first half or more where a server cut it off."""
    whole = re.escape(secret)
    begin = max(8, (len(secret) + 1) // 2)
    return whole if len(secret) < 12 else rf"{whole}|{re.escape(secret[:begin])}\S*"


def _unescaped(text: str) -> Iterator[str]:
    """Yield `text` with escapes of URLs, JSON and HTML undone, several times over while that changes it."""
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
    return chr(int(code, 16)) if code else {"n": "\n", "t": "\t", "r": "\r"}.get(escape[3], escape[3])


def _decodings(run: str) -> Iterator[bytes]:
    """Yield the bytes, in lower case, that a run of letters may be as base64 (from any of its first four letters) or as hex."""
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
    """Masks the known secrets in the records of the HTTP clients, tracebacks included."""

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
    *("httpx", "httpx2", "openai", "openai._base_client", "openai._response", "openai._legacy_response"),
    *(f"httpcore{n}.{part}" for n in ("", "2") for part in ("connection", "http11", "http2", "proxy", "socks")),
    *("langchain_openai.chat_models.base", "langchain_openai.chat_models._client_utils", "langchain_openai.embeddings.base"),
)


def guard_logs(secrets: Secrets) -> None:
    """Mask these secrets too in all that the HTTP clients log in this process, at any level."""
    global _known
    if not secrets.values <= _known.values or not secrets.words <= _known.words:
        _known = Secrets(_known.values | secrets.values, _known.words | secrets.words)
    for name in _CLIENT_LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)


def guard_models(models: ModelSettings) -> None:
    """Mask the secrets of all endpoints of the settings: one may repeat what another was sent, before this one is used here."""
    for one in (models.chat, models.background, models.embedding, models.rerank):
        body = one.extra_body if isinstance(one, ChatSettings) else {}
        with suppress(ValueError):  # no address: `checked_endpoint` says so
            guard_logs(Secrets([one.api_key.strip(), *secrets_of_url(one.base_url)], strings_in(body)))
