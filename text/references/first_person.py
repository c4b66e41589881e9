"""Who "I" is in a fact, as far as the text alone tells.

A bot writes facts about its user, but what it hands over are often the user's own words: "I" is the user. Whoever helps or
tells the user something ("I reminded him", 我帮用户订了票) is the bot. Where "I" has to do with somebody else ("I told Tom", "I
miss him"), it may be either, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ...schema.names import Names
from ..borders import places_of
from ..word_lists import compiled_patterns, word_tables
from .finding import find_references
from .people import ROLE_NOUNS, find_people
from .types import Cast, Reference

_RE = compiled_patterns(word_tables("references/first_person.toml"))
_CALLED = re.compile(
    r"(?:我(?:叫|是|的名字(?:叫|是))|叫我|\bI(?:['’]m| am)|\bmy name(?:['’]s| is)|\bcall me)\s*[“\"]?$", re.I
)
Speaker = Literal["bot", "user", "open"]


def cast_of_fact(text: str, names: Names, language: str, references: Sequence[Reference] | None = None) -> Cast:
    """Return whom "I", "you" and "we" mean in a fact, by the text alone."""
    found = references_of(text, names) if references is None else references
    if not says_i(found):
        return Cast(first=names.user(language), together=talked(text, names))
    return cast_of(speaker_of_fact(text, names, found), names, language, together=talked(text, names))


def cast_of(who: Speaker, names: Names, language: str, *, together: bool = False) -> Cast:
    """Return the cast of a text whose "I" is the bot or the user; with `together` "we" is both of them."""
    user, bot = names.user(language), names.bot(language)
    if who == "bot":
        return Cast(first=bot, second=user, together=True)
    return Cast(first=user, second=bot, together=together, third=False) if who == "user" else Cast(third=False)


def references_of(text: str, names: Names) -> list[Reference]:
    """Return the references of a text of the conversation."""
    return find_references(text, people=names.everybody, bot=names.bot_name)


def says_i(references: Sequence[Reference]) -> bool:
    """Return True if one of the references is "I" or "my"."""
    return any(one.person == "first" and not one.plural for one in references)


def has_first_person(text: str, names: Names) -> bool:
    """Return True if a text says "I", outside quotations and names."""
    return _RE.first.search(text) is not None and says_i(references_of(text, names))


def serves(text: str) -> bool:
    """Return True if a text tells of an act of "I" that a bot does for people as well as they themselves do: "I moved the call"."""
    return _RE.serves.search(text) is not None


def talked(text: str, names: Names) -> bool:
    """Return True if "we" is bot and user: they talked, and nobody else is named before it who may take part."""
    talk = _RE.talk.search(text)
    return talk is not None and all(
        one.name in (names.user_name, names.bot_name) for one in find_people(text[: talk.start()], names.everybody)
    )


def speaker_of_fact(text: str, names: Names, references: Sequence[Reference]) -> Speaker:
    """Return who "I" is: "open" where the words fit the bot as well as the user."""
    for name, who in ((names.bot_name, "bot"), (names.user_name, "user")):
        if any(_CALLED.search(text[:start]) for start, _ in places_of(text, (name,))):
            return "bot" if who == "bot" else "user"
    thirds = [one for one in references if one.person == "third" and not one.plural and one.gender != "thing"]
    served = _RE.serves.search(text)
    if any(one.kind == "reference" or not (one.antecedents or one.anchored) for one in thirds) or places_of(
        text, (names.user("zh"), names.user("en"))
    ):
        return "bot" if served is not None else "open"
    if served is None:
        return "user"
    near = (one for one in find_people(text, names.others) if 0 <= one.start - served.end() <= _NEAR)
    return "open" if thirds or any(one.name.lower() not in ROLE_NOUNS for one in near) else "user"


_NEAR = 12
"""Characters behind an act of help in which the one stands whom it is done for."""
