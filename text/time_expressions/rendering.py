"""Rendering of resolved expressions as text that fits into the sentence.

Chinese: `2026-02-20`, `2026-02-20 晚上`, `2026-02-20 08:00`, `2026年1月`, `2026-02-14至2026-02-15`,
`2026年2月底`, `2026年春节（2026-02-17）`; vague expressions become `2026-02-21前后`. Counts of months or
years have their own granularity: 三年前 becomes `2023年`, not a day.

English: the same dates, with the preposition that the sentence needs: "last month I quit" becomes
"in June 2025 I quit", and "since last month" becomes "since June 2025"; vague expressions become
`around 2026-02-21`. The forms are in `rendering.toml`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..borders import in_word
from ..word_lists import compiled_patterns, word_tables
from .forms import WORDS, form_of
from .named_days import Resolved
from .reading import TimeSpec

_PATTERNS = compiled_patterns(word_tables("time_expressions/rendering.toml"))
_HAN = re.compile(r"[㐀-鿿]")


def rendered(
    reading: TimeSpec, resolved: Resolved, text: str, start: int, end: int, language: str
) -> str:
    """Return the words that replace text[start:end], with spaces where they would touch a word.

    `language` is the language of the sentence, which may differ from that of the expression.
    """
    said = text[start:end]
    if (language == "zh") != (_HAN.search(said) is not None):
        reading = replace(
            reading,
            part_name=None,
            season_name=None,
            edge_name=None,
            vague_amount=None,
            holiday_name=None,
        )
    if language == "zh":
        body = form_of(reading, resolved, said, "zh", "")
        lasting = (
            reading.now is not None
            and reading.through is None
            and _PATTERNS["lasting"].match(text, end)
        )
        body = f"截至{body}" if lasting and text[start - 1 : start] not in _BEFORE_A_NOUN else body
        return _spaced(body, text, start, end)
    return _english(reading, resolved, text, start, end)


_BEFORE_A_NOUN = frozenset("到从至于比像和跟与是")


def _spaced(body: str, text: str, start: int, end: int) -> str:
    """Return `body`, which replaces text[start:end], with a space where it would join a word."""
    before = " " if start and _fuses(text[start - 1], body[0]) else ""
    return before + body + (" " if end < len(text) and _fuses(body[-1], text[end]) else "")


def _fuses(left: str, right: str) -> bool:
    """Return True if two adjacent characters would be read as one word.

    A quotation mark beside a word would be read as an apostrophe.
    """
    left_word, right_word = in_word(left), in_word(right)
    return (left_word and (right_word or right in "'\"")) or (left in "'\"" and right_word)


_ALONE = re.compile(r"(?:yesterday|today|tomorrow|tonight|last|next)\b", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([A-Za-z'’]+|-)\s*$")
_WORD_AFTER = re.compile(r"\s*([A-Za-z'’]+)")


def _english(reading: TimeSpec, resolved: Resolved, text: str, start: int, end: int) -> str:
    """Return the English form, with a preposition if the expression needs one and has none."""
    before, after = (
        _WORD_BEFORE.search(text, max(0, start - 24), start),
        _WORD_AFTER.match(text, end),
    )
    previous, following = (
        match[1].lower().replace("’", "'") if match else "" for match in (before, after)
    )
    mark = text[:start].rstrip()[-1:]
    leads = start == 0 or mark in ("", ".", "!", "?", "\n", ";", ",", ":", "-", "(", "—")
    owns = text[end : end + 2] in ("'s", "’s")
    particle = (
        _ALONE.match(text, start)
        and not owns
        and _PATTERNS["particle"].search(text, max(0, start - 24), start)
    )
    subject = (leads or reading.holiday is not None) and following in WORDS["auxiliaries"]
    takes = previous in WORDS["take_a_time"] and following not in WORDS["auxiliaries"] | {""}
    takes = takes or (
        previous in WORDS["take_a_day"] and (reading.holiday is not None or following == "off")
    )
    joined = previous in ("and", "or") and _PATTERNS["joined_to_time"].search(
        text, max(0, start - 40), start
    )
    led = previous in WORDS["prepositions"] and not particle
    preposition, _, body = form_of(reading, resolved, text[start:end], "en", previous).rpartition(
        "|"
    )
    if preposition and not (led or joined or owns or takes or previous == "all" or subject):
        body = f"{preposition} {body}"
    if (
        following
        and previous in WORDS["be_or_have"]
        and (reading.now is not None or reading.vague is not None)
    ):
        body = f"({body})"  # "is currently writing": no date may be between the two verbs
    if (
        text[start].isupper()
        and leads
        and mark in ("", ".", "!", "?", "\n", ";", ":", "-", "(", "—")
    ):
        body = body[0].upper() + body[1:]
    return _spaced(body, text, start, len(text) if owns else end)
