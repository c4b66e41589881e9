"""Memory that is handed out blank, while code runs that writes to disk what it never wrote to.

Chroma's HNSW index allocates room for a hundred elements or more and saves all of it, used or not. What stands in the unused
part is whatever the process had there before: pieces of texts, of keys. (Chroma 1.5.9: threads that handled texts and ended
leave their heaps to Chroma's next thread; of the 18,400 bytes of `data_level0.bin` up to 18,360 were then text.) With glibc the
allocator itself can be told to blank what it hands out. Elsewhere (musl, macOS, Windows) it cannot, and nothing is done.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_M_PERTURB = -6
_BLANK = 0xFF
"""What is allocated is filled with the complement of this: zeros."""

_lock = threading.Lock()
_inside = 0


def _find_mallopt() -> Callable[[int, int], int] | None:
    try:
        found = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return None
    return lambda option, value: int(found(option, value))


_mallopt = _find_mallopt()


@contextmanager
def blank_memory() -> Iterator[None]:
    """Let every allocation of this process, in whatever thread, be blank meanwhile. Costs a `memset` an allocation."""
    _count(+1)
    try:
        yield
    finally:
        _count(-1)


def _count(step: int) -> None:
    global _inside
    if _mallopt is None:
        return
    with _lock:
        _inside += step
        if _inside == (1 if step > 0 else 0):
            _mallopt(_M_PERTURB, _BLANK if step > 0 else 0)
