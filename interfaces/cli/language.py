"""Which language people are spoken to in, and the one way to word something in two.

A sentence stands in both languages where it is used: `either("没有记录", "no records")`. A help text is written down before
it is known who asks for it: `both("最多多少条。", "At most so many.")` is the English text, for which `spoken` finds the other.
What programs read has one language: a command with `--json` speaks English throughout, the parser's refusals and help too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Language = Literal["zh", "en"]

VARIABLES = ("HISTORIAN_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""The first of these that is set and not empty decides; where none is, the locale of the system does."""

SAMPLE = "简体中文，“”：《》"
"""What an output that can show the wordings has characters for."""

_CHINESE: dict[str, str] = {}
_settled: ContextVar[Language | None] = ContextVar("settled", default=None)


def language() -> Language:
    """Chinese where the environment says so and the output can show it, English otherwise."""
    settled = _settled.get()
    if settled is not None:
        return settled
    named = next((value for name in VARIABLES if (value := os.environ.get(name))), "") or _of_the_system()
    return "zh" if named.lower().startswith(("zh", "chinese")) and _can_be_shown() else "en"


def language_for(arguments: Sequence[str]) -> Language | None:
    """The language that a command line itself settles, before it is parsed; None where the environment decides."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "en" if "--json" in options else None


@contextmanager
def speaking(settled: Language | None) -> Iterator[None]:
    """One language for a while, whatever the environment says; with None nothing is settled."""
    token = _settled.set(settled)
    try:
        yield
    finally:
        _settled.reset(token)


def either(zh: str, en: str) -> str:
    """The wording in the language of the moment."""
    return zh if language() == "zh" else en


def both(zh: str, en: str) -> str:
    """`en`, of which `spoken` knows from now on that it means `zh`."""
    _CHINESE[en] = zh
    return en


def spoken(en: str) -> str:
    """A text of `both` in the language of the moment; any other text as it is."""
    return either(_CHINESE.get(en, en), en)


def _can_be_shown() -> bool:
    """Whether the encodings of stdout and stderr have Chinese; a closed one, and one that takes text as it is, ask for none."""
    for stream in (sys.stdout, sys.stderr):
        try:
            SAMPLE.encode(getattr(stream, "encoding", None) or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
    return True


def _of_the_system() -> str:
    import locale

    try:
        return locale.getlocale()[0] or ""
    except ValueError:  # a locale that this Python has no name for
        return ""
