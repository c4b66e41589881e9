"""Revisions of profiles and articles, two of which are compared, on the command line and in the API alike."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar


class Revision(Protocol):
    """One revision of a text."""

    @property
    def revision(self) -> int: ...
    @property
    def updated_at(self) -> str: ...


One = TypeVar("One", bound=Revision)


def compared(
    found: Sequence[One],
    old: int | None,
    new: int | None,
    lines: Callable[[One], list[str]],
    numbered: Callable[[Sequence[One], int], One],
) -> tuple[One, One, list[str]]:
    """Return two of the revisions of `found` (newest first), by default the last two, and their unified diff (empty: the same).

    `numbered` returns the revision of a number, or raises.
    """
    newer = numbered(found, found[0].revision if new is None else new)
    before = max((one.revision for one in found if one.revision < newer.revision), default=newer.revision)
    older = numbered(found, before if old is None else old)
    names = f"revision {older.revision}", f"revision {newer.revision}"
    return older, newer, list(difflib.unified_diff(lines(older), lines(newer), *names, lineterm=""))
