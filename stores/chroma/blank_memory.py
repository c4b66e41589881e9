"""Zeroed memory allocations while Chroma runs, which writes uninitialised memory to disk.

Chroma's HNSW index allocates memory for a hundred elements or more and saves all of it, used or
not. The unused part contains earlier data of the process, such as texts and keys. (Chroma 1.5.9:
heaps of finished threads are reused by Chroma's next thread; of the 18,400 bytes of
`data_level0.bin` up to 18,360 were text.) The allocator of glibc can be configured to fill
allocated memory. Other platforms (musl, macOS, Windows) have no such option; on them this module
does nothing.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_M_PERTURB = -6
_BLANK = 0xFF
"""Allocated memory is filled with the complement of this value: zeros."""

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
    """Zero every allocation of this process, in all threads, inside the block.

    Costs one `memset` per allocation.
    """
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
