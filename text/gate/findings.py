"""The result types of the gate: findings in text order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pronoun", "reference", "time", "place", "language", "empty", "length", "claim"]
"""The first four are relative words; "claim" is a statement that tells nothing that is so."""

RELATIVE_KINDS: frozenset[str] = frozenset({"pronoun", "reference", "time", "place"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of the gate.

    `text` is the exact wording. If it occurs in the judged text, `start` and `end` are its character offsets there (end
    exclusive). If it is *missing* from the judged text, both offsets are the length of the text. `why` is a key of the sentences
    in `reasons` ("relative", "orphan" and so on).
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
        """True if there are no violations."""
        return not self.violations
