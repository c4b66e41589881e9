"""Arguments of a recall, whatever a bot passes. What cannot be used is left out, because the reply must go out."""

from __future__ import annotations

from collections.abc import Sequence, Set

from ...retrieval.request import MOST_QUERIES, MOST_QUERY_CHARACTERS
from ...schema.language import Language, LanguageChoice
from ...schema.scope import Scope
from ...text.language import detect_language


def texts(given: object) -> list[str]:
    """Return a query, or the messages of a turn, as texts; an empty list for anything else.

    >>> texts("hello"), texts(["a", None, 7]), texts(None), texts(b"tea")
    (['hello'], ['a', '7'], [], ['tea'])
    """
    many = given if isinstance(given, Sequence | Set) and not isinstance(given, str | bytes) else [given]
    return [text for one in many if (text := _text(one))]


def language_for(asked: object, configured: LanguageChoice, said: Sequence[str]) -> Language:
    """Return the language to write in: the one asked for, if it is known, else the configured one, else that of `said`."""
    for known in (asked, configured):
        if known in ("zh", "en"):
            return "zh" if known == "zh" else "en"
    return detect_language("\n".join(one[:MOST_QUERY_CHARACTERS] for one in said[-MOST_QUERIES:]))


def count(number: object) -> int | None:
    """Return a number above 0 as it is, else None, which means the configured one."""
    usable = isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < 2**31
    return int(number) or None if usable else None  # type: ignore[call-overload]  # `usable` implies a number


def is_conversation(scope: object) -> bool:
    """Return True if `scope` is a Scope. Recall returns nothing otherwise."""
    return isinstance(scope, Scope)


def _text(one: object) -> str:
    if isinstance(one, str):
        return one
    if isinstance(one, bytes):
        return one.decode("utf-8", "replace")
    return str(one) if isinstance(one, int | float) and not isinstance(one, bool) else ""
