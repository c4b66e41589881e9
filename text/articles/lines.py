"""Comparison of article lines: whether others repeat a line, and whether a statement concerns it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.article import CHAPTER_NAMES, Article, ChapterName
from ...schema.names import Names
from ..declared import topics_of
from ..gate.faithfulness import find_lost
from ..statements import without_bullet
from ..support import ENOUGH, best_sources, content_terms, share, turns_round, words_only

_MERGED = 2
"""Maximum number of lines into which one may have been split."""
_SAYS_IT_ITSELF = frozenset(("birthday", "called", "diet"))
"""Topics that a repetition has to name itself: a wedding on May 3 is no birthday, peanut butter no allergy."""
_BIRTHDAY = 0.3
"""The share of words that suffices for a birthday, where only the date matters (born on May 3)."""
# "… , Tom hates that" repeats the "never" before it.
_DISLIKED = re.compile(
    r"[，,;；]\s*\S{0,20}?\s?(?:很|真的|最|非常)?(?:不喜欢|讨厌|反感)(?:这样)?$"
    r"|[,;]\s*[\w ]{0,30}?\b(?:hates?|dislikes?) (?:that|it)$",
    re.I,
)
_TOUCHED = 0.34
"""The share of a line's words that a statement must hold to concern the line."""


def bare_lines(article: Article, *chapters: ChapterName) -> list[str]:
    """Return the lines of the chapters (default: all three) without their bullets."""
    return [without_bullet(line) for name in chapters or CHAPTER_NAMES for line in article.lines(name)]


def says_again(line: str, others: Sequence[str], names: Names) -> bool:
    """Return True if `others` repeat `line`: most of its words, every number, title and name, and its negation.

    The words of at most two of the others count. A line about an identity topic is repeated only by lines about the same
    topic.
    """
    if line.strip() in (other.strip() for other in others):
        return True
    wanted = words_only(content_terms(_DISLIKED.sub("", line), names))
    held = [content_terms(other, names) for other in others]
    chosen = [others[n] for n in best_sources(wanted, held, _MERGED)]
    if not chosen or find_lost("\n".join(chosen), line, names):
        return False
    topics = topics_of(line) & _SAYS_IT_ITSELF
    if not topics <= frozenset().union(*map(topics_of, chosen)):
        return False
    if turns_round(line, chosen[0], names):
        return False
    found = share(wanted, frozenset().union(*(content_terms(other, names) for other in chosen)))
    return found >= (_BIRTHDAY if "birthday" in topics else ENOUGH)


def touches(statement: str, line: str, names: Names) -> bool:
    """Return True if a statement concerns the subject of a line, so that it may supersede the line."""
    if topics_of(statement) & topics_of(line):
        return True
    return share(content_terms(line, names), content_terms(statement, names)) >= _TOUCHED
