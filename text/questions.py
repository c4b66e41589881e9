"""Which sentences of a message ask something."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)\s")
_ASKS = re.compile(
    r"[?？]|[吗呢么嘛][\s~～….。)）]*$"
    r"|什么|啥|谁|哪|怎么|怎样|如何|为什么|为何|多少|多久|多大|几[个点号月天次岁年时]|是不是|有没有|会不会|记不记得|还记得"
    r"|(?:说说|讲讲|回忆|回顾|总结|告诉我|提醒我|查查|找找|查一下|找一下)"
    r"|\b(?:who|whom|whose|what|when|where|which|why|how|remind me|tell me|recall|remember|summari[sz]e|look up|find)\b"
    r"|^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)


def asking_sentences(text: str) -> str:
    """Return the sentences of a message that ask something or ask to be told something.

    >>> asking_sentences("我昨天去爬山了。上周我们聊了什么？")
    '上周我们聊了什么？'
    >>> asking_sentences("I saw Ann yesterday.")
    ''
    """
    return " ".join(part.strip() for part in _END.split(text) if _ASKS.search(part))
