"""Dated summaries as JSON objects: in the rows of a database, and in archives.

    {"id", "user_id", "scope", "text", "from", "until", "created_at", "tokens", "written_by", "is_absolute",
     "gate_reasons", "through", "promoted_at", "promoted_into"}

`scope` is `Scope.key`, times are ISO 8601.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, cast

from ...schema.summary import ArticleKey, Summary

_STORED_AS = {"since": "from"}


def as_data(summary: Summary) -> dict[str, Any]:
    """Return a summary as a JSON object."""
    whose = {"user_id": summary.key.user_id, "scope": summary.key.scope.key}
    given = {field.name: getattr(summary, field.name) for field in fields(summary) if field.name not in ("id", "key")}
    listed = {"gate_reasons": list(summary.gate_reasons)}
    return {"id": summary.id, **whose, **{_STORED_AS.get(name, name): value for name, value in given.items()}, **listed}


def as_line(summary: Summary) -> str:
    """Return a summary as one line of JSON."""
    return json.dumps(as_data(summary), ensure_ascii=False)


def parse_line(line: str, key: ArticleKey) -> Summary | None:
    """Return the summary in a line; None if it is invalid or has another key."""
    data = json_object(line)
    words = {name: data.get(name) for name in ("id", "text", "from", "until", "created_at", "through")}
    if ArticleKey.parse(data.get("user_id"), data.get("scope")) != key or not words["id"]:
        return None
    if not all(isinstance(value, str) for value in words.values()) or not isinstance(data.get("tokens"), int):
        return None
    promoted_at, promoted_into, reasons = data.get("promoted_at"), data.get("promoted_into"), data.get("gate_reasons")
    return Summary(
        id=str(words["id"]),
        key=key,
        text=str(words["text"]),
        since=str(words["from"]),
        until=str(words["until"]),
        created_at=str(words["created_at"]),
        tokens=data["tokens"],
        written_by="model" if data.get("written_by") == "model" else "rules",
        is_absolute=data.get("is_absolute") is True,
        gate_reasons=tuple(map(str, reasons)) if isinstance(reasons, list) else (),
        through=str(words["through"]),
        promoted_at=promoted_at if isinstance(promoted_at, str) else None,
        promoted_into=promoted_into if isinstance(promoted_into, int) else None,
    )


def as_told(summary: Summary) -> Summary:
    """Return a summary without its promotion, for comparison of content."""
    return replace(summary, promoted_at=None, promoted_into=None)


def moment_of(timestamp: str) -> datetime:
    """Return a time for sorting; invalid times come first."""
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
