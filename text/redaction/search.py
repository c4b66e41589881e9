"""All finders over one text, in every coat it may wear."""

import re
from collections.abc import Iterator

from .addresses import find_in_addresses
from .calls import find_in_calls
from .characters import HAN
from .codes import find_codes
from .columns import find_in_columns
from .commands import find_in_commands
from .credentials import find_credentials
from .devices import find_in_device_settings
from .drawn_tokens import find_drawn_tokens
from .encodings import View, base64_texts, despaced, half_width, percent_decoded, unescaped
from .key_blocks import find_key_blocks
from .named_values import find_named_values
from .nearby import find_nearby
from .personal import find_personal_data
from .provider_keys import find_provider_keys
from .randomness import has_letter_and_digit
from .services import find_service_keys
from .spans import Level, Redaction, merged, replaced
from .told import find_told_passwords

# Taken off one after the other; a JSON text inside a JSON text is escaped twice.
_COATS = (unescaped, percent_decoded, unescaped)
_PASSES = 8
_ONCE = ("COOKIE", "PRIVATE_KEY", "EMAIL", "PHONE", "ID_CARD", "BANK_CARD", "WECHAT")
_RUN = re.compile(rf"[^\s\"'`<>,;&=，。；：、（）(【】「」“”{HAN}]{{8,512}}")


def find_secrets(text: str, level: Level = "secrets") -> list[Redaction]:
    """Give what must not be kept, in order and without overlaps, as character offsets of `text`.

    Percent-encoded and JSON-escaped text is read decoded as well, and so is base64; the spans cover the encoded form.
    Full-width letters and figures count as the plain ones, and single characters set apart (`密 码 是`) as a word.
    Time grows linearly with the text.
    """
    if level == "none" or not text:
        return []
    spans = merged(_found(text, level), text)
    again = list(_said_again(text, spans))
    return merged((*spans, *again), text) if again else spans


def redact(text: str, level: Level = "secrets") -> str:
    """Give `text` with a labelled placeholder (`[PASSWORD]`, `[API_KEY]` …) in the place of every secret.

    Redacting twice changes nothing more. Levels: `secrets` (keys, tokens, passwords, cookies), `all` (personal data
    too), `none`.
    """
    for _ in range(_PASSES):
        spans = find_secrets(text, level)
        if not spans:
            break
        text = replaced(text, spans)
    return text


def _found(text: str, level: Level, base64_depth: int = 2) -> Iterator[Redaction]:
    worn: list[View] = []
    seen = half_width(text)
    yield from _in_plain(seen, level, base64_depth)
    joined = despaced(seen)
    if joined is not None:
        for span in _where_decoded(joined, level, 0):
            yield Redaction(*joined.origin(span.start, span.end), span.label)
    for take_off in _COATS:
        view = take_off(seen)
        if view is None:
            continue
        worn.append(view)
        seen = view.text
        for span in _where_decoded(view, level, base64_depth):
            start, end = span.start, span.end
            for outer in reversed(worn):
                start, end = outer.origin(start, end)
            yield Redaction(start, end, span.label)


def _where_decoded(view: View, level: Level, base64_depth: int) -> Iterator[Redaction]:
    for start, end in view.around_decoded():
        for span in _in_plain(view.text[start:end], level, base64_depth):
            yield Redaction(start + span.start, start + span.end, span.label)


def _said_again(text: str, spans: list[Redaction]) -> Iterator[Redaction]:
    """Find what was a secret at one place wherever else it stands."""
    secrets = {text[span.start : span.end]: span.label for span in spans if 8 <= span.end - span.start <= 512}
    secrets = {secret: label for secret, label in secrets.items() if label not in _ONCE and has_letter_and_digit(secret)}
    if not secrets:
        return
    for run in _RUN.finditer(text):
        written = run.group().rstrip(".:!?)…")
        if written in secrets:
            yield Redaction(run.start(), run.start() + len(written), secrets[written])


def _in_plain(text: str, level: Level, base64_depth: int) -> Iterator[Redaction]:
    yield from find_key_blocks(text)
    yield from find_provider_keys(text)
    yield from find_credentials(text)
    yield from find_in_commands(text)
    yield from find_named_values(text)
    yield from find_service_keys(text)
    yield from find_told_passwords(text)
    yield from find_nearby(text)
    yield from find_codes(text)
    yield from find_in_columns(text)
    yield from find_in_calls(text)
    yield from find_drawn_tokens(text)
    yield from find_in_addresses(text)
    yield from find_in_device_settings(text)
    if level == "all":
        yield from find_personal_data(text)
    if base64_depth:
        for start, end, decoded in base64_texts(text):
            inner = merged(_found(decoded, level, base64_depth - 1), decoded)
            if inner:
                yield Redaction(start, end, inner[0].label)
