"""What a recall is asked with, whatever a bot passes: what cannot be used is left out, since the reply must go out."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Literal

from ...schema.scope import Scope


def question(query: object) -> str | list[str]:
    """A query as text, or as the texts of a turn; "" for what is neither.

    >>> question("hello"), question(["a", None, 7]), question(None), question(b"tea")
    ('hello', ['a', '7'], '', 'tea')
    """
    if isinstance(query, Sequence | Set) and not isinstance(query, str | bytes):
        return [text for one in query if (text := _text(one))]
    return _text(query)


def texts(given: object) -> list[str]:
    """As `question`, always a list."""
    asked = question(given)
    return ([asked] if asked else []) if isinstance(asked, str) else asked


def known_language(language: object) -> Literal["zh", "en"] | None:
    """The language, if it is one that is written; else None, which lets the query's decide."""
    if language == "zh":
        return "zh"
    return "en" if language == "en" else None


def count(number: object) -> int | None:
    """A number above 0, else None, which means the configured one."""
    usable = isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < 2**31
    return int(number) or None if usable else None  # type: ignore[call-overload]


def is_conversation(scope: object) -> bool:
    """Whether `scope` is one: nothing is recalled for what is none, least of all for everybody."""
    return isinstance(scope, Scope)


def _text(one: object) -> str:
    if isinstance(one, str):
        return one
    if isinstance(one, bytes):
        return one.decode("utf-8", "replace")
    return str(one) if isinstance(one, int | float) and not isinstance(one, bool) else ""
