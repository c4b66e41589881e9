"""The gate's findings as sentences that are put to the model word for word."""

from __future__ import annotations

from ...schema.language import Language
from ..word_lists import word_tables
from .findings import Finding, GateResult

_QUOTED = 60
"""Characters of a wording that are quoted at most; the rest is cut off with an ellipsis."""


def reasons(result: GateResult, language: Language) -> list[str]:
    """Return one sentence for each violation, in text order, none twice.

    Each names the exact wording it is about, says what is wrong with it and what to write instead; they are made to be
    put to the model word for word, and to be stored with a record that never passed.
    """
    return list(dict.fromkeys(reason(finding, language) for finding in result.violations))


def reason(finding: Finding, language: Language) -> str:
    """The sentence for one finding."""
    sentences: dict[str, str] = word_tables("gate/reasons.toml")[language][finding.kind]
    sentence = sentences.get(finding.why) or sentences[""]
    text = " ".join(finding.text.split())
    if len(text) > _QUOTED:
        text = text[: _QUOTED - 1] + "…"
    return sentence.replace("{text}", text)
