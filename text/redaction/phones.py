"""Telephone numbers: by the way they are written, or by the word that stands before them."""

import re
from collections.abc import Iterator

from .identifiers import is_identifier, is_in_long_run, is_in_row

# Dashes, spaces and brackets of other scripts as the plain ones; every character keeps its place.
_PLAIN = str.maketrans(
    "‐‑‒–—―−－﹣ー\u00a0\u2002\u2003\u2009\u202f\u3000（）．／＋：＝＃",
    "-" * 10 + " " * 6 + "()./+:=#",
)
_END = r"(?![A-Za-z0-9_-]|\.\d)"
_EXTENSION = (
    r"(?:[ ,;]{0,2}(?:ext(?:ension)?|x|#|转分?机?|轉分?機?|分机|分機|内线|內線|内線)[ .:#]{0,2}\d{1,6}"
    r"(?![A-Za-z0-9])|-\d{1,4}(?![\d-]))?"
)

_MOBILE = re.compile(
    r"(?<![A-Za-z0-9_.#/-])(?:\(?(?:\+|00)?86\)?[ -]?)?1[3-9]\d(?P<gap>[ .-]?)\d{4}(?P=gap)\d{4}(?![\d_-]|\.\d|[A-Za-z])"
)
_MOBILE_SAID = re.compile(
    r"(?:号码|號碼|电话|電話|手机|手機|打给|打給|联系|聯絡|呼我|微信|phone|mobile|call|cell|"
    r"number)[^\d\n]{0,12}(?<!\d[ -])(1[ -]?[3-9](?:[ -]?\d){9})(?![ -]?\d|[A-Za-z_])",
    re.I,
)
_MOBILE_ASSIGNED = re.compile(r"(?<![A-Za-z0-9_])(?:phone|mobile|tel|cell|telephone)\w{0,8}=(1[3-9]\d{9})(?!\d)", re.I)
_LANDLINE = re.compile(
    r"(?<![A-Za-z0-9_.+-])(?:\(0(?:10|2\d|[3-9]\d{2})\) ?|0(?:10|2\d|[3-9]\d{2})[- ])[1-9]\d{2,3}[ -]?\d{4}(?!\d|"
    r"-\d{5}|-\D)"
    r"(?:(?:[转轉-]| ?(?:ext|x)\.? ?)\d{1,6})?"
    r"|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{3}[- ]?\d{4}(?![\d-])|(?<![A-Za-z0-9_.+-])[48]00[- ]\d{4}[- ]\d{3}(?![\d-])"
)
_INTERNATIONAL = re.compile(
    r"(?<![A-Za-z0-9_.+)\]])(?:(?<!=)|(?<=to=)|(?<=from=)|(?<=phone=)|(?<=mobile=)|(?<=tel=)|(?=\+\d{11}))(?:\(\+[1-9]\d{0,2}\)|\+[1-9]\d{0,2})"
    r"(?:[ .-]?\(\d{1,5}\))?(?:[ ./-]?\d{1,5}){2,6}" + _EXTENSION + _END,
    re.I,
)
# A plus or two noughts, and the country's number; without a sign only of countries whose numbers are often so written.
_WITH_COUNTRY = re.compile(
    r"(?<![A-Za-z0-9_.+/=-])(?:00[ -]?(?:1|7|2[07]|3\d{1,2}|4\d|42\d|5\d|6\d|8[1246]|85[2356]|88\d|9\d|"
    r"9[679]\d)[ -](?:\(0\)[ ]?)?"
    r"\d{1,5}(?:[ -]?\d{1,5}){1,5}|(?:\((?:86|852|853|886|81|82|65|44)\)[ ]?|(?:86|852|853|886|972|81|"
    r"82)-)\d{1,4}(?:[ -]\d{3,4}){2}|"
    r"\((?:852|853|65)\)[ ]?\d{4}[ -]?\d{4}|(?:86|972|886|81|82)-\d{1,3}-\d{7,8})" + _END
)
_NORTH_AMERICAN = re.compile(
    # With the area in brackets, even one that nobody is given.
    r"(?<![A-Za-z0-9_.+)-])(?:(?:1[-. ]?)?\(\d{3}\)[-. ]?\d{3}[-. ]?\d{4}"
    r"|(?<!\d[.,])(?:1(?P<first>[-.]))?\d{3}(?P<gap>[-.])\d{3}(?P=gap)\d{4}"
    # Not one of a row of numbers: `377 610 987 1597`.
    r"|(?<!\d[ .,])(?:1[-. ])?[2-9]\d{2}(?:[- ][2-9]\d{2}[-. ]|\.[2-9]\d{2}[. ])\d{4})" + _EXTENSION + _END,
    re.I,
)
# With the trunk figure 0, as at home; which groups of figures are meant, `_SHAPES` says.
_AT_HOME = re.compile(r"(?<![A-Za-z0-9_.+/-])0[1-9]\d{0,3}(?:[ -]\d{2,8}){1,9}(?=" + _EXTENSION + _END + ")", re.I)
_GROUP = re.compile(r"\d+")
_SHAPES = frozenset(
    [
        (2, 8),
        (2, 4, 4),
        (3, 7),
        (3, 8),
        (3, 3, 4),
        (3, 4, 4),
        (3, 3, 2, 2),
        (4, 6),
        (4, 7),
        (4, 8),
        (4, 3, 3),
        (4, 3, 4),
        (5, 5),
        (5, 6),
        (5, 3, 3),
        (2, 2, 2, 2, 2),
    ]
)
_SHAPES_WITH_HYPHENS = frozenset([(2, 7), (2, 3, 4), (3, 6), (3, 2, 4), (4, 2, 4), (4, 4, 4)])
_OTHER = re.compile(
    r"(?<![A-Za-z0-9_.+/-])(?:"
    # The area in brackets, or what follows the area: `(02)2345-6789`, `03(1234)5678`.
    r"\(0\d{1,4}\)[ -]?\d{2,4}[ -]?\d{3,4}(?:[ -]?\d{2,4})?|0\d{1,4}[ ]?\(\d{2,4}\)[ ]?\d{4}|"
    # France with points, Germany with a slash, Brazil, Russia.
    r"0[1-9](?:\.\d{2}){4}|0[1-9]\d{1,3}[ ]?/[ ]?\d{6,8}|\(\d{2}\)[ ]?9\d{4}-\d{4}|8[ -]?\(?\d{3}\)?[ -]?\d{3}-\d{2}-\d{2})"
    + _EXTENSION
    + _END,
    re.I,
)
# The address of a link that rings somebody up.
_LINK = re.compile(r"(?<![A-Za-z])(?:wa\.me/|(?:tel|sms|callto):/{0,2})(\+?\d{7,15})(?![A-Za-z0-9])")
# Nothing separates the figures: ten that begin 04 … 09, eleven that begin 01 … 09.
_UNSEPARATED = re.compile(r"(?<![A-Za-z0-9_.+/=#`-])0(?:[4-9]\d{8}|[1-9]\d{9})(?![A-Za-z0-9_/-]|\.\d)")
_COUNTED_UP = ("0123456789", "01234567890", "09876543210", "0987654321")

_CANDIDATE = re.compile(
    r"(?<!\d\.)(?<![A-Za-z0-9_+#])(?<![A-Za-z0-9]-)[+(]{0,2}\d(?:[ ()./-]{0,2}\d){6,14}(?=" + _EXTENSION + _END + ")", re.I
)
_REACH = 48
_WORD = re.compile(
    r"手机|手機|电话|電話|座机|座機|固话|固話|市话|市話|传真|傳真|热线|熱線|专线|專線|联系方式|聯絡方式|連絡先|携帯|行動|"
    r"致电|致電|拨打|撥打|"
    r"請撥|请拨|来电|來電|打给|打給|전화|휴대폰|핸드폰|연락처|(?<!micro)(?<!head)(?<!i)phone|mobile|(?<![a-z])tel(?![a-z])|"
    r"tele(?:f|ph)[oó]n[eo]?|t[ée]l[ée]phone|(?<![a-z])t[ée]l(?![a-zé])|m[óo]vil|celular|cellulare|(?<![a-z])(?:handy|"
    r"mobil)(?![a-z])|"
    r"rufnummer|fax|(?<![a-z])cell(?![a-z])|whatsapp|hotline|helpline|landline|"
    r"(?<![a-z])(?:my|your|his|her|our|their)(?:[ ](?!order|invoice|ticket|tracking|account|case|serial|"
    r"reference|booking|student|member|policy|confirmation|flight|lottery|card|room|seat)[a-z]{2,12}){0,2}[ ]number",
    re.I,
)
_TIGHT = re.compile(
    r"(?:号码?|號碼?|番号|번호|numbers?|_?(?:numbers?|nos?|num|nr|home|work|main|office)|[ ](?:numbers?|nos?\.?|num|nr\.?)|"
    r"s|[\u4e00-\u9fff]{0,4})\d?"
    r"[\"'’]{0,2}(?:[ ]?[(\[][^()\d\n]{1,12}[)\]])?\s{0,3}(?:[:=.>,?]|是|为|為|は|at|is|on|to|[:.][:])?\s{0,3}[\"'\[<]{0,2}",
    re.I,
)
_LOOSE = re.compile(r"[^\d\n。！？!?;；]{0,32}")
# What is done with a number, and the few words between.
_VERB = re.compile(
    r"(?<![A-Za-z_-])(?:[Cc]all|[Tt]ext|[Dd]ial|[Rr]ing|[Rr]each|[Cc]ontact)(?:[ ](?:me|us|him|her|them|back|now|today|at|"
    r"on|to|my|our|the|this|number|"
    r"directly|please|or|office|home|text|call|anytime)){0,6}[:.,]?[ ]?$"
    r"|(?<![A-Za-z_-])(?:[Cc]all|[Tt]ext|[Rr]ing)[ ](?:[A-Z][a-z]{1,12}|[a-z]{2,12}[ ](?:at|on)):?[ ]$"
)
_DENIED = re.compile(
    r"少|多一|多了|缺|不是|不对|并非|並非|无效|無效|错误|錯誤|会议|會議|型号|型號|价格|價格|内存|容量|费|充值|invalid|"
    r"wrong|fake|not[ ]a|"
    r"isn't|is[ ]not|meeting|model|version|uptime|_?id(?![a-z])|price|memory",
    re.I,
)
_DENIED_AFTER = re.compile(
    r"[\"'”」 ,，]{0,3}(?:这串|这个|這串|這個|is|it)?[ ]?(?:不是|并非|並非|不對|无效|無效|少一?位|多一?位|位数|位數|"
    r"is[ ]not|isn't|not[ ]a|"
    r"invalid)",
    re.I,
)
_UNIT = re.compile(r"[ ]?(?:元|块|塊|次|个|個|台|臺|条|條|年|部|%|bytes?|[kmg]b|ms|times|users|calls|hz|px)", re.I)
_NEXT = re.compile(r"[ ]{0,2}(?:[/、,，;；|]|or|and|或|和|及|以及)[ ]?(?P<next>\d(?:[ -]?\d){6,11})" + _END)
_DATE = re.compile(
    r"(?:19|20)\d\d(?:[-/. ](?:0?[1-9]|1[0-2])[-/. ]\d{1,2}|[ ]?-[ ]?(?:19|20)\d\d)(?!\d)|\d{1,2}[-/. ]\d{1,2}[-/. ](?:19|"
    r"20)\d\d(?!\d)|"
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?(?!\d)|"
    r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"
)
_MOMENT = re.compile(r"(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])[ -]?(?:[01]\d|2[0-3])[ -]?[0-5]\d[ -]?[0-5]\d")


def find_phones(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give the spans of the telephone numbers in `text[start:end]`, as offsets of `text`."""
    view = text[start:end].translate(_PLAIN)
    for found in _phones(view):
        yield start + found[0], start + found[1]
        yield from ((start + also[0], start + also[1]) for also in _continued(view, *found))


def _phones(view: str) -> Iterator[tuple[int, int]]:
    for pattern in (_MOBILE, _LANDLINE, _NORTH_AMERICAN, _OTHER, _WITH_COUNTRY):
        for match in pattern.finditer(view):
            separated = not match.group().isdecimal()
            if match.group()[0] == "(" or not _is_something_else(view, *match.span(), separated=separated):
                if pattern is _WITH_COUNTRY and not _is_international(match.group()):
                    continue
                if pattern is _LANDLINE and re.fullmatch(r"\d{4}( \d{4}){2}", match.group()) and is_in_row(view, *match.span()):
                    continue  # of a dump
                yield match.span()
    for match in _AT_HOME.finditer(view):
        yield from _at_home(view, *match.span())
    for match in _UNSEPARATED.finditer(view):
        if (
            match.group() not in _COUNTED_UP
            and len(set(match.group())) > 3
            and not (is_in_row(view, *match.span()) or _is_something_else(view, *match.span(), separated=False))
        ):
            yield match.span()
    for match in _INTERNATIONAL.finditer(view):
        digits = re.sub(r"\D", "", match.group())
        if 9 <= len(digits) <= 17 and (len(digits) >= 10 or not match.group()[1:].isdecimal()):
            yield match.span()
    yield from (match.span(1) for match in _LINK.finditer(view))
    for pattern in (_MOBILE_ASSIGNED, _MOBILE_SAID):
        for match in pattern.finditer(view):
            if pattern is not _MOBILE_SAID or not is_identifier(view, match.start(1)):
                yield match.span(1)
    for match in _CANDIDATE.finditer(view):
        if _is_named(view, match):
            yield match.span()


def _is_something_else(view: str, start: int, end: int, separated: bool) -> bool:
    return (
        is_identifier(view, start, separated=separated)
        or is_in_long_run(view, start, end)
        or bool(_DENIED_AFTER.match(view[end : end + 16]))
    )


def _is_international(written: str) -> bool:
    """A dump of memory is written in groups of four, a telephone number behind 00 or a country's number seldom is."""
    groups = _GROUP.findall(written)
    return 9 <= sum(map(len, groups)) <= 15 and not all(len(group) == 4 for group in groups)


def _at_home(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give the numbers in a run of groups: as many groups as make a known shape, then the end or another number."""
    groups = [match.span() for match in _GROUP.finditer(view, start, end)]
    at = 0
    while at < len(groups):
        taken = next((n for n in (5, 4, 3, 2) if at + n <= len(groups) and _is_shape(view, groups[at : at + n])), 0)
        rest = groups[at + taken :]
        if not taken or (rest and (taken == 5 or view[rest[0][0] - 1 : rest[0][0] + 1] != " 0")):
            return
        span = groups[at][0], groups[at + taken - 1][1]
        hyphens = "-" in view[span[0] : span[1]]
        row = not hyphens and (is_in_row(view, start, start) or is_in_row(view, end, end))
        if not row and not _is_something_else(view, *span, separated=True):
            yield span
        at += taken


def _is_shape(view: str, groups: list[tuple[int, int]]) -> bool:
    written = view[groups[0][0] : groups[-1][1]]
    lengths = tuple(end - start for start, end in groups)
    known = lengths in _SHAPES or ("-" in written and lengths in _SHAPES_WITH_HYPHENS)
    return known and written[0] == "0" and not _DATE.match(written) and not _MOMENT.fullmatch(written)


def _is_named(view: str, match: re.Match[str]) -> bool:
    """Whether the words before a number call it one to ring up."""
    written = match.group()
    digits = re.sub(r"\D", "", written)
    start, end = match.span()
    separated = len(_GROUP.findall(written)) > 1
    if _DATE.match(written) or len(set(digits)) == 1 or _DENIED_AFTER.match(view[end : end + 16]):
        return False
    # One figure too few or too many for a mobile in China, or a moment in seconds.
    if written.isdecimal() and re.fullmatch(r"1\d{9}|1[3-9]\d{10,11}", digits):
        return False
    if not separated and (_UNIT.match(view[end : end + 8]) or len(digits) > 15):
        return False
    before = view[max(0, start - _REACH) : start]
    if _VERB.search(before):
        return separated or len(digits) <= 13
    words = list(_WORD.finditer(before))
    if not words:
        return False
    between = before[words[-1].end() :]
    if _DENIED.search(between):
        return False
    if _TIGHT.fullmatch(between):
        return True
    telling = separated and 9 <= len(digits) <= 13 and ("-" in written or ")" in written or len(_GROUP.findall(written)) > 2)
    return telling and bool(_LOOSE.fullmatch(between)) and not is_identifier(view, start, separated=True)


def _continued(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Give the number that is named in the same breath: `010-12345678/87654321`."""
    figures = sum(character.isdigit() for character in view[start:end])
    match = _NEXT.match(view, end)
    if match is not None and not _DATE.match(match["next"]):
        count = sum(character.isdigit() for character in match["next"])
        if count == figures or (match.group()[0] == "/" and count in (7, 8)):
            yield match.span("next")
