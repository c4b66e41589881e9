"""Texts of bounded length for any object: a tool's arguments, its result, its exception.

There are two steps. `snapshot` is for callers that must not wait: it copies at most a fixed number
of characters and keeps no reference to the object. `preview_text` redacts and serialises the copy,
and may take longer.

If a text were cut inside a secret, the rest of the secret would not be recognised. Therefore a
snapshot has `MARGIN` characters more than are shown: the whole secret is found, and the text is cut
before it.
"""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections import UserList, deque
from collections.abc import ItemsView, Iterable, KeysView, Mapping, ValuesView
from itertools import takewhile
from types import SimpleNamespace
from typing import Final

from .redaction import Level, find_secrets, redact, redact_value

MARGIN: Final = 2_000
"""Characters after the cut in which a secret is recognised. The longest keys have about 1,700."""

DEFAULT_CHARACTERS: Final = 8_000

_DEEPEST = 12
_MOST_ITEMS = 500
_LONGEST_NAME = 80
_KEYS = (str, int, float, bytes)
_MOST_BITS = 256
"""A longer number is not written out: that takes time quadratic in its length."""

_COLLECTIONS = (
    list,
    tuple,
    set,
    frozenset,
    deque,
    UserList,
    KeysView,
    ValuesView,
    ItemsView,
    array,
)

_Seen = tuple[int, ...]


class Cut(str):
    """The beginning of a longer text.

    `shown` is the number of characters that may be shown, `omitted` the number of missing ones.
    """

    __slots__ = ("omitted", "shown")

    omitted: int
    shown: int


def snapshot(value: object, max_characters: int = DEFAULT_CHARACTERS) -> object:
    """Return a plain copy (dict, list, str, numbers, None) of at most `max_characters`.

    Each cut text has `MARGIN` more characters. A string of any length takes microseconds. For other
    values the time depends on `max_characters`, not on their size: strings, numbers, bytes,
    collections, dataclasses, models and exceptions are read only as far as needed. The time of an
    object's own `__repr__` and `__str__` is not bounded. Raises nothing except KeyboardInterrupt,
    which the user may have caused.
    """
    if type(value) is str and len(value) <= max_characters:
        return value
    return _Copy(max_characters).of(value)


def preview_text(
    copy: object, max_characters: int = DEFAULT_CHARACTERS, *, level: Level = "all"
) -> str:
    """Return the text of a snapshot, redacted by field names and then as a text. Never raises.

    Strings are unchanged, other values become JSON. Omissions are reported: `… (9,992,000 more
    characters)`. For bytes only the number is shown. An exception becomes its class and message, or
    its class and arguments if it has several arguments or a long one. An object that fails when it
    is read becomes its class. A cycle ends with `[cycle]`.

    The text has about `max_characters` characters at most, and remarks on omissions.
    """
    closed = redact_value(_closed(copy, level), level)
    # Single texts are redacted already. The text joined from several fields is searched once more.
    text = (
        closed
        if isinstance(closed, str)
        else redact(json.dumps(closed, ensure_ascii=False, default=str), level)
    )
    if len(text) > max_characters + _LONGEST_NAME:
        text = text[: _safe_end(text, max_characters, level)] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


class _Copy:
    """The making of one copy, with the number of characters and items that may still be copied."""

    def __init__(self, characters: int) -> None:
        self._characters = characters
        self._items = _MOST_ITEMS

    def of(self, value: object, parents: _Seen = ()) -> object:
        """Return a bounded copy of `value`; `parents` are the ids of the objects that contain it."""
        try:
            return self._of(value, parents)
        except KeyboardInterrupt:
            raise
        except BaseException:
            # The object may raise, exit or change size when it is read; its class is known.
            return f"[unreadable {_class_name(value)}]"

    def _of(self, value: object, parents: _Seen) -> object:
        if value is None or type(value) in (bool, float):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return (
                int(value)
                if value.bit_length() < _MOST_BITS
                else f"[int of {value.bit_length()} bits]"
            )
        if isinstance(value, bytes | bytearray | memoryview):
            return f"[{memoryview(value).nbytes} bytes]"
        if id(value) in parents:
            return "[cycle]"
        if len(parents) >= _DEEPEST:
            return f"[{_class_name(value)}]"
        parents = (*parents, id(value))
        if isinstance(value, Mapping):
            return self._mapping(value, parents)
        if isinstance(value, _COLLECTIONS):
            return self._list(value, len(value), parents)
        if isinstance(value, BaseException):
            message = value.args[0] if len(value.args) == 1 else None
            if isinstance(message, str) and len(message) <= self._characters:
                return self._text(f"{_class_name(value)}: {message}")
            return {_class_name(value): self._list(value.args, len(value.args), parents)}
        fields = _fields(value)
        return (
            self._text(repr(value))
            if fields is None
            else {_class_name(value): self._mapping(fields, parents)}
        )

    def _mapping(
        self, given: Mapping[object, object] | Mapping[str, object], parents: _Seen
    ) -> dict[str, object]:
        copied: dict[str, object] = {}
        for key, item in takewhile(lambda _: self._takes_one(), given.items()):
            # A key may be as large as a value, and may raise too.
            named = (
                self.of(key) if key is None or isinstance(key, _KEYS) else f"[{_class_name(key)}]"
            )
            name = named if isinstance(named, str) else str(named)
            copied[name if name not in copied else f"{name}*"] = self.of(item, parents)
        if len(copied) < len(given):
            copied["…"] = f"({len(given) - len(copied):,} more)"
        return copied

    def _list(self, items: Iterable[object], size: int, parents: _Seen) -> list[object]:
        copied = [self.of(item, parents) for item in takewhile(lambda _: self._takes_one(), items)]
        return [*copied, f"… ({size - len(copied):,} more)"] if len(copied) < size else copied

    def _takes_one(self) -> bool:
        self._items -= 1
        self._characters -= 2
        return self._items >= 0 and self._characters > 0

    def _text(self, text: str) -> str:
        allowed, length = self._characters, str.__len__(text)
        self._characters = allowed - length
        if length <= max(allowed, 0):
            return str.__str__(text)
        # `str` itself slices, so that the copy has no reference to a subclass or to the large text.
        shown = max(allowed, 0)
        cut = Cut(str.__getitem__(text, slice(0, shown + MARGIN)))
        cut.shown, cut.omitted = shown, length - len(cut)
        return cut


def _closed(value: object, level: Level) -> object:
    """Return the copy with long texts cut outside of secrets.

    The number of missing characters follows each cut.
    """
    if isinstance(value, Cut):
        end = _safe_end(value, value.shown, level)
        return f"{value[:end]}… ({value.omitted + len(value) - end:,} more characters)"
    if isinstance(value, dict):
        return {str(_closed(key, level)): _closed(item, level) for key, item in value.items()}
    if isinstance(value, list):
        return [_closed(item, level) for item in value]
    return value


def _safe_end(text: str, wanted: int, level: Level) -> int:
    """Return the last offset up to `wanted` that is not inside a secret."""
    for span in find_secrets(text, level):
        if span.start < wanted < span.end:
            return span.start
        if span.start >= wanted:
            break
    return min(wanted, len(text))


def _fields(value: object) -> Mapping[str, object] | None:
    """Return the fields of a dataclass, model or namespace, or None for other values.

    Fields are redacted by their names, which the text of a `repr` would hide.
    """
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    is_plain = isinstance(value, SimpleNamespace) or hasattr(type(value), "model_fields")
    return vars(value) if is_plain else None


def _class_name(value: object) -> str:
    return type(value).__name__[:_LONGEST_NAME]
