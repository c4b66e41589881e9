"""What of a model's answer about the lines of profiles is believed, and the profiles that come of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from ..schema.profile import LineKind, Profile, ProfileKey, ProfileLine, bounded_evidence, line_id_of
from ..text.declared import line_kind
from ..text.gate import Finding, GateResult, find_relative_words, reasons
from ..text.profiles.cleaning import LINE_CHARACTERS, clean_line
from ..text.profiles.lines import plain_words, with_lines
from ..text.profiles.rules import subject_of
from ..text.profiles.said import CERTAIN
from ..text.quotations import comparable
from ..text.superseding import MOST_ENDED, Statement, could_end, may_concern
from ..text.support import share, terms_in, turns_round
from ..text.supported import figures, share_told, unsupported, without_people
from .merging import (
    AddedLine,
    ChangedLine,
    EndedLine,
    LineOperation,
    MergeQuestion,
    NewFact,
    UpdateProfiles,
    ends_at_random,
    numbers_of,
)

KEPT = 0.8
"""The least share of a line's content words that its new words keep: with fewer the line ends, and
the new words are a line of their own."""
SAME_MATTER = 0.5
"""The least share of a line's content words that a fact has which ends it."""
ONCE: frozenset[LineKind] = frozenset(("home", "work"))
"""Kinds of what one mostly has once: a new one may end the former without sharing a word with it."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_WHY = {
    "zh": {
        "facts": "facts 要写依据的新信息编号，如 N1",
        "line": "没有这个编号的行：line 写 L1 这样的编号",
        "about": "没有给出这份画像",
        "empty": "text 是空的",
        "long": f"超过 {LINE_CHARACTERS} 个字：一行只说一件事",
        "third": "说的是别的成员，不属于这个人的画像",
        "pinned": "这一行是置顶的，不能改：另加一行",
        "many": f"一条新信息至多结束 {MOST_ENDED} 行",
        "compound": "这一行不止说一件事：不要 end，用 change 写还成立的那部分",
        "unconcerned": "所依据的新信息说的不是这一行的事",
    },
    "en": {
        "facts": "facts: name the new information it rests on, such as N1",
        "line": "there is no such line: give its id, such as L1",
        "about": "this profile was not shown",
        "empty": "the text is empty",
        "long": f"longer than {LINE_CHARACTERS} characters: a line is one statement",
        "third": "it is about another member and no part of this person's profile",
        "pinned": "this line is pinned and cannot be changed: add another one",
        "many": f"one piece of new information ends {MOST_ENDED} lines at most",
        "compound": "this line says more than one thing: do not end it, change it to what still holds",
        "unconcerned": "the new information it rests on is about another matter",
    },
}


class LineMerge:
    """The profiles of one merge, and the facts that no line took up, while answers are taken.

    Lines that no operation names keep their place and id; an ended line stays with its last day.
    """

    def __init__(self, question: MergeQuestion) -> None:
        self.question = question
        self.profiles: dict[ProfileKey, Profile] = {one.key: one for one in question.profiles}
        self._days = list({fact.day for fact in question.facts})
        self._refused: set[int] = set()
        self._taken: set[int] = set()
        self._warned: set[str] = set()
        """Lines of which the model was told that they say more than one thing."""

    def left(self, *, certain: bool) -> list[int]:
        """Return the places of facts on which a refused operation rested and no line that was taken.

        With `certain` those too that no line took up and that are about health or boundaries: a weak model may overlook them.
        """
        kinds = [line_kind(fact.text) for fact in self.question.facts] if certain else []
        return sorted((self._refused | {n for n, kind in enumerate(kinds) if kind in CERTAIN}) - self._taken)

    def take(self, answer: UpdateProfiles) -> list[tuple[LineOperation, str]]:
        """Apply the operations of an answer that its facts carry; return the others, each with the reason."""
        refused: list[tuple[LineOperation, str]] = []
        ends = Counter(n for one in answer.end for n in self._facts(one.facts))
        believed = [] if ends_at_random(answer, self.question.former) else answer.end
        operations: list[LineOperation] = [*answer.change, *answer.add, *believed]
        for operation in operations:
            facts = self._facts(operation.facts)
            if why := self._applied(operation, ends):
                refused.append((operation, why))
                self._refused.update(facts or range(len(self.question.facts)))
            elif not isinstance(operation, EndedLine):
                self._taken.update(facts)
        for profile in list(self.profiles.values()):
            self._put(profile, tuple(self._told_again(profile.key, line) for line in profile.lines))
        return refused

    def _applied(self, operation: LineOperation, ends: Counter[int]) -> str:
        """Apply an operation; return the reason, or "" if it was taken."""
        places = self._facts(operation.facts)
        if not places:
            return self._why("facts")
        facts = {f"N{n + 1}": self.question.facts[n] for n in places}
        if isinstance(operation, AddedLine):
            return self._add(operation, facts)
        numbers = numbers_of("L", [operation.line], len(self.question.lines))
        if not numbers:
            return self._why("line")
        key, line_id = self.question.lines[numbers[0] - 1][0], self.question.lines[numbers[0] - 1][1].line_id
        line = next((one for one in self.profiles[key].lines if one.line_id == line_id), None)
        if line is None or line.until:
            return ""  # it has ended already
        if isinstance(operation, ChangedLine):
            return self._change(operation, key, line, f"L{numbers[0]}", facts)
        if any(ends[n] > MOST_ENDED for n in places):
            return self._why("many")
        rested = {fact.event_id for fact in facts.values() if fact.event_id}
        if rested.intersection(line.evidence):
            return self._why("unconcerned")
        kinds = {one.kind for one in self.profiles[key].lines if rested.intersection(one.evidence)}
        if why := self._why_not_ended(key, line, list(facts.values()), kinds):
            return why
        self._replace(key, line, replace(line, until=max(fact.day for fact in facts.values())))
        return ""

    def _add(self, operation: AddedLine, facts: dict[str, NewFact]) -> str:
        key = next((one for one in self.profiles if one.entity_type == operation.about), None)
        if key is None:
            return self._why("about")
        text = clean_line(operation.text)
        sources = _told(facts)
        if why := self._why_refused(key, text, sources):
            return why
        until = operation.until if self._is_told_until(operation.until, facts) else ""
        new = self._new_line(key, text, facts, kind=_kind(text, operation.kind), until=until)
        self._put(self.profiles[key], with_lines(self.profiles[key].lines, [new], self._name(key)))
        return ""

    def _is_told_until(self, until: str, facts: dict[str, NewFact]) -> bool:
        """Return True if `until` is a day that the facts name, later than they were told."""
        told = figures(" ".join(fact.text for fact in facts.values()), uncertain=True)
        is_later = _is_day(until) and until > max(fact.day for fact in facts.values())
        return is_later and figures(until).keys() <= told.keys()

    def _change(self, operation: ChangedLine, key: ProfileKey, line: ProfileLine, name: str, facts: dict[str, NewFact]) -> str:
        text = clean_line(operation.text)
        sources = {name: line.text, **_told(facts)}
        if comparable(text) == comparable(line.text):
            text = line.text
            shares = (share_told(text, fact.text, self.question.names) for fact in facts.values())
            if max(shares) < SAME_MATTER:
                return self._why("unconcerned")
        elif line.pinned:
            return self._why("pinned")
        elif why := self._why_refused(key, text, sources):
            return why
        kind = _kind(text, operation.kind or line.kind)
        if self._keeps(text, line.text):
            changed = replace(line, text=text, kind=kind)
            (changed,) = with_lines([changed], [self._again(key, changed, facts)])
            self._replace(key, line, changed)
            return ""
        parts = self._statement(key, line.text).joined
        over = [part for part in parts if not self._keeps(text, part.removeprefix(self._name(key)))]
        is_part = 0 < len(over) < len(parts)
        for part in over if is_part else [line.text]:
            if why := self._why_not_ended(key, replace(line, text=part), list(facts.values()), {kind}):
                return why
        rests_on = () if not unsupported(text, _told(facts), self.question.names, also=self._days) else line.evidence
        if is_part and not unsupported(text, {name: line.text}, self.question.names):  # what still holds was told before
            new = replace(line, line_id=line_id_of(text, *line.evidence), text=text, kind=kind)
        else:
            new = self._new_line(key, text, facts, kind=kind, tags=line.tags, evidence=rests_on)
        self._replace(key, line, replace(line, until=max(fact.day for fact in facts.values())))
        self._put(self.profiles[key], with_lines(self.profiles[key].lines, [new], self._name(key)))
        return ""

    def _why_refused(self, key: ProfileKey, text: str, sources: dict[str, str]) -> str:
        """Return why a text is no line that its sources carry: what is missing, or relative; "" if it is one."""
        names, language = self.question.names, self.question.language
        if not text or len(text) > LINE_CHARACTERS:
            return self._why("empty" if not text else "long")
        is_of_others = subject_of(text, names) in {names.bot_name, *names.others} - {""}
        is_own = key.entity_type == "group" or any(name in text for name in names.user_names if name)
        if is_of_others and not is_own:
            return self._why("third")
        relative = reasons(GateResult(tuple(self._relative(key, text, sources.values()))), language)
        found = unsupported(text, sources, names, also=self._days)
        return " ".join([*relative, *(one.reason(language) for one in found)])

    def _relative(self, key: ProfileKey, text: str, sources: Collection[str]) -> Iterator[Finding]:
        """Yield the relative words of a line that neither its subject, which is left out, explains nor a source has unexplained.

        A line that a source has word for word is not blamed for what that leaves open, nor for an hour in words handed over.
        """
        names, said = self.question.names, comparable(text)
        stated = find_relative_words(self._statement(key, text).text, names=names).violations
        whole = [one for one in sources if said in comparable(one)]
        given = {(one.kind, one.text) for source in whole for one in find_relative_words(source, names=names).violations}
        words = "\n".join(f"{fact.text}\n{fact.words}" for fact in self.question.facts if fact.words)
        for one in find_relative_words(text, names=names).violations:
            if one.kind == "time":
                is_known = one.text in words
            else:
                is_open = any(one.text == other.text and one.kind == other.kind for other in stated)
                is_known = one.start > 0 and one.why != "first" and (not is_open or (one.kind, one.text) in given)
            if not is_known:
                yield one

    def _why_not_ended(self, key: ProfileKey, line: ProfileLine, facts: Sequence[NewFact], kinds: Collection[LineKind]) -> str:
        """Return why none of the facts may end a line: it says more than one thing, or is another matter.

        A line that says more than one thing ends where the model says so again, after it was told why not.

        A fact is about the same matter if both share a topic or content words, or if one of its lines, of `kinds`, tells of
        the same thing that one has only once.
        """
        old = self._statement(key, line.text)
        if old.is_compound and line.line_id not in self._warned:
            self._warned.add(line.line_id)
            return self._why("compound")
        is_replaced = line.kind in ONCE and line.kind in kinds and not line.pinned
        for fact in facts:
            new = self._statement(key, fact.text)
            is_told = is_replaced or share_told(line.text, fact.text, self.question.names) >= SAME_MATTER
            if could_end(new, old) or (is_told and may_concern(new, old)):
                return ""
        return self._why("unconcerned")

    def _statement(self, key: ProfileKey, text: str) -> Statement:
        """Return a line or fact as a statement about the entity, whose name lines leave out."""
        own = self._name(key)
        people = (self.question.names.bot_name, *self.question.names.people, own)
        bare = Statement(text, people)
        between = "" if self.question.language == "zh" else " "
        return bare if bare.subject else Statement(f"{own}{between}{text}", people)

    def _keeps(self, text: str, old: str) -> bool:
        """Return True if new words say all that the old ones do."""
        text, old = (without_people(one, self.question.names) for one in (text, old))
        wanted = terms_in(old, dates=False)
        is_whole = share(wanted, terms_in(text, dates=False)) >= KEPT and figures(old).keys() <= figures(text).keys()
        return is_whole and not turns_round(old, text, self.question.names)

    def _new_line(
        self, key: ProfileKey, text: str, facts: dict[str, NewFact], *, evidence: tuple[str, ...] = (), **fields: Any
    ) -> ProfileLine:
        told = list(facts.values())
        days = sorted(fact.day for fact in told)
        claimed = next((one.said_by for one in told if one.said_by not in ("", key.entity_id)), "")
        given = {"said_by": claimed if key.entity_type == "user" else "", **fields}
        return ProfileLine(
            line_id_of(text, *(fact.event_id for fact in told)),
            text,
            told=len(told),
            first_day=days[0],
            last_day=days[-1],
            evidence=bounded_evidence((*evidence, *(fact.event_id for fact in told if fact.event_id))),
            **given,
        )

    def _told_again(self, key: ProfileKey, line: ProfileLine) -> ProfileLine:
        """Return a line with the evidence of the facts that say what it says."""
        said = self._said(key, line.text)
        for n, fact in enumerate(self.question.facts, 1):
            if not line.until and self._said(key, fact.text) == said:
                (line,) = with_lines([line], [self._again(key, line, {f"N{n}": fact})])
                self._taken.add(n - 1)
        return line

    def _again(self, key: ProfileKey, line: ProfileLine, facts: dict[str, NewFact]) -> ProfileLine:
        return self._new_line(key, line.text, facts, kind=line.kind, said_by=line.said_by)

    def _said(self, key: ProfileKey, text: str) -> str:
        return plain_words(text.replace(self._name(key) or "\0", " "))

    def _name(self, key: ProfileKey) -> str:
        names, language = self.question.names, self.question.language
        return names.user(language) if key.entity_type == "user" else names.group(language)

    def _facts(self, written: Sequence[str]) -> list[int]:
        """Return the places of the facts that an operation names; the only one that there is needs no name."""
        known = self.question.facts
        return [0] if len(known) == 1 else [n - 1 for n in numbers_of("N", written, len(known))]

    def _replace(self, key: ProfileKey, line: ProfileLine, new: ProfileLine) -> None:
        lines = tuple(new if one.line_id == line.line_id else one for one in self.profiles[key].lines)
        self._put(self.profiles[key], lines)

    def _put(self, profile: Profile, lines: tuple[ProfileLine, ...]) -> None:
        self.profiles[profile.key] = replace(profile, lines=lines)

    def _why(self, name: str) -> str:
        return _WHY[self.question.language][name]


def _kind(text: str, given: LineKind) -> LineKind:
    """Return the kind of a line: that which a model gave it, but health and boundaries are known by their words."""
    known = line_kind(text)
    return known if given == "other" or known in CERTAIN else given


def _told(facts: dict[str, NewFact]) -> dict[str, str]:
    return {name: f"{fact.text}\n{fact.words}".rstrip() for name, fact in facts.items()}


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False
