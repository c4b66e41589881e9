"""Numbers of identity cards, passports and other papers."""

import re
from collections.abc import Iterator

from .bank_cards import passes_luhn
from .spans import Redaction

_BIRTHDAY = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
# Eighteen figures, the last of them a check: `110105 19491231 …X`
_ID_CARD = re.compile(r"(?<![A-Za-z0-9_.-])[1-9]\d(?:[ -]?\d){15}[ -]?[\dXx](?![A-Za-z0-9])")
# Fifteen figures, as given out until 1999: `身份证 110105 491231 …`, and alone in the text.
_OLD_ID_CARD = re.compile(
    r"(?:身[份分][证證]|证件|證件|id[ ]?card)(?:号码?|號碼?|[ ](?:number|no\.?))?[\"'”]{0,2}(?:[是为為:： =]|"
    r"is){0,3}[\"'“]?([1-8]\d{14})(?!\d)",
    re.I,
)
_OLD_ID_CARD_ALONE = re.compile(rf"\s*([1-8]\d{{5}}\d\d{_BIRTHDAY}\d{{3}})\s*")
# Hong Kong's, its check figure in brackets: `A123…(3)`
_HONG_KONG_CARD = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d{6}[(（][\dA][)）]")
# Taiwan's: `身分證字號 A1…`
_TAIWAN_CARD = re.compile(
    r"(?:身[份分][证證](?:字[号號])?|national[ ]id|\bid)(?:号码?|號碼?|[ ](?:number|no\.?|"
    r"card))?[是为為:： =]{0,3}([A-Z][1289]\d{8})(?![A-Za-z0-9])",
    re.I,
)


def find_identity_cards(text: str, start: int, end: int) -> Iterator[Redaction]:
    """Find identity card numbers between `start` and `end`, a stretch around long numbers."""
    for match in _ID_CARD.finditer(text, start, end):
        digits = re.sub("[ -]", "", match.group())
        if re.match(rf"\d{{6}}(?:19|20)\d\d{_BIRTHDAY}", digits) and valid_id_card(digits):
            yield Redaction(match.start(), match.end(), "ID_CARD")
    for match in _OLD_ID_CARD.finditer(text, start, end):
        yield Redaction(*match.span(1), "ID_CARD")
    alone = _OLD_ID_CARD_ALONE.fullmatch(text) if len(text) < 40 else None
    if alone is not None and alone[1][:2] in _PROVINCES and not passes_luhn(alone[1]):
        yield Redaction(*alone.span(1), "ID_CARD")
    for match in _HONG_KONG_CARD.finditer(text, start, end):
        if valid_hong_kong_card(match.group()):
            yield Redaction(match.start(), match.end(), "ID_CARD")
    for match in _TAIWAN_CARD.finditer(text, start, end):
        if valid_taiwan_card(match[1].upper()):
            yield Redaction(*match.span(1), "ID_CARD")


# `护照号 E1234…`, `driver's license no. D1234…`
_PAPER = re.compile(
    r"(?:护照|通行证|回乡证|台胞证|港澳证|台湾证|居留证|居住证|驾驶证|驾照|社保卡?|社会保障|军官证|passport|visa|"
    r"driver'?s?[ ]licen[cs]e|"
    r"driving[ ]licen[cs]e|residence[ ]permit|national[ ]id)(?:号码?|编号|[ _-]?(?:no|number|num|id|"
    r"#)\b\.?)?[\"'”]{0,2}[ \t]{0,3}"
    r"(?:[:：=#]|是|为|is)?[ \t]{0,3}[\"'“]{0,2}(?P<value>[A-Za-z]{0,3}\d{6,10}[A-Za-z]?)(?![A-Za-z0-9]|[.-]\d)",
    re.I,
)
# Some words between the name and the number: `my passport number for the hotel: it's …`.
_PAPER_TOLD = re.compile(
    r"(?:护照|通行证|回乡证|台胞证|passport)(?:号码?|[ ](?:number|no\.?))[^\d\n。]{1,32}?(?:[:：]|是|为|is|it['’]s)[ ]?"
    r"(?P<value>[A-Za-z]{0,2}\d{7,9})(?![A-Za-z0-9]|[.-]\d)",
    re.I,
)
# `SSN: 078-05-…`
_SOCIAL_SECURITY = re.compile(
    r"(?:\bssn|social[ _-]?security(?:[ _-]?(?:no|number|num))?)\b[\"']{0,2}\.?[ \t]{0,3}(?:[:：=#]|is|是)?[ \t]{0,3}[\"']{0,2}"
    r"(?P<value>\d{3}[ -]?\d{2}[ -]?\d{4})(?![\d-])",
    re.I,
)
_PAPERS = ("证", "護照", "护照", "社保", "passport", "visa", "license", "licence", "permit", "national id")


def find_papers(text: str) -> Iterator[Redaction]:
    """Find the numbers that only their name tells: of passports, licences, social security."""
    folded = text.lower()
    if any(word in folded for word in _PAPERS):
        for pattern in (_PAPER, _PAPER_TOLD):
            yield from (Redaction(*match.span("value"), "ID_CARD") for match in pattern.finditer(text))
    if "ssn" in folded or "social" in folded:
        yield from (Redaction(*match.span("value"), "ID_CARD") for match in _SOCIAL_SECURITY.finditer(text))


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


def valid_id_card(digits: str) -> bool:
    """Check province and check figure of an 18-figure Chinese identity number (GB 11643-1999, ISO 7064 MOD 11-2)."""
    if digits[:2] not in _PROVINCES:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(digits, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == digits[17].upper()


def valid_hong_kong_card(written: str) -> bool:
    """Check the last figure of a Hong Kong identity card number, `A123456(3)` (weights 9 … 1, letters as 10 … 35, modulo 11)."""
    signs = re.sub(r"[()（）]", "", written)
    values = [36] * (9 - len(signs)) + [int(sign, 36) for sign in signs]
    return sum(value * weight for value, weight in zip(values, range(9, 0, -1), strict=True)) % 11 == 0


def valid_taiwan_card(signs: str) -> bool:
    """Check the last figure of a Taiwanese identity card number (the letter as two figures, weights 1, 9 … 1, 1, modulo 10)."""
    letter = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(signs[0]) + 10
    values = [letter // 10, letter % 10, *map(int, signs[1:])]
    return sum(value * weight for value, weight in zip(values, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True)) % 10 == 0
