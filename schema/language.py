"""The languages of texts, prompts and output."""

from __future__ import annotations

from typing import Literal

Language = Literal["zh", "en"]
LanguageChoice = Literal["auto", "zh", "en"]
"""A language, or "auto" for the language of the text."""
