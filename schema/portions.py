"""Portions of data that is too large to be held in memory, or written, at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")


def portions(values: Iterable[Value], size: int) -> Iterator[list[Value]]:
    """Yield values in lists of `size`; the last list may be shorter. A list is built only when it
    is requested.
    """
    source = iter(values)
    while some := list(islice(source, size)):
        yield some
