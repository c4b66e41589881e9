"""Classify a long number by its context: an identifier, or a part of a row of numbers."""

import re

from ..word_lists import in_pieces, word_tables
from .rules import compiled

_PATTERNS = in_pieces(word_tables("redaction/identifiers.toml")["patterns"])
# Words before a number that identifies an account, a message or an order, not a telephone or card.
_IDENTIFIER = _PATTERNS["IDENTIFIER"]
_OF_A_PERSON = _PATTERNS["OF_A_PERSON"]
# A part of a row of numbers or of a dump: digits before or after, separated by a blank.
_ROW_BEFORE = r"(?:(?<![A-Za-z0-9])(?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}[ ])[0-9A-Fa-f]{1,16}:?[ ]|\d[.,])$"
_ROW_AFTER = r"[ ](?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}(?![A-Za-z0-9]))[0-9A-Fa-f]{1,16}(?![A-Za-z0-9])"


def is_identifier(text: str, start: int, *, account: bool = False, separated: bool = False) -> bool:
    """Return True if the word before a number makes it an identifier.

    With `account`, `账号` does not count: it may be a bank account. With `separated` (a number written in groups), a bare
    `number` or `no` does not count.
    """
    before = text[max(0, start - 24) : start]
    if account and re.search(r"[账帐]号[是为:： ]{0,3}$", before):
        return False
    match = compiled(_IDENTIFIER).search(before)
    return match is not None and not (separated and match["vague"]) and not compiled(_OF_A_PERSON).search(before)


def is_in_row(text: str, start: int, end: int) -> bool:
    """Return True if other numbers or hexadecimal groups are adjacent: `0300 3e00 0100 0000`."""
    before, after = text[max(0, start - 20) : start], text[end : end + 20]
    return bool(compiled(_ROW_BEFORE).search(before) or compiled(_ROW_AFTER).match(after))
