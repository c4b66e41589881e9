"""Rewriting of resolved Chinese references."""

from __future__ import annotations

from ..edits import Edit
from ..references.types import Reference
from ..word_lists import compiled_patterns, word_tables

_RE = compiled_patterns(word_tables("rewriting/chinese_rewriting.toml"))


def followed_by_institution(text: str, end: int) -> bool:
    """Return True if a plural pronoun means one person's company, school or teacher: 他们公司, 你们老师."""
    return _RE.institution_or_home.match(text, end) is not None


def rewrite_person(text: str, reference: Reference, name: str) -> list[Edit]:
    """Return the edits that replace a pronoun or stand-in by one person's name."""
    end = reference.end
    if reference.form == "where_person_is":
        return [(reference.start, end, f"{name}那{reference.text[-1]}")]
    if reference.plural:
        joint = "所在的" if _RE.institution.match(text, end) else "" if text.startswith(("家", "一家"), end) else "的"
    else:
        joint = "的" if _RE.belongs.match(text, end) else ""
    return [(reference.start, end, f"{name}{joint}")]


def rewrite_group(reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace 本群, 这里 or 你们 by the group's name."""
    name = f"{group}的成员" if reference.person == "second" else group
    return [(reference.start, reference.end, name)]
