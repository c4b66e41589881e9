"""The English word lists as pieces of patterns."""

from __future__ import annotations

import re

from ...word_lists import in_pieces, word_tables
from ..numerals import ENGLISH_CARDINALS, SIMPLE_CARDINALS, SIMPLE_ORDINALS
from ..reading import Direction
from . import lexicon as lexicon

_WORDS = word_tables("time_expressions/english/words.toml")
WRITTEN = word_tables("time_expressions/english/tokens.toml")
_STOP = r"\s*(?:[.,;:!?)]|$)"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"


def one_of(*phrases: str) -> str:
    """Return a pattern that matches the longest of some phrases, without a group around it.

    Phrases with the same beginning share it. For a long list this is ten times faster than one
    alternative per phrase.

    >>> re.match(one_of("mon", "day", "monday"), "mondays").group()
    'monday'
    """
    heads: dict[str, list[str]] = {}
    for phrase in phrases:
        if phrase:
            heads.setdefault(phrase[0], []).append(phrase[1:])
    return "|".join(
        re.escape(head) + _rest(sorted(set(tails))) for head, tails in sorted(heads.items())
    )


def _rest(tails: list[str]) -> str:
    if len(tails) == 1:
        return re.escape(tails[0])
    return f"(?:{one_of(*tails)}){'?' if not tails[0] else ''}"


VAGUE: dict[str, Direction] = {
    " ".join(words): direction for words, direction in lexicon.VAGUE.items()
}
_CARDINAL = (
    rf"(?:{_TENS})[ -](?:one|two|three|four|five|six|seven|eight|nine)|{one_of(*SIMPLE_CARDINALS)}"
)
_ORDINALS = list(SIMPLE_ORDINALS)
HOURS = one_of(*list(ENGLISH_CARDINALS)[1:13])
LISTS = {
    "STOP": _STOP,
    "CARDINAL": f"(?:{_CARDINAL})",
    "ONE_TO_TWELVE": HOURS,
    "ORDINALS": rf"(?:twenty|thirty)[ -](?:{one_of(*_ORDINALS[:9])})|{one_of(*_ORDINALS)}",
    "UNITS": one_of(*(word for word in lexicon.UNITS if word[-1] != "'")),
    "WEEKDAY": f"(?:{one_of(*lexicon.WEEKDAYS)})",
    "FULLDAY": f"(?:{one_of(*(word for word in lexicon.WEEKDAYS if len(word) > 4 and word != 'thurs'))})",
    "MONTH": f"(?:{one_of(*lexicon.MONTHS)})",
    "PLAIN_MONTH": f"(?:{one_of(*lexicon.PLAIN_MONTHS)})",
    "DAYS": f"(?:{one_of(*lexicon.DAYS)})",
    "TOMORROW": one_of(*(word for word, step in lexicon.DAYS.items() if step == 1)),
    "TONIGHT": f"(?:{one_of(*lexicon.TONIGHT)})",
    "SEASON": f"(?:{one_of(*lexicon.SEASONS)})",
    "PARTS": f"(?:{one_of(*(word for word in lexicon.PARTS if word != 'eve'))})",
    "FEAST": f"(?:{one_of(*lexicon.HOLIDAYS)})",
    "MODIFIER": one_of(*lexicon.MODIFIERS),
    "FUNCTION": one_of(*lexicon.FUNCTION_WORDS),
    "PRONOUN": one_of(*lexicon.PRONOUNS),
    "OWNER": "the|my|your|his|her|our|their|its",
    "NOWS": one_of(*(" ".join(words) for words in lexicon.NOW if words != ("now",))),
    "VAGUES": one_of(*VAGUE),
    "NOWORD": r"[a-z\d'-]+",
    "SAYINGS": "|".join(_WORDS["sayings"]),
}  # fmt: skip
PIECES = in_pieces(WRITTEN["pieces"], LISTS)
