"""Whether a question is about former times, which what is no longer true may answer, or about now."""

from __future__ import annotations

import re

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
    """Return True if a question is about former times.

    >>> asks_about_past("Where did Ann live before?"), asks_about_past("Where does Ann live?")
    (True, False)
    """
    return _PAST.search(question) is not None


def asks_about_now(question: str) -> bool:
    """Return True if a question says that it is about now.

    >>> asks_about_now("Does Ann still live in Lisbon?"), asks_about_now("Where does Ann live?")
    (True, False)
    """
    return _NOW.search(question) is not None
