"""What a fact leaves unsaid that only the talk tells: whose relative or thing it is, what somebody does not do, which day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...schema.names import Names
from ..references.people import find_people
from ..references.subjects import without_owner
from ..word_lists import compiled_patterns, word_tables
from .findings import Finding

_PATTERNS = compiled_patterns(word_tables("gate/unsaid.toml"))


def unsaid(text: str, names: Names) -> Iterator[Finding]:
    """Yield what a fact leaves unsaid: of "Ann said yes" to what, of 阿明去不了 where, of "ex is in Perth" whose."""
    people = sorted((name for name in (names.bot_name, names.user_name, *names.others) if name), key=len, reverse=True)
    whose = without_owner(text, names)
    if whose:
        yield Finding("reference", whose, at := text.index(whose), at + len(whose), "owner")
    who = next((name for name in people if text.startswith(name)), "")
    open_clause = _PATTERNS["of_somebody" if who else "of_nobody"].match(text, len(who)) or _PATTERNS["same_as"].search(text)
    if open_clause is not None:
        yield Finding("reference", text[: open_clause.end()].strip(), 0, open_clause.end(), "elliptic")
    day = _PATTERNS["that_day"].search(text)
    if day is not None and not _PATTERNS["dated"].search(text, 0, day.start()):
        if day.start() == 0 or any(one.end == day.start() for one in find_people(text[: day.start()], people)):
            yield Finding("time", day.group(), *day.span(), "relative")
