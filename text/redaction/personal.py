"""Personal data: e-mail addresses, telephone, identity card and bank card numbers."""

import re
from collections.abc import Iterator

from .characters import HAN
from .identifiers import is_identifier, is_in_long_run
from .phones import find_phones
from .spans import Label, Redaction

_LATIN = "A-Za-z0-9À-ÖØ-öø-ÿ"
_EMAIL = re.compile(
    rf"(?:(?<![{_LATIN}._%+-])(?:[OoDd]'(?=[A-Za-z]))?[{_LATIN}._%+-]{{1,64}}|"
    rf"\"[\w.+-]{{1,30}}(?:[ ][\w.+-]{{1,30}}){{0,2}}\")[@＠]"
    rf"(?:(?=[{_LATIN}.．-]{{1,255}}(?![{_LATIN}.．-]))[{_LATIN}-]{{1,63}}(?:[.．][{_LATIN}-]{{1,63}}){{0,6}}"
    r"[.．](xn--[A-Za-z0-9-]{2,20}|[A-Za-z]{2,24})(?![A-Za-z0-9])|\[\d{1,3}(?:\.\d{1,3}){3}\])"
)
# Written so that no machine reads it: `name [at] example [dot] com`, `name AT example DOT com`, `name 艾特 example 点 com`.
_PROVIDER = (
    r"(?:gmail|googlemail|outlook|hotmail|live|yahoo|qq|vip[ .]?qq|163|126|139|icloud|proton(?:mail)?|foxmail|sina|aliyun|gmx)"
)
_LEFT, _RIGHT = r"[ ]{0,2}[\[({<【（]{1,2}[ ]?", r"[ ]?[\])}>】）]{1,2}[ ]{0,2}"
_POINT = rf"(?:{_LEFT}(?:[Dd][Oo][Tt]|\.|点|點){_RIGHT}|[ _-][Dd][Oo][Tt][ _-]|\.)"
_EMAIL_HIDDEN = re.compile(
    rf"(?<![A-Za-z0-9._%+-])(?:[A-Za-z0-9._%+-]{{1,40}}{_POINT}){{0,3}}?[A-Za-z0-9._%+-]{{1,64}}(?:"
    rf"{_LEFT}(?:[Aa][Tt]|@|艾特){_RIGHT}|[ _-]AT[ _-]|[ ]?(?:艾特|圈a)[ ]?|[ ]at[ ](?={_PROVIDER}(?:[ .]|{_LEFT}))|"
    r"[ ]at[ ](?=[A-Za-z0-9.-]{3,255}>))"
    rf"[A-Za-z0-9-]{{1,63}}(?:{_POINT}[A-Za-z0-9-]{{1,63}}){{0,4}}?(?:{_POINT}|[ ]?[点點][ ]?)"
    r"(?P<last>[A-Za-z]{2,24})(?![A-Za-z0-9(]|\.[A-Za-z])"
)
_AT_SIGN = re.compile(
    rf"[\[({{<【（][ ]?(?:[Aa][Tt]|@|艾特)[ ]?[\])}}>】）]|[ _-]AT[ _-]|艾特|圈a|[ ]at[ ](?:{_PROVIDER}(?:[ .]|{_LEFT})|"
    rf"[A-Za-z0-9-]{{1,63}}[.][^ ])"
)
_AT_SIGNS = (
    "[at",
    "(at",
    "{at",
    "<at",
    "【at",
    "（at",
    "[ at",
    "( at",
    "{ at",
    "@]",
    "@)",
    "@}",
    " at ",
    "_at_",
    "-at-",
    "艾特",
    "圈a",
)
_AROUND = 200
_EMAIL_SAID = re.compile(
    r"(?:e-?mails?|mailbox|邮箱|郵箱|邮件|郵件|电邮|電郵)[^\n@]{0,24}?(?<![A-Za-z0-9._%+-])(?P<value>[A-Za-z0-9._%+-]{1,64}(?:"
    r"(?:[ ]dot[ ][A-Za-z0-9_-]{1,30}){0,3}[ ]at[ ][A-Za-z0-9-]{1,63}(?:[ ]dot[ ][A-Za-z0-9-]{1,63}){0,3}?[ ]dot[ ]|"
    r"[ ]{0,2}@[ ]{0,2}[A-Za-z0-9-]{1,63}(?:[ ]?\.[ ]?[A-Za-z0-9-]{1,63}){0,3}?[ ]?\.[ ]?)[A-Za-z]{2,24})(?![A-Za-z0-9])",
    re.I,
)
_EMAIL_REPLACED = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}[#＃*][A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}?\.[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
# Before what looks like a mailbox: a command that goes to a machine, the name of a message, a name in the fediverse.
_NO_MAILBOX = re.compile(
    r"(?:(?<![\w-])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)[ ][^\n|;]*|(?:message-id|references|in-reply-to):[^\n]*|@)$", re.I
)
_LONG_NUMBER = re.compile(r"\d(?:[ ()./\-‐‑‒–—―−－（）\u00a0\u2009\u202f\u3000]{0,3}\d){6,}")
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

_ID_CARD = re.compile(r"(?<![A-Za-z0-9_.-])[1-9]\d(?:[ -]?\d){15}[ -]?[\dXx](?![A-Za-z0-9])")
_BIRTHDAY = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_OLD_ID_CARD = re.compile(
    r"(?:身[份分][证證]|证件|證件|id[ ]?card)(?:号码?|號碼?|[ ](?:number|no\.?))?[\"'”]{0,2}(?:[是为為:： =]|"
    r"is){0,3}[\"'“]?([1-8]\d{14})(?!\d)",
    re.I,
)
_OLD_ID_CARD_ALONE = re.compile(rf"\s*([1-8]\d{{5}}\d\d{_BIRTHDAY}\d{{3}})\s*")
# Hong Kong's, its check figure in brackets, and Taiwan's.
_HONG_KONG_CARD = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d{6}[(（][\dA][)）]")
_TAIWAN_CARD = re.compile(
    r"(?:身[份分][证證](?:字[号號])?|national[ ]id|\bid)(?:号码?|號碼?|[ ](?:number|no\.?|"
    r"card))?[是为為:： =]{0,3}([A-Z][1289]\d{8})(?![A-Za-z0-9])",
    re.I,
)
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.+-])[2-69]\d{3}(?:([ .-]?)\d{4}\1\d{4}(?:\1\d{1,4}(?:\1\d{3})?)?|[ -]?\d{6}[ -]?\d{5})"
    r"(?![A-Za-z0-9_-]|\.\d)"
)
_OF_A_CARD = re.compile(r"card|visa|amex|american express|master ?card|union ?pay|debit|credit|银联|卡", re.I)
_EXPIRES = re.compile(r"[^\n]{0,24}(?:exp|cvv|cvc|valid|有效期|到期)", re.I)
_DUMP_BEFORE = re.compile(r"(?<![A-Za-z0-9])(?:(?:[0-9A-Fa-f]{4,8}\s){2}|[0-9A-Fa-f]{7,8}:?[ ]{1,2})$")
_DUMP_AFTER = re.compile(r"(?:\s[0-9A-Fa-f]{4,8}){2}(?![A-Za-z0-9])")
_NAMED_CARD = re.compile(
    r"(?:银行卡|銀行卡|信用卡|卡號|"
    r"储蓄卡|借记卡|工资卡|卡号|银行账[号户]|付款账[号户]|收款账[号户]|credit card|debit card|bank card|"
    r"card (?:no|"
    r"number))"
    r"[号码尾]{0,2}[\"']?[ \t]{0,3}(?:[:：=#.]|是|为|is)?[ \t]{0,3}[\"']?(\d(?:[ -]?\d){13,18})(?![\d-])",
    re.I,
)
_REFUSED = re.compile(
    r"luhn|校验|校驗|抄错|输错|不合法|无效|不正确|拒绝|拦下|不存在|假的|"
    r"checksum|check digit|invalid|mistyped|rejected|refused|declined|"
    r"not valid|not a (?:real|valid)|dummy",
    re.I,
)
# Spoken numbers, as voice-to-text writes them: eleven figures of a mobile, eighteen of an identity card, a bank card's.
_SPOKEN = re.compile(
    r"(?<![零〇一二三四五六七八九幺两\d])[零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖\d]"
    r"(?:[ ,，、-]?[零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖Xx\d]){9,21}"
)
_FIGURES = str.maketrans("零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖", "00123456789120792123456789")
_FIGURE_WORDS = dict(
    zip(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "oh"), "01234567890", strict=True)
)
_SPOKEN_FIGURE = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN_IN_ENGLISH = re.compile(rf"(?<![A-Za-z]){_SPOKEN_FIGURE}(?:[ ,-]{{1,2}}{_SPOKEN_FIGURE}){{9,18}}(?![A-Za-z])", re.I)
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
            address = re.search(r"://(?:[^\s/@]{0,80}[^\w\s/@.-])?$", text[max(0, match.start() - 64) : match.start()])
            remote = re.match(r":[\w~/]", text[match.end() : match.end() + 2]) or _NO_MAILBOX.search(
                text[max(0, match.start() - 60) : match.start()]
            )
            if (
                (match.group(1) or "").lower() not in _NO_DOMAIN
                and not re.match(r".@.\.", match.group())
                and match.group()[:3].lower() not in ("xxx", "***")
                and not remote
                and not address
            ):
                yield Redaction(match.start(), match.end(), "EMAIL")
    yield from _hidden_emails(text)
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


def _hidden_emails(text: str) -> Iterator[Redaction]:
    reached = 0
    folded = text.lower()
    if any(sign in folded for sign in _AT_SIGNS):
        for found in _AT_SIGN.finditer(text):
            for match in _EMAIL_HIDDEN.finditer(text, max(reached, found.start() - _AROUND), found.end() + _AROUND):
                if match["last"].lower() not in _NO_DOMAIN:
                    yield Redaction(match.start(), match.end(), "EMAIL")
            reached = max(reached, found.end())
    if ("mail" in folded or "邮" in text or "郵" in text) and (" at " in folded or " @" in text or "@ " in text):
        for match in _EMAIL_SAID.finditer(text):
            if " " in match["value"] and not match["value"].lower().startswith("xxx"):
                yield Redaction(*match.span("value"), "EMAIL")
    if re.search(r"[换換改替][^\n]{0,4}[@＠]|replace[^\n]{0,12}@", text):
        yield from (Redaction(*match.span(), "EMAIL") for match in _EMAIL_REPLACED.finditer(text))


def _spoken_numbers(text: str) -> Iterator[Redaction]:
    for match in _SPOKEN.finditer(text):
        if sum(not character.isascii() and character.isalpha() for character in match.group()) < 3:
            continue
        label = _label_of_figures(re.sub(r"[^\dX]", "", match.group().translate(_FIGURES).upper()))
        if label is not None:
            yield Redaction(match.start(), match.end(), label)
    for match in _spoken_in_english(text):
        digits = "".join(_FIGURE_WORDS[word.lower()] for word in re.findall("[A-Za-z]+", match.group()))
        label = _label_of_figures(digits) or ("PHONE" if len(digits) in (10, 11) else None)
        if label is not None and digits not in "012345678901234567890":
            yield Redaction(match.start(), match.end(), label)


def _spoken_in_english(text: str) -> Iterator[re.Match[str]]:
    """Look for the words by themselves first: that is ten times as fast as the pattern at every letter."""
    starts: list[int] = []
    for word in _FIGURE_WORDS:
        for written in (word, word.capitalize()):
            at = text.find(written)
            while at >= 0:
                starts.append(at)
                at = text.find(written, at + 1)
    reached = 0
    for start in sorted(starts) if len(starts) >= 10 else ():
        if start >= reached and (match := _SPOKEN_IN_ENGLISH.match(text, start)):
            reached = match.end()
            yield match


def _label_of_figures(digits: str) -> Label | None:
    if re.fullmatch(r"1[3-9]\d{9}|0(?:10|2\d|[3-9]\d{2})[2-8]\d{6,7}|[48]00\d{7}", digits):
        return "PHONE"
    if len(digits) == 18 and digits[:17].isdecimal() and valid_id_card(digits):
        return "ID_CARD"
    return "BANK_CARD" if _ISSUERS.fullmatch(digits) and passes_luhn(digits) else None


def _wechat_names(text: str) -> Iterator[Redaction]:
    for match in _WECHAT.finditer(text):
        value = match["value"]
        if is_in_long_run(text, *match.span("value")):
            continue
        called = match["called"] or match["named"]
        # `a +vb` adds up; `加+vlihua88` tells a name.
        if re.match(r"\+v[a-z]", match.group(), re.I) and not re.search(
            f"[{HAN}]", text[max(0, match.start() - 12) : match.start()]
        ):
            continue
        if re.match(r"\+[ ]v[a-z]", match.group(), re.I):
            continue
        distinct = any(c.isdigit() or c == "_" for c in value) and any(c.isalpha() for c in value)
        told = called and match["link"]
        glued = re.fullmatch(r"[vw]x?|\+ ?v", text[match.start() : match.start("value")], re.I)
        if glued and not re.fullmatch(r"[VW]X[a-z][a-z0-9_-]+", match.group()):
            continue  # a word, or the public id of an app
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
        if end < 0 or match.start() - _CONTEXT > end:
            if end >= 0:
                yield start, end
            start = max(0, match.start() - _CONTEXT)
        end = min(len(text), match.end() + _CONTEXT)
    if end >= 0:
        yield start, end


def _numbers(text: str, start: int, end: int) -> Iterator[Redaction]:
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
    for match in _CARD.finditer(text, start, end):
        digits = re.sub(r"\D", "", match.group())
        named = bool(
            _OF_A_CARD.search(text, max(0, match.start() - _CONTEXT), match.start()) or _EXPIRES.match(text, match.end())
        )
        if (
            _ISSUERS.fullmatch(digits)
            and passes_luhn(digits)
            and (named or not is_identifier(text, match.start(), account=True))
            and not _is_in_dump(text, *match.span())
        ):
            yield Redaction(match.start(), match.end(), "BANK_CARD")
    for match in _NAMED_CARD.finditer(text, start, end):
        digits = re.sub(r"\D", "", match[1])
        refused = not passes_luhn(digits) and _REFUSED.search(text, max(0, match.start() - _CONTEXT), match.end() + _CONTEXT)
        if not refused:  # a slip of the pen still gives a card away, a number that was turned down is none
            yield Redaction(*match.span(1), "BANK_CARD")
    yield from (Redaction(*span, "PHONE") for span in find_phones(text, start, end))


def _is_in_dump(text: str, start: int, end: int) -> bool:
    """Whether groups of a memory's dump stand around: `0300 3e00 4010 0000 0000 0000`, `00000010: 4010 …`."""
    before = text[max(0, start - 32) : start]
    if re.search("卡|card|visa|amex", before, re.I):
        return False
    return bool(_DUMP_BEFORE.search(before) or _DUMP_AFTER.match(text[end : end + 24]))


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
