"""The content words of lines of a profile: what a model may reword is one word, what needs no source is none."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..support import Terms, content_terms, stem
from ..word_lists import word_tables

_HAN = re.compile(r"[㐀-鿿豈-﫿]")


_TABLES = word_tables("profiles/terms.toml")
_SAME = {stem(word): f"={n}" for n, row in enumerate(_TABLES["same"]["en"]) for word in row.split()}
_REWRITTEN = {word: row.split()[0] for row in _TABLES["same"]["zh"] for word in row.split()}
_REWRITTEN |= dict.fromkeys(_TABLES["free"]["zh"].split(), " ")
"""What is put for a Chinese word before its characters are compared."""
_CHINESE = re.compile("|".join(map(re.escape, sorted(_REWRITTEN, key=len, reverse=True))))
_LABELS = re.compile("|".join(sorted(_TABLES["labels"]["zh"].split(), key=len, reverse=True)))
_FREE: Terms = frozenset(map(stem, _TABLES["free"]["en"].split()))
_LIGHT: Terms = frozenset(
    (*_TABLES["light"]["zh"].split(), *(_SAME.get(stem(word), stem(word)[:5]) for word in _TABLES["light"]["en"].split()))
)
_ARRANGING: Terms = frozenset(stem(word)[:5] for word in _TABLES["labels"]["en"].split())


def profile_terms(text: str, names: Names, *, light: bool = True) -> Terms:
    """Return the content words of a text without those that need no source; words of one meaning are one.

    Without `light`, verbs that say little beside their object are left out too.
    """
    found = content_terms(_rewritten(text), names, dates=False) - _FREE
    terms = frozenset(_SAME.get(term, term if _HAN.match(term) else term[:5]) for term in found)
    return terms if light else frozenset(term for term in terms - _LIGHT if not (_HAN.match(term) and _LIGHT.intersection(term)))


def label_terms(text: str, names: Names) -> Terms:
    """Return the content words of a heading or label without those that only arrange a profile."""
    return profile_terms(_LABELS.sub(" ", text), names) - _ARRANGING


def opening_of(text: str) -> str:
    """Return the first two Chinese characters of a text that need a source."""
    return "".join(_HAN.findall(_rewritten(text[:24])))[:2]


def _rewritten(text: str) -> str:
    return _CHINESE.sub(lambda match: _REWRITTEN[match.group()], text)
