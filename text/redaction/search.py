"""All finders over one text, in every coat it may wear."""

from collections.abc import Iterator

from .credentials import find_credentials
from .encodings import View, decoded_views, half_width, without_invisible
from .key_blocks import find_key_blocks
from .named_values import find_named_values
from .personal import find_personal_data
from .providers import find_provider_keys
from .randomness import is_mixed
from .rules import compiled, lowered
from .spans import Level, Redaction, merged, replaced
from .spoken import find_spoken

_PASSES = 8
_ONCE = ("COOKIE", "PRIVATE_KEY", "EMAIL", "PHONE", "ID_CARD", "BANK_CARD")


def find_secrets(text: str, level: Level = "secrets") -> list[Redaction]:
    """What must not be kept, in order and without overlaps, as character offsets of `text`.

    Percent-encoded and JSON-escaped text is read decoded as well; the spans cover the encoded form. Full-width letters
    and digits count as the plain ones, and zero-width characters not at all. Time grows linearly with the text.
    """
    if level == "none" or not text:
        return []
    visible = without_invisible(text)
    seen = half_width(visible.text if visible else text)
    found = list(_found(seen, level))
    if not found:
        return []
    if visible:
        found = [_origin(visible, span) for span in found]
    spans = merged(found, text)
    again = list(_said_again(text, spans))
    return merged((*spans, *again), text) if again else spans


def redact(text: str, level: Level = "secrets") -> str:
    """The text with a labelled placeholder (`[PASSWORD]`, `[API_KEY]` …) in the place of every secret.

    Redacting twice changes nothing more. Levels: `secrets` (keys, tokens, passwords, cookies), `all` (personal data
    too), `none`.
    """
    for _ in range(_PASSES):
        spans = find_secrets(text, level)
        if not spans:
            break
        text = replaced(text, spans)
    return text


def _found(text: str, level: Level) -> Iterator[Redaction]:
    yield from _in_plain(text, level)
    if "\\" in text or "%" in text:
        for view in decoded_views(text):
            for span in _in_plain(view.text, level):
                yield _origin(view, span)


def _origin(view: View, span: Redaction) -> Redaction:
    return Redaction(view.offsets[span.start], view.offsets[span.end], span.label)


def _in_plain(text: str, level: Level) -> Iterator[Redaction]:
    folded = lowered(text)
    yield from find_key_blocks(text)
    yield from find_provider_keys(text)
    yield from find_credentials(text, folded)
    yield from find_named_values(text, folded)
    yield from find_spoken(text, folded)
    if level == "all":
        yield from find_personal_data(text, folded)


def _said_again(text: str, spans: list[Redaction]) -> Iterator[Redaction]:
    """What was a secret at one place, wherever else it stands."""
    secrets = {text[span.start : span.end]: span.label for span in spans if 8 <= span.end - span.start <= 512}
    secrets = {secret: label for secret, label in secrets.items() if label not in _ONCE and is_mixed(secret)}
    if secrets:
        for run in compiled(r"[^\s\"'`<>,;&=，。；：、（）(【】「」“”\u3400-\u9fff]{8,512}").finditer(text):
            written = run.group().rstrip(".:!?)…")
            if written in secrets:
                yield Redaction(run.start(), run.start() + len(written), secrets[written])
