"""The question which lines of profiles new facts add, change or end: its prompt and the form of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..schema.graph_states.historian import FormerFact
from ..schema.job import Job
from ..schema.names import Names
from ..schema.profile import LINE_KINDS, LineKind, Profile, ProfileKey, ProfileLine
from ..schema.scope import EntityType
from ..text.language import Language
from ..text.superseding import MOST_ENDED
from ..text.support import content_terms, share
from .rewriting import recent_lines
from .templates import one_line, render

MOST_LINES = 60
"""Lines of one profile that a model is shown: those that no longer one may lose (`is_guarded`), those
most like the new facts, and the newest."""
_CONTROL = 1
"""The number of what is shown before the former facts and never over: a model that names it names whatever it is shown.
The example of the prompt names it too, for those that copy it."""
_ENDED = re.compile(r"(?<![A-Z0-9])F(\d{1,3})(?!\d)(?:(?:(?!\bF\d)\D)*?\bN(\d{1,3})(?!\d))?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]?)(\d{1,3})(?!\d)")


def _listed(value: Any) -> Any:
    """Return a list of texts for what models write instead of one: nothing, one text, numbers."""
    given = value if isinstance(value, list) else [] if value is None else [value]
    return [str(one) if isinstance(one, int) else one for one in given]


def _known_kind(value: Any) -> Any:
    return value if value in LINE_KINDS else "other"


Facts = Annotated[list[str], BeforeValidator(_listed), Field(default_factory=list, description="N1")]
Kind = Annotated[LineKind, BeforeValidator(_known_kind)]


class AddedLine(BaseModel):
    """A new line."""

    model_config = ConfigDict(json_schema_extra={"required": ["about", "text", "kind", "facts"]})

    about: EntityType = "user"
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
    """A line that no longer holds."""

    model_config = ConfigDict(json_schema_extra={"required": ["line", "facts"]})

    line: str = Field(description="L1")
    facts: Facts


class UpdateProfiles(BaseModel):
    """The lines to add, change and end; every other line stays."""

    model_config = ConfigDict(title="update_profiles")

    add: Annotated[list[AddedLine], BeforeValidator(lambda value: value or [])] = Field(default_factory=list)
    change: Annotated[list[ChangedLine], BeforeValidator(lambda value: value or [])] = Field(default_factory=list)
    end: Annotated[list[EndedLine], BeforeValidator(lambda value: value or [])] = Field(default_factory=list)
    no_longer_true: Annotated[list[str], BeforeValidator(_listed)] = Field(
        default_factory=list, description='former facts that are over, and what ends them: "F1 N1"'
    )


LineOperation = AddedLine | ChangedLine | EndedLine


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact of the job as the model is shown it. `day` is `YYYY-MM-DD`; `speaker` the name of who told it, `said_by`
    their id ("" if unknown); `is_open` is True if the gate did not pass it for a reference that nobody could resolve.
    `words` are those handed over where an hour of any day in them was taken for one of that day: "no calls before 8am"."""

    text: str
    event_id: str
    day: str
    speaker: str
    said_by: str = ""
    is_open: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class MergeQuestion:
    """What a model is shown for a merge. `lines` are L1, L2 … and `facts` N1, N2 …, in order; `slots` are names of lines
    that the owner wants and the profile of the user does not have yet."""

    job: Job
    names: Names
    language: Language
    profiles: Sequence[Profile]
    lines: Sequence[tuple[ProfileKey, ProfileLine]]
    facts: Sequence[NewFact]
    former: Sequence[str] = ()
    slots: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        job: Job,
        names: Names,
        language: Language,
        profiles: Sequence[Profile],
        facts: Sequence[NewFact],
        former: Sequence[str] = (),
        slots: Sequence[str] = (),
    ) -> MergeQuestion:
        """Return the question about `facts`, with the lines that hold on their day and the slots that no line fills."""
        lines = [(one.key, line) for one in profiles for line in _shown_lines(one, facts, names)]
        held = [line for key, line in lines if key.entity_type == "user"]
        is_asked = any(one.key.entity_type == "user" for one in profiles)
        empty = [slot for slot in slots if is_asked and not any(fills(line, slot) for line in held)]
        return cls(job, names, language, profiles, lines, facts, former, empty)

    def prompt(self, refused: Sequence[tuple[LineOperation, str]] = ()) -> str:
        """Return the user message. `refused` are operations of the last answer with the reason why they were not taken."""
        zh = self.language == "zh"
        nothing = "（无）" if zh else "(none)"
        bot = self.names.bot(self.language)
        control = f"{bot}是聊天机器人" if zh else f"{bot} is a chat bot"
        former = [control, *self.former] if self.former else []
        told = "；" if zh else "; "
        heads = _HEADS[self.language]
        return render(
            "merge_user",
            self.language,
            time=f"{self.job.moment:%Y-%m-%d}",
            user=one_line(self.names.user(self.language)),
            group=one_line(self.names.group(self.language)) or nothing,
            profiles="".join(map(self._profile, self.profiles)),
            slots=heads["slots"] + told.join(map(one_line, self.slots)) + "\n\n" if self.slots else "",
            recent=recent_lines(self.job, self.language) if any(fact.is_open for fact in self.facts) else "",
            facts="\n".join(
                f"N{n} ({fact.day}, {one_line(fact.speaker)}): {one_line(fact.text)}"
                + (heads["words"] + one_line(fact.words) if fact.words else "")
                for n, fact in enumerate(self.facts, 1)
            ),
            former="\n".join(f"F{n}: {one_line(text)}" for n, text in enumerate(former, _CONTROL)) or nothing,
            refused=heads["refused"] + "\n".join(f"- {told_of(one)}: {why}" for one, why in refused) if refused else "",
        )

    def _profile(self, profile: Profile) -> str:
        heads = _HEADS[self.language]
        shown = [
            f"L{n} [{', '.join(filter(None, (line.kind, heads['pinned'] if line.pinned else '')))}] {one_line(line.text)}"
            f" ({', '.join(filter(None, (line.last_day, f'{line.told}×' if line.told > 1 else '')))})".removesuffix(" ()")
            for n, (key, line) in enumerate(self.lines, 1)
            if key == profile.key
        ]
        return heads[profile.key.entity_type] + ("\n".join(shown) or heads["nothing"]) + "\n\n"


_HEADS = {
    "zh": {
        "user": "用户的画像：\n",
        "group": "群的画像：\n",
        "nothing": "（无）",
        "pinned": "置顶",
        "slots": "还空着的项：",
        "words": " ← 原话：",
        "refused": "\n上次交来的这几项没有采用，其余的已经记下。只交这几项：改正，或去掉：\n",
    },
    "en": {
        "user": "Profile of the user:\n",
        "group": "Profile of the group:\n",
        "nothing": "(none)",
        "pinned": "pinned",
        "slots": "Slots still empty: ",
        "words": " <- as said: ",
        "refused": "\nThese of your last answer were not taken, the others were."
        " Hand in these alone, mended, or leave them out:\n",
    },
}


def fills(line: ProfileLine, slot: str) -> bool:
    """Return True if a line names a slot, or is tagged with its name."""
    return slot in line.tags or slot.casefold() in line.text.casefold()


def is_guarded(line: ProfileLine) -> bool:
    """Return True for a line that a model may end only by a fact about the same matter: pinned, on health, a boundary."""
    return line.pinned or line.kind in ("health", "boundary")


def _shown_lines(profile: Profile, facts: Sequence[NewFact], names: Names) -> list[ProfileLine]:
    day = max((fact.day for fact in facts), default="")
    held = [line for line in profile.lines if line.holds_at(f"{day}T00:00:00+00:00")]
    if len(held) <= MOST_LINES:
        return held
    told = frozenset().union(*(content_terms(fact.text, names) for fact in facts))

    def rank(place: int) -> tuple[bool, float, int]:
        terms = content_terms(held[place].text, names)
        return is_guarded(held[place]), share(terms, told) if terms else 0.0, place

    best = sorted(range(len(held)), key=rank)[-MOST_LINES:]
    return [held[place] for place in sorted(best)]


def numbers_of(letter: str, written: Sequence[str], most: int) -> list[int]:
    """Return the numbers from 1 to `most` that a model wrote as short ids of a letter: "N2", "2", "[n2]", "N2: likes tea"."""
    found = (_NUMBER.search(text) for text in written)
    numbers = [int(one[2]) for one in found if one and one[1].upper() in ("", letter)]
    return [n for n in dict.fromkeys(numbers) if 1 <= n <= most]


def told_of(operation: LineOperation) -> str:
    """Return an operation in one line, as it is sent back to a model."""
    facts = f" ({', '.join(map(one_line, operation.facts))})"
    if isinstance(operation, AddedLine):
        return f"add “{one_line(operation.text)}”{facts}"
    if isinstance(operation, ChangedLine):
        return f"change {one_line(operation.line)} “{one_line(operation.text)}”{facts}"
    return f"end {one_line(operation.line)}{facts}"


def ends_at_random(answer: UpdateProfiles, former: Sequence[str]) -> bool:
    """Return True if an answer names the control among what is over: it may name anything."""
    said = (int(n) for text in answer.no_longer_true for n, _ in _ENDED.findall(text))
    return bool(former) and _CONTROL in said


def said_to_be_over(answer: UpdateProfiles, former: Sequence[FormerFact], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return which of the former facts the answer ends, and by which of the `new` events: pairs of event ids.

    Both are in the order of `MergeQuestion`; where the answer does not say what ends a fact, or names what may not, it is the
    most alike. Nothing is over by an answer that names more than MOST_ENDED, or the control: it says so of nothing in particular.
    """
    said = {int(one): int(by or 0) for text in answer.no_longer_true for one, by in _ENDED.findall(text)}
    named = {n: one for n, one in enumerate(former, _CONTROL + 1) if n in said}
    if len(named) > MOST_ENDED or _CONTROL in said:
        return []
    by = {n: new[said[n] - 1] if 0 < said[n] <= len(new) else "" for n in named}
    return [(one["event_id"], by[n] if by[n] in one.get("by_any", new) else one["by"]) for n, one in named.items()]
