"""Checks of the texts of profile lines, and of the facts that may end a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..schema.profile import ProfileKey, ProfileLine
from ..text.checks.clauses import share_told, turns_round
from ..text.checks.figures import figures
from ..text.checks.findings import Finding, SourceTexts
from ..text.checks.gate import check
from ..text.content_words import share, terms_in, without_people
from ..text.facts.superseding import Statement, could_end, has_same_owner
from ..text.profiles.lines import LINE_CHARACTERS, subject_of
from ..text.quotations import comparable
from ..text.time_expressions import is_counted_from_today
from .asking import named_day
from .merging import MergeQuestion, NewFact, is_guarded

KEPT = 0.8
"""Minimum share of a line's content words that a change of its text keeps. With fewer, the line
ends and the new text becomes another line."""
SAME_MATTER = 0.5
"""Minimum share of a line's content words in a fact about the same matter."""
DAYS_OF_HABIT = 3
"""A line that was told on at least this many days may say "often" without a source that does."""
_OFTEN = re.compile(
    r"经常|常常|总是|一般都|通常|以前|\b(?:often|usually|always|regularly|used to)\b", re.IGNORECASE
)


class LineChecks:
    """The checks of one merge. A refusal to end a line is remembered for the second request."""

    def __init__(self, question: MergeQuestion) -> None:
        self._question = question
        self._warned: set[str] = set()
        self._subjects = {one.key: one for one in question.subjects}
        self.days = list({fact.day for fact in question.facts})
        told = (f"{one.text}\n{one.words}" for one in question.facts)
        self._beside = "\n".join(
            (
                *told,
                *(line.text for _, line in question.lines),
                *(one.name(question.language) for one in question.subjects),
            )
        )

    def why_refused(self, key: ProfileKey, text: str, sources: Mapping[str, str], told: int) -> str:
        """Return why a text is no valid line that its sources support; "" if it is one."""
        names = self._subjects[key].names
        is_of_others = subject_of(text, names) in {names.bot_name, *names.others} - {""}
        is_own = key.entity_type == "group" or any(one and one in text for one in names.user_names)
        if is_of_others and not is_own:
            return Finding("claim", text, why="member").reason(self._question.language)
        often = _OFTEN.search(text)
        if often and told < DAYS_OF_HABIT and not any(map(_OFTEN.search, sources.values())):
            return Finding("claim", often[0], why="often").reason(self._question.language)
        verdict = check(
            text,
            names,
            sources=SourceTexts(sources, self.days, self._beside),
            allows=self._allowed(key, text, sources),
            most=LINE_CHARACTERS,
        )
        return " ".join(verdict.reasons(self._question.language))

    def _allowed(
        self, key: ProfileKey, text: str, sources: Mapping[str, str]
    ) -> Callable[[Finding], bool]:
        """Return which relative words a line may have.

        A pronoun after the beginning may refer to the subject of the profile, which the line omits.
        If a source contains the line word for word, other references may remain unresolved too.
        Of times, only those counted from today ("yesterday") are relative; an hour is not.
        """
        is_quoted = any(comparable(text) in comparable(one) for one in sources.values())
        stated = check(self._statement(key, text).text, self._subjects[key].names)
        still_open = set() if is_quoted else {one.text for one in stated.violations}

        def allows(one: Finding) -> bool:
            if one.kind == "time":
                return not is_counted_from_today(one.text)
            return one.start > 0 and one.why != "first" and one.text not in still_open

        return allows

    def may_end(
        self, key: ProfileKey, line: ProfileLine, facts: Sequence[NewFact], kept: str = ""
    ) -> bool:
        """Return True if the facts may end a line, or the part that its new text `kept` omits.

        No fact may be evidence of the line or say the same. Each statement of a guarded line, and
        each omitted statement, must be about the same matter as a fact: otherwise news of one
        allergy would end the line on another. If a line on health or a boundary is not pinned, a
        model's second request to end it is accepted without this check.
        """
        rested = {fact.event_id for fact in facts if fact.event_id}
        if rested.intersection(line.evidence) or any(
            self.keeps(key, fact.text, line.text) for fact in facts
        ):
            return False
        if not is_guarded(line) and (not kept or line.line_id in self._question.over):
            return True
        if not kept and not line.pinned and line.line_id in self._warned:
            return True  # the model requests it for the second time
        self._warned.add(line.line_id)
        parts, name = (
            self._statement(key, line.text).joined,
            self._subjects[key].name(self._question.language),
        )
        gone = [
            one for one in parts if not (kept and self.keeps(key, kept, one.removeprefix(name)))
        ]
        return all(self._concerns(key, one, facts) for one in gone or [line.text])

    def _concerns(self, key: ProfileKey, text: str, facts: Sequence[NewFact]) -> bool:
        """Return True if a fact may be about the same matter: a common topic, or content words."""
        old, names = self._statement(key, text), self._subjects[key].names
        for fact in facts:
            new = self._statement(key, fact.text)
            is_near = share_told(text, fact.text, names) >= SAME_MATTER
            if could_end(new, old) or (is_near and has_same_owner(new, old)):
                return True
        return False

    def keeps(self, key: ProfileKey, text: str, old: str) -> bool:
        """Return True if the new text says everything that the old one says."""
        names = self._subjects[key].names
        text, old = (without_people(one, names) for one in (text, old))
        is_whole = share(terms_in(old, dates=False), terms_in(text, dates=False)) >= KEPT
        is_counted = figures(old).keys() <= figures(text).keys()
        return is_whole and is_counted and not turns_round(old, text, names)

    def is_told_until(self, until: str, facts: dict[str, NewFact]) -> bool:
        """Return True if the facts name the day `until`, and it is after the days of the facts."""
        day = named_day(until, " ".join(fact.text for fact in facts.values()))
        return day is not None and until > max(fact.day for fact in facts.values())

    def _statement(self, key: ProfileKey, text: str) -> Statement:
        """Return a line or fact as a statement. A line gets its subject's name, which it omits."""
        own, names = self._subjects[key].name(self._question.language), self._subjects[key].names
        people = (names.bot_name, *names.people, own)
        bare = Statement(text, people)
        between = "" if self._question.language == "zh" else " "
        return bare if bare.subject else Statement(f"{own}{between}{text}", people)
