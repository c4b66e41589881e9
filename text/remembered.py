"""A cache for results about texts and names, which is emptied when a person is forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Found = TypeVar("Found")
_EMPTIED: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Return a decorator like `functools.lru_cache` for at most `most` results.

    It is for functions at module level whose arguments contain texts or names of people. The
    results are dropped by `empty_remembered`, so that the texts of a forgotten person do not remain
    in the memory of the process.
    """

    def remembering(function: Callable[Given, Found]) -> Callable[Given, Found]:
        cached = lru_cache(maxsize=most)(function)
        _EMPTIED.append(cached.cache_clear)
        return cast(Callable[Given, Found], cached)

    return remembering


def empty_remembered() -> None:
    """Drop all cached results, and the patterns in the cache of `re`, which contain names."""
    for empty in _EMPTIED:
        empty()
    re.purge()
