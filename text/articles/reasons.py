"""Faults of a new article as sentences for the model."""

from __future__ import annotations

from ...schema.language import Language
from ..word_lists import word_tables

_QUOTED = 80
_LANGUAGE_NAMES: dict[Language, dict[str, str]] = {"zh": {"zh": "中文", "en": "英文"}, "en": {"zh": "Chinese", "en": "English"}}


def article_reason(language: Language, kind: str, *, text: str = "", chapter: str = "", tokens: int = 0, bound: int = 0) -> str:
    """Return the sentence for one fault; long quotations are shortened with an ellipsis."""
    shown = " ".join(text.split())
    if kind == "language":
        shown = _LANGUAGE_NAMES[language][text]
    if len(shown) > _QUOTED:
        shown = shown[: _QUOTED - 1] + "…"
    sentence: str = word_tables("articles/reasons.toml")[language][kind]
    for name, value in (("{chapter}", chapter), ("{tokens}", str(tokens)), ("{bound}", str(bound)), ("{text}", shown)):
        sentence = sentence.replace(name, value)
    return sentence
