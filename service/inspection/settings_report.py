"""The settings in force, for operators, without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...models.secrets import MASK, without_url_secrets
from ...schema.language import Language
from ...schema.settings import Settings, walk
from ...schema.settings.source import is_hot, value_at
from ...schema.settings.tables import meaning_of

_SECRET = re.compile(r"(?:^|[._])(?:api_key|token|scope_tokens|extra_body)$")


@dataclass(frozen=True, slots=True)
class SettingEntry:
    """One key with its value (secrets masked), its default, whether it applies at once, and its
    meaning by language."""

    key: str
    value: Any
    default: Any
    hot: bool
    meaning: Mapping[Language, str]


def settings_report(settings: Settings) -> list[SettingEntry]:
    """Return one entry per key, in the order of the documentation."""
    defaults = Settings()
    return [
        SettingEntry(
            key,
            _masked(key, value_at(settings, key)),
            value_at(defaults, key),
            is_hot(info),
            meaning_of(key),
        )
        for key, info in walk()
    ]


def _masked(key: str, value: Any) -> Any:
    """Return the value with secrets masked. The keys of a table are unchanged, so that a report
    shows which are set."""
    if _SECRET.search(key):
        return (
            dict.fromkeys(value, MASK) if isinstance(value, Mapping) else MASK if value else value
        )
    if not isinstance(value, str) or "://" not in value:
        return value
    address, question, _ = without_url_secrets(value).partition("?")
    return f"{address}?{MASK}" if question else address
