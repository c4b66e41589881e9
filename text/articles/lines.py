"""Lines of articles: whether others repeat a line, whether a statement concerns it, and which are the newest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.article import CHAPTER_NAMES, Article, ChapterBounds, ChapterName
from ...schema.names import Names
from ..gate.faithfulness import find_lost
from ..instructions import split_instructions
from ..profiles.rules import topics_of
from ..statements import spoken_by, stamped, without_bullet
from ..support import ENOUGH, best_sources, content_terms, share, turns_round, words_only
from ..tokens import estimate_tokens

_MERGED = 2
"""Maximum number of lines into which one may have been split."""
_SAYS_IT_ITSELF = frozenset(("birthday", "called", "diet"))
"""Topics that a repetition has to name itself: a wedding on May 3 is no birthday, peanut butter no allergy."""
_DIET = re.compile(r"过敏|忌口|素食|吃素|不能[吃喝碰]|\b(?:allerg\w+|vegetarian|vegan|intoleran\w+|coeliac|celiac)\b", re.I)
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
_LONGEST = 240
"""Maximum characters of a line that is taken over from a summary; a longer one is cut."""


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
    topics = _topics(line) & _SAYS_IT_ITSELF
    if not topics <= frozenset().union(*map(_topics, chosen)):
        return False
    if turns_round(line, chosen[0], names):
        return False
    found = share(wanted, frozenset().union(*(content_terms(other, names) for other in chosen)))
    return found >= (_BIRTHDAY if "birthday" in topics else ENOUGH)


def touches(statement: str, line: str, names: Names) -> bool:
    """Return True if a statement concerns the subject of a line, so that it may supersede the line."""
    if _topics(statement) & _topics(line):
        return True
    return share(content_terms(line, names), content_terms(statement, names)) >= _TOUCHED


def _topics(line: str) -> frozenset[str]:
    return topics_of(line) | ({"diet"} if _DIET.search(line) else set())


def with_summaries(old: Article, summaries: Sequence[str], bounds: ChapterBounds) -> Article:
    """Return `old` with the lines of summaries at the end of Dynamic: its newest lines within its bound.

    A line may begin with its day ("2026-02-21 …"); a line without one gets that of the line before it. A line without a
    speaker is split into its statements. Instructions to the memory are left out.
    """
    lines = list(old.lines("Dynamic"))
    for text in summaries:
        day = ""
        for line in text.splitlines():
            own, said = stamped(without_bullet(line))
            day = own or day
            told, orders = split_instructions(said)
            for one in told if orders or not spoken_by(said)[0] else [said]:
                short = one if len(one) <= _LONGEST else f"{one[: _LONGEST - 1]}…"
                lines.append(f"- {day} {short}" if day else f"- {short}")
    kept = newest_within(list(dict.fromkeys(lines)), bounds.dynamic)
    return old.with_chapters({"Dynamic": "\n".join(kept)})


def newest_within(lines: Sequence[str], tokens: float, least: int = 0) -> list[str]:
    """Return the last of `lines` that take at most so many tokens, but not fewer than `least`."""
    first, left = len(lines), tokens
    while first and (left := left - estimate_tokens(lines[first - 1]) - 1) >= 0:
        first -= 1
    return list(lines[min(first, max(len(lines) - least, 0)) :])
