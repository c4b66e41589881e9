"""What a question about the present asks for, as far as its words tell: a time, a number, a person, something that may change."""

from __future__ import annotations

import re
from typing import Literal

Value = Literal["", "time", "number"]

_TIME = re.compile(
    r"几点|几号|(?:什么|啥)时候|哪[天日年月]|[周期拜]几|何时|\bwhen\b|\b(?:what|which) (?:time|day|date|night|evening|weekday)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"几(?![点号])|多[少大重高长远]|尾号|号码|密码|\bhow (?:much|many|old|tall|big|long|far|heavy)\b"
    r"|\b(?:what|which) (?:number|dose|size|price|code|password|age|weight)\b|\b(?:number|dose)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?")
_GIVES_TIME = re.compile(
    r"[周期拜][一二三四五六日天]|点|\d:\d\d|\d ?[ap]m\b|[月号]|\d{4}-\d{2}|\b(?:noon|midnight|o['’]clock)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_GIVES_NUMBER = re.compile(
    r"\d|[一二两三四五六七八九十百千万]+(?=[点元块号码岁层楼度%斤公名个箱次杯])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"谁|哪位|\bwho(?:se|['’]s)?\b", re.IGNORECASE)
_MAY_CHANGE = re.compile(
    # 住哪, 用什么, 几点, 多少钱, 谁管, 上班吗
    r"什么|啥|哪|谁|几[点号岁码斤楼]|[周期拜]几|多[少大重高]|干嘛|住|上班|工作|怎么(?:样|安排)|有没有|还是|[吗没不么][？?！。\s]*$"
    r"|\b(?:where|who(?:se)?|when|how (?:much|old|tall|heavy|big|far along))\b|\bwhat(?:['’]?s| is| are)\b"
    r"|\b(?:what|which) (?:time|day|night|city|town|school|college|company|class|team|phone|laptop|car|engine|room|bus|train)\b"
    r"|\b(?:lives?|living|works?|job|title|position|role|school|phone|laptop|car|drives?|dose|password|passphrase|code|wifi|email)\b"
    r"|\b(?:address|room|rent|price|cost|salary|weigh|size|married|dating|single|status|going for|up to)\b"
    r"|^(?:is|are|does|do|has|have|can)\b",
    re.IGNORECASE | re.MULTILINE,
)
_OTHERWISE = re.compile(  # several things, opinions, reasons, plans
    r"哪些|哪几|分别|各是|喜欢|觉得|最|怎么(?!样|安排)|为什么"
    r"|\b(?:what|which) (?:\w+ )?\w+[^\Wsu]s (?:do|does|has|have|is|are)\b|\bhow (?:many|does|do|has|have)\b"
    r"|\b(?:has|have) \w+ \w+ed\b|\b(?:hobbies|favou?rite|would|like(?:ly)?|according to|planning)\b",
    re.IGNORECASE,
)


def asks_for(question: str) -> Value:
    """Return "time" or "number" if a question asks for one.

    >>> asks_for("When does the club meet?"), asks_for("多少钱一个月"), asks_for("Who is Ann?")
    ('time', 'number', '')
    """
    return "time" if _TIME.search(question) else "number" if _NUMBER.search(question) else ""


def gives(value: Value, text: str) -> bool:
    """Return True if a statement gives a value of this kind. The date of a statement is no number that it gives."""
    if value == "number":
        return _GIVES_NUMBER.search(_DATE.sub(" ", text)) is not None
    return value == "time" and _GIVES_TIME.search(text) is not None


def asks_who(question: str) -> bool:
    return _PERSON.search(question) is not None


def asks_what_may_change(question: str) -> bool:
    """Return True if a question asks for what is another at another time: a home, a job, an hour, whether something is so.

    >>> asks_what_may_change("Where does Ann live?"), asks_what_may_change("What books does Ann like?")
    (True, False)
    """
    return _MAY_CHANGE.search(question) is not None and _OTHERWISE.search(question) is None
