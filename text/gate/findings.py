"""What the gate answers with: findings as data, in text order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "pronoun", "reference", "time", "place", "number", "name", "title", "role", "language", "empty", "refusal", "length"
]
"""The first four are relative words, judged by the text alone; the others compare a rewrite with what it was made of."""

RELATIVE_KINDS: frozenset[str] = frozenset({"pronoun", "reference", "time", "place"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the gate saw.

    `text` is the exact wording it is about. For wording that stands in the judged text, `start` and `end` are its
    character offsets there (end exclusive). For something that is *missing* from the judged text, `text` is what was
    lost and both offsets are the length of the text: the place where nothing stands. `why` is a key of the sentences
    in `reasons` ("relative", "orphan", "invented", "lost", "swapped" and so on).
    """

    kind: Kind
    text: str
    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """The gate's judgement of one text. Violations fail it, notes do not."""

    violations: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the text may be kept as absolute and faithful."""
        return not self.violations
