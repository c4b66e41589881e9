"""Dated summaries as files of JSON lines: `{id}.jsonl`, one object per line, oldest first.

    {"id", "user_id", "scope", "text", "from", "until", "created_at", "tokens", "written_by", "is_absolute",
     "gate_reasons", "through", "promoted_at", "promoted_into"}

`scope` is `Scope.key`, times are ISO 8601. Files are replaced atomically and flushed, so that a reader sees all of a
change or nothing. Lines damaged by hand are ignored and kept unchanged.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, cast

from ...schema.summary import ArticleKey, Forgotten, Restored, Summary
from ...text.tokens import estimate_tokens
from .durable import bytes_of, remove_durably, write_atomically
from .keyed_files import KeyedFiles
from .naming import SUMMARIES

log = logging.getLogger(__name__)

_STORED_AS = {"since": "from"}


class JsonlSummaries(KeyedFiles[ArticleKey]):
    """The `SummaryStorage` in a folder."""

    suffix = ".jsonl"
    _naming = SUMMARIES

    def read(self, key: ArticleKey) -> list[Summary]:
        """Return the summaries of a key. Raises StorageError if the file exists and cannot be opened."""
        return [summary for _, summary in self._lines(key) if summary is not None]

    def add(self, summary: Summary, *, forgotten: Forgotten) -> bool:
        key = summary.key
        with self._locked(key):
            lines = self._lines(key)
            if any(known is not None and known.id == summary.id for _, known in lines) or forgotten():
                return False
            self._write(key, [*(line for line, _ in lines), as_line(summary)])
        return True

    def mark_promoted(self, key: ArticleKey, ids: Collection[str], *, at: str, into: int) -> int:
        with self._locked(key):
            lines = self._lines(key)
            changed = [
                as_line(replace(one, promoted_at=at, promoted_into=into))
                if one is not None and one.id in ids and one.is_short_term
                else line
                for line, one in lines
            ]
            count = sum(before != after for (before, _), after in zip(lines, changed, strict=True))
            if count:
                self._write(key, changed)
        return count

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        removed = 0
        with self._locked(key):
            kept: list[str] = []
            for line, one in self._lines(key):
                if one is None:
                    removed += unwanted(line)
                    kept += [] if unwanted(line) else [line]
                    continue
                told = one.text.splitlines()
                left = [part for part in told if not unwanted(part)]
                removed += len(told) - len(left)
                text = "\n".join(left)
                if left:
                    kept.append(line if left == told else as_line(replace(one, text=text, tokens=estimate_tokens(text))))
            if removed and kept:
                self._write(key, kept)
            elif removed:
                remove_durably(self._path(key))
        return removed

    def restore(self, key: ArticleKey, summaries: Sequence[Summary]) -> list[Restored]:
        with self._locked(key):
            lines = self._lines(key)
            known = {one.id: one for _, one in lines if one is not None}
            results: list[Restored] = []
            new: dict[str, Summary] = {}
            for summary in summaries:
                found = known.get(summary.id)
                new |= {summary.id: summary} if found is None else {}
                results.append("restored" if found is None else "same" if as_told(found) == as_told(summary) else "different")
            if new:
                spoilt = [line for line, one in lines if one is None]
                ordered = sorted([*known.values(), *new.values()], key=lambda one: moment_of(one.created_at))
                self._write(key, [*spoilt, *map(as_line, ordered)])
        return results

    def _remove(self, place: str) -> int:
        """Remove the file and return the number of its summaries, readable or not."""
        count = sum(bool(line.strip()) for line in (bytes_of(self._path_at(place)) or b"").split(b"\n"))
        super()._remove(place)
        return count

    def _write(self, key: ArticleKey, lines: Collection[str]) -> None:
        write_atomically(self._path(key), "".join(f"{line}\n" for line in lines).encode())

    def _lines(self, key: ArticleKey) -> list[tuple[str, Summary | None]]:
        """Return the lines of the file, each with its summary, or None for an invalid line."""
        data = bytes_of(self._path(key))
        if data is None:
            return []
        lines = [line for line in data.decode("utf-8", errors="replace").split("\n") if line.strip()]
        found = [(line, parse_line(line, key)) for line in lines]
        spoilt = sum(summary is None for _, summary in found)
        if spoilt:
            log.warning("%s: %d lines are not summaries of %s and are ignored", self._path(key), spoilt, key)
        return found

    def _fields(self, data: bytes) -> Mapping[str, object]:
        lines = map(_object, data.decode("utf-8", errors="replace").split("\n"))
        return next((line for line in lines if ArticleKey.parse(line.get("user_id"), line.get("scope"))), {})


def as_data(summary: Summary) -> dict[str, Any]:
    """Return a summary as the JSON object of its line."""
    whose = {"user_id": summary.key.user_id, "scope": summary.key.scope.key}
    given = {field.name: getattr(summary, field.name) for field in fields(summary) if field.name not in ("id", "key")}
    listed = {"gate_reasons": list(summary.gate_reasons)}
    return {"id": summary.id, **whose, **{_STORED_AS.get(name, name): value for name, value in given.items()}, **listed}


def as_line(summary: Summary) -> str:
    """Return a summary as one line of JSON."""
    return json.dumps(as_data(summary), ensure_ascii=False)


def parse_line(line: str, key: ArticleKey) -> Summary | None:
    """Return the summary in a line; None if it is invalid or has another key than the file."""
    data = _object(line)
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


def _object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], data) if isinstance(data, dict) else {}
