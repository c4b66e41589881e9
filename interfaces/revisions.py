"""Revisions of profiles and articles, two of which are compared, on the command line and in the API alike."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol, TypeVar

from .texts import Piece, words

if TYPE_CHECKING:  # commands import this module at their start
    from ..schema.entity import Entity
    from ..schema.profile import Profile
    from ..schema.summary import ArticleKey, StoredArticle
    from ..service.components import Parts

PUBLIC = "public"
"""What people call the layer "" of a profile."""


class Revision(Protocol):
    """One revision of a text."""

    @property
    def revision(self) -> int: ...
    @property
    def updated_at(self) -> str: ...


One = TypeVar("One", bound=Revision)


def profile_layers(parts: Parts, whose: Entity, layer: str | None = None) -> list[Profile]:
    """Return the layers of a profile, the public one first; or the one of that name. Blocking."""
    from ..schema.profile import ProfileKey

    named = sorted(parts.profiles.layers(whose.type, whose.id)) if layer is None else ["" if layer == PUBLIC else layer]
    keys = [ProfileKey(whose.type, whose.id, one) for one in named]
    return [one for key in keys if (one := parts.profiles.read(key)) is not None]


def kept_articles(parts: Parts, key: ArticleKey) -> list[StoredArticle]:
    """Return the revisions of an article, newest first; in place of one that was not written yet the dated summaries, as
    revision 0. [] if there are none. Blocking."""
    from ..text.articles import dated_summaries

    stores = parts.article_stores
    current = stores.articles.read(key) or dated_summaries(key, stores.summaries.read(key))
    return [] if current is None else [current, *stores.articles.history(key)]


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


@dataclass(frozen=True, slots=True)
class Row:
    """A line of two texts side by side; None where a text has no such line. `same` if both are equal."""

    left: Sequence[Piece] | None
    right: Sequence[Piece] | None
    same: bool = False


def side_by_side(older: Sequence[str], newer: Sequence[str]) -> list[Row]:
    """Return the lines of two texts as rows: equal ones beside each other, then what stands in their place."""
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, older, newer, autojunk=False).get_opcodes():
        for left, right in zip_longest(older[i1:i2], newer[j1:j2]):
            if tag == "equal":
                rows.append(Row([(False, left)], [(False, right)], same=True))
            elif left is None or right is None:
                rows.append(Row(None if left is None else [(True, left)], None if right is None else [(True, right)]))
            else:
                rows.append(Row(*words(left, right)))
    return rows
