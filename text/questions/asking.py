"""Which sentences of a message ask something."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)\s")
_ASKS = re.compile(
    r"[?？]|[吗呢么嘛][\s~～….。)）]*$"
    r"|(?<![没不有])什么(?![都也的])|啥(?![都也])|谁(?![都也])|哪(?![都也怕]|里都)|怎么(?![都也])|怎样|如何|为何"
    r"|多少(?![都也])|多久|多大|几[个点号月天次岁年时](?=$|[\s了来去到])|是不是|有没有|会不会|还?记不记得|还记得"
    r"|^\W*(?:请|麻烦|帮我|能|你|可以)*(?:说说|讲讲|回忆|回顾|总结|告诉我|提醒我|查查|找找|查一下|找一下)"
    r"|^\W*(?:(?:and|but|so|hey|hi|ok|please)\b\W*)?(?:who|whom|whose|what|when|where|which|why|how|remind me|tell me"
    r"|recall|summari[sz]e|look up|find|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
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
