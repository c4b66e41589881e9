"""Checks a model's operations on the lines of profiles, and applies those that facts support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..schema.event import EventLink
from ..schema.profile import (
    LineKind,
    Profile,
    ProfileKey,
    ProfileLine,
    bounded_evidence,
    line_id_of,
)
from ..text.checks.clauses import share_told
from ..text.checks.figures import figures
from ..text.checks.findings import SourceTexts
from ..text.checks.supported import unsupported
from ..text.facts.superseding import MOST_ENDED
from ..text.profiles.declared import line_kind
from ..text.profiles.lines import CERTAIN, clean_line, plain_words, with_lines
from ..text.quotations import comparable
from .asking import CONTROL, numbers_of, short_id
from .line_checks import KEPT, SAME_MATTER, LineChecks
from .merging import (
    AddedLine,
    ChangedLine,
    EndedLine,
    LineOperation,
    MergeQuestion,
    NewFact,
    UpdateProfiles,
)

_WHY = {
    "zh": {
        "facts": "facts 要写依据的新信息编号，如 N1",
        "line": "没有这个编号的行：line 写 L1 这样的编号",
        "about": "没有给出这份画像：about 写 P1 或 G 这样的编号",
        "private": "所依据的新信息不能写进这份画像：看它方括号里的编号",
        "pinned": "这一行是置顶的，不能改：另加一行",
        "many": f"一条新信息至多结束 {MOST_ENDED} 行",
        "unconcerned": "所依据的新信息说的不是这一行的事",
    },
    "en": {
        "facts": "facts: name the new information it rests on, such as N1",
        "line": "there is no such line: give its id, such as L1",
        "about": "this profile was not shown: about is an id such as P1 or G",
        "private": "the new information it rests on may not enter this profile: see its brackets",
        "pinned": "this line is pinned and cannot be changed: add another one",
        "many": f"one piece of new information ends {MOST_ENDED} lines at most",
        "unconcerned": "the new information it rests on is about another matter",
    },
}


class LineMerge:
    """The profiles of one merge while answers are applied, and `links` of superseded former facts.

    Lines that no operation names keep their position and id. An ended line remains in the profile,
    with its last day. `taken` is the number of applied operations.
    """

    def __init__(self, question: MergeQuestion) -> None:
        self.question = question
        self.profiles: dict[ProfileKey, Profile] = {
            one.key: one.profile for one in question.subjects
        }
        self.links: list[EventLink] = []
        self.taken = 0
        self._subjects = {one.key: one for one in question.subjects}
        self._checks = LineChecks(question)

    def take(self, answer: UpdateProfiles) -> list[tuple[LineOperation, str]]:
        """Apply the operations of an answer that their facts support.

        Return the other operations, each with the reason against it. If former facts are listed and
        the answer ends the control, no operation of its `end` is applied.
        """
        refused: list[tuple[LineOperation, str]] = []
        ends = Counter(
            n for one in answer.end if not self._is_over(one.line) for n in self._facts(one.facts)
        )
        names_control = any(short_id(one.line) == ("F", CONTROL) for one in answer.end)
        believed = [] if self.question.listed and names_control else answer.end
        operations: list[LineOperation] = [*answer.change, *answer.add, *believed]
        for operation in operations:
            if why := self._applied(operation, ends):
                refused.append((operation, why))
            else:
                self.taken += 1
        for profile in list(self.profiles.values()):
            self._put(profile, tuple(self._told_again(profile.key, one) for one in profile.lines))
        return refused

    def _is_over(self, line: str) -> bool:
        """Return True if all evidence of a line (given by its short id) is superseded."""
        return any(
            self.question.lines[n - 1][1].line_id in self.question.over
            for n in numbers_of("L", [line], len(self.question.lines))
        )

    def _applied(self, operation: LineOperation, ends: Counter[int]) -> str:
        """Apply an operation. Return "", or the reason why it cannot be applied."""
        places = self._facts(operation.facts)
        facts = {f"N{n + 1}": self.question.facts[n] for n in places}
        if not places:
            return self._why("facts")
        if isinstance(operation, AddedLine):
            return self._add(operation, facts)
        if isinstance(operation, EndedLine) and any(ends[n] > MOST_ENDED for n in places):
            return self._why("many")
        if isinstance(operation, EndedLine) and short_id(operation.line)[0] in ("F", "N"):
            return self._end_former(*short_id(operation.line), list(facts.values()))
        numbers = numbers_of("L", [operation.line], len(self.question.lines))
        if not numbers:
            return self._why("line")
        key, shown = self.question.lines[numbers[0] - 1]
        held = self.profiles[key].lines
        line = next((one for one in held if one.line_id == shown.line_id), None)
        if line is None or line.until:
            return ""  # the line has ended already
        if not _may_enter(key, facts):
            return self._why("private")
        if isinstance(operation, ChangedLine):
            return self._change(operation, key, line, f"L{numbers[0]}", facts)
        if not self._checks.may_end(key, line, list(facts.values())):
            return self._why("unconcerned")
        self._end(key, line, list(facts.values()))
        return ""

    def _add(self, operation: AddedLine, facts: dict[str, NewFact]) -> str:
        key = self._key_of(operation.about)
        if key is None:
            return self._why("about")
        if not _may_enter(key, facts):
            return self._why("private")
        text = clean_line(operation.text)
        if why := self._checks.why_refused(
            key, text, _told(facts), len({one.day for one in facts.values()})
        ):
            return why
        until = operation.until if self._checks.is_told_until(operation.until, facts) else ""
        self._put_new(
            key, self._new_line(key, text, facts, kind=_kind(text, operation.kind), until=until)
        )
        return ""

    def _change(
        self,
        operation: ChangedLine,
        key: ProfileKey,
        line: ProfileLine,
        name: str,
        facts: dict[str, NewFact],
    ) -> str:
        text, names = clean_line(operation.text), self._subjects[key].names
        told = line.told + len(facts) if line.last_day < max(self._checks.days) else 1
        if comparable(text) == comparable(line.text):
            text = line.text
            if all(share_told(text, one.text, names) < SAME_MATTER for one in facts.values()):
                return ""  # the line is unchanged
        elif line.pinned:
            return self._why("pinned")
        elif why := self._checks.why_refused(key, text, {name: line.text, **_told(facts)}, told):
            return why
        kind = _kind(text, operation.kind or line.kind)
        if self._checks.keeps(key, text, line.text):
            is_moved = figures(text).keys() != figures(line.text).keys()
            changed = replace(line, text=text, kind=kind, until="" if is_moved else line.until)
            (changed,) = with_lines([changed], [self._again(key, changed, facts)])
            self._replace(key, line, changed)
            return ""
        if not self._checks.may_end(key, line, list(facts.values()), text):
            return self._why("unconcerned")
        if unsupported(text, SourceTexts({name: line.text}, self._checks.days), names):
            is_new = not unsupported(text, SourceTexts(_told(facts), self._checks.days), names)
            rests_on = () if is_new else line.evidence
            new = self._new_line(key, text, facts, kind=kind, tags=line.tags, evidence=rests_on)
        else:  # the new text is the part of the old one that still holds
            new = replace(line, line_id=line_id_of(text, *line.evidence), text=text, kind=kind)
        self._end(key, line, list(facts.values()))
        self._put_new(key, new)
        return ""

    def _end(self, key: ProfileKey, line: ProfileLine, facts: Sequence[NewFact]) -> None:
        """End a line, and the former facts among its evidence that say only what the line says."""
        self._replace(key, line, replace(line, until=max(fact.day for fact in facts)))
        names = self._subjects[key].names
        for one in self.question.former:
            if one.event_id in line.evidence and share_told(one.text, line.text, names) >= KEPT:
                self._link(one.event_id, one.by, facts)

    def _end_former(self, letter: str, n: int, facts: Sequence[NewFact]) -> str:
        """End the former fact of a short id. Return "", or the reason why it cannot be ended.

        The letter N means a new fact of an earlier job, which is a former fact of a later one.
        """
        question, n = self.question, n - 1
        known = {one.event_id: one for one in question.former}
        if letter == "N":
            one = known.get(question.facts[n].event_id) if 0 <= n < len(question.facts) else None
        else:
            one = (
                question.listed[n - CONTROL]
                if CONTROL <= n < CONTROL + len(question.listed)
                else None
            )
        is_ended = one is not None and self._link(one.event_id, one.by, facts)
        return "" if is_ended else self._why("unconcerned")

    def _link(self, event_id: str, by: Sequence[str], facts: Sequence[NewFact]) -> bool:
        new = next((one.event_id for one in facts if one.event_id in by), "")
        if new:
            self.links.append(EventLink(event_id, new))
        return bool(new)

    def _new_line(
        self,
        key: ProfileKey,
        text: str,
        facts: Mapping[str, NewFact],
        *,
        evidence: tuple[str, ...] = (),
        **fields: Any,
    ) -> ProfileLine:
        told = list(facts.values())
        days = sorted(fact.day for fact in told)
        claims = (one.said_by for one in told if key.entity_type == "user")
        claimed = next((one for one in claims if one not in ("", key.entity_id)), "")
        return ProfileLine(
            line_id_of(text, *(fact.event_id for fact in told)),
            text,
            told=len(told),
            first_day=days[0],
            last_day=days[-1],
            evidence=bounded_evidence(
                (*evidence, *(fact.event_id for fact in told if fact.event_id))
            ),
            **{"said_by": claimed, **fields},
        )

    def _told_again(self, key: ProfileKey, line: ProfileLine) -> ProfileLine:
        """Return a line with the evidence of the facts that repeat it in the same words."""
        said = self._said(key, line.text)
        for fact in self.question.facts:
            if not line.until and key in fact.keys and self._said(key, fact.text) == said:
                (line,) = with_lines([line], [self._again(key, line, {"": fact})])
        return line

    def _again(
        self, key: ProfileKey, line: ProfileLine, facts: Mapping[str, NewFact]
    ) -> ProfileLine:
        return self._new_line(key, line.text, facts, kind=line.kind, said_by=line.said_by)

    def _said(self, key: ProfileKey, text: str) -> str:
        return plain_words(text.replace(self._name(key) or "\0", " "))

    def _name(self, key: ProfileKey) -> str:
        return self._subjects[key].name(self.question.language)

    def _key_of(self, about: str) -> ProfileKey | None:
        """Return the key of the profile that an answer names by short id, name or entity type.

        An empty name means the only profile. Return None if the name is unknown or ambiguous.
        """
        marks, said = self.question.marks, about.strip().casefold()
        if len(marks) == 1 and not said:
            return next(iter(marks.values())).key
        named = [
            one.key
            for mark, one in marks.items()
            if said in (mark.casefold(), self._name(one.key).casefold(), one.key.entity_type)
            or said.startswith(f"{mark.casefold()} ")
        ]
        return named[0] if len(named) == 1 else None

    def _facts(self, written: Sequence[str]) -> list[int]:
        """Return the indexes of the facts that an operation names; [0] if there is only one."""
        known = self.question.facts
        return [0] if len(known) == 1 else [n - 1 for n in numbers_of("N", written, len(known))]

    def _replace(self, key: ProfileKey, line: ProfileLine, new: ProfileLine) -> None:
        lines = (new if one.line_id == line.line_id else one for one in self.profiles[key].lines)
        self._put(self.profiles[key], tuple(lines))

    def _put_new(self, key: ProfileKey, line: ProfileLine) -> None:
        profile = self.profiles[key]
        self._put(profile, with_lines(profile.lines, [line], self._name(key)))

    def _put(self, profile: Profile, lines: tuple[ProfileLine, ...]) -> None:
        self.profiles[profile.key] = replace(profile, lines=lines)

    def _why(self, name: str) -> str:
        return _WHY[self.question.language][name]


def _may_enter(key: ProfileKey, facts: Mapping[str, NewFact]) -> bool:
    return all(key in fact.keys for fact in facts.values())


def _kind(text: str, given: LineKind) -> LineKind:
    """Return the kind of a line: the kind given by the model, unless the words show another one.

    The words decide if they are about health or a boundary, or if the model gave "other". As an
    exception, `relation` is kept for the health of a relative.
    """
    known = line_kind(text)
    is_certain = known in CERTAIN and given != "relation"
    return known if given == "other" or is_certain else given


def _told(facts: Mapping[str, NewFact]) -> dict[str, str]:
    return {name: f"{fact.text}\n{fact.words}".rstrip() for name, fact in facts.items()}
