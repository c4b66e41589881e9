"""Functions that remember what they found out about texts and names, until somebody is forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Found = TypeVar("Found")
_EMPTIED: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Return `functools.lru_cache` of `most` results for a function at module level whose arguments hold what people said.

    Its results are dropped by `empty_remembered`, so that no text outlives its person in the memory of the process.
    """

    def remembering(function: Callable[Given, Found]) -> Callable[Given, Found]:
        cached = lru_cache(maxsize=most)(function)
        _EMPTIED.append(cached.cache_clear)
        return cast(Callable[Given, Found], cached)

    return remembering


def empty_remembered() -> None:
    """Drop what the functions remember, and the patterns that `re` keeps, which hold names."""
    for empty in _EMPTIED:
        empty()
    re.purge()
