"""Personal data: e-mail addresses, telephone, identity card and bank card numbers."""

import re
from collections.abc import Iterator

from .spans import Redaction

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}[@＠]"
    r"(?=[A-Za-z0-9.-]{1,255}(?![A-Za-z0-9.-]))[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.([A-Za-z]{2,24})(?![A-Za-z0-9])"
)
# Before what looks like a mailbox: a command that goes to a machine, the name of a message, a name in the fediverse.
_NO_MAILBOX = re.compile(
    r"(?:(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)[ ][^\n|;]*|(?:message-id|references|in-reply-to):[^\n]*|@)$", re.I
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
_MOBILE_SAID = re.compile(
    r"(?:号码|电话|手机|打给|联系|呼我|微信|phone|mobile|call|cell|"
    r"number)[^\d\n]{0,12}(?<!\d[ -])(1[ -]?[3-9](?:[ -]?\d){9})(?![ -]?\d|[A-Za-z_])",
    re.I,
)
_MOBILE_ASSIGNED = re.compile(r"(?<![A-Za-z0-9_])(?:phone|mobile|tel|cell|telephone)\w{0,8}=(1[3-9]\d{9})(?!\d)", re.I)
_LANDLINE = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?:[(（]0(?:10|2\d|[3-9]\d{2})[)）] ?|0(?:10|2\d|[3-9]\d{2})[- ])[2-8]\d{2,3}[ -]?\d{4}(?!\d|"
    r"-\d{5}|-\D)"
    r"(?:(?:[转轉-]| ?(?:ext|x)\.? ?)\d{1,6})?"
    r"|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{3}[- ]?\d{4}(?![\d-])|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{4}[- ]\d{3}(?![\d-])"
)
_INTERNATIONAL = re.compile(
    r"(?<![A-Za-z0-9_.+)\]])(?:(?<!=)|"
    r"(?=\+\d{11}))\+(?:[1-9]\d{0,2})(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}(?![A-Za-z0-9_]|[.-]\d)"
)
# Not one of a row of numbers: `377 610 987 1597`.
_NORTH_AMERICAN = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?<!\d[ .,])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}(?![A-Za-z0-9_-]|\.\d)"
)
# Written as at home: Taiwan, Japan, Britain, France.
_DOMESTIC = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?<!\d[ .,])(?:09\d{2}([ -])\d{3}\1\d{3}|0[2-8]([ -])\d{4}\2\d{4}|0[5789]0-\d{4}-\d{4}|"
    r"07\d{3}[ ]\d{3}[ ]?\d{3}|"
    r"020[ ]\d{4}[ ]\d{4}|0[67](?:([ .])\d{2})(?:\3\d{2}){3})(?![A-Za-z0-9_-]|[. ]\d)"
)
_NAMED_PHONE = re.compile(
    r"(?:手机|电话(?!会议)|座机|传真|固话|联系方式|热线|whatsapp|phone|mobile|tel(?:ephone)?|fax|cell|"
    r"call(?: \w{1,12})?(?: at| on)?(?![\w-]))"
    r"(?![_-]?(?:id|model|code|type))[\w号码]{0,6}[\"'’]{0,2}[ \t]{0,3}(?:number[ \t])?"
    r"(?:[:：=.]|是|为|at|is|on|number)?[ \t]{0,3}[\"']{0,2}(\+?(?:[ ().-]?\d){7,15})(?![A-Za-z0-9_-]|\.\d)",
    re.I,
)
_ID_CARD = re.compile(
    r"(?<![A-Za-z0-9_.-])(\d{6})([ -]?)((?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))\2(\d{3}[\dXx])(?![A-Za-z0-9])"
)
_OLD_ID_CARD = re.compile(r"身份证(?:号码?)?[是为:： ]{0,3}([1-8]\d{14})(?!\d)")
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.+-])[2-69]\d{3}(?:([ -]?)\d{4}\1\d{4}(?:\1\d{1,4}(?:\1\d{3})?)?|[ -]\d{6}[ -]\d{5})(?![A-Za-z0-9_-]|\.\d)"
)
_NAMED_CARD = re.compile(
    r"(?:银行卡|信用卡|储蓄卡|借记卡|工资卡|卡号|银行账[号户]|付款账[号户]|收款账[号户]|credit card|debit card|bank card|"
    r"card (?:no|"
    r"number))"
    r"[号码尾]{0,2}[\"']?[ \t]{0,3}(?:[:：=#.]|是|为|is)?[ \t]{0,3}[\"']?(\d(?:[ -]?\d){13,18})(?![\d-])",
    re.I,
)
# What stands before a number that identifies an account, a message or an order, and no telephone or card.
_IDENTIFIER = re.compile(
    r"(?:qq|uin|id|uid|群|群号|单号|订单|订单号|流水号|编号|学号|工号|运单|快递|order|invoice|tracking|channel|tweet|message|isbn|"
    r"serial|ticket|群聊|账号|帐号|seq|offset|size|bytes|length|total|amount|余额|金额|总计|seed|nonce|sn|序列号|条码|barcode|sku|货号|"
    r"发票号?|合同号?|imei|批号|交易号|准考证号?|会员号|timestamp|ts|version|build|no|number)(?:号码?|号是)?"
    r"[\"'’]{0,2}[ \t]{0,3}(?:[:：=#＝.,，]|是|为|is)?[ \t]{0,3}[\"'\[(（]{0,2}$",
    re.I,
)
# Spoken numbers, as voice-to-text writes them: eleven figures of a mobile, eighteen of an identity card.
_SPOKEN = re.compile(
    r"(?<![零〇一二三四五六七八九幺两])[零〇一二三四五六七八九幺两](?:[ ,，、]?[零〇一二三四五六七八九幺两Xx]){9,21}"
)
_FIGURES = str.maketrans("零〇一二三四五六七八九幺两", "0012345678912")
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
_SOCIAL_SECURITY = re.compile(
    r"(?:\bssn|social[ _-]?security(?:[ _-]?(?:no|number|num))?)\b[\"']{0,2}\.?[ \t]{0,3}(?:[:：=#]|is|是)?[ \t]{0,3}[\"']{0,2}"
    r"(?P<value>\d{3}[ -]?\d{2}[ -]?\d{4})(?![\d-])",
    re.I,
)
# A WeChat name: 6 to 20 letters, figures, `_`, `-`, the first a letter. Behind a word alone it must not be a plain word.
_WECHAT = re.compile(
    r"(?:[微薇威][信x](?P<called>号|id|账号)?(?:搜一?下?|加)?|加我?[vV]信?|[vV]信号?|(?<![a-z0-9])[vw][xX信](?:号|id)?|"
    r"\+[ ]?v|wechat(?:[ _-]?(?P<named>id|account|no))?|weixin(?:号|id)?)"
    r"[\"'”】」』）]{0,2}(?:[ \t]{0,3}(?P<link>[:：=]|是|为|is|(?<=[号Dd])(?=[\"'“「『【（《]))[ \t]{0,3}|"
    r"[ \t]{1,3}|(?=[a-z\"'“「『【]))[\"'“‘「『【（《(]{0,2}"
    r"(?P<value>[a-z][a-z0-9_-]{5,19})(?![A-Za-z0-9_.(/=-])",
    re.I,
)
# Some words between: `on WeChat, id: …`, `联系方式（微信）：…`, `type=wechat value=…`.
_WECHAT_TOLD = re.compile(
    r"(?:微信|wechat|weixin)(?![^\n:：=]{0,20}(?:公众|小程序|群|商户|版本|app|union|open|bot|import))"
    r"(?:[)）】]|[^\n:：=]{0,20}?(?:(?<![a-z])id|号|handle|account|value|me|add))[ ]?(?:[:：=]|[ ]is[ ])[ ]?"
    r"[\"'“「]?(?P<value>[a-z][a-z0-9_-]{5,19})(?![A-Za-z0-9_.(/=:-])",
    re.I,
)
_CARD_CODE = re.compile(
    r"(?<![a-z])(?:cvv2?|cvc2?|cvn2?)[码号]?[\"']?[ \t]{0,2}(?:[:：=#]|是|is)?[ \t]{0,2}[\"']?(?P<value>\d{3,4})(?!\d|"
    r"[ ]?[a-df-z])",
    re.I,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_NAMED_IBAN = re.compile(
    r"iban(?: is|是|为)?[:：= ]{1,3}([a-z]{2}\d{2}(?:[ ]?[a-z0-9]{4}){2,7}(?:[ ]?[a-z0-9]{1,3})?)(?![a-z0-9])", re.I
)
_CARD_NUMBER = re.compile(r"(?:card|visa|master ?card|amex|union ?pay|debit|credit|银联)[ _]?(?:number|no|num)?", re.I)
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
            # … and neither is the user of an address.
            address = re.search(r"://(?:[^\s/@]{0,60}:)?$", text[max(0, match.start() - 64) : match.start()])
            remote = re.match(r":[\w~/]", text[match.end() : match.end() + 2]) or _NO_MAILBOX.search(
                text[max(0, match.start() - 60) : match.start()]
            )
            if (
                match.group(1).lower() not in _NO_DOMAIN
                and match.group()[:3].lower() not in ("xxx", "***")
                and not remote
                and not address
            ):
                yield Redaction(match.start(), match.end(), "EMAIL")
    for start, end in _number_windows(text):
        yield from _numbers(text, start, end)
    for match in _IBAN.finditer(text):
        if valid_iban(match.group()):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    yield from _spoken_numbers(text)
    folded = text.lower()
    if "iban" in folded:
        for match in _NAMED_IBAN.finditer(text):
            if valid_iban(match.group(1).upper()):
                yield Redaction(*match.span(1), "BANK_CARD")
    if any(
        word in folded
        for word in ("证", "護照", "护照", "社保", "passport", "visa", "license", "licence", "permit", "national id")
    ):
        for pattern in (_PAPER, _PAPER_TOLD):
            yield from (Redaction(*match.span("value"), "ID_CARD") for match in pattern.finditer(text))
    if "cv" in folded:
        yield from (Redaction(*match.span("value"), "BANK_CARD") for match in _CARD_CODE.finditer(text))
    if "ssn" in folded or "social" in folded:
        yield from (Redaction(*match.span("value"), "ID_CARD") for match in _SOCIAL_SECURITY.finditer(text))
    if any(
        word in folded
        for word in ("微信", "wechat", "weixin", "薇信", "威信", "微x", "vx", "wx", "v信", "加v", "加我v", "+v", "+ v")
    ):
        yield from _wechat_names(text)
        yield from _wechat_names_told(text)


def _spoken_numbers(text: str) -> Iterator[Redaction]:
    for match in _SPOKEN.finditer(text):
        digits = re.sub(r"[^\dX]", "", match.group().translate(_FIGURES).upper())
        if re.fullmatch(r"1[3-9]\d{9}", digits):
            yield Redaction(match.start(), match.end(), "PHONE")
        elif len(digits) == 18 and digits[:17].isdecimal() and valid_id_card(digits):
            yield Redaction(match.start(), match.end(), "ID_CARD")


def _wechat_names(text: str) -> Iterator[Redaction]:
    for match in _WECHAT.finditer(text):
        value = match["value"]
        called = match["called"] or match["named"]
        distinct = any(c.isdigit() or c == "_" for c in value) and any(c.isalpha() for c in value)
        told = called and match["link"]
        if re.match(r"[vw]x[ \t]", match.group(), re.I) and not any(c.isdigit() for c in value):
            continue
        if value.lower().startswith("id_") or re.fullmatch(r"wxid_\w{1,9}", value):
            continue  # of `wxid_…`
        # `wx` and sixteen hexadecimal figures is an app's public id, `wxid_` what bots know users by.
        if re.fullmatch(r"wx[0-9a-f]{16}" if told or match["called"] == "号" else r"wx[0-9a-f]{16}|wxid_\w+", value) or not (
            distinct or told
        ):
            continue
        yield Redaction(*match.span("value"), "WECHAT")


def _wechat_names_told(text: str) -> Iterator[Redaction]:
    for match in _WECHAT_TOLD.finditer(text):
        value = match["value"]
        distinct = any(c.isdigit() or c == "_" for c in value) and any(c.isalpha() for c in value)
        if distinct and not re.fullmatch(
            r"wx[0-9a-f]{16}|wxid_\w{1,9}|id_\w+|wechat\w*|[a-z]+_(?:id|app|bot|pay|msg|api|type|"
            r"v\d+)",
            value,
        ):
            yield Redaction(*match.span("value"), "WECHAT")


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
        if _ISSUERS.fullmatch(digits) and passes_luhn(digits) and not _is_identifier(text, match.start(), account=True):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    for match in _NAMED_CARD.finditer(text, start, end):
        yield Redaction(*match.span(1), "BANK_CARD")
    yield from _phones(text, start, end)


def _phones(text: str, start: int, end: int) -> Iterator[Redaction]:
    for pattern in (_MOBILE, _LANDLINE, _NORTH_AMERICAN, _DOMESTIC):
        for match in pattern.finditer(text, start, end):
            if match.group()[0] == "(" or not _is_identifier(text, match.start()):
                yield Redaction(match.start(), match.end(), "PHONE")
    for match in _INTERNATIONAL.finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        if 9 <= len(digits) <= 15 and (len(digits) >= 10 or not match.group()[1:].isdecimal()):
            yield Redaction(match.start(), match.end(), "PHONE")
    for pattern in (_NAMED_PHONE, _MOBILE_ASSIGNED, _MOBILE_SAID):
        for match in pattern.finditer(text, start, end):
            if pattern is not _MOBILE_SAID or not _is_identifier(text, match.start(1)):
                yield Redaction(*match.span(1), "PHONE")


def _is_identifier(text: str, start: int, account: bool = False) -> bool:
    """Whether the word before a number makes it an identifier; an account (`账号`) may be the one at a bank."""
    before = text[max(0, start - 24) : start]
    if account and re.search(r"[账帐]号[是为:： ]{0,3}$", before):
        return False
    return (
        bool(_IDENTIFIER.search(before))
        and not _CARD_NUMBER.search(before)
        and not re.search("手机|电话|phone|mobile|(?:my|your|his|her|our|cell|call|contact) number", before, re.I)
    )


def valid_id_card(digits: str) -> bool:
    """Check province and check figure of an 18-figure Chinese identity number (GB 11643-1999, ISO 7064 MOD 11-2)."""
    if digits[:2] not in _PROVINCES:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(digits, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == digits[17].upper()


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
