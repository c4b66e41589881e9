"""Tell what somebody is like in general from what happens at the moment."""

from __future__ import annotations

import re

from ..schema.names import Names
from .language import detect_language
from .word_lists import alternatives, in_full, word_tables

_TABLES = word_tables("lasting.toml")
_WORDS = alternatives(word_tables("declared.toml")["words"]) | {name: "|".join(ways) for name, ways in _TABLES["words"].items()}
_LASTING = {
    language: re.compile(in_full([*_TABLES["head"][language], "(?:", "|".join(pieces), ")"], _WORDS), re.IGNORECASE)
    for language, pieces in _TABLES["lasting"].items()
}


def lasts(statement: str, names: Names) -> bool:
    """Return True if a statement that names its user tells how they are in general: a habit, liking, ability, relation or trait.

    In English that is the simple present of a verb that is no reaction ("Ann bites her nails"), or "is" and "has" with a trait, a
    relation or a possession; in Chinese a predicate of state, habit, ability or relation without aspect (阿明不抽烟, but not
    阿明不抽了). The rest of the first clause must not point at the moment or at the talk (今天, 这, "it").
    """
    name = next((one for one in map(names.user, _LASTING) if one in statement), "")
    rest = statement.partition(name)[2] if name else ""
    return _LASTING[detect_language(rest)].match(rest) is not None
