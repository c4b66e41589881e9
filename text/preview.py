"""A bounded text of anything: what a tool was given, what it returned, what it raised.

It goes in two steps. `snapshot` is for the caller who must not wait: it copies at most a fixed number of characters and
keeps no reference to what it was shown. `preview_text` cleans and writes out the copy, and may take its time.

A text that is cut may be cut in the middle of a secret, of which the half would look like nothing. So a snapshot keeps
`MARGIN` characters more than will be shown: the secret is seen whole, and the cut is made before it.
"""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections import ChainMap, UserList, UserString, deque
from collections.abc import Iterable, Mapping, MappingView
from functools import partial
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any, Final

from .redaction import Level, find_secrets, redact, redact_value

MARGIN: Final = 2_000
"""Characters beyond the cut within which a secret is still recognised; the longest keys have some 1,700 (JWT, RSA)."""

DEFAULT_CHARACTERS: Final = 8_000

_DEEPEST = 12
_MOST_ITEMS = 500
_LONGEST_NAME = 80
_CAUSES = 5
_LARGE = 1 << 62
_MOST_BITS = 256
"""A longer number is counted, not written out, which takes time by the square of its length."""
_SMALL = 64
"""Fields of a dictionary that is copied whole before it is looked into."""

_ONLY_DICTIONARIES = {dict}
_ONLY_TEXTS = {str}
_TEXTS_OF_ARGUMENTS = (BaseException.__str__, KeyError.__str__, OSError.__str__)
"""How exceptions write themselves that leave it to Python: all of their arguments, however large."""
_CLASS_NAME: Any = type.__dict__["__name__"]
_PLAIN = {str, int, float, bool, type(None)}

_Seen = tuple[int, ...]


class Cut(str):
    """The beginning of a longer text: `shown` characters of it are meant to be seen, `omitted` are not in it at all."""

    __slots__ = ("omitted", "shown")

    omitted: int
    shown: int


def safe_preview(value: object, max_characters: int = DEFAULT_CHARACTERS, *, level: Level = "all") -> str:
    """A text of at most about `max_characters` that says what `value` is, without secrets; never raises.

    Strings stand as they are, the rest as JSON. What is left out is named: `… (9,992,000 more characters)`. Bytes are
    shown if they are UTF-8, counted otherwise; an exception is its class, its message and its causes; an object that
    cannot even be asked what it is, its class. What contains itself ends at `[cycle]`.
    """
    return preview_text(snapshot(value, max_characters), max_characters, level=level)


def snapshot(value: object, max_characters: int = DEFAULT_CHARACTERS) -> object:
    """A plain copy (dict, list, str, numbers, None) of at most `max_characters`, and `MARGIN` more of each text that is cut.

    Takes microseconds for a string of any length, and time by `max_characters`, not by the size of `value`, otherwise:
    texts, numbers, bytes, everything that holds items, dataclasses and models, and exceptions whose text is made of their
    arguments are all looked into only as far as that. An object's own `__repr__` and `__str__` alone are not in its hand.
    Never raises; KeyboardInterrupt alone goes through, since it may be the user's own.
    """
    if type(value) is str:
        return value if len(value) <= max_characters else _cut(value, max_characters)
    return _Copy(max_characters).of(value, ())


def preview_text(copy: object, max_characters: int = DEFAULT_CHARACTERS, *, level: Level = "all") -> str:
    """The text of a snapshot, redacted by the names of fields first and as a text then. Never longer than
    `max_characters` and the remark on what was left out."""
    closed = redact_value(_closed(copy, level), level)
    # A text is clean by now; what was joined from several fields is looked through once more as a whole.
    text = closed if isinstance(closed, str) else redact(json.dumps(closed, ensure_ascii=False, default=str), level)
    if len(text) > max_characters + _LONGEST_NAME:
        text = text[: _safe_end(text, max_characters, level)] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


class _Copy:
    """One copying: how many characters and items may still be taken."""

    def __init__(self, characters: int) -> None:
        self._characters = characters
        self._items = _MOST_ITEMS

    def of(self, value: object, parents: _Seen) -> object:
        if type(value) is str:
            return self._text(value)
        if type(value) is int and -_LARGE < value < _LARGE:
            return value
        try:
            return self._of(value, parents)
        except KeyboardInterrupt:
            raise
        except BaseException:
            # Whatever the object does when it is looked at (raises, wants the program to end, changes size under our hands):
            # its class is known.
            return f"[unreadable {_class_name(value)}]"

    def _of(self, value: object, parents: _Seen) -> object:
        # Plain dictionaries and lists first: to ask after every other type takes longer than to copy a few fields.
        if type(value) is not dict and type(value) is not list:
            if value is None or isinstance(value, bool | float):
                return value
            if isinstance(value, str):
                return self._plain_text(value)
            if isinstance(value, int):
                return int(value) if value.bit_length() < _MOST_BITS else f"[int of {value.bit_length()} bits]"
            if isinstance(value, bytes | bytearray | memoryview):
                return self._bytes(value)
        if id(value) in parents:
            return "[cycle]"
        if len(parents) >= _DEEPEST:
            return f"[{_class_name(value)}]"
        parents = (*parents, id(value))
        if type(value) is dict:
            return self._plain_mapping(value, parents[:-1])
        if isinstance(value, ChainMap):  # to ask it for its items would copy all of them
            return {_class_name(value): self._items_of(value.maps, len(value.maps), parents)}
        if isinstance(value, Mapping):
            return self._mapping(value.items(), len(value), parents)
        if isinstance(value, list | tuple | set | frozenset | deque | UserList):
            return self._items_of(value, len(value), parents)
        if isinstance(value, MappingView):
            return self._items_of(iter(value), len(value), parents)  # type: ignore[call-overload]
        if isinstance(value, array):
            return self._items_of(value[:_MOST_ITEMS], len(value), parents)
        if isinstance(value, UserString):
            return self._plain_text(value.data)
        if isinstance(value, BaseException):
            return self._exception(value, parents)
        fields = _fields(value)
        if fields is not None:
            return {_class_name(value): self._mapping(fields.items(), len(fields), parents)}
        return self._text(repr(value))

    def _text(self, text: str) -> str:
        allowed = max(self._characters, 0)
        self._characters -= len(text)
        return text if len(text) <= allowed else _cut(text, allowed)

    def _plain_text(self, value: str) -> str:
        """As `_text`, for what may be more than a text, of which only the beginning is copied."""
        if str.__len__(value) > max(self._characters, 0):
            cut = _cut(value, max(self._characters, 0))
            self._characters -= str.__len__(value)
            return cut
        return self._text(str.__str__(value))

    def _name(self, key: object) -> str:
        """What a field is called whose key is no plain text. A key may be as large as any value, and as ill-behaved."""
        try:
            return self._text_of_key(key)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return f"[unreadable {_class_name(key)}]"

    def _text_of_key(self, key: object) -> str:
        if isinstance(key, str):
            return self._plain_text(key)
        if isinstance(key, int) and not isinstance(key, bool) and key.bit_length() >= _MOST_BITS:
            return self._text(f"[int of {key.bit_length()} bits]")
        if key is None or isinstance(key, int | float):
            return self._text(str(key))
        if isinstance(key, bytes):
            return self._text(repr(key[: max(self._characters, 0) + MARGIN]))
        if isinstance(key, tuple | frozenset):
            # Python's own text of it, of a copy that is bounded. What is cut is cut again below, with what stands behind it.
            copied = _Copy(max(self._characters, 0) + MARGIN).of(key, ())
            return self._text(repr(tuple(copied) if isinstance(key, tuple) and isinstance(copied, list) else copied))
        return self._text(repr(key))

    def _bytes(self, value: bytes | bytearray | memoryview) -> str:
        size = value.nbytes if isinstance(value, memoryview) else len(value)
        head = bytes(value[: max(self._characters, 0) + MARGIN])
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < len(head) - 3 or len(head) == size:
                return f"[{size} bytes]"
            text = head[: error.start].decode("utf-8")
        if "\0" in text:
            return f"[{size} bytes]"
        allowed = max(self._characters, 0)
        self._characters -= len(text)
        return text if len(text) <= allowed and len(head) == size else _cut(text, allowed, omitted=size - len(head))

    def _plain_mapping(self, value: dict[object, object], parents: _Seen) -> dict[str, object]:
        """As `_mapping`, for the dictionary that tools mostly give: texts and numbers under texts, copied in this one loop.

        A call for each field would cost several times as much as the copying. Another thread that changes the size of
        `value` meanwhile is told by Python, which `of` sees to.
        """
        if len(value) <= _SMALL:
            leaf = self._leaf(value)
            if leaf is not None:
                return leaf
        copied: dict[str, object] = {}
        within: _Seen | None = None
        characters, items = self._characters, self._items
        all_texts = True
        taken = 0
        for key, item in value.items():
            items -= 1
            characters -= 2
            if items < 0 or characters <= 0:
                break
            if type(key) is str and len(key) <= characters:
                name = key
                characters -= len(key)
            else:
                self._characters = characters
                name = self._text(key) if type(key) is str else self._name(key)
                characters = self._characters
                all_texts = False
            if not all_texts and name in copied:
                name = f"{name}*"
            kind = type(item)
            if kind is str:
                length = len(item)  # type: ignore[arg-type]
                if length > characters:
                    item = _cut(item, max(characters, 0))  # type: ignore[arg-type]
                characters -= length
                copied[name] = item
            elif (kind is int and -_LARGE < item < _LARGE) or kind is float or kind is bool or item is None:  # type: ignore[operator]
                copied[name] = item
            else:
                if within is None:
                    within = (*parents, id(value))
                self._characters, self._items = characters, items
                copied[name] = self._nested(item, within)
                characters, items = self._characters, self._items
            taken += 1
        self._characters, self._items = characters, items
        if taken < len(value):
            copied["…"] = f"({len(value) - taken:,} more)"
        return copied

    def _leaf(self, value: dict[object, object]) -> dict[str, object] | None:
        """A copy of a dictionary that holds nothing but texts and numbers and fits as it is, else None."""
        copied = value.copy()
        if len(copied) > self._items:
            return None
        characters = self._characters - 2 * len(copied)
        for key, item in copied.items():
            if type(key) is not str:
                return None
            kind = type(item)
            if kind is str:
                characters -= len(key) + len(item)  # type: ignore[arg-type]
            elif (kind is int and -_LARGE < item < _LARGE) or kind is float or kind is bool or item is None:  # type: ignore[operator]
                characters -= len(key)
            else:
                return None
        if characters <= 0:
            return None
        self._characters = characters
        self._items -= len(copied)
        return copied  # type: ignore[return-value]

    def _nested(self, item: object, parents: _Seen) -> object:
        if type(item) is dict and id(item) not in parents and len(parents) < _DEEPEST:
            try:
                return self._plain_mapping(item, parents)
            except KeyboardInterrupt:
                raise
            except BaseException:
                return f"[unreadable {_class_name(item)}]"
        return self.of(item, parents)

    def _mapping(self, items: Iterable[tuple[object, object]], size: int, parents: _Seen) -> dict[str, object]:
        copied: dict[str, object] = {}
        taken = 0
        for key, item in items:
            if self._exhausted():
                break
            name = self._text(key) if type(key) is str else self._name(key)
            copied[f"{name}*" if name in copied else name] = self.of(item, parents)
            taken += 1
        if taken < size:
            copied["…"] = f"({size - taken:,} more)"
        return copied

    def _rows(self, value: list[object]) -> list[dict[str, object]] | None:
        """A copy of a list of dictionaries that hold nothing but texts and numbers and fit as they are, else None.

        What searches and tables give. All of it is looked at by the interpreter's own loops: a step in Python for each
        field would take several times as long.
        """
        if len(value) > self._items or set(map(type, value)) != _ONLY_DICTIONARIES:
            return None
        rows: list[dict[str, object]] = value  # type: ignore[assignment]
        fields = sum(map(len, rows))
        if len(rows) + fields > self._items:
            return None
        copied = list(map(dict.copy, rows))
        names = list(chain.from_iterable(copied))
        items = list(chain.from_iterable(map(dict.values, copied)))
        kinds = set(map(type, items))
        if len(items) > fields or not set(map(type, names)) <= _ONLY_TEXTS or not kinds <= _PLAIN:
            return None
        numbers = [item for item in items if type(item) is int] if int in kinds else [0]
        if min(numbers) <= -_LARGE or max(numbers) >= _LARGE:
            return None
        texts = sum([len(item) for item in items if type(item) is str])
        characters = self._characters - 2 * (len(rows) + fields) - sum(map(len, names)) - texts
        if characters <= 0:
            return None
        self._characters = characters
        self._items -= len(rows) + fields
        return copied

    def _items_of(self, items: Iterable[object], size: int, parents: _Seen) -> list[object]:
        if type(items) is list and len(items) > 1 and type(items[0]) is dict:
            try:
                rows = self._rows(items)
            except (RuntimeError, TypeError):
                rows = None  # another thread changed it meanwhile
            if rows is not None:
                return rows  # type: ignore[return-value]
        copied: list[object] = []
        for item in islice(items, _MOST_ITEMS):
            self._items -= 1
            self._characters -= 2
            if self._items < 0 or self._characters <= 0:
                break
            if type(item) is str and len(item) <= self._characters:
                self._characters -= len(item)
                copied.append(item)
            else:
                copied.append(self._nested(item, parents))
        if len(copied) < size:
            copied.append(f"… ({size - len(copied):,} more)")
        return copied

    def _exhausted(self) -> bool:
        self._items -= 1
        self._characters -= 2
        return self._items < 0 or self._characters <= 0

    def _exception(self, error: BaseException, parents: _Seen) -> object:
        told: list[object] = []
        current: BaseException | None = error
        while current is not None and len(told) < _CAUSES:
            told.append(self._told(current, parents))
            current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
        return told[0] if len(told) == 1 else told

    def _told(self, error: BaseException, parents: _Seen) -> object:
        """Class and message of an exception. Where the message would be made of large arguments, they are cut like any value."""
        arguments: tuple[object, ...] = error.args
        if isinstance(error, OSError) and error.filename is not None:
            arguments = (*arguments, error.filename)
        if type(error).__str__ not in _TEXTS_OF_ARGUMENTS or all(map(self._is_short, arguments)):
            return self._text(f"{_class_name(error)}: {_message(error)}")
        if len(arguments) == 1 and type(arguments[0]) is str:
            name = self._text(f"{_class_name(error)}: ")
            text = self._text(arguments[0])
            if not isinstance(text, Cut):
                return name + text
            cut = Cut(name + text)
            cut.shown, cut.omitted = len(name) + text.shown, text.omitted
            return cut
        return {_class_name(error): self._items_of(arguments, len(arguments), parents)}

    def _is_short(self, argument: object) -> bool:
        """Whether Python's text of an exception's argument takes no time that is worth counting."""
        kind = type(argument)
        if kind is str or kind is bytes:
            return len(argument) <= max(self._characters, 0)  # type: ignore[arg-type]
        return kind is float or kind is bool or argument is None or (kind is int and -_LARGE < argument < _LARGE)  # type: ignore[operator]


def _cut(text: str, shown: int, omitted: int = 0) -> Cut:
    # Sliced from `str` itself, so that no subclass is kept and no big text with it.
    cut = Cut(str.__getitem__(text, slice(0, shown + MARGIN)))
    cut.shown = shown
    cut.omitted = omitted + str.__len__(text) - len(cut)
    return cut


def _closed(value: object, level: Level) -> object:
    """The copy with every cut made where no secret is cut in two, and with a remark on how much is missing."""
    if isinstance(value, Cut):
        end = _safe_end(value, value.shown, level)
        return f"{value[:end]}… ({value.omitted + len(value) - end:,} more characters)"
    if isinstance(value, dict):
        return {str(_closed(key, level)): _closed(item, level) for key, item in value.items()}
    if isinstance(value, list):
        return [_closed(item, level) for item in value]
    return value


def _safe_end(text: str, wanted: int, level: Level) -> int:
    """The last offset up to `wanted` that is in no secret."""
    for span in find_secrets(text, level):
        if span.start < wanted < span.end:
            return span.start
        if span.start >= wanted:
            break
    return min(wanted, len(text))


def _fields(value: object) -> Mapping[str, object] | None:
    """What a dataclass, a model, a namespace or a partial call holds: their `repr` would hide the names of fields in a text."""
    if isinstance(value, type):
        return None
    if isinstance(value, SimpleNamespace):
        return vars(value)
    if isinstance(value, partial):
        return {"func": value.func, "args": value.args, "keywords": value.keywords}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    if hasattr(type(value), "model_fields"):
        held = getattr(value, "__dict__", None)
        return held if isinstance(held, dict) else None
    return None


def _class_name(value: object) -> str:
    # Asked of `type` itself: a metaclass may have a `__name__` of its own, which may raise.
    name: str = _CLASS_NAME.__get__(type(value))
    return name[:_LONGEST_NAME]


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        # An exception whose own text raises is still known by its class.
        return "[no message]"
