"""Information that a text lacks: whose relative, which thing, said to whom or where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ..borders import begins_with, names_one
from ..references.people import KIN, ROLE_NOUNS
from ..rewriting.subjects import after_time
from ..sentence import Sentence
from ..word_lists import compiled_patterns, word_tables
from .findings import Finding

_RE = compiled_patterns(word_tables("checks/missing_information.toml"))
_SPOKEN = re.compile(r"\s*[:：]\s*")
_RELATIVES = frozenset((*KIN["zh"], *KIN["en"]))
SUBJECT = 4
"""Characters before a name that may belong to the subject of a Chinese text: 楼下那个阿姨, 上海交通大学."""


def missing_information(
    sentence: Sentence, item: Literal["action", "fact"] = "fact"
) -> Iterator[Finding]:
    """Yield findings for information that a text lacks.

    A fact may lack its subject or owner ("ex is in Perth": whose?) or a complement ("Ann said yes":
    to what? 阿明去不了: where?). An action may lack a deed or an object.
    """
    names = sentence.names
    people = sorted(filter(None, (*names.everybody, names.group_name)), key=len, reverse=True)
    return _of_action(sentence, people) if item == "action" else _of_fact(sentence, people)


def _of_action(sentence: Sentence, people: Sequence[str]) -> Iterator[Finding]:
    text, bot = sentence.text, sentence.names.bot_name
    begin = _behind_speaker(text, len(bot) if begins_with(text, bot) else 0)
    if _RE.no_deed.fullmatch(text, begin) is not None:
        yield Finding("claim", text, 0, len(text), "no_deed")
    if _RE.the_one.fullmatch(text, begin) is not None and not names_one(text[begin:], people):
        yield Finding("reference", text[begin:].strip(), begin, len(text), "thing")


def _of_fact(sentence: Sentence, people: Sequence[str]) -> Iterator[Finding]:
    text = sentence.text
    if _RE.quotation.fullmatch(text) is not None:
        yield Finding("reference", text, 0, len(text), "subject")
        return
    opening = _RE.opening.match(text)
    begin = opening.end() if opening is not None else 0
    who = next((begin + len(name) for name in people if begins_with(text, name, begin)), 0)
    who = who or next(
        (
            one.end
            for one in sentence.people
            if one.start == begin and one.name.lower() not in ROLE_NOUNS
        ),
        0,
    )
    relative = next(
        (one for one in sentence.people if one.start == begin and one.name.lower() in _RELATIVES),
        None,
    )
    if relative is not None:
        yield Finding(
            "reference", text[relative.start : relative.end], relative.start, relative.end, "owner"
        )
    told = _behind_speaker(text, who)
    rest = (_RE.of_somebody if who else _RE.of_nobody).match(text, told or begin)
    goes_on = _RE.goes_on.match(text, told) if told > who else _RE.same_as.search(text)
    open_clause = rest or goes_on
    if open_clause is not None:
        yield Finding(
            "reference", text[: open_clause.end()].strip(), 0, open_clause.end(), "elliptic"
        )
    elif relative is None and not who and not _names_anything(sentence, people):
        yield Finding("reference", text, 0, len(text), "subject")
    yield from _days(sentence)


def _behind_speaker(text: str, end: int) -> int:
    """Return the offset after the colon of "Ann: ", if a name that ends at `end` has one.

    Without a colon the name is a subject; then `end` is returned.
    """
    spoken = _SPOKEN.match(text, end) if end else None
    return spoken.end() if spoken is not None else end


def _days(sentence: Sentence) -> Iterator[Finding]:
    """Yield times that cannot be dated from the text: 那天, 13号, "two more weeks"."""
    text = sentence.text
    for day in (_RE.that_day.search(text), _RE.bare_day.search(text), _RE.length.search(text)):
        if day is None or _RE.dated.search(text, 0, day.start()):
            continue
        after_somebody = any(one.end == day.start() for one in sentence.people)
        if day.start() == 0 or after_somebody or day.re is not _RE.that_day:
            yield Finding("time", day.group(), *day.span(), "relative")


def _names_anything(sentence: Sentence, people: Sequence[str]) -> bool:
    """Return True if the text names a person or thing, or makes a general statement.

    A leading role noun ("the doctor") does not count. In Chinese, where a subject may be left out,
    only names near the beginning count: a later name is an object.
    """
    text = sentence.text
    if names_one(text, people) or _RE.generic.match(text) is not None:
        return True
    named = _RE.proper.search(text)
    last = after_time(sentence) + SUBJECT if sentence.language == "zh" else len(text)
    if named is not None and named.start() <= last:
        return True
    return any(
        1 < one.start <= last or one.name.lower() not in ROLE_NOUNS for one in sentence.people
    )
