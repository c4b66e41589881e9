"""The language in which people are addressed, and the catalogue of Chinese texts.

The code holds every message once, in English with named placeholders: `say("{n} {n:job|jobs} accepted", n=3)`. The Chinese
text stands in `texts.zh.toml` under the English one; the file is read when Chinese is spoken for the first time. Help texts
are English in the code as well and are translated when a help page is printed. Output for programs is English alone: a
command with `--json` speaks English throughout, refusals of the parser included.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ...schema.language import Language as Language
from ..texts import MessageFormatter, said
from ..texts import catalogue as catalogue
from ..texts import later as later

VARIABLES = ("HISTORIAN_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""The first of these that is set and not empty decides; if none is, the locale of the system does."""

SAMPLE = "简体中文，“”：《》"
"""Characters that an output must be able to encode to be addressed in Chinese."""

_settled: ContextVar[Language | None] = ContextVar("settled", default=None)


def language() -> Language:
    """Return zh if the environment asks for Chinese and the output can show it, else en."""
    settled = _settled.get()
    if settled is not None:
        return settled
    named = next((value for name in VARIABLES if (value := os.environ.get(name))), "") or _system_locale()
    can_be_shown = encodes(sys.stdout, SAMPLE) and encodes(sys.stderr, SAMPLE)
    return "zh" if named.lower().startswith(("zh", "chinese")) and can_be_shown else "en"


def language_for(arguments: Sequence[str]) -> Language | None:
    """Return the language that a command line settles before it is parsed; None if the environment decides."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "en" if "--json" in options else None


@contextmanager
def speaking(settled: Language | None) -> Iterator[None]:
    """Use one language within the block, whatever the environment says; None settles nothing."""
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


def say(message: str, /, **values: object) -> str:
    """Return a message in the current language with its placeholders filled.

    Beyond the usual format specifications, `{n:job|jobs}` picks the first word for 1 and the second
    otherwise, `{t:duration}` writes seconds for people, and `{x:percent}` a share (- for None).
    """
    return said(language(), message, values, _FORMATTER)


def say_help(text: str) -> str:
    """Return a help text in the current language. The catalogue holds it by paragraphs, each in one line."""
    return "\n\n".join(say(" ".join(paragraph.split())) for paragraph in text.split("\n\n"))


def listed(parts: Sequence[str]) -> str:
    """Return the parts in one line, separated as the language does."""
    return say(", ").join(parts)


def duration(seconds: float) -> str:
    """Return seconds for people."""
    units = ((later("{n:.1f} days"), 86_400), (later("{n:.1f} h"), 3600), (later("{n:.1f} min"), 60), (later("{n:.1f} s"), 1))
    for message, length in units:
        if seconds >= length:
            return say(message, n=seconds / length)
    return say("{n:.0f} ms", n=1000 * seconds)


def percent(share: float | None) -> str:
    """Return a share as a percentage; - for None."""
    return "-" if share is None else f"{100 * share:.1f} %"


class _Formatter(MessageFormatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in ("duration", "percent"):
            return duration(value) if format_spec == "duration" else percent(value)
        return super().format_field(value, format_spec)


_FORMATTER = _Formatter()


def encodes(stream: object, text: str) -> bool:
    """Return True if a stream can encode a text; one that is closed, and one without an encoding, ask for nothing."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _system_locale() -> str:
    import locale

    try:
        return locale.getlocale()[0] or ""
    except ValueError:  # a locale that this Python has no name for
        return ""
