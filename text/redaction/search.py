"""Search and redaction of secrets in a text, with all finders of this package."""

from collections.abc import Iterator

from ..word_lists import word_list
from .credentials import find_credentials, find_key_blocks, find_provider_keys
from .named_values import find_named_values
from .names import find_names
from .personal import find_personal_data
from .rules import Level, Redaction, compiled, lowered, merged, replaced
from .spoken import find_spoken, with_others

_PASSES = 8
_WINDOW = 20_000
"""A longer text is searched in pieces: a search holds the interpreter's lock until it ends."""
_LINE = 300
"""Maximum characters of a line of a key."""
_CONTEXT = 6_000
"""Characters around a piece that are searched with it, as context; more than any key has."""
_REST_OF_WORD = r"[^\s\"'<>]*"
_ANNOUNCING = (
    *word_list("码 碼 code phrase seed mnemonic 助记 cookie authorization otp 2fa"),
    "private key",
)
_FULL_WIDTH = "[０-９Ａ-Ｚａ-ｚ＠]"
_HALF_WIDTH = {
    code: code - 0xFEE0
    for code in (*range(0xFF10, 0xFF1A), *range(0xFF20, 0xFF3B), *range(0xFF41, 0xFF5B))
}
"""Maps full-width digits, letters and `＠` to ASCII; offsets do not change."""


def find_secrets(text: str, level: Level = "secrets") -> list[Redaction]:
    """Return the spans to redact as character offsets of `text`, in order and without overlaps.

    Full-width letters and digits are read as ASCII; nothing is decoded. The time is linear in the
    length of the text.
    """
    return list(_spans(text, level))


def _spans(text: str, level: Level) -> Iterator[Redaction]:
    """Yield the spans of `find_secrets` window by window, so that not all are in memory at once."""
    if level == "none" or not text:
        return
    if len(text) <= _WINDOW:
        yield from _found_in(text, level)
        return
    last: list[Redaction] = []
    for start in range(0, len(text), _WINDOW):
        if not last or last[0].end < start + _WINDOW:
            last = merged([*last, *_begun_in_window(text, start, level)], text)
            yield from last[:-1]
            del last[:-1]
    yield from last


def redact(text: str, level: Level = "secrets") -> str:
    """Return the text with a labelled placeholder (`[PASSWORD]`, `[API_KEY]` …) for each secret.

    Idempotent. Levels: `secrets` (keys, tokens, passwords, cookies), `all` (also personal data),
    `none`.
    """
    for _ in range(_PASSES):
        clean = replaced(text, _spans(text, level))
        if clean == text:
            break
        text = clean
    return text


def announces_secret(text: str) -> bool:
    """Return True if the text contains a word that may introduce a secret.

    If this is False for each of several texts, none of them introduces a secret in another one.
    """
    return any(
        _announces(text[start : start + _WINDOW + _CONTEXT])
        for start in range(0, len(text), _WINDOW)
    )


def _announces(text: str) -> bool:
    text = _half_width(text)
    folded = lowered(text)
    return any(cue in folded for cue in _ANNOUNCING) or any(True for _ in find_names(text, folded))


def _half_width(text: str) -> str:
    return (
        text.translate(_HALF_WIDTH)
        if not text.isascii() and compiled(_FULL_WIDTH).search(text)
        else text
    )


def _found_in(text: str, level: Level) -> list[Redaction]:
    """Return the spans of a text, searched in one piece, in order and without overlaps."""
    seen = _half_width(text)
    folded = lowered(seen)
    found = list(with_others(seen, _secrets(seen, folded)))
    if level == "all":
        found += find_personal_data(seen, folded)
    return merged(found, text)


def _begun_in_window(text: str, start: int, level: Level) -> Iterator[Redaction]:
    """Yield the spans that begin in the window at `start`, searched together with its context."""
    first, reach = max(0, start - _CONTEXT), _WINDOW + _CONTEXT
    while True:
        end = min(len(text), start + reach)
        spans = [
            span
            for span in _found_in(text[first:end], level)
            if start <= first + span.start < start + _WINDOW
        ]
        # For a long word no rule finds the end, so the window is not extended.
        is_word = not any(map(str.isspace, text[max(first, end - 2 * _CONTEXT) : end]))
        if end == len(text) or is_word or not any(first + span.end > end - _LINE for span in spans):
            break
        reach *= 2  # a secret continues after the end of the searched part
    for span in spans:
        stop = first + span.end
        if (
            end < len(text)
            and stop > end - _LINE
            and (rest := compiled(_REST_OF_WORD).match(text, stop))
        ):
            stop = rest.end()
        yield Redaction(first + span.start, stop, span.label)


def _secrets(text: str, folded: str) -> Iterator[Redaction]:
    yield from find_key_blocks(text)
    yield from find_provider_keys(text)
    yield from find_credentials(text, folded)
    yield from find_named_values(text, folded)
    yield from find_spoken(text, folded)
