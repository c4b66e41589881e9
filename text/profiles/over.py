"""Take out of a profile what is no longer true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.job import without_list_mark
from ...schema.names import Names
from ..superseding import Statement, change_by
from ..support import content_terms, is_negative, weight, words_only

_LINE_HEAD = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")

ONE_WORD = 1.0
"""A bullet of no more content words ("is vegetarian") says one thing, which whatever ends it ends wholly."""


def without_over(summary: str, over: Sequence[str], names: Names, facts: Sequence[str] = ()) -> str:
    """Return `summary` without the bullets that say nothing but what one of the texts `over` says. Prose stays.

    Nor with those that one of the new `facts` ends: what a person said in one group may be over by what is said in another.
    A bullet that says more than that ("likes coffee and jazz") stays: whoever merges decides what is left of it.

    >>> without_over("- Ann likes coffee\\n- Ann likes tea", [], Names(user_name="Ann"), ["Ann no longer likes coffee"])
    '- Ann likes tea'
    """
    gone = [(content_terms(text, names), is_negative(text)) for text in over]
    people = tuple(name for name in (names.bot_name, names.user("zh"), names.user("en"), names.group_name) if name)
    new = [Statement(fact, people) for fact in facts]

    def is_over(line: str) -> bool:
        said = without_list_mark(line.strip())
        terms = content_terms(said, names)
        if not _LINE_HEAD.match(line) or not terms:
            return False
        if any(terms <= held and is_negative(line) == denies for held, denies in gone):
            return True
        old = Statement(said, people)
        words = words_only(old.topic)
        return any((words <= fact.terms or weight(words) <= ONE_WORD) and change_by(fact, old) for fact in new)

    return "\n".join(line for line in summary.splitlines() if not is_over(line))
