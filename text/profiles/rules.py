"""Whom a fact is about, and what one has only once."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..borders import begins_with

# What one has only once, by topic.
SINGLE_VALUED = {
    "home": re.compile(r"(?:现在|目前)?(?:住在|住|搬到了?|搬去了?|定居)(?!院)|\b(?:lives? in|moved to|resides? in)\b", re.I),
    "birthday": re.compile(r"生日是?|\bbirthday is\b|\bwas born on\b", re.I),
    "work": re.compile(r"(?:在.{1,20}(?:工作|上班|任职))|职业是|\bworks? (?:at|as|for)\b", re.I),
    "called": re.compile(r"(?:希望|想|喜欢)被?(?:别人)?(?:叫|称呼)|\b(?:wants|likes|prefers) to be called\b", re.I),
}


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


def is_about_group(fact: str, names: Names) -> bool:
    """Return True if the subject of a fact is the group, or everybody in it (大家, "everyone"), and nobody called so."""
    subject = subject_of(fact, names)
    if subject:
        return subject not in names.people and subject in (names.group("zh"), names.group("en"))
    return bool(names.group()) and _EVERYBODY.match(fact.lstrip()) is not None


def everybody_in(fact: str) -> str:
    """Return the word for all members of a group with which a fact begins (大家, "everyone"), "" for none."""
    found = _EVERYBODY.match(fact.lstrip())
    return found.group() if found else ""


def topics_of(line: str) -> frozenset[str]:
    """Return the single-valued topics of a line."""
    return frozenset(topic for topic, pattern in SINGLE_VALUED.items() if pattern.search(line))
