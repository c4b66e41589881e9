"""Source texts to compare with, findings of the checks, and the verdict on a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...schema.language import Language
from ..word_lists import word_tables

# fmt: off
Kind = Literal[
    "pronoun", "reference", "time", "place", "empty", "length", "language", "claim",
    "number", "title", "name", "words", "polarity", "role", "lost",
]
# fmt: on
"""Kinds of findings.

The first four are relative words. "claim" is a text that states no fact (a supposition). The kinds
from "number" on are parts of a model's text that its sources do not support, and parts of the
sources that it "lost".
"""

RELATIVE_KINDS: frozenset[str] = frozenset({"pronoun", "reference", "time", "place"})
_REASONS = word_tables("checks/reasons.toml")
_QUOTED = 60
"""Maximum characters of a quoted wording; the rest is replaced by an ellipsis."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about a text.

    `text` is the exact wording. If it occurs in the judged text, `start` and `end` may be its
    character offsets there (end exclusive). `why` is a key of the sentences in `reasons.toml`
    ("relative", "orphan" and so on), and `where` the ids of the sources that were compared.
    """

    kind: Kind
    text: str
    start: int = 0
    end: int = 0
    why: str = ""
    where: str = ""

    def reason(self, language: Language) -> str:
        """Return the sentence for this finding: the exact wording, the error and the correction."""
        known = _REASONS[language][self.kind]
        sentence: str = known if isinstance(known, str) else known.get(self.why) or known[""]
        text = " ".join(self.text.split())
        if len(text) > _QUOTED:
            text = text[: _QUOTED - 1] + "…"
        return sentence.replace("{where}", self.where).replace("{text}", text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one text. Violations fail it, notes do not."""

    violations: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """True if there are no violations."""
        return not self.violations

    def reasons(self, language: Language) -> list[str]:
        """Return one sentence for each violation, in their order, without duplicates.

        The sentences are passed to the model verbatim and stored with an event that did not pass.
        """
        return list(dict.fromkeys(one.reason(language) for one in self.violations))


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """The texts that have to support a model's text.

    `texts` are by the ids that the model was shown ("N1"). `also` are texts that need no source,
    such as the day. `beside` is the other text that the model was shown. With `speakers` (names by
    the ids of texts) the texts are talk: "I" is the speaker, "you" the `listener`. With `subjects`
    each clause must have the same person as subject as a source with the same words.
    """

    texts: Mapping[str, str]
    also: Sequence[str] = ()
    beside: str = ""
    speakers: Mapping[str, str] | None = None
    listener: str = ""
    subjects: bool = False

    @property
    def ids(self) -> str:
        """The ids of the texts, for a reason."""
        return ", ".join(self.texts)
