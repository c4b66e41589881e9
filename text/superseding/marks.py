"""The words, Chinese and English, by which statements say that something has changed, has ended or was never so.

The words are data, in `marks.toml`, which says of each table what it marks; the patterns that take a statement apart are here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ..word_lists import word_tables

_TABLES = word_tables("superseding/marks.toml")
HAN = re.compile(r"[㐀-鿿]")
_FIRST_LETTER = re.compile(r"[a-z](?![?*+{])")


def _any_of(name: str) -> re.Pattern[str]:
    """Return the pattern of a table: its `parts` anywhere, its `english` as whole words.

    `re` tries the pieces one after the other at each character. So those of one first letter stand behind it, and those
    that begin with a Chinese character behind a look at whether one is there: an English text is read in a quarter of the time.
    """
    table: dict[str, Sequence[str]] = _TABLES[name]
    pieces = [
        rf"(?=[㐀-鿿])(?i:{'|'.join(run)})" if is_chinese else rf"(?i:{'|'.join(run)})"
        for is_chinese, run in groupby(table.get("parts", ()), lambda piece: HAN.match(piece) is not None)
    ]
    letters: dict[str, list[str]] = {}
    for piece in table.get("english", ()):
        letter = found.group() if (found := _FIRST_LETTER.match(piece)) else ""
        letters.setdefault(letter, []).append(piece.removeprefix(letter))
    words = [
        rf"(?i:{'|'.join(rest)})" if not letter else f"[{letter}{letter.upper()}](?i:{'|'.join(rest)})"
        for letter, rest in letters.items()
    ]
    return re.compile("|".join([*pieces, *([rf"\b(?:{'|'.join(words)})\b"] if words else [])]))


UNREAL, PAST, VISITING, BESIDES = map(_any_of, ("unreal", "past", "visiting", "besides"))
CHANGED, RESUMED, OVER, STOPPED, WEAK = map(_any_of, ("changed", "resumed", "over", "stopped", "weak"))
LIKED, DISLIKED, DIED, HAPPENED = map(_any_of, ("liked", "disliked", "died", "happened"))
WRONG, RATHER = map(_any_of, ("wrong", "rather"))
RESCHEDULED, NOW = map(_any_of, ("rescheduled", "now"))
ENDED_BY = tuple(tuple(re.compile("|".join(one[end]), re.IGNORECASE) for end in ("state", "end")) for one in _TABLES["ended_by"])
NAMELIKE = re.compile(
    rf"(?:{'|'.join(_TABLES['namelike']['parts'])})$|\b(?:{'|'.join(_TABLES['namelike']['english'])})$", re.IGNORECASE
)
PERSON, ENGLISH_PERSON = ("|".join(_TABLES["person"][key]) for key in ("parts", "english"))

REPORTED = re.compile(
    r"\s*(?:说(?:了|过)?|表示|通知(?:大家)?|宣布|提到|指出|告诉(?:大家|我们)|补充(?:说)?|[:：])[，,:：“\"]*"
    r"|\s+(?:said|says|announced|mentioned|pointed out|explained|confirmed|added|told (?:us|me"
    r"|everyone))(?:\s+that)?[\s,:“\"]+",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"^(?:\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?|\d{4}年\d{1,2}月(?:\d{1,2}日)?|(?:On|Since|From|In) \d{4}(?:-\d{2}-\d{2})?)[，, ]*"
)
OTHERS = re.compile(
    rf"^(?:的|家)?[^，,。和跟与有没在]{{0,4}}?(?P<zh>{PERSON})|^['’]s (?:\w+ ){{0,2}}?(?P<en>{ENGLISH_PERSON})\b", re.IGNORECASE
)
CLAUSES = re.compile(r"[，,;；。!！]|(?<=[a-z0-9]) (?:because|since|after|when|but|so)(?= )|(?<=[a-z0-9])\. ")

VALUE = r"([^，,。;；]{1,24})"
ONE_VALUE = {
    name: re.compile("|".join(pieces).replace("<value>", VALUE), re.IGNORECASE) for name, pieces in _TABLES["one_value"].items()
}

CALLED = re.compile(
    r"(?:名?叫|名字是|名为)[“\"]?(?P<zh>[^\s，,。的”\"]{1,8}?)[”\"]?(?=的|[，,。]|$)|\b(?:called|named) (?P<en>[A-Z][\w'-]*)"
)

STATED = re.compile(
    r"^(?P<head>[^，,。:：]{2,24}?)(?:是|叫做?|为|改成了?|换成了?)(?P<value>[^，,。]{1,40})"
    r"|^(?P<english>[^,.;:]{3,60}?) (?:is|are"
    r"|is named|is called|is now) (?P<told>[^,;]{1,60})",
    re.IGNORECASE,
)
# What stands behind them is the new value, not what has changed.
TOWARDS = re.compile(
    r"(?<=搬[到进去至回])了?.*|(?<=调到)了?.*|(?<=回到)了?.*|(?<=转学到)了?.*|(?<=换到)了?.*|(?<=改到)了?.*|(?<=移到)了?.*|(?<=换成)了?.*|(?<=改成)了?.*"
    r"|(?<=\bmoved).*?\bto\b.*|(?<=\brelocated).*?\bto\b.*|(?<=\bswitched) to\b.*|(?<=\bchanged) to\b.*",
    re.IGNORECASE,
)
# Something new of a kind: a change only for who had one of that kind.
REPLACED = re.compile(r"换了?(?:一)?[双台辆个部件套只条款把](?P<kind>[^，,。]+)")

LISTED = re.compile(r"和|、|以及|\band\b|, ", re.IGNORECASE)

# 改喝: another object of the same verb.
OTHER_OBJECT = re.compile(r"改(?:成|为)?(?P<verb>[喝坐骑学练住睡带考])")

NUMBER = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\d+(?:[.:：]\d+)*"
    r"|[零一二两三四五六七八九十百千万]+(?=[点元块号月日岁层楼度%％公斤名个箱片次杯包条里])|[一二三四五六日天](?<=周.|期.)",
    re.IGNORECASE,
)
NAMED_VALUE = re.compile(r"(?<!\w)'[^']+'(?!\w)|\d+(?:[.:]\d+)*|[“\"《「『][^”\"》」』]+|[A-Za-z]*[A-Z]\w*|\S+@\S+")

DENIED = re.compile(
    r"(?:不是|并非|没有)(?P<zh>[^，,。]{1,12})|\b(?:not|n['’]t|wasn['’]t|isn['’]t)\s+(?:an? |the )?(?P<en>[^,.;]{2,24})",
    re.IGNORECASE,
)
