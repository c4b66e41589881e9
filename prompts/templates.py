"""Prompt templates: Markdown files in `zh/` and `en/`, `$name` where a value goes."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from string import Template

from ..text.language import Language


@cache
def template(name: str, language: Language) -> Template:
    """The template `name` in a language; raises FileNotFoundError where there is none."""
    return Template((files(__package__) / language / f"{name}.md").read_text(encoding="utf-8").strip())


def render(name: str, language: Language, **values: str) -> str:
    """The template with its values put in once: a `$name` inside a value stays text. Raises KeyError for a missing one."""
    return template(name, language).substitute(values)


def one_line(text: str) -> str:
    """`text` as one line of a prompt; line ends become visible escapes, so that no content can pose as a new line of it."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"') if "\n" in text or "\r" in text else text


def names() -> list[tuple[Language, str]]:
    """Every template as (language, name)."""
    found: list[tuple[Language, str]] = []
    languages: tuple[Language, ...] = ("zh", "en")
    for language in languages:
        entries = (files(__package__) / language).iterdir()
        found += [(language, entry.name.removesuffix(".md")) for entry in entries if entry.name.endswith(".md")]
    return sorted(found)
