"""The language of the pages, and their texts: English in code and templates, Chinese in `texts.zh.toml`.

What the command line says too (the findings of `doctor`) stands in its catalogue alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ....schema.language import Language
from ...texts import MessageFormatter
from ...texts import later as later

COOKIE = "historian_language"
"""The cookie that holds the language chosen by the switch."""

_INTERFACES = Path(__file__).parents[2]
CATALOGUES = (_INTERFACES / "cli" / "texts.zh.toml", Path(__file__).with_name("texts.zh.toml"))


def language_of(chosen: str | None, accepted: str) -> Language:
    """Return the chosen language, else the one of the two that the header Accept-Language likes better, else English.

    >>> language_of(None, "fr, zh-TW;q=0.8, en;q=0.5"), language_of("en", "zh"), language_of(None, "de")
    ('zh', 'en', 'en')
    """
    if chosen in ("zh", "en"):
        return "zh" if chosen == "zh" else "en"
    weights: dict[str, float] = {}
    for one in accepted.split(","):
        tag, _, quality = one.partition(";")
        try:
            weight = float(quality.partition("=")[2]) if quality else 1.0
        except ValueError:
            continue
        name = tag.strip().lower()[:2]
        weights[name] = max(weight, weights.get(name, 0.0))
    return "zh" if weights.get("zh", 0.0) > weights.get("en", 0.0) else "en"


def say(language: Language, message: str, /, **values: object) -> str:
    """Return a message with its placeholders filled; `{n:job|jobs}` picks the first word for 1, the second otherwise."""
    text = catalogue().get(message, message) if language == "zh" else message
    return _FORMATTER.vformat(text, (), values) if values else text


@cache
def catalogue() -> Mapping[str, str]:
    """Return the Chinese texts by the English ones."""
    texts: dict[str, str] = {}
    for path in CATALOGUES:
        texts |= tomllib.loads(path.read_text(encoding="utf-8"))["messages"]
    return texts


_FORMATTER = MessageFormatter()
