"""Chinese grammar: combination of time words, and judgement which expressions mean a single time.

Adjacent time words are merged from coarse to fine (去年 + 12月25日, 下周三 + 下午 + 三点), and 到 / 至 / -
joins two of them to a range. Weak expressions (八点, 早上, 春节, 15号) are accepted only if their clause
shows that they mean a single day.
"""

from __future__ import annotations

from collections.abc import Callable

from ..engine import FoldedText, Grammar
from ..engine import find as found_by
from ..reading import TimeToken
from ..tense import chinese_sentence_start
from .joining import join, joined_range, touches
from .judging import judge
from .words import AROUND, TOKENS, fold


def might_hold(text: str) -> bool:
    """Return False if no character of the text can begin a Chinese time word (a fast pre-check)."""
    return TOKENS.trigger.search(fold(text)) is not None


def find(text: str, is_content: Callable[[TimeToken], bool]) -> list[TimeToken]:
    """Return the Chinese expressions of a text that need a reference.

    Expressions for which `is_content` is True are left out.
    """
    folded = fold(text)
    found = found_by(_GRAMMAR, FoldedText(text, folded, folded), is_content)
    names = {match.group() for match in AROUND["name"].finditer(folded)} if found else set()
    return (
        [item for item in found if folded[item.start : item.end] not in names] if names else found
    )


_GRAMMAR = Grammar(
    TOKENS,
    join,
    joined_range,
    touches,
    lambda said, end, start: chinese_sentence_start(said.low, start) > end,
    judge,
)
