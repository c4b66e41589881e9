"""English time words with chat spellings: units, weekdays, months, feasts, parts of the day.

They are read from `words.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase

from ...word_lists import by_word, phrase_list, word_list, word_tables
from ..reading import Direction, Edge, Part, Unit

_WORDS = word_tables("time_expressions/english/words.toml")


def _slips(word: str) -> Iterator[str]:
    """Yield a word with one typing error.

    A letter is left out, doubled, swapped with the next one, or replaced by a neighbour on the
    keyboard. In a word of more than six letters, a vowel is also replaced by another one. In a word
    of more than seven letters, any letter is also inserted or put in place of another one.
    """
    for at in range(1, len(word)):
        beside = (
            row[max(0, place - 1) : place + 2]
            for row in _KEYS
            if (place := row.find(word[at])) >= 0
        )
        letters = (
            ascii_lowercase
            if len(word) > 7
            else "".join([*beside, _VOWELS * (word[at] in _VOWELS and len(word) > 6)])
        )
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        yield word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
        # Not every letter in short words: Sonday, Manday and Munday are names.
        yield from (word[:at] + letter + word[at + 1 :] for letter in letters)
        yield from (word[:at] + letter + word[at:] for letter in letters if len(word) > 7)


_VOWELS = "aeiou"
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MISSPELT = word_list(_WORDS["misspelt"])
CORRECTED = {
    slip: word
    for word in sorted(_MISSPELT)
    for slip in _slips(word)
    if len(slip) > 5 and slip not in _MISSPELT | {"weeknd"}
}
"""Time words with typing errors, and the correct words."""
UNITS: dict[str, Unit] = by_word(_WORDS["units"])
DAYS: dict[str, int] = by_word(_WORDS["days"])
"""Words for a day, with the distance from today in days."""
TONIGHT = word_list(_WORDS["tonight"])
WEEKDAYS: dict[str, int] = by_word(_WORDS["weekdays"])
MONTHS: dict[str, int] = by_word(_WORDS["months"], 1)
PLAIN_MONTHS = word_list(_WORDS["plain_months"])
SEASONS: dict[str, str] = by_word(_WORDS["seasons"])
PARTS: dict[str, Part] = by_word(_WORDS["parts"])
MODIFIERS: dict[str, int] = by_word(_WORDS["modifiers"])
EDGES: dict[str, Edge] = by_word(_WORDS["edges"])
EDGE_SHORT: dict[str, str] = by_word(_WORDS["short_edges"])
HOLIDAYS: dict[str, tuple[str, str]] = {}
for row in _WORDS["feasts"].split(";"):
    key, names = row.split(maxsplit=1)
    label, *others = (" ".join(name.split()) for name in names.split("/"))
    plain = label.removeprefix("the ").removesuffix(" of").lower()
    HOLIDAYS |= dict.fromkeys([plain, plain.replace("'", ""), *others], (key, label))
"""Wordings of a feast in lower case, with its key in `calendar` and its name in the output."""
VAGUE: dict[tuple[str, ...], Direction] = {
    words: direction
    for direction, phrases in _WORDS["vague"].items()
    for words in phrase_list(phrases)
}
NOW = frozenset(phrase_list(_WORDS["now"]))
AROUND = {name: re.compile(pattern) for name, pattern in _WORDS["around"].items()}
"""Patterns for the words before or after an expression."""
HELD = word_list(_WORDS["held"])
"""Nouns for events on a feast, such as "dinner"; a Christmas tree is no event."""
PRONOUNS = word_list(_WORDS["pronouns"])
FUNCTION_WORDS = word_list(_WORDS["function_words"]) | PRONOUNS
"""Words that may follow an expression. With a noun after it, it is part of a compound ("Easter
eggs")."""
KEYS = word_list(_WORDS["keys"]) | CORRECTED.keys() | TONIGHT
KEYS |= {
    word.rstrip("'") for table in (DAYS, WEEKDAYS, MONTHS, UNITS, SEASONS, PARTS) for word in table
} - {"h"}
"""Key words: a text with none of them (and no feast or number) has no time expression."""
_LONG_WORD = re.compile(r"[A-Za-z]{6,}(?![A-Za-z])")


def corrected(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text with corrected time words, and its corrections.

    A correction is the offset in the corrected text and the number of characters that it added.
    """
    pieces: list[str] = []
    slips: list[tuple[int, int]] = []
    at = longer = 0
    for match in _LONG_WORD.finditer(text):
        meant = CORRECTED.get(match.group().lower())
        if meant is None:
            continue
        meant = meant.capitalize() if match.group()[0].isupper() else meant
        pieces += (text[at : match.start()], meant)
        slips.append((match.start() + longer, len(meant) - len(match.group())))
        at, longer = match.end(), longer + slips[-1][1]
    return ("".join([*pieces, text[at:]]), slips) if slips else (text, slips)
