"""Language detection: Chinese, English, or another language, which the rules do not read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.language import Language as Language
from .borders import BEGINS, ENDS, LOWER, SIGNS, UPPER
from .edits import edited
from .word_lists import word_list, word_tables

_HAN = re.compile(r"[㐀-鿿\uf900-\ufaff]")
_HAN_FUNCTION = re.compile(
    r"[我你他她它您咱的了在是和跟不没有这那就也都还吗呢吧啊么个說会會要很把被给給]"
)
_LATIN_WORD = re.compile(rf"{BEGINS}(?:[{LOWER}]+(?:'[a-z]+)?|I(?:'[a-z]+)?){ENDS}")
_LATIN_FUNCTION = re.compile(
    rf"{BEGINS}(?:I|i|a|an|the|and|or|but|is|are|was|were|am|be|been|to|of|in|on|at|for|with|from|that|this|"
    r"it|my|your|his|her|their|our|me|you|he|she|we|they|not|don't|didn't|has|have|had|will|would|can|about|who|what)"
    rf"{ENDS}",
    re.IGNORECASE,
)
_NOT_PROSE = re.compile(
    r"https?://[\x21-\x7e]+|www\.[\x21-\x7e]+|[\w.+-]+@[\w.-]+|@[\w-]+|```.*?```|`[^`\n]*`",
    re.DOTALL,
)


def prose_length(text: str) -> int:
    """Return the number of Chinese characters and of Latin words in lower case.

    It is 0 for a text that shows no language.

    >>> prose_length("😀 42 OK"), prose_length("ok 好")
    (0, 2)
    """
    return len(_HAN.findall(text)) + len(_LATIN_WORD.findall(text))


def detect_language(text: str, *, ignore: Sequence[tuple[int, int]] = ()) -> Language:
    """Return the dominant language of `text`: "zh" or "en".

    Names and addresses do not count: Latin words with a capital, URLs, e-mail addresses, mentions,
    code and the spans `ignore` are skipped. Function words count three times because they show the
    language of the sentence structure ("我用 docker compose up 跑" is Chinese, "I met 王小明" is
    English). A text without letters is "en".
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


_TABLES = word_tables("language.toml")
_OWN, _SHARED = (word_list(_TABLES["english"][name]) for name in ("own", "shared"))
_OTHERS, _LOANS = (word_list(_TABLES["others"][name]) for name in ("words", "loans"))
_WORD = re.compile(
    rf"(?P<opens>(?:^|[.!?¿¡\n])[\s¿¡]*)?{BEGINS}(?<![-./@:=])"
    rf"(?P<word>[{UPPER}{LOWER}]+(?:['’][{UPPER}{LOWER}]+)*){ENDS}(?![-/@=(\[]|[.:]\w)"
)
_NAME = re.compile(rf"(?<=\w )([{UPPER}]\w+)(?: [{LOWER}]{{1,6}}){{1,2}}(?= [{UPPER}])")
"""A name with small words inside it, not at the start of a text: "Ana de Armas", not "Soy de
Madrid"."""
_ELIDED = re.compile(r"(?:[jlndmts]|qu)'(?!all)\w", re.IGNORECASE)
_OTHER_SCRIPT = re.compile("[\u0370-\u1cff\uac00-\ud7af]")
_LATIN_LETTER = re.compile(f"[{UPPER}{LOWER.removesuffix(SIGNS)}]")
_HIRAGANA, _KANA = re.compile("[ぁ-ゖ]"), re.compile("[ぁ-ヺー]")
_NOT_JAPANESE = re.compile("[你您她吗嗎呢吧们这麼么说过给还咱]|我(?![々慢がらのはも])")
_DECORATION = frozenset("のつづっぅ")
"""Hiragana that also occur in Chinese and English chats: 我の猫, (づ｡◕‿‿◕｡)づ."""
MOST_READ = 2_000
"""Maximum characters of a text that are read to detect another language."""
_SCRIPT, _SHARE = 3, 0.3
"""The smallest number of different letters of another script, and the smallest share of kana, that
are no decoration."""


def is_other_language(text: str, *, ignore: Sequence[tuple[int, int]] = ()) -> bool:
    """Return True if a text is certainly neither English nor Chinese, nor a mixture of both.

    >>> [is_other_language(text) for text in ("Me gusta el té", "彼は東京に行く")]
    [True, True]
    >>> [is_other_language(text) for text in ("I love crème brûlée", "用docker跑", "Terrible cook")]
    [False, False, False]

    The evidence is a script that neither of them uses, or Japanese syllables. For Latin letters it
    is the number of function words of English and of other languages (`language.toml`); if both
    numbers are equal, the text counts as English. The spans `ignore` (names) do not count.
    """
    text = text[:MOST_READ]
    text = (
        edited(text, ((start, end, " ") for start, end in ignore if end <= MOST_READ))
        if ignore
        else text
    )
    text = _NOT_PROSE.sub(" ", text)
    english, other = _latin_evidence(text)
    if text.isascii():
        return other > english
    foreign = _OTHER_SCRIPT.findall(text)
    han, latin = len(_HAN.findall(text)), len(_LATIN_LETTER.findall(text))
    if len(set(foreign)) >= _SCRIPT and len(foreign) > han + latin:
        return True
    kana = len(_KANA.findall(text))
    if len(set(_HIRAGANA.findall(text)) - _DECORATION) >= 2 and kana >= _SHARE * (kana + han):
        return not english and not _NOT_JAPANESE.search(text)
    return other > english and detect_language(text) == "en"


def _latin_evidence(text: str) -> tuple[float, float]:
    """Return the evidence for English and for another language in Latin letters, as two numbers."""
    english, others = 0.0, dict[str, float]()
    words = list(_WORD.finditer(_NAME.sub(r"\1", text)))
    for match in words:
        word = match["word"].replace("’", "'")
        small = word.lower() if match["opens"] is not None else word
        if small in _OWN or word in _OWN or small.endswith(("ed", "'s")):
            english += 1
        elif small in _SHARED or word in _SHARED or small.endswith("ing"):
            english += 0.5
        elif small in _OTHERS or _ELIDED.match(word):
            others[small] = 1.0
        elif not word.isascii() and word.islower() and small not in _LOANS:
            others[small] = 0.5
    evidence = sum(others.values())
    return english, evidence if len(words) > 1 and evidence >= 1 else 0.0
