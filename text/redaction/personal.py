"""Finding of personal data: phone numbers, e-mail addresses, bank cards and identity documents."""

import re
from collections.abc import Iterator

from ..word_lists import in_pieces, word_list, word_tables
from .rules import Redaction, Rules, compiled, stretches

_PATTERNS = in_pieces(word_tables("redaction/personal.toml")["patterns"])
_PLAIN = str.maketrans(
    "‐‑‒–—―−－\u00a0\u2009\u202f\u3000（）．／＋：", "-" * 8 + " " * 4 + "()./+:"
)
"""Maps dashes, spaces and brackets of other scripts to ASCII; offsets are unchanged."""
_NUMBER = (
    r"(?i)(?<!\d\.)(?<![A-Za-z0-9_+#/])(?<![A-Za-z0-9]-)[+(]{0,2}\d(?:[ ()./-]{0,3}\d){6,16}"
    + _PATTERNS["EXTENSION"]
    + r"(?![A-Za-z0-9_-]|\.\d)"
)
_MOBILE = r"(?:(?:\(?(?:\+|00)?86\)?)[ -]?)?1[3-9]\d([ .-]?)\d{4}\1\d{4}"
# A part of a row of numbers or of a dump: digits before or after, separated by a space.
_ROW_BEFORE = (
    r"(?:(?<![A-Za-z0-9])(?=[A-Fa-f]{0,15}\d|[A-Fa-f]{2}[ ])[0-9A-Fa-f]{1,16}:?[ ]|\d[.,])$"
)
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
    """Return True if the word before a number makes it an identifier, not a phone or card number.

    With `separated` (a number written in groups), the words `number` and `no` alone do not count.
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


_LONG_NUMBER = r"\d(?:[ ()./\-‐‑‒–—―−－（）\u00a0\u2009\u202f\u3000]{0,3}\d){6}"
_CONTEXT = 48
# Eighteen digits, the last of which is a check digit: `110105 19491231 …X`
_ID_CARD = r"(?<![A-Za-z0-9_.-])[1-9]\d(?:[ -]?\d){15}[ -]?[\dXx](?![A-Za-z0-9])"
_CARD = (
    r"(?<![A-Za-z0-9_.+-])[2-69]\d{3}(?:([ .-]?)\d{4}\1\d{4}(?:\1\d{1,4}(?:\1\d{3})?)?|[ -]?\d{6}[ -]?\d{5})"
    r"(?![A-Za-z0-9_-]|\.\d)"
)
_IBAN = (
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
# Issuers' ranges (ISO/IEC 7812): Visa, Mastercard, American Express, JCB, UnionPay, Discover,
# Diners, Maestro, and the older ranges of Chinese banks.
_ISSUERS = (
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|35[2-8]\d{13}|"
    r"62\d{14,17}|6(?:011|4[4-9]\d|5\d{2})\d{12}|3(?:0[0-5]|[689]\d)\d{11}|60\d{14,17}|9558\d{12,15}|(?:5[06-8]|6[37])\d{14,17}"
)
_OF_A_CARD = r"(?i)card|visa|amex|american express|union ?pay|debit|credit|bank|银联|卡|[账帐]号[是为:： ]{0,3}$"
_FILE_ENDINGS = word_list(
    "png jpg jpeg gif svg webp bmp ico js ts jsx tsx css json py md txt html yaml yml"
)
# Text before a false mailbox: a remote command, a message id, a fediverse handle.
_NO_MAILBOX = (
    r"(?i)(?:(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)[ ][^\n|;]*|(?:message-id|references|in-reply-to):[^\n]*|@|"
    r"://(?:[^\s/@]{0,80}[^\w\s/@.-])?)$"
)


def _is_mailbox(match: re.Match[str]) -> bool:
    start, end = match.span()
    return (
        (match["last"] or "").lower() not in _FILE_ENDINGS
        and not re.match(r":[\w~/]", match.string[end : end + 2])
        and not compiled(_NO_MAILBOX).search(match.string[max(0, start - 64) : start])
    )


_RULES = Rules("personal.toml", {"mailbox": _is_mailbox})


def find_personal_data(text: str, folded: str) -> Iterator[Redaction]:
    """Find e-mail addresses and numbers of telephones, identity documents and bank cards.

    `folded` is the text in lower case.
    """
    yield from _RULES.find(text, folded)
    places = [match.start() for match in compiled(_LONG_NUMBER).finditer(text)]
    for start, end in stretches(text, places, _CONTEXT, _CONTEXT + 24):
        yield from _cards(text, start, end)
        yield from (Redaction(*span, "PHONE") for span in find_phones(text, start, end))


def _cards(text: str, start: int, end: int) -> Iterator[Redaction]:
    from stdnum import iban, luhn

    for match in compiled(_ID_CARD).finditer(text, start, end):
        if _is_id_card(re.sub("[ -]", "", match.group())):
            yield Redaction(*match.span(), "ID_CARD")
    for match in compiled(_CARD).finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        if not compiled(_ISSUERS).fullmatch(digits) or not luhn.is_valid(digits):
            continue
        named = compiled(_OF_A_CARD).search(text, max(0, match.start() - _CONTEXT), match.start())
        if named or not (is_identifier(text, match.start()) or is_in_row(text, *match.span())):
            yield Redaction(*match.span(), "BANK_CARD")
    for match in compiled(_IBAN).finditer(text, start, end):
        if iban.is_valid(match.group()):
            yield Redaction(*match.span(), "BANK_CARD")


def _is_id_card(digits: str) -> bool:
    from stdnum.cn import ric
    from stdnum.exceptions import ValidationError

    try:
        ric.get_birth_date(digits)  # validate() would reject places that no longer exist
    except ValidationError:
        return False
    return str(ric.calc_check_digit(digits)) == digits[-1].upper()
