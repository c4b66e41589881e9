"""The gate's findings as sentences for the model."""

from __future__ import annotations

from ...schema.language import Language
from ..word_lists import word_tables
from .findings import Finding, GateResult

_QUOTED = 60
"""Maximum characters of a quoted wording; the rest is replaced by an ellipsis."""


def reasons(result: GateResult, language: Language) -> list[str]:
    """Return one sentence for each violation, in text order, without duplicates.

    Each quotes the exact wording, says what is wrong with it and what to write instead. The sentences are passed to the
    model verbatim and stored with an event that did not pass the gate.
    """
    return list(dict.fromkeys(reason(finding, language) for finding in result.violations))


def reason(finding: Finding, language: Language) -> str:
    """Return the sentence for one finding."""
    sentences: dict[str, str] = word_tables("gate/reasons.toml")[language][finding.kind]
    sentence = sentences.get(finding.why) or sentences[""]
    text = " ".join(finding.text.split())
    if len(text) > _QUOTED:
        text = text[: _QUOTED - 1] + "…"
    return sentence.replace("{text}", text)
