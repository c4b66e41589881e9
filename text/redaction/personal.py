"""Personal data: e-mail addresses, telephone, identity card and bank card numbers."""

import re
from collections.abc import Iterator

from .spans import Redaction

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}[@＠]"
    r"(?=[A-Za-z0-9.-]{1,255}(?![A-Za-z0-9.-]))[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.([A-Za-z]{2,24})(?![A-Za-z0-9])"
)
_LONG_NUMBER = re.compile(r"\d(?:[ ().-]{0,3}\d){6,}")
_CONTEXT = 40
# Last parts that are file names (`icon@2x.png`) or attributes, not domains.
_NO_DOMAIN = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "bmp",
        "ico",
        "js",
        "ts",
        "jsx",
        "tsx",
        "css",
        "json",
        "py",
        "md",
        "txt",
        "html",
        "yaml",
        "yml",
    ]
)

_MOBILE = re.compile(
    r"(?<![A-Za-z0-9_.#/-])(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?P<gap>[ -]?)\d{4}(?P=gap)\d{4}(?![\d_-]|\.\d|[A-Za-z])"
)
_MOBILE_ASSIGNED = re.compile(r"(?<![A-Za-z0-9_])(?:phone|mobile|tel|cell|telephone)\w{0,8}=(1[3-9]\d{9})(?!\d)", re.I)
_LANDLINE = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?:[(（]0(?:10|2\d|[3-9]\d{2})[)）] ?|0(?:10|2\d|[3-9]\d{2})[- ])[2-8]\d{2,3}[ -]?\d{4}(?![\d-])"
    r"(?:(?:[转轉]| ?(?:ext|x)\.? ?)\d{1,6})?"
    r"|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{3}[- ]?\d{4}(?![\d-])|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{4}[- ]\d{3}(?![\d-])"
)
_INTERNATIONAL = re.compile(
    r"(?<![A-Za-z0-9_.+=)\]])\+(?:[1-9]\d{0,2})(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}(?![A-Za-z0-9_]|[.-]\d)"
)
_NORTH_AMERICAN = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![A-Za-z0-9_-]|\.\d)"
)
_NAMED_PHONE = re.compile(
    r"(?:手机|电话|座机|传真|固话|联系方式|热线|whatsapp|phone|mobile|tel(?:ephone)?|fax|cell|call(?: me)?(?: at| on)?)"
    r"[\w号码]{0,6}[\"'’]{0,2}[ \t]{0,3}(?:[:：=.]|是|为|at|is|on|number)?[ \t]{0,3}"
    r"[\"']{0,2}(\+?(?:[ ().-]?\d){7,15})(?![A-Za-z0-9_-]|\.\d)",
    re.I,
)
_ID_CARD = re.compile(
    r"(?<![A-Za-z0-9_.-])(\d{6})([ -]?)((?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))\2(\d{3}[\dXx])(?![A-Za-z0-9])"
)
_OLD_ID_CARD = re.compile(r"身份证(?:号码?)?[是为:： ]{0,3}([1-8]\d{14})(?!\d)")
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.+-])[2-69]\d{3}(?:([ -]?)\d{4}\1\d{4}(?:\1\d{1,4}(?:\1\d{1,3})?)?|[ -]\d{6}[ -]\d{5})(?![A-Za-z0-9_-]|\.\d)"
)
_NAMED_CARD = re.compile(
    r"(?:银行卡|信用卡|储蓄卡|借记卡|工资卡|卡号|银行账号|credit card|debit card|bank card|card (?:no|number))"
    r"[号码尾]{0,2}[\"']?[ \t]{0,3}(?:[:：=#.]|是|为|is)?[ \t]{0,3}[\"']?(\d(?:[ -]?\d){13,18})(?![\d-])",
    re.I,
)
# What stands before a number that identifies an account, a message or an order, and no telephone or card.
_IDENTIFIER = re.compile(
    r"(?:qq|uin|id|uid|群|群号|单号|订单|订单号|流水号|编号|学号|工号|运单|快递|order|invoice|tracking|channel|tweet|message|isbn|"
    r"serial|ticket|群聊|账号|帐号|no|number)(?:号码?|号是)?"
    r"[\"'’]{0,2}[ \t]{0,3}(?:[:：=#＝.,，]|是|为|is)?[ \t]{0,3}[\"'\[(（]{0,2}$",
    re.I,
)
_CARD_NUMBER = re.compile(r"card (?:number|no)", re.I)
# The first two figures of a Chinese identity card number: GB/T 2260, provinces.
_PROVINCES = frozenset(
    [
        "11",
        "12",
        "13",
        "14",
        "15",
        "21",
        "22",
        "23",
        "31",
        "32",
        "33",
        "34",
        "35",
        "36",
        "37",
        "41",
        "42",
        "43",
        "44",
        "45",
        "46",
        "50",
        "51",
        "52",
        "53",
        "54",
        "61",
        "62",
        "63",
        "64",
        "65",
        "71",
        "81",
        "82",
        "83",
        "91",
    ]
)
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
# Issuers' ranges (ISO/IEC 7812): Visa, Mastercard, American Express, JCB, UnionPay, Discover, Diners, Maestro, and the
# older ranges of Chinese banks.
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|35[2-8]\d{13}|"
    r"62\d{14,17}|6(?:011|4[4-9]\d|5\d{2})\d{12}|3(?:0[0-5]|[689]\d)\d{11}|60\d{14,17}|9558\d{12,15}|(?:5[06-8]|6[37])\d{14,17}"
)


def find_personal_data(text: str) -> Iterator[Redaction]:
    if "@" in text or "＠" in text:
        for match in _EMAIL.finditer(text):
            # `git@host:path` is a remote, not a mailbox.
            if match.group(1).lower() not in _NO_DOMAIN and not re.match(r":[\w~/]", text[match.end() : match.end() + 2]):
                yield Redaction(match.start(), match.end(), "EMAIL")
    for start, end in _number_windows(text):
        yield from _numbers(text, start, end)


def _number_windows(text: str) -> Iterator[tuple[int, int]]:
    """Give the stretches around long numbers: nothing else has to be looked at."""
    start = end = -1
    for match in _LONG_NUMBER.finditer(text):
        if match.start() - _CONTEXT > end:
            if end >= 0:
                yield start, end
            start = max(0, match.start() - _CONTEXT)
        end = min(len(text), match.end() + _CONTEXT)
    if end >= 0:
        yield start, end


def _numbers(text: str, start: int, end: int) -> Iterator[Redaction]:
    for match in _ID_CARD.finditer(text, start, end):
        if valid_id_card(match[1] + match[3] + match[4]):
            yield Redaction(match.start(), match.end(), "ID_CARD")
    for match in _OLD_ID_CARD.finditer(text, start, end):
        yield Redaction(*match.span(1), "ID_CARD")
    for match in _CARD.finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        if _ISSUERS.fullmatch(digits) and passes_luhn(digits) and not _is_identifier(text, match.start()):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    for match in _NAMED_CARD.finditer(text, start, end):
        yield Redaction(*match.span(1), "BANK_CARD")
    yield from _phones(text, start, end)


def _phones(text: str, start: int, end: int) -> Iterator[Redaction]:
    for pattern in (_MOBILE, _LANDLINE, _NORTH_AMERICAN):
        for match in pattern.finditer(text, start, end):
            if not _is_identifier(text, match.start()):
                yield Redaction(match.start(), match.end(), "PHONE")
    for match in _INTERNATIONAL.finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        if 9 <= len(digits) <= 15 and (len(digits) >= 10 or not match.group()[1:].isdecimal()):
            yield Redaction(match.start(), match.end(), "PHONE")
    for pattern in (_NAMED_PHONE, _MOBILE_ASSIGNED):
        for match in pattern.finditer(text, start, end):
            yield Redaction(*match.span(1), "PHONE")


def _is_identifier(text: str, start: int) -> bool:
    before = text[max(0, start - 24) : start]
    return (
        bool(_IDENTIFIER.search(before))
        and not _CARD_NUMBER.search(before)
        and not re.search("手机|电话|phone|mobile", before, re.I)
    )


def valid_id_card(digits: str) -> bool:
    """Check province and check figure of an 18-figure Chinese identity number (GB 11643-1999, ISO 7064 MOD 11-2)."""
    if digits[:2] not in _PROVINCES:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(digits, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == digits[17].upper()


def passes_luhn(digits: str) -> bool:
    """Check a card number's last figure (ISO/IEC 7812-1, annex B)."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1
