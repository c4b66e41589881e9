"""Finding of deictic references: pronouns, stand-ins for persons, and places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.language import LanguageChoice
from ..language import detect_language
from ..protected import Span, overlaps
from ..remembered import remembered
from .chinese import chinese_references
from .english import english_references
from .types import Reference

_HAN = re.compile(r"[㐀-鿿]")
_LATIN_SENTENCE = re.compile(
    r"[A-Za-z][A-Za-z'’]* +[A-Za-z'’]+,? +[A-Za-z]"
    r"|(?<![A-Za-z])(?:I|[Hh]e|[Ss]he|[Yy]ou|[Ww]e)(?:['’][a-z]+)? [a-z]{2,} *(?=[㐀-鿿《])"
)
"""Three Latin words in a row, or a pronoun and its verb before a Chinese object: "I like 火锅"."""


def deictic_words(
    text: str, protected: Sequence[Span], language: LanguageChoice = "auto"
) -> list[Reference]:
    """Return the deictic references of an English or Chinese text, sorted and without overlaps.

    References are pronouns (我 你 他 TA 本人, I you he they with their forms, chat spellings like u
    and ur), stand-ins for a person (对方, 该用户, 用户喜欢猫, 那个人, the user, that guy) and places
    (这里, 本群, 我这边, here, over there, this group). The result excludes longer words (吉他, 其他, 自我,
    本地部署, I/O, "there are"), everything in `protected`, reflexives (自己, himself), it/its, 那里 and
    "there" after a place named in the same text, and 公司那边 (the noun names the place). `language` is
    the language of the text; in a Chinese text, English words are found only in runs of three Latin
    words.
    """
    found: list[Reference] = []
    han = not text.isascii() and _HAN.search(text) is not None
    if han:
        found.extend(chinese_references(text))
    if not han or language == "en" or "ser" in text or _LATIN_SENTENCE.search(text):
        spoken = (
            language
            if language != "auto"
            else (detect_language(text, ignore=protected) if han else "en")
        )
        found.extend(english_references(text, whole=spoken == "en"))
    if protected:
        found = [
            one
            for one in found
            if not overlaps(protected, one.start, one.end + (one.form == "loose_user"))
        ]
    found.sort(key=lambda reference: reference.start)
    return found


@remembered(1024)
def is_deictic_name(name: str) -> bool:
    """Return True if a nickname is a deictic word (我, Here), which in a text means no person."""
    bare = name.strip()
    references = [*chinese_references(bare), *english_references(bare)]
    return any(
        reference.form != "loose_user" and reference.start == 0 and reference.end == len(bare)
        for reference in references
    )
