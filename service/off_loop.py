"""Work on the arguments of bots: in the event loop for short texts, in a thread for long ones."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

Made = TypeVar("Made")

INLINE_CHARACTERS = 500
"""Below this amount of text a thread takes longer to start than the work takes."""
ITEM_CHARACTERS = 40
"""The least that an item of a list, an id or a name counts."""


async def off_loop(work: Callable[[], Made], *said: object) -> Made:
    """Return what `work` returns; it runs in a thread if `said` holds more than about half a kilobyte of text."""
    return await asyncio.to_thread(work) if is_long(said) else work()


def kept(said: Any) -> Any:
    """Return a copy of a list or deque: its owner may go on filling it while a thread reads it. Anything else as it is."""
    return list(said) if isinstance(said, list | deque) else said


def is_long(said: object) -> bool:
    """Return True if the texts in lists, mappings and messages add up to more than INLINE_CHARACTERS.

    An iterator counts as long, because the time to read it is unknown.
    """
    characters, left = 0, [said]
    while left and characters <= INLINE_CHARACTERS:
        one = left.pop()
        characters += ITEM_CHARACTERS
        if isinstance(one, str):
            characters += len(one)
        elif isinstance(one, Mapping):
            left.extend(one.values())
        elif isinstance(one, list | tuple):
            left.extend(one)
        elif hasattr(one, "content") or hasattr(one, "text"):  # LangChain's messages, and `RecentMessage`
            left.append(getattr(one, "content", None) or getattr(one, "text", ""))
        elif isinstance(one, Iterable):
            return True
    return characters > INLINE_CHARACTERS
