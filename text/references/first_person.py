"""Who "I" is in a fact, as far as the text alone tells.

A bot writes facts about its user, but what it hands over are often the user's own words. Whoever says "I" and speaks of the
user in the third person ("I told him", 他教过我日语, "I reminded Ann") is the bot; otherwise "I" is the user.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ...schema.names import Names
from ..borders import ENDS, names_one
from ..protected import Span
from ..word_lists import compiled_patterns, word_tables
from .finding import find_references
from .people import ROLE_NOUNS, find_people
from .types import Cast, Reference

_RE = compiled_patterns(word_tables("references/first_person.toml"))
Speaker = Literal["bot", "user", "open"]

_OBJECTS = frozenset(("object", "her"))
_SAME_CLAUSE = re.compile(r"[我俺咱][^，。！？；,.!?;\n]*$")
_FIRST_EN = re.compile(r"\bI\b[^.!?;,\n]*$")


def cast_of_fact(text: str, names: Names, language: str, protected: Sequence[Span] | None = None) -> Cast:
    """Return whom "I", "you" and "we" mean in a fact, by the text alone."""
    user = names.user(language)
    if not has_first_person(text, names, protected):
        return Cast(first=user, second=user, together=_talked(text, names))
    who = speaker_of_fact(text, names, protected)
    return cast_of(who, names, language, together=_talked(text, names))


def cast_of(who: Speaker, names: Names, language: str, *, together: bool = False) -> Cast:
    """Return the cast of a text whose "I" is the bot or the user; with `together` "we" is both of them."""
    user, bot = names.user(language), names.bot(language)
    if who == "bot":
        return Cast(first=bot, second=user, together=True)
    return Cast(first=user, second=bot, together=together, third=False) if who == "user" else Cast(third=False)


def _talked(text: str, names: Names) -> bool:
    """Return True if "we" is bot and user: they talked, and nobody else is named before it who may take part."""
    talk = _RE.talk.search(text)
    if talk is None or (names_one(text, (names.bot_name,)) and names_one(text, (names.user_name,))):
        return talk is not None
    return all(one.name == names.user_name for one in find_people(text[: talk.start()], names.others))


def has_first_person(text: str, names: Names, protected: Sequence[Span] | None = None) -> bool:
    """Return True if a text says "I", outside quotations and names."""
    return any(one.person == "first" and not one.plural for one in _references(text, names, protected))


def may_be_service(text: str) -> bool:
    """Return True if a text tells of an act that a bot may do for people as well as they themselves: "I moved the call"."""
    return serves(text) or _RE.service.search(text) is not None


def tells_of_a_life(text: str) -> bool:
    """Return True if a text in the first person tells of a state, a relation or a liking, which a bot has not."""
    return _RE.life.search(text) is not None


def serves(text: str) -> bool:
    """Return True if a text says that "I" helped somebody or told them something."""
    return _RE.serves.search(text) is not None


def speaker_of_fact(text: str, names: Names, protected: Sequence[Span] | None = None) -> Speaker:
    """Return who "I" is: "open" where the words fit the bot as well as the user ("I miss him", "I told Tom")."""
    if _named_by(text, names.bot_name):
        return "bot"
    if _named_by(text, names.user_name):
        return "user"
    if _RE.helps_user.search(text) and not _RE.kin.search(text):
        return "bot"
    references = _references(text, names, protected)
    thirds = [one for one in references if one.person == "third" and one.gender != "thing"]
    serves = _RE.serves.search(text)
    orphans = [
        one
        for one in thirds
        if not one.plural  # "they" are never the user
        and ((one.kind == "reference" and (serves or one.form != "other_party")) or not (one.antecedents or one.anchored))
    ]
    if not orphans and not names_one(text, (names.user("zh"), names.user("en"))):
        told = serves is not None and (thirds or _helps_somebody(text, serves.end(), names))
        return "open" if told else "user"
    if serves is not None:
        return "bot"
    if _RE.kin.search(text):
        return "user"
    return "open" if _RE.not_to_a_bot.search(text) or any(_loved(text, one) for one in orphans) else "bot"


def _helps_somebody(text: str, position: int, names: Names) -> bool:
    """Return True if somebody is named right after an act of help who is no relative of the speaker."""
    after = (one for one in find_people(text, names.others) if position <= one.start <= position + 12)
    return any(one.name.lower() not in ROLE_NOUNS for one in after)


def _references(text: str, names: Names, protected: Sequence[Span] | None) -> list[Reference]:
    return find_references(text, people=names.everybody, bot=names.bot_name, protected=protected)


def _loved(text: str, reference: Reference) -> bool:
    """Return True if "he" is what "I" acts on in the same clause."""
    before = text[max(0, reference.start - 60) : reference.start]
    if reference.text.isascii():
        return reference.form in _OBJECTS and _FIRST_EN.search(before) is not None
    return _SAME_CLAUSE.search(before) is not None


def _named_by(text: str, name: str) -> bool:
    """Return True if the text says "I am `name`"."""
    if not name:
        return False
    am = r"(?:我(?:叫|是|的名字(?:叫|是))|叫我|\bI(?:['’]m| am)|\bmy name(?:['’]s| is)|\bcall me)"
    return re.search(rf"{am}\s*[“\"]?{re.escape(name)}{ENDS}", text, re.IGNORECASE) is not None
