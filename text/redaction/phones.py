"""Telephone numbers, recognised by how they are written and by the words before them."""

import re
from collections.abc import Iterator

from ..word_lists import in_pieces, word_tables
from .rules import compiled

_PATTERNS = in_pieces(word_tables("redaction/personal.toml")["patterns"])
_PLAIN = str.maketrans("‐‑‒–—―−－\u00a0\u2009\u202f\u3000（）．／＋：", "-" * 8 + " " * 4 + "()./+:")
"""Maps dashes, blanks and brackets of other scripts to ASCII; offsets are unchanged."""
_NUMBER = (
    r"(?i)(?<!\d\.)(?<![A-Za-z0-9_+#/])(?<![A-Za-z0-9]-)[+(]{0,2}\d(?:[ ()./-]{0,3}\d){6,16}"
    + _PATTERNS["EXTENSION"]
    + r"(?![A-Za-z0-9_-]|\.\d)"
)
_MOBILE = r"(?:(?:\(?(?:\+|00)?86\)?)[ -]?)?1[3-9]\d([ .-]?)\d{4}\1\d{4}"
# A part of a row of numbers or of a dump: digits before or after, separated by a blank.
_ROW_BEFORE = r"(?:(?<![A-Za-z0-9])(?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}[ ])[0-9A-Fa-f]{1,16}:?[ ]|\d[.,])$"
_ROW_AFTER = r"[ ](?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}(?![A-Za-z0-9]))[0-9A-Fa-f]{1,16}(?![A-Za-z0-9])"


def find_phones(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the telephone numbers in `text[start:end]`, as offsets of `text`."""
    view = text[start:end].translate(_PLAIN)
    for match in compiled(_NUMBER).finditer(view):
        first, last = match.span()
        while view[first] == "(" and ")" not in view[first:last]:
            first += 1
        if _is_phone(view, first, last):
            yield start + first, start + last


def is_identifier(text: str, start: int, *, separated: bool = False) -> bool:
    """Return True if the word before a number makes it an identifier, not a telephone number or a card.

    With `separated` (a number written in groups), a bare `number` or `no` does not count.
    """
    before = text[max(0, start - 24) : start]
    match = compiled(_PATTERNS["IDENTIFIER"]).search(before)
    return match is not None and not (separated and match["vague"])


def is_in_row(text: str, start: int, end: int) -> bool:
    """Return True if other numbers or hexadecimal groups are adjacent: `0300 3e00 0100 0000`."""
    before, after = text[max(0, start - 20) : start], text[end : end + 20]
    return bool(compiled(_ROW_BEFORE).search(before) or compiled(_ROW_AFTER).match(after))


def _is_phone(view: str, start: int, end: int) -> bool:
    core = re.split(r"[ ,;]{0,2}(?:ext|x|#|转|分|内)", view[start:end], maxsplit=1, flags=re.I)[0]
    digits = re.sub(r"\D", "", core)
    if compiled(_PATTERNS["DATE"]).fullmatch(core.strip("( ")):
        return False
    if compiled(_PATTERNS["CALLED"]).search(view[max(0, start - 48) : start]):
        return len(digits) <= 13 and not re.fullmatch(r"1[3-9]\d{10,11}|1\d{9}", digits)
    if is_identifier(view, start, separated=core != digits):
        return False
    is_written = compiled(_PATTERNS["WRITTEN"]).fullmatch(core.strip())
    is_apart = core[0] in "(+" or "-" in core or not is_in_row(view, start, end)
    return bool(compiled(_MOBILE).fullmatch(core) or (is_written and is_apart))
