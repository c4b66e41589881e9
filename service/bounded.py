"""A mapping of bounded size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Bounded(Generic[Key, Value]):
    """A mapping of at most `most` entries. The least recently used entry is dropped first.
    Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if the key is missing."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def set(self, key: Key, value: Value) -> None:
        """Set the value of a key."""
        with self._lock:
            self._entries[key] = value
            self._used(key)

    def setdefault(self, key: Key, value: Value) -> Value:
        """Return the value of a key. A missing key is set to `value` first."""
        with self._lock:
            found = self._entries.setdefault(key, value)
            self._used(key)
            return found

    def pop(self, key: Key, default: Value) -> Value:
        """Remove a key and return its value, or `default`."""
        with self._lock:
            return self._entries.pop(key, default)

    def remove(self, is_wanted: Callable[[Value], bool]) -> None:
        """Remove the entries for whose value `is_wanted` returns True."""
        with self._lock:
            for key in [key for key, value in self._entries.items() if is_wanted(value)]:
                del self._entries[key]

    def _used(self, key: Key) -> None:
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)
