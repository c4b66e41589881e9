"""Which sentences of a message ask something."""

from __future__ import annotations

import re

from ..language import prose_length
from ..remembered import remembered

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
"""Words or Chinese characters with which a message says something beside its question ("I was in Porto. And you?")."""
_ENDS_ASKING = re.compile(r"[?？吗嗎呢么嘛][\s~～….。!！”’\"')）]*$")
_WH = "what|who|whom|whose|which|where|when|why|how|whether|if|about"
_TOLD_QUESTION = re.compile(  # "asked Ben to come" is a request; who did something "and asks" has done more than ask
    r"^[^,.!?]{0,60}?(?<!\band )\b(?:asks?|asked|(?:is|was|has been) ask(?:ed|ing)|wonders?|wondered|want(?:s|ed)? to know)\b"
    rf"(?!(?: (?!(?:{_WH})\b)\S+){{0,3}} (?:for|to)\b)(?=[^.!?]*\b(?:{_WH})\b)"
    r"|^[^，。！？,]{0,16}?(?:询问|打听|追问|想知道|问(?![题候好世卷]))"
    r"(?=[^。！]*(?:什么|啥|谁|哪|怎么|怎样|如何|多少|多久|多大|几|是不是|有没有|会不会|能不能|为何|何时|吗))",
    re.IGNORECASE,
)

_TELLS_ASKING = ("ask", "wonder", "want", "问", "打听", "想知道")
"""One of these stands in what _TOLD_QUESTION finds, before BEGINNING; to look for them takes a fifth of its time."""
_BEGINNING = 80


@remembered(256)  # asked of the hits of a recall by several of its steps
def is_question(text: str) -> bool:
    """Return True if a record is a short question and little else, or tells that somebody asked one: it holds no answer.

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
    """Return True if a text says no more than a few words beside its questions."""
    said = [part for part in _END.split(_SPEAKER.sub("", text)) if not _ASKS.search(part)]
    return prose_length(" ".join(said)) < _ENOUGH_SAID


def tells_of_question(text: str) -> bool:
    """Return True if a text tells that somebody asked something.

    >>> tells_of_question("Ann asks what her favourite tea is"), tells_of_question("他问题很多")
    (True, False)
    """
    beginning = text[:_BEGINNING].casefold()
    return any(map(beginning.__contains__, _TELLS_ASKING)) and bool(_TOLD_QUESTION.match(text))


def asking_sentences(text: str) -> str:
    """Return the sentences of a message that ask something or ask to be told something.

    >>> asking_sentences("我昨天去爬山了。上周我们聊了什么？")
    '上周我们聊了什么？'
    >>> asking_sentences("I saw Ann yesterday.")
    ''
    """
    return " ".join(part.strip() for part in _END.split(text) if _ASKS.search(part))
