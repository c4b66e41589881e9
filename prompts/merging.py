"""The question about the profile lines that new facts add, change or end, and its answer form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..schema.names import Names
from ..schema.payloads import OldFact
from ..schema.profile import LINE_KINDS, LineKind, Profile, ProfileKey, ProfileLine
from ..text.content_words import content_terms, share
from ..text.language import Language
from ..text.tokens import estimate_tokens
from .asking import CONTROL, CONTROL_FACT, Texts, some
from .templates import one_line, render

MOST_LINES = 60
"""Maximum number of profile lines in one question. Guarded lines are preferred (`is_guarded`), then
the lines most similar to the new facts, then the newest ones."""
MOST_TOKENS = 4_000
"""Maximum number of tokens of the facts in one question, and also of its lines. Further profiles
are part of the next question."""


def _known_kind(value: Any) -> Any:
    return value if value in LINE_KINDS else "other"


Facts = Annotated[Texts, Field(description="N1")]
Kind = Annotated[LineKind, BeforeValidator(_known_kind)]


class AddedLine(BaseModel):
    """A new line."""

    model_config = ConfigDict(json_schema_extra={"required": ["about", "text", "kind", "facts"]})

    about: str = Field(default="", description="P1, or G for the group")
    text: str
    kind: Kind = "other"
    facts: Facts
    until: str = Field(default="", description="YYYY-MM-DD, if the new information names it")


class ChangedLine(BaseModel):
    """The new words of a line."""

    model_config = ConfigDict(json_schema_extra={"required": ["line", "text", "facts"]})

    line: str = Field(description="L1")
    text: str
    kind: Kind | None = None
    facts: Facts


class EndedLine(BaseModel):
    """A line, former fact or earlier new fact that no longer holds."""

    model_config = ConfigDict(json_schema_extra={"required": ["line", "facts"]})

    line: str = Field(description="L1, F2 or an earlier N1")
    facts: Facts


LineOperation = AddedLine | ChangedLine | EndedLine


class UpdateProfiles(BaseModel):
    """The lines to add, change and end; every other line stays."""

    model_config = ConfigDict(title="update_profiles")

    add: Annotated[list[AddedLine], some] = Field(default_factory=list)
    change: Annotated[list[ChangedLine], some] = Field(default_factory=list)
    end: Annotated[list[EndedLine], some] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewFact:
    """A filed fact that is merged into profiles.

    `day` is `YYYY-MM-DD`; `speaker` is the name of its teller, `said_by` the id ("" if unknown).
    `words` are the original words, if their only time is an hour that was resolved to this day.
    `passed` is True if the gate passed it; `dated`, `is_open` and `lasting` are those of its
    `LearntFact`. `keys` are the profiles that the fact may enter.
    """

    text: str
    event_id: str = ""
    day: str = ""
    speaker: str = ""
    said_by: str = ""
    words: str = ""
    keys: tuple[ProfileKey, ...] = ()
    passed: bool = True
    dated: bool = False
    is_open: bool = False
    lasting: bool = True


@dataclass(frozen=True, slots=True)
class Subject:
    """A shown profile, and the names of its conversation. The person of a profile is the user."""

    profile: Profile
    names: Names

    @property
    def key(self) -> ProfileKey:
        return self.profile.key

    def name(self, language: Language) -> str:
        is_user = self.key.entity_type == "user"
        return self.names.user(language) if is_user else self.names.group(language)


@dataclass(frozen=True, slots=True)
class MergeQuestion:
    """The data that a model is shown for a merge.

    In the prompt, `subjects` have the short ids P1, P2 … and G, `lines` L1 …, `facts` N1 …, and
    former facts F2 …, because F1 is the control. `slots` are topics on which the owner wants a line
    about every person. `over` are the ids of lines whose evidence is all superseded.
    """

    language: Language
    subjects: Sequence[Subject]
    facts: Sequence[NewFact]
    lines: Sequence[tuple[ProfileKey, ProfileLine]]
    former: Sequence[OldFact] = ()
    slots: Sequence[str] = ()
    over: Collection[str] = ()

    @classmethod
    def of(
        cls,
        language: Language,
        subjects: Sequence[Subject],
        facts: Sequence[NewFact],
        former: Sequence[OldFact] = (),
        slots: Sequence[str] = (),
        over: Collection[str] = (),
    ) -> MergeQuestion:
        """Return the question about `facts`, with the lines that hold on the latest fact's day."""
        return cls(language, subjects, facts, _shown_lines(subjects, facts), former, slots, over)

    @property
    def listed(self) -> list[OldFact]:
        """The former facts F2 …, without new facts and without evidence of the shown lines.

        Such evidence ends together with its line.
        """
        told = {name for _, line in self.lines for name in line.evidence}
        told.update(fact.event_id for fact in self.facts)
        return [one for one in self.former if one.event_id not in told]

    @property
    def marks(self) -> dict[str, Subject]:
        """The profiles by the short ids in the prompt."""
        people = [one for one in self.subjects if one.key.entity_type == "user"]
        groups = [one for one in self.subjects if one.key.entity_type == "group"]
        named = {f"P{n}": one for n, one in enumerate(people, 1)}
        return named | {f"G{n}" if n > 1 else "G": one for n, one in enumerate(groups, 1)}

    def prompt(self, refused: Sequence[tuple[LineOperation, str]] = ()) -> str:
        """Return the user message. `refused` are refused operations of the last answer."""
        heads, marks = _HEADS[self.language], self.marks
        mark_of = {subject.key: mark for mark, subject in marks.items()}
        bot = self.subjects[0].names.bot(self.language)
        former = [CONTROL_FACT[self.language].format(bot), *(one.text for one in self.listed)]
        listed = [f"F{n}: {one_line(text)}" for n, text in enumerate(former, CONTROL)]
        told = [f"- {told_of(one)}: {why}" for one, why in refused]
        facts = [
            f"N{n} [{' '.join(mark_of[key] for key in one.keys if key in mark_of)}]"
            f" ({one.day}, {one_line(one.speaker)}): {one_line(one.text)}"
            + (heads["words"] + one_line(one.words) if one.words else "")
            for n, one in enumerate(self.facts, 1)
        ]
        return render(
            "merge_user",
            self.language,
            profiles="\n".join(self._profile(mark, one) for mark, one in marks.items()),
            facts="\n".join(facts),
            former=heads["former"] + "\n".join(listed) + "\n" if self.listed else "",
            refused=heads["refused"] + "\n".join(told) if refused else "",
        )

    def _profile(self, mark: str, subject: Subject) -> str:
        heads, name = _HEADS[self.language], subject.name(self.language)
        is_user = subject.key.entity_type == "user"
        alike = Counter(one.name(self.language).casefold() for one in self.subjects)
        if alike[name.casefold()] > 1:
            name += heads["id"].format(subject.key.entity_id)

        def marks(line: ProfileLine) -> str:
            over = heads["over"] if line.line_id in self.over else ""
            return f"[{line.kind}{heads['pinned'] if line.pinned else ''}{over}]"

        shown = [
            f"L{n} {marks(line)} {one_line(line.text)}{line.told_when}"
            for n, (key, line) in enumerate(self.lines, 1)
            if key == subject.key
        ]
        held = subject.profile.lines
        empty = [
            one for one in self.slots if is_user and not any(fills(line, one) for line in held)
        ]
        slots = [heads["slots"] + heads["and"].join(map(one_line, empty))] if empty else []
        head = f"{mark} {'' if is_user else heads['group']}{one_line(name)}{heads['colon']}"
        return "\n".join([head, *(shown or [heads["nothing"]]), *slots])


_HEADS = {
    "zh": {
        "group": "群：",
        "id": "（id {}）",
        "colon": "：",
        "nothing": "（无）",
        "pinned": "，置顶",
        "over": "，已过时",
        "slots": "还空着的项：",
        "and": "；",
        "words": " ← 原话：",
        "former": "\n以前的事实：\n",
        "refused": "\n上次交来的这几项没有采用，其余的已经记下。只交这几项：改正，或去掉：\n",
    },
    "en": {
        "group": "group ",
        "id": " (id {})",
        "colon": ":",
        "nothing": "(none)",
        "pinned": ", pinned",
        "over": ", outdated",
        "slots": "Slots still empty: ",
        "and": "; ",
        "words": " <- as said: ",
        "former": "\nFormer facts:\n",
        "refused": "\nThese of your last answer were not taken, the others were."
        " Hand in these alone, mended, or leave them out:\n",
    },
}


def fills(line: ProfileLine, slot: str) -> bool:
    """Return True if a line contains the name of a slot or is tagged with it."""
    return slot in line.tags or slot.casefold() in line.text.casefold()


def is_guarded(line: ProfileLine) -> bool:
    """Return True if a line is pinned, or is about health or a boundary."""
    return line.pinned or line.kind in ("health", "boundary")


def _shown_lines(
    subjects: Sequence[Subject], facts: Sequence[NewFact]
) -> list[tuple[ProfileKey, ProfileLine]]:
    moment = f"{max((fact.day for fact in facts), default='')}T00:00:00+00:00"
    held = [(one, line) for one in subjects for line in one.profile.lines if line.holds_at(moment)]

    def rank(place: int) -> tuple[bool, float, str, int]:
        subject, line = held[place]
        terms = content_terms(line.text, subject.names)
        alike = share(terms, told[subject.key]) if terms else 0.0
        return is_guarded(line), alike, line.last_day, place

    room, best = MOST_TOKENS, list(range(len(held)))
    if len(held) > MOST_LINES:
        told = {
            one.key: frozenset[Any]().union(
                *(content_terms(fact.text, one.names) for fact in facts if one.key in fact.keys)
            )
            for one in subjects
        }
        best = sorted(best, key=rank)[-MOST_LINES:]
    shown = []
    for place in reversed(best):
        room -= estimate_tokens(held[place][1].text)
        if room >= 0:
            shown.append(place)
    return [(held[place][0].key, held[place][1]) for place in sorted(shown)]


def told_of(operation: LineOperation) -> str:
    """Return an operation as one line of text, for sending it back to the model."""
    facts = f" ({', '.join(map(one_line, operation.facts))})"
    if isinstance(operation, AddedLine):
        return f"add “{one_line(operation.text)}”{facts}"
    if isinstance(operation, ChangedLine):
        return f"change {one_line(operation.line)} “{one_line(operation.text)}”{facts}"
    return f"end {one_line(operation.line)}{facts}"
