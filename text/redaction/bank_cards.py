"""Numbers of bank cards and accounts, and the code on a card's back."""

import re
from collections.abc import Iterator

from .identifiers import is_identifier
from .spans import Redaction

# `4111 1111 1111 …`
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.+-])[2-69]\d{3}(?:([ .-]?)\d{4}\1\d{4}(?:\1\d{1,4}(?:\1\d{3})?)?|[ -]?\d{6}[ -]?\d{5})"
    r"(?![A-Za-z0-9_-]|\.\d)"
)
# Issuers' ranges (ISO/IEC 7812): Visa, Mastercard, American Express, JCB, UnionPay, Discover, Diners, Maestro, and the
# older ranges of Chinese banks.
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|35[2-8]\d{13}|"
    r"62\d{14,17}|6(?:011|4[4-9]\d|5\d{2})\d{12}|3(?:0[0-5]|[689]\d)\d{11}|60\d{14,17}|9558\d{12,15}|(?:5[06-8]|6[37])\d{14,17}"
)
# Before a card's number, and behind it: `visa 4111…`, `… exp 12/29`
_OF_A_CARD = re.compile(r"card|visa|amex|american express|master ?card|union ?pay|debit|credit|bank|银联|卡", re.I)
_EXPIRES = re.compile(r"[^\n]{0,24}(?:exp|cvv|cvc|valid|有效期|到期)", re.I)
# `银行卡号：4111…`
_NAMED_CARD = re.compile(
    r"(?:银行卡|銀行卡|信用卡|卡號|"
    r"储蓄卡|借记卡|工资卡|卡号|银行账[号户]|付款账[号户]|收款账[号户]|credit card|debit card|bank card|"
    r"card (?:no|"
    r"number))"
    r"[号码尾]{0,2}[\"']?[ \t]{0,3}(?:[:：=#.]|是|为|is)?[ \t]{0,3}[\"']?(\d(?:[ -]?\d){13,18})(?![\d-])",
    re.I,
)
# Around a number that was turned down: `4111… 校验不通过`
_REFUSED = re.compile(
    r"luhn|校验|校驗|抄错|输错|不合法|无效|不正确|拒绝|拦下|不存在|假的|"
    r"checksum|check digit|invalid|mistyped|rejected|refused|declined|"
    r"not valid|not a (?:real|valid)|dummy",
    re.I,
)
_CONTEXT = 40


def find_bank_cards(text: str, start: int, end: int) -> Iterator[Redaction]:
    """Find card numbers between `start` and `end`, a stretch around long numbers."""
    for match in _CARD.finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        named = bool(
            _OF_A_CARD.search(text, max(0, match.start() - _CONTEXT), match.start()) or _EXPIRES.match(text, match.end())
        )
        if (
            is_card_number(digits)
            and (named or not is_identifier(text, match.start(), account=True))
            and not _is_in_dump(text, *match.span())
        ):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    for match in _NAMED_CARD.finditer(text, start, end):
        digits = re.sub(r"\D", "", match[1])
        refused = not passes_luhn(digits) and _REFUSED.search(text, max(0, match.start() - _CONTEXT), match.end() + _CONTEXT)
        if not refused:  # a slip of the pen still gives a card away, a number that was turned down is none
            yield Redaction(*match.span(1), "BANK_CARD")


# `DE89 3704 0044 …`
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
# In small letters too, behind its name: `iban: de89 3704 0044 …`
_NAMED_IBAN = re.compile(
    r"iban(?: is|是|为)?[:：= ]{1,3}([a-z]{2}\d{2}(?:[ ]?[a-z0-9]{4}){2,7}(?:[ ]?[a-z0-9]{1,3})?)(?![a-z0-9])", re.I
)
# `CVV: 123`
_CARD_CODE = re.compile(
    r"(?<![a-z])(?:cvv2?|cvc2?|cvn2?)[码号]?[\"']?[ \t]{0,2}(?:[:：=#]|是|is)?[ \t]{0,2}[\"']?(?P<value>\d{3,4})(?!\d|"
    r"[ ]?[a-df-z])",
    re.I,
)


def find_accounts_and_codes(text: str) -> Iterator[Redaction]:
    """Find international account numbers, and the three or four figures on a card's back."""
    for match in _IBAN.finditer(text):
        if valid_iban(match.group()):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    folded = text.lower()
    if "iban" in folded:
        for match in _NAMED_IBAN.finditer(text):
            if valid_iban(match.group(1).upper()):
                yield Redaction(*match.span(1), "BANK_CARD")
    if "cv" in folded:
        yield from (Redaction(*match.span("value"), "BANK_CARD") for match in _CARD_CODE.finditer(text))


# `0300 3e00 `, `00000010: `
_DUMP_BEFORE = re.compile(r"(?<![A-Za-z0-9])(?:(?:[0-9A-Fa-f]{4,8}\s){2}|[0-9A-Fa-f]{7,8}:?[ ]{1,2})$")
# ` 0000 0000`
_DUMP_AFTER = re.compile(r"(?:\s[0-9A-Fa-f]{4,8}){2}(?![A-Za-z0-9])")


def _is_in_dump(text: str, start: int, end: int) -> bool:
    """Whether groups of a memory's dump stand around: `0300 3e00 4010 0000 0000 0000`, `00000010: 4010 …`."""
    before = text[max(0, start - 32) : start]
    if re.search("卡|card|visa|amex", before, re.I):
        return False
    return bool(_DUMP_BEFORE.search(before) or _DUMP_AFTER.match(text[end : end + 24]))


def is_card_number(digits: str) -> bool:
    """Whether an issuer gives out numbers that begin so and are as long, and the check figure fits."""
    return bool(_ISSUERS.fullmatch(digits)) and passes_luhn(digits)


def valid_iban(written: str) -> bool:
    """Check an international account number (ISO 13616: the figures, letters as 10 … 35, leave 1 modulo 97)."""
    number = written.replace(" ", "")
    return 15 <= len(number) <= 34 and int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1


def passes_luhn(digits: str) -> bool:
    """Check a card number's last figure (ISO/IEC 7812-1, annex B)."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1
