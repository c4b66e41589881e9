"""Requests to remember something: "remember that I'm vegan", 记住我不吃香菜."""

from __future__ import annotations

import re

from ..language import detect_language
from ..message_parts import without_media
from ..questions import asking_sentences
from ..remembered import remembered
from ..statements import gives_orders
from ..word_lists import Patterns, in_pieces, word_tables

LONGEST_MESSAGE = 8_000
"""Maximum characters of a message that are searched."""
LONGEST_KEPT = 300
"""Maximum characters of the words to remember in one sentence. Longer ones are a document."""
_SENTENCES = re.compile(r"(?<=[。！？!?\n])|(?<=[.;；])\s+")
_FORWARDED = re.compile(r"^\s*[\[【(（]?(?:转发|fwd\b|forwarded\b)", re.IGNORECASE)
_ENDS = ".。!！~～,，;；"


def asked_to_keep(message: str, bot_name: str = "") -> list[str]:
    """Return the words that a message asks to remember, without the request itself.

    >>> asked_to_keep("Please remember that I'm allergic to peanuts. How are you?")
    ["I'm allergic to peanuts"]
    >>> asked_to_keep("帮我记一下：我的车牌是京A12345"), asked_to_keep("I remember that day"), asked_to_keep("remind me at 8")
    (['我的车牌是京A12345'], [], [])
    """
    if _FORWARDED.match(message):
        return []
    patterns = _patterns(bot_name)
    kept: list[str] = []
    for sentence in _SENTENCES.split(without_media(message[:LONGEST_MESSAGE])):
        found = patterns.en.match(sentence) or patterns.zh.match(sentence)
        if found is None or asking_sentences(sentence) or gives_orders(sentence):
            continue
        words = _without_end(sentence[found.end() :].strip())
        if words and len(words) <= LONGEST_KEPT and not patterns.errand.search(words):
            kept.append(words)
    return kept


def _without_end(words: str) -> str:
    """Return words without the blanks and marks at their end."""
    end = len(words)
    while end and (words[end - 1].isspace() or words[end - 1] in _ENDS):
        end -= 1
    return words[:end]


def quoted_line(words: str) -> str:
    """Return words as a line of a profile: unchanged, on one line, in quotation marks.

    >>> quoted_line("I'm allergic to peanuts"), quoted_line("我不吃香菜")
    ('"I\'m allergic to peanuts"', '“我不吃香菜”')
    """
    words = " ".join(words.split())
    return f"“{words}”" if detect_language(words) == "zh" else f'"{words}"'


@remembered(64)
def _patterns(bot_name: str) -> Patterns:
    tables = word_tables("profiles/asked_to_keep.toml")
    bots = {"BOT": f"(?:{re.escape(bot_name) or '(?!)'}|bot|机器人|小助手)"}
    whole = in_pieces({**tables["pieces"], **tables["patterns"]}, bots)
    return Patterns({name: whole[name] for name in tables["patterns"]})
