"""The language of messages, and their translation.

The code contains each message once, in English with named placeholders:
`say("{n} {n:job|jobs} accepted", n=3)`. `texts.zh.toml` maps English messages to Chinese ones and
is read when the first message is translated. Help texts are also English in the code and are
translated when a help page is printed. With `--json` all output is English, including the parser's
errors.
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
"""Environment variables for the language: the first that is set and not empty decides. If none is,
the locale of the system decides."""

SAMPLE = "简体中文，“”：《》"
"""Characters that stdout and stderr must be able to encode for Chinese messages."""

_settled: ContextVar[Language | None] = ContextVar("settled", default=None)


def language() -> Language:
    """Return the current language.

    This is the language of the innermost `speaking` block. Otherwise it is "zh" if the environment
    asks for Chinese and the output can encode it, else "en".
    """
    settled = _settled.get()
    if settled is not None:
        return settled
    named = (
        next((value for name in VARIABLES if (value := os.environ.get(name))), "")
        or _system_locale()
    )
    can_be_shown = encodes(sys.stdout, SAMPLE) and encodes(sys.stderr, SAMPLE)
    return "zh" if named.lower().startswith(("zh", "chinese")) and can_be_shown else "en"


def language_for(arguments: Sequence[str]) -> Language | None:
    """Return "en" if unparsed arguments contain `--json`, else None: the environment decides."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "en" if "--json" in options else None


@contextmanager
def speaking(settled: Language | None) -> Iterator[None]:
    """Use the language `settled` within the block. If it is None, the environment decides."""
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


def say(message: str, /, **values: object) -> str:
    """Return a message in the current language with its placeholders filled.

    Additional format specifications: `{n:job|jobs}` gives the first word if n is 1, else the
    second; `{t:duration}` formats seconds for people; `{x:percent}` formats a share (- for None).
    """
    return said(language(), message, values, _FORMATTER)


def say_help(text: str) -> str:
    """Return a help text in the current language.

    The catalogue has one entry per paragraph, with the paragraph as one line.
    """
    return "\n\n".join(say(" ".join(paragraph.split())) for paragraph in text.split("\n\n"))


def listed(parts: Sequence[str]) -> str:
    """Return the parts in one line, with the list separator of the current language."""
    return say(", ").join(parts)


def duration(seconds: float) -> str:
    """Return a number of seconds with a suitable unit, for people."""
    units = (
        (later("{n:.1f} days"), 86_400),
        (later("{n:.1f} h"), 3600),
        (later("{n:.1f} min"), 60),
        (later("{n:.1f} s"), 1),
    )
    for message, length in units:
        if seconds >= length:
            return say(message, n=seconds / length)
    return say("{n:.0f} ms", n=1000 * seconds)


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage; - for None."""
    return "-" if share is None else f"{100 * share:.1f} %"


class _Formatter(MessageFormatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in ("duration", "percent"):
            return duration(value) if format_spec == "duration" else percent(value)
        return super().format_field(value, format_spec)


_FORMATTER = _Formatter()


def encodes(stream: object, text: str) -> bool:
    """Return True if a stream can encode a text.

    A stream that is None or has no encoding counts as UTF-8.
    """
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _system_locale() -> str:
    import locale

    try:
        return locale.getlocale()[0] or ""
    except ValueError:  # the locale is unknown to Python
        return ""
