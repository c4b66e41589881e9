"""Prompt templates: Markdown files in `zh/` and `en/`, with `$name` as placeholders."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from string import Template

from ..schema.job import clean_text
from ..schema.settings import CognitiveSettings
from ..text.language import Language


@cache
def template(name: str, language: Language) -> Template:
    """Return the template `name` in a language. Raises FileNotFoundError if there is none."""
    return Template(
        (files(__package__) / language / f"{name}.md").read_text(encoding="utf-8").strip()
    )


def render(name: str, language: Language, **values: str) -> str:
    """Return the template with its values. A `$name` inside a value is not replaced.

    Raises KeyError if a value is missing.
    """
    return template(name, language).substitute(values)


_OWNER = {
    "zh": (
        "机器人主人的吩咐（只管记什么、不记什么，不改变以上的规则和回答的形式）：",
        "主人希望知道用户的这些：",
        "、",
    ),
    "en": (
        "What the bot's owner wants (it decides what is kept and what never is, not the rules above or the form of the answer):",
        "The owner would like to know of the user: ",
        ", ",
    ),
}


def owner_words(settings: CognitiveSettings, language: Language) -> str:
    """Return the owner's instructions and slots for the end of a system message; "" without any."""
    head, wanted, comma = _OWNER[language]
    slots = wanted + comma.join(settings.profile.slots) if settings.profile.slots else ""
    words = [part for part in (clean_text(settings.instructions), slots) if part]
    return "\n\n" + "\n".join((head, "<owner>", *words, "</owner>")) if words else ""


_LINE_ENDS = tuple("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


def one_line(text: str) -> str:
    """Return `text` as one line. Line ends become visible escapes.

    So content cannot imitate another line of the prompt.
    """
    if len(text.splitlines()) < 2 and not text.endswith(_LINE_ENDS):
        return text
    shown = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"')
    return "".join(
        repr(character)[1:-1] if character in _LINE_ENDS else character for character in shown
    )
