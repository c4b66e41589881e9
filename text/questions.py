"""Questions: sentences that ask, times that a text names, and questions about the past or now."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .language import prose_length
from .remembered import remembered
from .time_expressions import TimeExpression, find_time_expressions

_END = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)\s")
_ASKS = re.compile(
    r"[?？]|[吗呢么嘛][\s~～….。)）]*$|[一-鿿](?<![从绝决并毫也都还才可偏无莫])不[\s~～….。)）]*$"
    r"|(?<![没不有])什么(?![都也的])|啥(?![都也])|谁(?![都也])|哪(?![都也怕]|里都)|怎么(?![都也])|怎样|如何|为何"
    r"|多少(?![都也])|多久|多大|几[个点号月天次岁年时](?=$|[\s了来去到])|是不是|有没有|会不会|还?记不记得|还记得"
    r"|^\W*(?:请|麻烦|帮我|能|你|可以)*(?:说说|讲讲|回忆|回顾|总结|告诉我|提醒我|查查|找找|查一下|找一下)"
    r"|^\W*(?:(?:and|but|so|hey|hi|ok|please)\b\W*)?(?:who|whom|whose|what|when|where|which|why|how|remind me|tell me"
    r"|recall|summari[sz]e|look up|find|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)

_LONGEST_QUESTION = 160
_SPEAKER = re.compile(r"^[^:：\n]{1,40}[:：]\s*")
_ENOUGH_SAID = 5
"""A message with this many words or Chinese characters beside its questions also states something
("I was in Porto. And you?")."""
_ENDS_ASKING = re.compile(r"[?？吗嗎呢么嘛][\s~～….。!！”’\"')）]*$")
_WH = "what|who|whom|whose|which|where|when|why|how|whether|if|about"
_TOLD_QUESTION = re.compile(  # not "asked Ben to come" (a request), nor "called and asks" (an act)
    r"^[^,.!?]{0,60}?(?<!\band )\b(?:asks?|asked|(?:is|was|has been) ask(?:ed|ing)|wonders?|wondered|want(?:s|ed)? to know)\b"
    rf"(?!(?: (?!(?:{_WH})\b)\S+){{0,3}} (?:for|to)\b)(?=[^.!?]*\b(?:{_WH})\b)"
    r"|^[^，。！？,]{0,16}?(?:询问|打听|追问|想知道|问(?![题候好世卷]))"
    r"(?=[^。！]*(?:什么|啥|谁|哪|怎么|怎样|如何|多少|多久|多大|几|是不是|有没有|会不会|能不能|为何|何时|吗))",
    re.IGNORECASE,
)

_TELLS_ASKING = ("ask", "wonder", "want", "问", "打听", "想知道")
"""Each match of _TOLD_QUESTION has one of these in the first _BEGINNING characters.

Looking for them takes a fifth of the time of the pattern.
"""
_BEGINNING = 80


@remembered(256)  # several steps of a recall call this for its hits
def is_question(text: str) -> bool:
    """Return True if a record has no answer: it is only a short question, or reports one.

    >>> is_question("Ann: which tea do I like?"), is_question("阿明问小史他喜欢喝什么茶"), is_question("Ann asked Ben to come")
    (True, True, False)
    """
    return tells_of_question(text) or (ends_asking(text) and _only_asks(text))


def ends_asking(text: str) -> bool:
    """Return True if a text is short and its last sentence asks something.

    >>> ends_asking("阿明：你喝茶吗？"), ends_asking("Which tea? Any will do.")
    (True, False)
    """
    return len(text) <= _LONGEST_QUESTION and _ENDS_ASKING.search(text) is not None


def _only_asks(text: str) -> bool:
    """Return True if a text has fewer than _ENOUGH_SAID words outside its questions."""
    said = [part for part in _END.split(_SPEAKER.sub("", text)) if not _ASKS.search(part)]
    return prose_length(" ".join(said)) < _ENOUGH_SAID


def tells_of_question(text: str) -> bool:
    """Return True if a text reports that somebody asked something.

    >>> tells_of_question("Ann asks what her favourite tea is"), tells_of_question("他问题很多")
    (True, False)
    """
    beginning = text[:_BEGINNING].casefold()
    return any(map(beginning.__contains__, _TELLS_ASKING)) and bool(_TOLD_QUESTION.match(text))


def asking_sentences(text: str) -> str:
    """Return the sentences of a message that ask a question or request information.

    >>> asking_sentences("我昨天去爬山了。上周我们聊了什么？")
    '上周我们聊了什么？'
    >>> asking_sentences("I saw Ann yesterday.")
    ''
    """
    return " ".join(part.strip() for part in _END.split(text) if _ASKS.search(part))


_PAST = re.compile(
    r"以前|之前|原来|原先|原本|原定|原打算|本来|最初|最开始|最早|一开始|刚开始|开始时|当初|曾经?|过去|早先|此前|先前|从前|那时|当时|上一[个份任家台部次]"
    r"|上学期|上个?(?:月|学期|季度)|前一[个份任家台部]|前(?:男友|女友|夫|妻|任|同事|公司|东家)"
    r"|(?<![提目当眼面门天年月日跟向往上支空史])前(?![面台端往途景几后去来辈提天年些])"
    r"|第一[次个份]|中途|那(?:会儿?|阵|年|天|个月)|(?<![么啥有到])时候"
    r"|[养用住开学做干当]过(?=的|什么|哪)|(?:卖|退|换|丢|扔|取消|删|拆|销|停|撤)掉?的(?=是|那|什么|哪)|旧的|为什么.{0,8}取消"
    r"|\b(?:used to|previous(?:ly)?|former(?:ly)?|before|earlier|original(?:ly)?|initial(?:ly)?|at first|first|in the past"
    r"|back then|ever|once|was|were|did|had|prior|until|no longer|ex|in between"
    r"|last (?:home|house|flat|apartment|job|employer|school|phone|car|city|address|one|name)"
    r"|old (?:home|house|flat|apartment|job|employer|school|phone|car|city|address|one|name|number))\b",
    re.IGNORECASE,
)

_NOW = re.compile(
    r"现在|目前|如今|眼下|这会儿|当前|还在|还[^是有]{1,8}[吗么不没]"
    r"|\b(?:now|still|currently|current|these days|nowadays|at the moment|rn|any ?more)\b",
    re.IGNORECASE,
)


def asks_about_past(question: str) -> bool:
    """Return True if a question is about the past.

    >>> asks_about_past("Where did Ann live before?"), asks_about_past("Where does Ann live?")
    (True, False)
    """
    return _PAST.search(question) is not None


def asks_about_now(question: str) -> bool:
    """Return True if a question is explicitly about now.

    >>> asks_about_now("Does Ann still live in Lisbon?"), asks_about_now("Where does Ann live?")
    (True, False)
    """
    return _NOW.search(question) is not None


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_HAS_YEAR = re.compile(_YEAR)
"""Matches in every text that one of the patterns below matches."""
_ABSOLUTE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}\s*[-/.年]\s*(?P<number>\d{{1,2}})(?:\s*[-/.月]\s*(?P<day>\d{{1,2}}))?(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}(?!\d)",
        rf"(?<![\d.]){_YEAR}(?:\s*年)?(?![\d.-])",
    )
)

_YEAR_BEFORE = timedelta(days=365)
NOW = re.compile(
    r"现在|现如今|如今|目前|当前|眼下|此刻|现阶段|(?:right |just )?now|rn|currently|presently|nowadays|at (?:the moment|present)",
    re.IGNORECASE,
)
"""Words for "now". They name no day: "Where does Ann live now?" is not only about today."""


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time from `first` to `last` (seconds since the epoch); `is_day` if it is at most a day."""

    first: float
    last: float
    is_day: bool


def named_times(
    text: str,
    now: datetime,
    *,
    asked: bool = True,
    relative: bool | Sequence[TimeExpression] = True,
) -> tuple[NamedTime, ...]:
    """Return the times that `text` names.

    They are absolute ("May 2023", 2026年2月20日), or relative to `now` (aware): 昨天, "last week".
    `relative` may be the relative times if they were found before, or False to leave them out.
    Vague times (最近, "the other day") and "now" are ignored. In a question (`asked`), a day or month
    without a year that would be in the future is also returned for the year before, since memory
    holds the past.
    """
    found: list[NamedTime] = []
    rest = text
    for pattern in _ABSOLUTE if _HAS_YEAR.search(text) else ():
        found += filter(None, (_absolute(match, now) for match in pattern.finditer(rest)))
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)
    for expression in find_time_expressions(rest, now) if relative is True else relative or ():
        if (
            expression.vague
            or not expression.value
            or not expression.until
            or NOW.fullmatch(expression.text)
        ):
            continue
        first = datetime.fromisoformat(expression.value).replace(tzinfo=now.tzinfo)
        last = datetime.fromisoformat(expression.until).replace(tzinfo=now.tzinfo)
        if "T" not in expression.until:
            last = last.replace(hour=23, minute=59, second=59)
        found.append(_named(first, last))
        if asked and first > now:
            found.append(_named(first - _YEAR_BEFORE, last - _YEAR_BEFORE))
    return tuple(found)


def time_told(
    text: str, said: datetime, relative: bool | Sequence[TimeExpression] = True
) -> tuple[float, float] | None:
    """Return the first and last moment (seconds since the epoch) of the times in a text, or None.

    `said` (aware) is when the text was said.

    >>> from zoneinfo import ZoneInfo
    >>> at = datetime(2026, 2, 20, 17, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
    >>> [datetime.fromtimestamp(moment, at.tzinfo).isoformat() for moment in time_told("小林前天搬家了", at)]
    ['2026-02-18T00:00:00+08:00', '2026-02-18T23:59:59+08:00']
    """
    named = named_times(text, said, asked=False, relative=relative)
    return (min(one.first for one in named), max(one.last for one in named)) if named else None


def _absolute(match: re.Match[str], now: datetime) -> NamedTime | None:
    parts = match.groupdict()
    year, month, day = (int(parts.get(part) or 0) for part in ("year", "number", "day"))
    if name := parts.get("month"):
        month = _MONTHS.index(name[:3].casefold()) // 3 + 1
    try:
        first = datetime(year, month or 1, day or 1, tzinfo=now.tzinfo)
    except ValueError:
        return None
    end = day or calendar.monthrange(year, month or 12)[1]
    return _named(first, first.replace(month=month or 12, day=end, hour=23, minute=59, second=59))


def _named(first: datetime, last: datetime) -> NamedTime:
    return NamedTime(first.timestamp(), last.timestamp(), last - first < timedelta(days=1))
