"""Take out of a profile what is no longer true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.job import without_list_mark
from ...schema.names import Names
from ..language import detect_language
from ..protected import whole_name_pattern
from ..superseding import Statement, change_by, same_whose
from ..support import content_terms, is_negative, weight, words_only

_LINE_HEAD = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")

ONE_WORD = 1.0
"""A bullet of no more content words ("is vegetarian") says one thing, which whatever ends it ends wholly."""


def without_over(
    summary: str, over: Sequence[str], names: Names, facts: Sequence[str] = (), former_names: Sequence[str] = ()
) -> str:
    """Return `summary` without the bullets that say nothing but what one of the texts `over` says. Prose stays.

    Nor with those that one of the new `facts` ends: what a person said in one group may be over by what is said in another.
    A bullet that says more than that ("likes coffee and jazz") stays: whoever merges decides what is left of it. A bullet
    may begin with one of the `former_names` of the user.

    >>> without_over("- Ann likes coffee\\n- Ann likes tea", [], Names(user_name="Ann"), ["Ann no longer likes coffee"])
    '- Ann likes tea'
    """
    people = tuple(name for name in (names.bot_name, names.user("zh"), names.user("en"), names.group_name) if name)
    former = whole_name_pattern(tuple(name for name in former_names if name and name not in people))

    def stated(text: str) -> Statement:
        return Statement(former.sub(names.user(detect_language(text)), text) if former else text, people)

    gone = [(content_terms(text, names), is_negative(text), stated(text)) for text in over]
    new = [stated(fact) for fact in facts]

    def is_over(line: str) -> bool:
        said = without_list_mark(line.strip())
        terms = content_terms(said, names)
        old = stated(said)
        if not _LINE_HEAD.match(line) or not terms or old.is_compound:
            return False
        for held, denies, one in gone:
            is_same = terms == held or (old.subject and terms <= held and same_whose(one, old))
            if is_same and is_negative(line) == denies:
                return True
        words = words_only(old.topic)
        more = weight(words) > ONE_WORD
        return any(change_by(fact, old, values_only=more and not words <= fact.terms) for fact in new)

    return "\n".join(line for line in summary.splitlines() if not is_over(line))
