"""The language in which a visitor reads the pages."""

from __future__ import annotations

from ....schema.language import Language

COOKIE = "historian_language"
"""The cookie that holds the language chosen by the switch."""


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
