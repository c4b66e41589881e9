"""The content words of lines of a profile: what a model may reword is one word, what needs no source is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ...schema.names import Names
from ..support import Terms, content_terms, stem
from ..word_lists import word_tables

_HAN = re.compile(r"[㐀-鿿豈-﫿]")


def profile_terms(text: str, names: Names, *, light: bool = True) -> Terms:
    """Return the content words of a text without those that need no source; words of one meaning are one.

    Without `light`, verbs that say little beside their object are left out too.
    """
    words = _words()
    folded = words.chinese.sub(lambda match: words.rewritten[match.group()], text)
    terms = {
        words.same.get(term, term if _HAN.match(term) else term[:5])
        for term in content_terms(folded, names, dates=False) - words.free
    }
    return frozenset(terms) if light else frozenset(term for term in terms - words.light if not _is_light_pair(term, words.light))


def label_terms(text: str, names: Names) -> Terms:
    """Return the content words of a heading or label without those that only arrange a profile."""
    words = _words()
    return profile_terms(words.labels.sub(" ", text), names) - words.arranging


def opening_of(text: str) -> str:
    """Return the first two Chinese characters of a text that need a source."""
    words = _words()
    return "".join(_HAN.findall(words.chinese.sub(lambda match: words.rewritten[match.group()], text[:24])))[:2]


def _is_light_pair(term: str, light: Terms) -> bool:
    return _HAN.match(term) is not None and not light.isdisjoint(term)


@dataclass(frozen=True, slots=True)
class _Words:
    """The word tables: English as stems, Chinese as a pattern with what each of its words is replaced by."""

    free: Terms
    light: Terms
    arranging: Terms
    labels: re.Pattern[str]
    same: Mapping[str, str]
    chinese: re.Pattern[str]
    rewritten: Mapping[str, str]


@cache
def _words() -> _Words:
    tables = word_tables("profiles/terms.toml")
    same = {stem(word): f"={n}" for n, row in enumerate(tables["same"]["en"]) for word in row.split()}
    rewritten = {word: row.split()[0] for row in tables["same"]["zh"] for word in row.split()}
    rewritten |= dict.fromkeys(tables["free"]["zh"].split(), " ")
    light = {same.get(stem(word), stem(word)[:5]) for word in tables["light"]["en"].split()} | set(tables["light"]["zh"].split())
    longest = sorted(rewritten, key=len, reverse=True)
    return _Words(
        free=frozenset(map(stem, tables["free"]["en"].split())),
        light=frozenset(light),
        arranging=frozenset(stem(word)[:5] for word in tables["labels"]["en"].split()),
        labels=re.compile("|".join(sorted(tables["labels"]["zh"].split(), key=len, reverse=True))),
        same=same,
        chinese=re.compile("|".join(map(re.escape, longest))),
        rewritten=rewritten,
    )
