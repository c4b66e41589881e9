"""Telephone numbers, recognised by the numbering plans of `phonenumbers` and by the words before them."""

import re
from collections.abc import Iterator

from .identifiers import is_identifier, is_in_row
from .rules import compiled

_PLAIN = str.maketrans("‐‑‒–—―−－﹣ー\u00a0\u2002\u2003\u2009\u202f\u3000（）．／＋：＝＃", "-" * 10 + " " * 6 + "()./+:=#")
"""Maps dashes, blanks and brackets of other scripts to ASCII; offsets are unchanged."""
_EXTENSION = (
    r"(?:[ ,;]{0,2}(?:ext(?:ension)?|x|#|转分?机?|轉分?機?|分机|分機|内线|內線)[ .:#]{0,2}\d{1,6}(?![A-Za-z0-9])|"
    r"-\d{1,4}(?![\d-]))?"
)
_END = r"(?![A-Za-z0-9_-]|\.\d)"
_NUMBER = rf"(?i)(?<!\d\.)(?<![A-Za-z0-9_+#/])(?<![A-Za-z0-9]-)[+(]{{0,2}}\d(?:[ ()./-]{{0,3}}\d){{6,16}}{_EXTENSION}{_END}"
_MOBILE = r"(?:(?:\(?(?:\+|00)?86\)?)[ -]?)?1[3-9]\d([ .-]?)\d{4}\1\d{4}"
# Notations that machine-made numbers lack: brackets, a plus, digit groups.
_WRITTEN = (
    r"\+[1-9][\d ()./-]{8,20}|\(0?\d{1,4}\)[ -]?\d{2,5}[ -]?\d{3,4}(?:[ -]?\d{2,4})?|"
    r"(?:1[-. ])?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}|0(?:10|2\d|[3-9]\d{2})[- ][1-9]\d{2,3}[ -]?\d{4}|"
    r"[48]00[- ]\d{3,4}[- ]?\d{3,4}|0\d{1,4}(?:[ /-]\d{2,8}){1,4}|0[1-9](?:\.\d{2}){4}|0\d{1,4}[ ]?\(\d{2,4}\)[ ]?\d{4}|"
    r"00[1-9]\d{0,2}[ -][\d ()-]{7,16}|(?:86|852|853|886|81|82|972)-\d{1,4}[ -]\d{3,8}(?:[ -]\d{3,4})?|"
    r"8[ -]?\(?\d{3}\)?[ -]?\d{3}-\d{2}-\d{2}|0[1-9]\d{8,9}|\(\d{2}\)[ ]?9\d{4}-\d{4}|[48]00\d{7}"
)
_REGIONS = ("CN", "TW", "HK", "MO", "US", "GB", "JP", "KR", "DE", "FR", "AU", "SG", "IL", "RU", "BR", "IN", "ES", "IT")
_WORD = (
    r"(?i)手机|手機|电话|電話|座机|座機|固话|固話|市话|市話|传真|傳真|热线|熱線|专线|專線|联系方式|聯絡方式|連絡先|携帯|行動|"
    r"致电|致電|拨打|撥打|請撥|请拨|来电|來電|打给|打給|전화|휴대폰|연락처|(?<!micro)(?<!head)(?<!i)phone|mobile|"
    r"(?<![a-z])tel(?![a-z])|tele(?:f|ph)[oó]n[eo]?|t[ée]l[ée]phone|(?<![a-z])t[ée]l(?![a-zé])|m[óo]vil|celular|cellulare|"
    r"(?<![a-z])(?:handy|mobil)(?![a-z])|rufnummer|fax|(?<![a-z])cell(?![a-z])|whatsapp|hotline|helpline|landline|wa\.me/|"
    r"(?:sms|callto):|(?<![a-z])(?:my|your|his|her|our|their)(?:[ ](?!order|invoice|ticket|tracking|account|case|serial|"
    r"reference|booking|student|member|policy|confirmation|flight|lottery|card|room|seat)[a-z]{2,12}){0,2}[ ]number"
)
_TIGHT = (
    r"(?i)(?:号码?|號碼?|番号|번호|numbers?|_?(?:numbers?|nos?|num|nr|home|work|main|office)|[ ](?:numbers?|nos?\.?|num|nr\.?)|"
    r"s|[\u4e00-\u9fff]{0,4})\d?[\"'’]{0,2}(?:[ ]?[(\[][^()\d\n]{1,12}[)\]])?\s{0,3}(?:[:=.>,?]|是|为|為|は|at|is|on|to|"
    r"[:.][:])?\s{0,3}[\"'\[<(+]{0,3}"
)
_DENIED = (
    r"(?i)少|多一|多了|缺|不是|不对|并非|並非|无效|無效|错误|錯誤|会议|會議|型号|型號|价格|價格|内存|容量|费|充值|invalid|"
    r"wrong|fake|not[ ]a|isn't|is[ ]not|meeting|model|version|uptime|_?id(?![a-z])|price|memory"
)
_DENIED_AFTER = (
    r"(?i)[\"'”」 ,，]{0,3}(?:这串|这个|這串|這個|is|it)?[ ]?(?:不是|并非|並非|不對|无效|無效|少一?位|多一?位|位数|位數|"
    r"is[ ]not|isn't|not[ ]a|invalid)|[ ]?(?:元|块|塊|次|个|個|台|臺|条|條|年|部|%|bytes?|[kmg]b|ms|times|users|calls|hz|px)"
)
_DATE = (  # and similar forms: a US ZIP code, an IP address
    r"\d{5}-\d{4}|(?:19|20)\d\d[-/. ]?(?:0?[1-9]|1[0-2])[-/. ]?(?:0?[1-9]|[12]\d|3[01])(?:[-/. T]?[0-2]\d[:.]?[0-5]\d.*)?|"
    r"(?:19|20)\d\d[ ]?-[ ]?(?:19|20)\d\d|\d{1,2}[-/. ]\d{1,2}[-/. ](?:19|20)\d\d.*|\d{1,3}(?:\.\d{1,3}){3}|(?:0[1-9]|"
    r"1[0-2])-?(?:0[1-9]|[12]\d|3[01])[ -]?(?:[01]\d|2[0-3])[ -]?[0-5]\d[ -]?[0-5]\d"
)
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
