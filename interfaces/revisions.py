"""Revisions of profiles and articles, and the comparison of two revisions.

Used by the command line, the HTTP API and the web pages.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .lookups import PUBLIC, NotFound, WrongName, named_profile
from .texts import Piece, later, words

if TYPE_CHECKING:  # commands import this module when they start
    from ..schema.profile import Profile
    from ..schema.summary import Article, ArticleKey
    from ..service.components import Parts
    from ..service.operating import CommandKind


class StoredRevision(Protocol):
    """One revision of a text."""

    @property
    def revision(self) -> int: ...
    @property
    def updated_at(self) -> str: ...


One = TypeVar("One", bound=StoredRevision)


@dataclass(frozen=True)
class KeptRevisions(Generic[One]):
    """The stored revisions of a profile or an article.

    `kept` are the revisions, newest first; the first one is the current one. `named` are the JSON
    keys and values that identify the text. `rollback` is the kind of the command that restores a
    revision, and `payload` identifies the text in that command. `lines` returns a revision as the
    lines of a diff.
    """

    kept: Sequence[One]
    named: Mapping[str, str]
    rollback: CommandKind
    payload: Mapping[str, Any]
    lines: Callable[[One], list[str]]

    @property
    def whose(self) -> str:
        """The name of the profile or article in messages."""
        return next(iter(self.named.values()))

    def command(self, number: int) -> dict[str, Any]:
        """Return the payload of the command that restores the earlier revision `number`.

        Raises NotFound if there is no such earlier revision.
        """
        self._numbered(number, self.kept[1:])
        return {**self.payload, "revision": number}

    def compared(self, old: int | None, new: int | None) -> tuple[One, One, list[str]]:
        """Return an older and a newer revision, and their unified diff.

        The diff is empty if both are equal. By default `new` is the current revision, and `old` the
        revision before `new`. Raises NotFound.
        """
        newer = self._numbered(self.kept[0].revision if new is None else new, self.kept)
        earlier = (one.revision for one in self.kept if one.revision < newer.revision)
        before = max(earlier, default=newer.revision)
        older = self._numbered(before if old is None else old, self.kept)
        names = f"revision {older.revision}", f"revision {newer.revision}"
        texts = self.lines(older), self.lines(newer)
        return older, newer, list(difflib.unified_diff(*texts, *names, lineterm=""))

    def _numbered(self, number: int, kept: Sequence[One]) -> One:
        for one in kept:
            if one.revision == number:
                return one
        known = ", ".join(str(one.revision) for one in reversed(kept)) or "-"
        message = later(
            "revision {n} of {whose!r:.80} is not stored; the stored revisions are: {known}"
        )
        raise NotFound(message, n=number, whose=self.whose, known=known)


def profile_revisions(
    parts: Parts, entity: str, layer: str | None = None
) -> KeptRevisions[Profile]:
    """Return the revisions of one layer of a profile. Blocking.

    Raises NotFound, or InvalidInput if `layer` is None and the profile has several layers.
    """
    from ..service.inspection.json_data import profile_lines

    current, *more = named_profile(parts, entity, layer)
    if more:
        layers = ", ".join(one.key.layer or PUBLIC for one in (current, *more))
        message = later("profile {entity!r:.80} has several layers; give one of {layers}")
        raise WrongName(message, entity=entity, layers=layers)
    key = current.key
    named = {"entity": key.entity, "layer": key.layer}
    return KeptRevisions(
        [current, *parts.profiles.history(key)], named, "rollback", asdict(key), profile_lines
    )


def article_revisions(parts: Parts, key: ArticleKey) -> KeptRevisions[Article]:
    """Return the revisions of an article. Blocking. Raises NotFound.

    If no article is written yet, its dated summaries are returned as revision 0.
    """
    kept = kept_articles(parts, key)
    if not kept:
        message = later(
            "there is neither an article nor a summary about {user!r:.80} in {scope} yet"
        )
        raise NotFound(message, user=key.user_id, scope=key.scope.key)
    named = {"user_id": key.user_id, "scope": key.scope.key}
    payload = {"user_id": key.user_id, "group_id": key.group_id}
    return KeptRevisions(kept, named, "rollback_article", payload, article_lines)


def kept_articles(parts: Parts, key: ArticleKey) -> list[Article]:
    """Return the revisions of an article as in `article_revisions`; [] if it has none. Blocking."""
    from ..text.articles import dated_summaries

    stores = parts.article_stores
    current = stores.articles.read(key) or dated_summaries(key, stores.summaries.read(key))
    return [] if current is None else [current, *stores.articles.history(key)]


def article_lines(one: Article) -> list[str]:
    """Return an article as the lines of a diff."""
    from ..text.articles import format_article

    return format_article(one).splitlines()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of two texts side by side.

    A side is None if its text has no line here. `same` is True if both lines are equal.
    """

    left: Sequence[Piece] | None
    right: Sequence[Piece] | None
    same: bool = False


def side_by_side(older: Sequence[str], newer: Sequence[str]) -> list[Row]:
    """Return the lines of two texts as rows.

    Equal lines share a row, and each changed line is beside the line that replaces it.
    """
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, older, newer, autojunk=False
    ).get_opcodes():
        for left, right in zip_longest(older[i1:i2], newer[j1:j2]):
            if tag == "equal":
                rows.append(Row([(False, left)], [(False, right)], same=True))
            elif left is None or right is None:
                rows.append(
                    Row(
                        None if left is None else [(True, left)],
                        None if right is None else [(True, right)],
                    )
                )
            else:
                rows.append(Row(*words(left, right)))
    return rows
