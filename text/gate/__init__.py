"""The gate: checks that a text is true out of context and that a rewrite keeps the content of its input.

    >>> from historian.schema.names import Names
    >>> [(one.kind, one.text) for one in find_relative_words("小王昨天把吉他还给我了").violations]
    [('time', '昨天'), ('pronoun', '我')]
    >>> result = check(
    ...     "Tom told Nova a joke on 2026-02-20", source="I told Tom a joke today",
    ...     resolved="I told Tom a joke on 2026-02-20", draft="Nova told Tom a joke on 2026-02-20",
    ...     names=Names(bot_name="Nova", user_name="Tom"), item="action",
    ... )
    >>> [(one.kind, one.why) for one in result.violations]
    [('role', 'swapped')]

It prefers precision to recall: a rewrite is rejected only for certain errors, and quotations, code, titles and proper
nouns are never read as prose.
"""

from __future__ import annotations

from .check import check
from .faithfulness import find_invented
from .findings import RELATIVE_KINDS, Finding, GateResult, Kind
from .reasons import reason, reasons
from .relative_words import find_relative_words, is_unread

__all__ = [
    "RELATIVE_KINDS",
    "Finding",
    "GateResult",
    "Kind",
    "check",
    "find_invented",
    "find_relative_words",
    "is_unread",
    "reason",
    "reasons",
]
