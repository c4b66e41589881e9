"""Content words of lines, and the share of a line that other lines support.

With the shares, reworded, merged and split lines are recognised.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..schema.ids import id_mark
from ..schema.names import Names
from .borders import without_names
from .remembered import remembered
from .word_lists import compiled_patterns, word_list, word_tables

_TABLES = word_tables("content_words.toml")
_RE = compiled_patterns(_TABLES)
Terms = frozenset[str]

_HAN = re.compile(r"[㐀-鿿豈-﫿]+")
_WORD = re.compile(r"[^\W\d_㐀-鿿豈-﫿]+(?:['’][^\W\d_㐀-鿿豈-﫿]+)?|\d+(?:[.:]\d+)*")
_DATE = re.compile(r"(\d{4})[-/年](\d{1,2})(?:[-/月](\d{1,2})日?)?")
# Function characters, which are no content words.
_EMPTY_RUN = re.compile(
    "[的了着过是在有和与跟就都也还又很太更最把被给让对从到向往为以于而但或若如因所之其此这那哪些个么什怎样几啥称做当"
    "我你您他她它们咱吗呢吧啊呀哦嗯哈嘛啦喔哇一会能可请说想知道记得要家去来叫名只位起时候地并且该再曾经]+"
)
_EMPTY_WORDS = word_list(_TABLES["words"]["empty_words"])
# The leftmost match is the longest ending; at least three letters precede it.
_ENDING = re.compile(
    r"(?<=\w{3})(?:ization|ation|ingly|ically|ments?|ness|ies|ied|ing|ers?|ed|es|ly|ic|al|s|y|e)$"
)


def content_terms(text: str, names: Names, *, dates: bool = True) -> Terms:
    """Return the content words of a text.

    These are Chinese characters and pairs of them, stems of other words, and numbers. Names of the
    bot and the user and function words are left out, and full dates unless `dates` is true.
    """
    two = replace(names, others=(), group_name="", group_id="")
    return terms_in(without_people(text, two), dates=dates)


def terms_in(text: str, *, dates: bool = True) -> Terms:
    """Return `content_terms` of a text without names."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: set[str] = set()
    for run in () if folded.isascii() else _HAN.findall(folded):
        parts = _EMPTY_RUN.split(run)
        found.update(*parts, (one + other for part in parts for one, other in pairwise(part)))
    date = r"\1 \2 \3 " if dates else " "
    words = _WORD.findall(_DATE.sub(date, folded).replace("’", "'"))
    found.update(stem(word) for word in words if word not in _EMPTY_WORDS)
    return frozenset(found)


def words_only(terms: Terms) -> Terms:
    """Return `terms` without pairs of Chinese characters, which a rewording often splits."""
    return frozenset(term for term in terms if len(term) == 1 or not _HAN.match(term))


@remembered(8192)
def stem(word: str) -> str:
    """Return an English word without its most common ending: a rough stem for comparing words."""
    word = word.removesuffix("'s").removesuffix("s'")
    if not word.isascii() or len(word) < 4 or word[0].isdigit():
        return word.lstrip("0") or word
    word = _ENDING.sub("", word)
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def weight(terms: Iterable[str]) -> float:
    """Return the total weight of terms.

    A Chinese character or pair counts half, because a Chinese word gives about two of them.
    """
    return sum(0.5 if _HAN.match(term) else 1.0 for term in terms)


def share(wanted: Terms, held: Terms) -> float:
    """Return the share of `wanted` that is in `held`, by weight; 1.0 if `wanted` is empty."""
    total = weight(wanted)
    return weight(wanted & held) / total if total else 1.0


def best_sources(wanted: Terms, sources: Sequence[Terms], most: int) -> list[int]:
    """Return the indexes of at most `most` sources that together cover `wanted` best.

    The choice is greedy; the best source is first.
    """
    chosen: list[int] = []
    left = wanted
    while len(chosen) < most and left:
        best = max(range(len(sources)), key=lambda n: weight(left & sources[n]), default=-1)
        if best < 0 or not left & sources[best]:
            break
        chosen.append(best)
        left = left - sources[best]
    return chosen


class Sources:
    """Source texts by id, such as the lines of an article, each split into content words once."""

    def __init__(self, texts: Mapping[str, str], names: Names) -> None:
        self.texts = texts
        self._names = names
        self._terms = [content_terms(text, names, dates=False) for text in texts.values()]

    def nearest(self, text: str, most: int = 4) -> dict[str, str]:
        """Return at most `most` texts that together have the most content words of `text`."""
        ids = list(self.texts)
        best = best_sources(content_terms(text, self._names, dates=False), self._terms, most)
        return {ids[n]: self.texts[ids[n]] for n in best}


def negation_in(text: str) -> re.Match[str] | None:
    """Return the match of the first word that denies or forbids something, or None."""
    return _RE.negation.search(text)


def is_negative(text: str) -> bool:
    """Return True if a line denies or forbids something."""
    return negation_in(text) is not None


def has_ended(text: str) -> bool:
    """Return True if a line says that something has ended."""
    return _RE.ended.search(text) is not None


def without_people(text: str, names: Names, put: str = " ") -> str:
    """Return a text with `put` in place of each name of its conversation.

    Then no digit, negation or other word in a name (学不进去) counts as content.
    """
    bare = names.user_name.removesuffix(id_mark(names.user_id))  # the name may be shown with its id
    return without_names(text, (names.group("zh"), names.group("en"), bare, *names.everybody), put)
