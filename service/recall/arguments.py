"""Tolerant reading of the arguments of a recall. Unusable values are ignored, because the reply
must go out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Literal, TypeGuard

from ...schema.errors import InvalidInput
from ...schema.ids import type_and_size
from ...schema.scope import Scope
from ...text.message_parts import without_placeholders
from ..incoming_messages import is_content, read_messages, words_of

MOST_GIVEN = 64
"""Maximum number of messages of a query that are read (the last ones), and of parts of one message
(the first ones)."""
_LONGEST_GIVEN = 20_000
"""Maximum number of characters of one text that are read. A message may begin with a memory
block."""
_MOST_READ = 40_000
"""Maximum number of characters of all messages together, counted from the last one. Reading a
character takes about 1 us on the event loop."""


ReadingState = Literal["open", "keywords", "unreadable", "closed", "off"]
"""The state of a memory. "open": everything works; "keywords": searches use words only, because
there is no embedder or it is unavailable. In the other states nothing can be read: "unreadable"
(the database cannot be read), "closed" (not opened), "off" (switched off)."""


def texts(given: object) -> list[str]:
    """Return a query, or the messages of a turn, as texts; an empty list for anything else.

    A message may have any form that `remember` takes. Placeholders and text that programs added are
    left out.

    >>> texts("hello"), texts(["a", None, 7]), texts(None), texts(b"tea")
    (['hello'], ['a', '7'], [], ['tea'])
    """
    if isinstance(given, Mapping) or is_content(given):
        many: Iterable[object] = [given]
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        many = given[-MOST_GIVEN:]
    else:
        many = islice(given, MOST_GIVEN) if isinstance(given, Set) else [given]
    cut = _TextBudget()
    read = [_text(cut.of(one)) for one in reversed(list(many))]
    return [text for text in reversed(read) if text]


class _TextBudget:
    """Cuts the texts in messages of any form, to at most _MOST_READ characters in total."""

    def __init__(self) -> None:
        self._left = _MOST_READ

    def of(self, one: object) -> object:
        """Return a message, a part of a message, or any other value, with its texts cut."""
        if isinstance(one, str | bytes):
            kept = one[: min(self._left, _LONGEST_GIVEN)]
            self._left -= len(kept)
            return kept
        if isinstance(one, Mapping):
            return {key: self.of(value) for key, value in islice(one.items(), MOST_GIVEN)}
        if isinstance(one, list | tuple):
            parts = map(self.of, one[:MOST_GIVEN])
            return tuple(parts) if isinstance(one, tuple) else list(parts)
        if hasattr(one, "content") and hasattr(one, "model_copy"):
            return one.model_copy(update={"content": self.of(one.content)})
        return one


def count(number: object) -> int | None:
    """Return a positive number as an integer; otherwise None, which means the configured value."""
    usable = isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < 2**31
    return int(number) or None if usable else None  # type: ignore[call-overload]  # `usable` implies a number


def checked_query(query: object) -> None:
    """Raise InvalidInput if `query` is neither text nor a list of texts."""
    many = [query] if isinstance(query, str) else query
    if not isinstance(many, list | tuple) or not all(isinstance(one, str) for one in many):
        raise InvalidInput(f"query: expected text or a list of texts, got {type_and_size(query)}")


def is_conversation(scope: object) -> TypeGuard[Scope]:
    """Return True if `scope` is a Scope. Recall returns nothing otherwise."""
    return isinstance(scope, Scope)


def _text(one: object) -> str:
    if isinstance(one, str):
        return without_placeholders(words_of(one))
    if isinstance(one, Mapping | list | tuple) or hasattr(one, "content"):
        try:
            said = read_messages(one)
        except InvalidInput:
            return ""
        return without_placeholders(
            "\n".join(message.text for message in said if message.role == "user")
        )
    if isinstance(one, bytes):
        return one[:_LONGEST_GIVEN].decode("utf-8", "replace")
    is_number = isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 2**63
    return str(one) if is_number else ""
