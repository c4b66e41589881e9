"""Telephone, identity card and bank card numbers in words, as voice-to-text writes them: `一三八零零…`, `five five …`."""

import re
from collections.abc import Iterator

from .bank_cards import is_card_number
from .identity_papers import valid_id_card
from .spans import Label, Redaction

# Eleven figures of a mobile, eighteen of an identity card, a bank card's: `一三八 零零一三 …`
_SPOKEN = re.compile(
    r"(?<![零〇一二三四五六七八九幺两\d])[零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖\d]"
    r"(?:[ ,，、-]?[零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖Xx\d]){9,21}"
)
_FIGURES = str.maketrans("零〇一二三四五六七八九幺两洞拐勾兩壹贰叁肆伍陆柒捌玖", "00123456789120792123456789")
_FIGURE_WORDS = dict(
    zip(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "oh"), "01234567890", strict=True)
)
_SPOKEN_FIGURE = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
# `five five five, one two three, …`
_SPOKEN_IN_ENGLISH = re.compile(rf"(?<![A-Za-z]){_SPOKEN_FIGURE}(?:[ ,-]{{1,2}}{_SPOKEN_FIGURE}){{9,18}}(?![A-Za-z])", re.I)


def find_spoken_numbers(text: str) -> Iterator[Redaction]:
    for match in _SPOKEN.finditer(text):
        if sum(not character.isascii() and character.isalpha() for character in match.group()) < 3:
            continue
        label = _label_of_figures(re.sub(r"[^\dX]", "", match.group().translate(_FIGURES).upper()))
        if label is not None:
            yield Redaction(match.start(), match.end(), label)
    for match in _spoken_in_english(text):
        digits = "".join(_FIGURE_WORDS[word.lower()] for word in re.findall("[A-Za-z]+", match.group()))
        label = _label_of_figures(digits) or ("PHONE" if len(digits) in (10, 11) else None)
        if label is not None and digits not in "012345678901234567890":
            yield Redaction(match.start(), match.end(), label)


def _spoken_in_english(text: str) -> Iterator[re.Match[str]]:
    """Look for the words by themselves first: that is ten times as fast as the pattern at every letter."""
    starts: list[int] = []
    for word in _FIGURE_WORDS:
        for written in (word, word.capitalize()):
            at = text.find(written)
            while at >= 0:
                starts.append(at)
                at = text.find(written, at + 1)
    reached = 0
    for start in sorted(starts) if len(starts) >= 10 else ():
        if start >= reached and (match := _SPOKEN_IN_ENGLISH.match(text, start)):
            reached = match.end()
            yield match


def _label_of_figures(digits: str) -> Label | None:
    if re.fullmatch(r"1[3-9]\d{9}|0(?:10|2\d|[3-9]\d{2})[2-8]\d{6,7}|[48]00\d{7}", digits):
        return "PHONE"
    if len(digits) == 18 and digits[:17].isdecimal() and valid_id_card(digits):
        return "ID_CARD"
    return "BANK_CARD" if is_card_number(digits) else None
