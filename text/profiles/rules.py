"""Whom a fact is about."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..borders import begins_with


def is_about(fact: str, name: str) -> bool:
    """Return True if a fact begins with `name`, its subject. A fact that only mentions it may be about others."""
    begins, folded = (one.lstrip(" \t“\"'@").casefold() for one in (fact, name))
    return begins_with(begins, folded)


def subject_of(fact: str, names: Names) -> str:
    """Return the longest name of the conversation that a fact begins with, "" for none; a person before a group of that name."""
    known = (*names.people, names.bot_name, names.group("zh"), names.group("en"))
    return max((name for name in known if is_about(fact, name)), key=len, default="")


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
