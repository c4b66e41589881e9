"""Rewriting of resolved Chinese references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..edits import Edit
from ..protected import Span, overlaps
from ..word_lists import compiled_patterns, word_list, word_tables
from .agreement import is_finite_verb
from .types import Reference

_RE = compiled_patterns(word_tables("references/chinese_rewriting.toml"))
_TITLE_ENDS = re.compile(r"[^，。！？；,.!?;\s]{2,3}(?:[，。！？；,.!?;\s]|$)")  # 叫他老师: a form of address, not a possessive
_BEHIND_USER = word_list("about with to in on at for from and that how when after before the a")


def loose_users(text: str, protected: Sequence[Span]) -> Iterator[Reference]:
    """Yield each bare 用户 and "user" that is one user (用户喜欢猫, "User quit smoking", "helped user with taxes")."""
    found = [match.span() for match in _RE.user_of_clause.finditer(text)] if "用" in text else []
    for match in _RE.bare_user.finditer(text) if "ser" in text else ():
        if match["next"] is None or match["next"] in _BEHIND_USER or is_finite_verb(match["next"]):
            found.append(match.span("user"))
    for start, end in found:
        if not overlaps(protected, start, end + 1):  # 用户小林: the name stands beside it
            yield Reference("reference", text[start:end], start, end, "third", form="loose_user")


def followed_by_institution(text: str, end: int) -> bool:
    """Return True if a plural pronoun means one person's company, school or teacher: 他们公司, 你们老师."""
    return _RE.institution_or_home.match(text, end) is not None


def rewrite_person(text: str, reference: Reference, name: str) -> list[Edit]:
    """Return the edits that replace a pronoun or stand-in by one person's name."""
    end = reference.end
    if reference.form == "where_person_is":
        return [(reference.start, end, f"{name}那{reference.text[-1]}")]
    if reference.plural:
        if _RE.institution.match(text, end):
            return [(reference.start, end, f"{name}所在的")]
        return [(reference.start, end, name if text.startswith(("家", "一家"), end) else f"{name}的")]
    called = reference.start and text[reference.start - 1] in "叫喊称稱唤喚" and _TITLE_ENDS.match(text, end)
    joint = "的" if _RE.belongs.match(text, end) and not called else ""
    return [(reference.start, end, f"{name}{joint}")]


def rewrite_group(reference: Reference, group: str) -> list[Edit]:
    """Return the edits that replace 本群, 这里 or 你们 by the group's name."""
    name = f"{group}的成员" if reference.person == "second" else group
    return [(reference.start, reference.end, name)]
