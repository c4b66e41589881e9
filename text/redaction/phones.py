"""Telephone numbers, recognised by the numbering plans of `phonenumbers` and by the words before them."""

import re
from collections.abc import Iterator

from ..word_lists import in_pieces, word_tables
from .identifiers import is_identifier, is_in_row
from .rules import compiled

_PATTERNS = in_pieces(word_tables("redaction/phones.toml")["patterns"])
_PLAIN = str.maketrans("‐‑‒–—―−－﹣ー\u00a0\u2002\u2003\u2009\u202f\u3000（）．／＋：＝＃", "-" * 10 + " " * 6 + "()./+:=#")
"""Maps dashes, blanks and brackets of other scripts to ASCII; offsets are unchanged."""
_EXTENSION = _PATTERNS["EXTENSION"]
_END = r"(?![A-Za-z0-9_-]|\.\d)"
_NUMBER = rf"(?i)(?<!\d\.)(?<![A-Za-z0-9_+#/])(?<![A-Za-z0-9]-)[+(]{{0,2}}\d(?:[ ()./-]{{0,3}}\d){{6,16}}{_EXTENSION}{_END}"
_MOBILE = r"(?:(?:\(?(?:\+|00)?86\)?)[ -]?)?1[3-9]\d([ .-]?)\d{4}\1\d{4}"
# Notations that machine-made numbers lack: brackets, a plus, digit groups.
_WRITTEN = _PATTERNS["WRITTEN"]
_REGIONS = ("CN", "TW", "HK", "MO", "US", "GB", "JP", "KR", "DE", "FR", "AU", "SG", "IL", "RU", "BR", "IN", "ES", "IT")
_WORD = _PATTERNS["WORD"]
_TIGHT = _PATTERNS["TIGHT"]
_DENIED = _PATTERNS["DENIED"]
_DENIED_AFTER = _PATTERNS["DENIED_AFTER"]
_DATE = _PATTERNS["DATE"]
_REACH = 48


def find_phones(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the telephone numbers in `text[start:end]`, as offsets of `text`."""
    view = text[start:end].translate(_PLAIN)
    for match in compiled(_NUMBER).finditer(view):
        for first, last in _numbers_in(view, match):
            yield start + first, start + last


def _numbers_in(view: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the candidate itself, or the numbers that it lists: `010-12345678/87654321`, two adjacent mobile numbers."""
    start, end = match.span()
    while start < end and view[start] == "(" and ")" not in view[start:end]:
        start += 1
    if _is_phone(view, start, end):
        yield start, end
        return
    for part in compiled(rf"(?<!\d){_MOBILE}(?!\d)").finditer(view, start, end):
        if _is_phone(view, *part.span()):
            yield part.span()
    if "/" in view[start:end]:
        at = view.index("/", start)
        if _is_phone(view, start, at):
            yield start, at
            if sum(map(str.isdigit, view[at:end])) >= 7:
                yield at + 1, end


def _is_phone(view: str, start: int, end: int) -> bool:
    written = view[start:end]
    core = re.split(r"[ ,;]{0,2}(?:ext|x|#|转|轉|分|内|內)", written, maxsplit=1, flags=re.I)[0]
    digits = re.sub(r"\D", "", core)
    if not 7 <= len(digits) <= 16 or len(set(digits)) < 3 or compiled(_DATE).fullmatch(core.strip("( ")):
        return False
    if compiled(_DENIED_AFTER).match(view, end, min(len(view), end + 16)):
        return False
    separated = core != digits
    if _is_named(view, start, digits, separated=separated):
        return True
    if is_identifier(view, start, separated=separated) or digits in "01234567890123" or digits in "98765432109876":
        return False
    if compiled(_MOBILE).fullmatch(core):
        return True
    if not compiled(_WRITTEN).fullmatch(core.strip()) or (start and view[start - 1] in "=`" and core[0] != "+"):
        return False
    if core[0] not in "(+" and "-" not in core and is_in_row(view, start, end):
        return False
    return _is_assigned(core) or (core[0] == "(" and len(digits) >= 10)


def _is_named(view: str, start: int, digits: str, *, separated: bool) -> bool:
    """Return True if the words before a number say that it is a telephone number."""
    # One digit too few or too many for a Chinese mobile number, or a Unix timestamp.
    if not separated and (re.fullmatch(r"1\d{9}|1[3-9]\d{10,11}", digits) or len(digits) > 13):
        return False
    before = view[max(0, start - _REACH) : start]
    words = list(compiled(_WORD).finditer(before))
    if not words:
        return False
    between = before[words[-1].end() :]
    if compiled(_DENIED).search(between):
        return False
    if compiled(_TIGHT).fullmatch(between):
        return True
    loose = separated and 9 <= len(digits) <= 13 and re.fullmatch(r"[^\d\n。！？!?;；]{0,32}", between)
    return bool(loose) and not is_identifier(view, start, separated=True)


def _is_assigned(written: str) -> bool:
    """Return True if the number is valid in the numbering plan of a region."""
    import phonenumbers

    international = written.startswith(("+", "00"))
    number = f"+{written[2:]}" if written.startswith("00") else written
    for region in _REGIONS[:1] if international else _REGIONS:
        try:
            parsed = phonenumbers.parse(number, region)
        except phonenumbers.NumberParseException:
            return False
        if phonenumbers.is_valid_number(parsed):
            return True
    return international and phonenumbers.is_possible_number(parsed)
