"""Language detection: Chinese or English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.language import Language as Language
from .edits import edited

_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_HAN_FUNCTION = re.compile(r"[我你他她它您咱的了在是和跟不没有这那就也都还吗呢吧啊么个說会會要很把被给給]")
_LATIN_WORD = re.compile(r"(?<![A-Za-z0-9_])(?:[a-z]+(?:'[a-z]+)?|I(?:'[a-z]+)?)(?![A-Za-z0-9_])")
_LATIN_FUNCTION = re.compile(
    r"(?<![A-Za-z0-9_])(?:I|i|a|an|the|and|or|but|is|are|was|were|am|be|been|to|of|in|on|at|for|with|from|that|this|"
    r"it|my|your|his|her|their|our|me|you|he|she|we|they|not|don't|didn't|has|have|had|will|would|can|about|who|what)"
    r"(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_NOT_PROSE = re.compile(r"https?://[\x21-\x7e]+|www\.[\x21-\x7e]+|[\w.+-]+@[\w.-]+|@[\w-]+|```.*?```|`[^`\n]*`", re.DOTALL)


def prose_length(text: str) -> int:
    """Return the number of Chinese characters and of Latin words in lower case: 0 for a text that shows no language.

    >>> prose_length("😀 42 OK"), prose_length("ok 好")
    (0, 2)
    """
    return len(_HAN.findall(text)) + len(_LATIN_WORD.findall(text))


def detect_language(text: str, *, ignore: Sequence[tuple[int, int]] = ()) -> Language:
    """Return the dominant language of `text`: "zh" or "en".

    Names and addresses do not count: Latin words with a capital, URLs, e-mail addresses, mentions, code and the spans
    `ignore` are skipped. Function words count three times because they show the language of the sentence structure
    ("我用 docker compose up 跑" is Chinese, "I met 王小明" is English). A text without letters is "en".
    """
    if text.isascii():
        return "en"
    if not _HAN.search(text):
        return "en"
    if ignore:
        remaining = edited(text, ((start, end, " ") for start, end in ignore))
        if _HAN.search(remaining) or _LATIN_WORD.search(remaining):
            text = remaining
    if not _LATIN_WORD.search(text):
        return "zh"
    prose = _NOT_PROSE.sub(" ", text)
    if not (_HAN.search(prose) or _LATIN_WORD.search(prose)):
        prose = text
    chinese = len(_HAN.findall(prose)) + 2 * len(_HAN_FUNCTION.findall(prose))
    english = len(_LATIN_WORD.findall(prose)) + 2 * len(_LATIN_FUNCTION.findall(prose))
    if chinese == english:
        return "zh" if _HAN.match(prose.lstrip()) else "en"
    return "zh" if chinese > english else "en"
