"""Dated summaries as JSON objects, in database rows and in archives.

    {"id", "user_id", "scope", "text", "from", "until", "created_at", "tokens", "written_by",
     "is_absolute", "gate_reasons", "through", "promoted_at", "promoted_into"}

`scope` is `Scope.key`, times are ISO 8601.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from ...schema.summary import ArticleKey, Summary
from .naming import ARTICLES

_SUMMARY = TypeAdapter(Summary)
_IF_MISSING = {"written_by": "rules", "is_absolute": False}


def as_data(summary: Summary) -> dict[str, Any]:
    """Return a summary as a JSON object."""
    given = asdict(summary)
    told = {
        "from" if name == "since" else name: value
        for name, value in given.items()
        if name not in ("id", "key")
    }
    return {
        "id": summary.id,
        **ARTICLES.fields(summary.key),
        **told,
        "gate_reasons": list(summary.gate_reasons),
    }


def as_line(summary: Summary) -> str:
    """Return a summary as one line of JSON."""
    return json.dumps(as_data(summary), ensure_ascii=False)


def parse_line(line: str, key: ArticleKey) -> Summary | None:
    """Return the summary in a line; None if it is invalid or has another key."""
    data = json_object(line)
    if ArticleKey.parse(data.get("user_id"), data.get("scope")) != key or not data.get("id"):
        return None
    try:
        return _SUMMARY.validate_python(
            {**_IF_MISSING, **data, "key": key, "since": data.get("from")}
        )
    except ValidationError:
        return None


def as_told(summary: Summary) -> Summary:
    """Return a summary without its promotion, for a comparison of contents."""
    return replace(summary, promoted_at=None, promoted_into=None)


def moment_of(timestamp: str) -> datetime:
    """Return a time for sorting; an invalid time is earlier than all others."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def json_object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], data) if isinstance(data, dict) else {}
