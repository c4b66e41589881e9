"""The texts of the tools in Chinese and English, read from `texts.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...schema.language import Language, LanguageChoice
from ...service.languages import Languages
from ...service.recall.arguments import texts as texts_of

Texts = Mapping[str, Mapping[Language, str]]
"""Texts in both languages, by the name of a tool, an argument or an answer."""


def read_texts(module: str) -> Mapping[str, Any]:
    """Return the sections of the `texts.toml` beside a module, given its `__file__`."""
    return tomllib.loads(Path(module).with_name("texts.toml").read_text(encoding="utf-8"))


TEXTS = read_texts(__file__)


def spoken(language: LanguageChoice, said: str | Sequence[str]) -> Language:
    """Return the language; for "auto" that of `said`, or Chinese if `said` is empty."""
    return Languages(lambda: "auto").choose(language, texts=texts_of(said))
