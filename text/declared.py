"""Statements about a person's identity: name, birthday, home, work, family, diet, form of address, boundaries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..schema.names import Names
from .profiles.rules import SINGLE_VALUED, is_about, user_begins
from .statements import LONGEST_STATEMENT, spoken_by, stamped
from .support import content_terms, has_ended, words_only
from .word_lists import alternatives, compiled_patterns, in_full, word_tables

_TABLES = word_tables("declared.toml")
_RE = compiled_patterns(_TABLES)
_WORDS = alternatives(_TABLES["words"])
_TOPICS = {topic: re.compile(in_full("|".join(ways), _WORDS), re.IGNORECASE) for topic, ways in _TABLES["topics"].items()}
_ONE_AT_A_TIME = frozenset({*SINGLE_VALUED, "name"})
_FORMER = re.compile(r"以前|曾经?|之前|原来|小时候|过去|前几年|\b(?:used to|formerly|previously|as a child|years ago)\b", re.I)
_MAY_BE_PLANNED = frozenset(("home", "work", "family"))
_QUESTION = re.compile(r"[?？]\s*$|吗$|呢$|是不是|有没有|哪里|什么|\b(?:whether)\b")
_WISHED = re.compile(r"\b(?:wish\w*|if|maybe|perhaps)\b|要是|如果|假如|但愿|希望自己", re.I)
_SUPPOSED = re.compile(r"如果|要是|假如|想|打算|计划|以前|曾经|\b(?:if|would|might|wants?|plans?|used to|formerly)\b", re.I)
_BELONGING = re.compile(r"^(?:的|['’]s?\s)")


def topics_of(line: str) -> frozenset[str]:
    """Return the identity topics of a line: name, birthday, home, work, called, family, diet, boundary."""
    return frozenset(topic for table in (SINGLE_VALUED, _TOPICS) for topic, pattern in table.items() if pattern.search(line))


def declared_topics(statement: str, names: Names, *, by_user: bool = False) -> frozenset[str]:
    """Return the topics that a statement declares about the person; none for plans, questions, the past and third persons.

    `by_user` is True if the person said it: a boundary then needs no subject ("never call Tom Tommy").
    """
    bare = _RE.opening.sub("", statement.strip()[:LONGEST_STATEMENT])
    user = user_begins(bare, names)
    if _QUESTION.search(bare) or _FORMER.search(bare):
        return frozenset()
    topics = topics_of(bare)
    if _RE.points_at_talk.search(bare):
        topics -= {"boundary"}
    if not user:
        return topics & {"boundary"} if by_user else frozenset()
    rest = bare[bare.casefold().find(user.casefold()) + len(user) :]
    if _BELONGING.match(rest) and not _RE.own.match(rest):  # about a relative or a thing, not the person
        topics &= {"family", "boundary"}
    elif _RE.somebody_else.search(rest):
        topics -= _ONE_AT_A_TIME
    if _RE.planned.search(rest):
        topics -= _MAY_BE_PLANNED
    diet = _TOPICS["diet"].search(rest)
    if diet is not None and _WISHED.search(rest[: diet.start()]):
        topics -= {"diet"}
    return topics


def declared_in(line: str, names: Names) -> frozenset[str]:
    """Return the `declared_topics` of a line that may begin with a day and a speaker."""
    speaker, said = spoken_by(stamped(line)[1])
    return declared_topics(said, names, by_user=speaker in ("", names.user_name))


def single_facts(statement: str, names: Names) -> list[str]:
    """Split a statement into facts that can change independently (home, work, an allergy), one line each.

    It is split at commas and at "and" before a verb. A part without a subject gets the person's name if it continues the
    declaration, unless it may be about somebody just named. A statement that only repeats the person's name ("Tom is called
    Tom") is dropped. Suppositions, plans, questions and what is longer than LONGEST_STATEMENT characters are returned unchanged.
    """
    if len(statement) > LONGEST_STATEMENT:
        return [statement]
    opening = _RE.opening.match(statement)
    begin = opening.end() if opening else 0
    user = user_begins(statement[begin:], names)
    if not user or _QUESTION.search(statement) or _SUPPOSED.search(statement):
        return [] if _RE.own_name.match(statement) else [statement]
    clauses = [clause.strip() for clause in _RE.clause_end.split(statement[begin:]) if clause.strip()]
    told = [clause for clause in clauses if not _RE.own_name.match(clause)]
    parts = _parts(told, user, names, begun=len(told) < len(clauses))
    if len(told) == len(clauses) and (len(parts) < 2 or not any(topics for _, topics in parts)):
        return [statement]
    return [f"{statement[:begin]}{parts[0][0]}", *(text for text, _ in parts[1:])] if parts else []


def _parts(clauses: Sequence[str], user: str, names: Names, *, begun: bool) -> list[tuple[str, frozenset[str]]]:
    """Return (line, declared topics) pairs; a clause that declares nothing new is joined to the line before it.

    `begun` is True if something was declared before the first clause.
    """
    parts: list[tuple[str, frozenset[str]]] = []
    for clause in clauses:
        before, held = parts[-1] if parts else ("", frozenset(("name",)) if begun else frozenset())
        chinese = not clause.isascii()
        named = is_about(clause, user)
        goes_on = bool(held) and user not in clause and not (chinese and _RE.somebody_else.search(before.replace(user, "")))
        whole = clause if named else f"{user}{clause}" if chinese else f"{user} {clause}"
        topics = declared_topics(whole, names) if named or goes_on else frozenset()
        if topics and (not before or not topics <= held):
            parts.append((whole, topics))
        elif before:
            parts[-1] = (f"{before}，{clause}" if chinese else f"{before}, {clause}", held)
        else:
            parts.append((clause, topics))
    return parts


def replaces(new: str, old: str, names: Names) -> bool:
    """Return True if the declared line `new` supersedes `old`: of single-valued topics (home, work), the newest holds.

    Topics with several values (a relative, an allergy) are superseded if `new` says that they have ended.
    """
    mine, theirs = declared_topics(new, names), declared_topics(old, names)
    if mine & theirs & _ONE_AT_A_TIME:
        return True
    if not mine & theirs or not has_ended(new) or has_ended(old):
        return False
    over, stood = (_beside(text, mine & theirs, names) for text in (new, old))
    return not over or not stood or bool(over & stood)


def _beside(text: str, topics: frozenset[str], names: Names) -> frozenset[str]:
    """Return the content words of a line besides those of its topics: the peanuts of an allergy."""
    for topic in topics & _TOPICS.keys():
        text = _TOPICS[topic].sub(" ", text)
    return words_only(content_terms(_RE.ends.sub(" ", text), names, dates=False))
