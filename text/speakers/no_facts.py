"""What is handed over as a fact and tells nothing that is so: suppositions, questions, tests, what memory itself recalled."""

from __future__ import annotations

import re

from ...schema.names import Names

_REASONS = {
    "recalled": re.compile(
        r"^(?:根据|据|按照)?(?:我的|长期|之前的)?(?:记忆|记录)(?:显示|中|里|，|,)|^(?:回忆起|想起来?)[，,:：]?"
        r"|^(?:according to|from) (?:my |the )?(?:memory|memories|notes|records)\b|^(?:my |the )?memory (?:says|shows|tells)\b"
        r"|^as I recall\b",
        re.IGNORECASE,
    ),
    "test": re.compile(
        r"^(?:测试一?下?|这是(?:一[个条])?测试|(?:this is )?(?:just )?(?:a )?test(?:ing)?)\s*[:：,，.。!！]"
        r"|^(?:test(?:ing)?|测试)$",
        re.IGNORECASE,
    ),
    "supposed": re.compile(
        r"^(?:假如|假设|如果|要是|倘若)(?:我|有|是|能|可以|哪天|中了|有了)[^。！？!?\n]*[，,]|(?:要是|如果|假如)[^。\n]{1,30}就好了"
        r"|^(?:如果我是你|换作是我|我要是你)|\bif (?:I|he|she|they|we|[A-Z]\w+) (?:were|was|had|could|won|ever)\b"
        r"|^(?:suppose|imagine|pretend|what if)\b|\bwish(?:es|ed)? (?:I|he|she|they|[A-Z]\w+) (?:were|was|had|could)\b",
        re.IGNORECASE,
    ),
    "question": re.compile(
        r"[?？]\s*[”」\"’)]*$|^[^，。,]{2,}[吗嗎]$"
        r"|^(?:do|did|does|can|could|will|would|are|is|have|has) (?:you|I|we|they|he|she)\b",
        re.IGNORECASE,
    ),
    "played": re.compile(r"^[（(*][^）)*\n]{1,20}[）)*]|^/me\b"),
}


def why_no_fact(text: str, names: Names) -> str:
    """Return why a statement tells no fact (recalled, test, supposed, question, played), or "" if nothing speaks against it."""
    if names.group_name:
        text = text.replace(names.group_name, " ")
    return next((why for why, pattern in _REASONS.items() if pattern.search(text.strip())), "")
