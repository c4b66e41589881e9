"""The gate: checks that a text is true out of context.

    >>> from historian.schema.names import Names
    >>> [(one.kind, one.text) for one in find_relative_words("小王昨天把吉他还给我了").violations]
    [('time', '昨天'), ('pronoun', '我')]
    >>> result = check("He passed the exam", source="He passed the exam", names=Names(), item="fact")
    >>> [(one.kind, one.why) for one in result.violations]
    [('pronoun', 'orphan')]

It prefers precision to recall, and quotations, code, titles and proper nouns are never read as prose. Whether a model's text
keeps to what it was made of, `text/supported.py` says.
"""

from __future__ import annotations

from .check import check
from .findings import RELATIVE_KINDS, Finding, GateResult, Kind
from .reasons import reason, reasons
from .relative_words import find_relative_words, is_unread

__all__ = [
    "RELATIVE_KINDS",
    "Finding",
    "GateResult",
    "Kind",
    "check",
    "find_relative_words",
    "is_unread",
    "reason",
    "reasons",
]
