"""Whom a fact is about."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..borders import begins_with

_BEFORE = " \t“\"'@"
"""What may stand before the name with which a fact begins."""


def subject_of(fact: str, names: Names) -> str:
    """Return the longest name of the conversation that a fact begins with, "" for none; a person before a group of that name."""
    known = (*names.people, names.bot_name, names.group("zh"), names.group("en"))
    begins = fact.lstrip(_BEFORE).casefold()
    return max((name for name in known if begins_with(begins, name.lstrip(_BEFORE).casefold())), key=len, default="")


_EVERYBODY = re.compile(
    r"(?:大家|全体|所有人|群友们?|成员们?)|(?:everyone|everybody|all (?:the )?members|(?:the )?members)\b", re.I
)


def everybody_in(fact: str) -> str:
    """Return the word for all members of a group with which a fact begins (大家, "everyone"), "" for none."""
    found = _EVERYBODY.match(fact.lstrip())
    return found.group() if found else ""


def is_about_group(fact: str, names: Names) -> bool:
    """Return True if the subject of a fact is the group, or everybody in it (大家, "everyone"), and nobody called so."""
    subject = subject_of(fact, names)
    if subject:
        return subject not in names.people and subject in (names.group("zh"), names.group("en"))
    return bool(names.group() and everybody_in(fact))
