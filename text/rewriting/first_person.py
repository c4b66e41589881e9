"""The speaker of a fact ("I"), as far as the text alone shows it.

A bot files facts about its user, often in the user's own words. "I" is then the user. If "I" helps
the user or tells the user something ("I reminded him", 我帮用户订了票), "I" is the bot. If "I" does
something for another person ("I told Tom", "I miss him"), the speaker is unknown, and "I" is not
replaced.
"""

from __future__ import annotations

import re
from typing import Literal

from ...schema.names import Names
from ..borders import places_of
from ..references.people import ROLE_NOUNS
from ..references.types import Cast
from ..sentence import Sentence
from ..word_lists import compiled_patterns, word_tables

_RE = compiled_patterns(word_tables("rewriting/first_person.toml"))
_CALLED = re.compile(
    r"(?:我(?:叫|是|的名字(?:叫|是))|叫我|\bI(?:['’]m| am)|\bmy name(?:['’]s| is)|\bcall me)\s*[“\"]?$",
    re.I,
)
Speaker = Literal["bot", "user", "open"]


def cast_of_fact(sentence: Sentence) -> Cast:
    """Return the referents of "I", "you" and "we" in a fact, from the text alone."""
    names, language = sentence.names, sentence.language
    if not says_i(sentence):
        return Cast(first=names.user(language))
    who = speaker_of_fact(sentence)
    if who == "bot":
        return cast_of_bot(names, language)
    return (
        Cast(names.user(language), names.bot(language), third=False)
        if who == "user"
        else Cast(third=False)
    )


def cast_of_bot(names: Names, language: str) -> Cast:
    """Return the cast of a text whose "I" is the bot: "you" is the user, "we" is both of them."""
    return Cast(first=names.bot(language), second=names.user(language), together=True)


def says_i(sentence: Sentence) -> bool:
    """Return True if a text says "I" or "my", outside quotations and names."""
    found = _RE.first.search(sentence.text) is not None
    return found and any(one.person == "first" and not one.plural for one in sentence.references)


def serves(text: str) -> bool:
    """Return True if a text describes an act of "I" that a bot may do too: "I moved the call"."""
    return _RE.serves.search(text) is not None


def speaker_of_fact(sentence: Sentence) -> Speaker:
    """Return who "I" is, or "open" if it may be the bot or the user."""
    text, names = sentence.text, sentence.names
    for name, who in ((names.bot_name, "bot"), (names.user_name, "user")):
        if any(_CALLED.search(text[:start]) for start, _ in places_of(text, (name,))):
            return "bot" if who == "bot" else "user"
    thirds = [one for one in sentence.references if one.is_somebody]
    served = _RE.serves.search(text)
    if any(
        one.kind == "reference" or not (one.antecedents or one.anchored) for one in thirds
    ) or places_of(text, (names.user("zh"), names.user("en"))):
        return "bot" if served is not None else "open"
    if served is None:
        return "user"
    near = (one for one in sentence.people if 0 <= one.start - served.end() <= _NEAR)
    return "open" if thirds or any(one.name.lower() not in ROLE_NOUNS for one in near) else "user"


_NEAR = 12
"""Characters after an act of help in which its beneficiary is looked for."""
