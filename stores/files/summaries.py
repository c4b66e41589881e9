"""Dated summaries as files of JSON lines: `{id}.jsonl`, one object per line, oldest first.

    {"id", "user_id", "scope", "text", "from", "until", "created_at", "tokens", "written_by", "is_absolute",
     "gate_reasons", "through", "promoted_at", "promoted_into"}

`scope` is `Scope.key`, times are ISO 8601. Files are replaced atomically and flushed, so that a reader sees all of a
change or nothing. Lines damaged by hand are ignored and kept unchanged.
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
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


class DatedSummaries(ABC):
    """What is alike in the `SummaryStorage` of every store."""

    @abstractmethod
    def read(self, key: ArticleKey) -> list[Summary]: ...

    @abstractmethod
    def _locked(self, key: ArticleKey) -> AbstractContextManager[Any]:
        """Keep others from writing summaries of a key, and from erasing its user or group."""

    @abstractmethod
    def _change(
        self, key: ArticleKey, changed: Mapping[str, Summary | None], unwanted: Callable[[str], bool] = lambda line: False
    ) -> int:
        """Store summaries by id, in the place of those that are there; None removes one. It is locked.

        Where lines can be damaged, removes those that are `unwanted`. Return how many.
        """

    def add(self, summary: Summary, *, forgotten: Forgotten) -> bool:
        with self._locked(summary.key):
            if forgotten() or any(one.id == summary.id for one in self.read(summary.key)):
                return False
            self._change(summary.key, {summary.id: summary})
        return True

    def mark_promoted(self, key: ArticleKey, ids: Collection[str], *, at: str, into: int) -> int:
        with self._locked(key):
            marked = [one for one in self.read(key) if one.id in ids and one.is_short_term]
            self._change(key, {one.id: replace(one, promoted_at=at, promoted_into=into) for one in marked})
        return len(marked)

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool]) -> int:
        removed = 0
        changed: dict[str, Summary | None] = {}
        with self._locked(key):
            for one in self.read(key):
                told = one.text.splitlines()
                text = "\n".join(left := [line for line in told if not unwanted(line)])
                removed += len(told) - len(left)
                if len(left) < len(told):
                    changed[one.id] = replace(one, text=text, tokens=estimate_tokens(text)) if left else None
            return removed + self._change(key, changed, unwanted)

    def restore(self, key: ArticleKey, summaries: Sequence[Summary]) -> list[Restored]:
        with self._locked(key):
            known = {one.id: one for one in self.read(key)}
            results: list[Restored] = []
            for summary in summaries:
                found = known.get(summary.id)
                results.append("restored" if found is None else "same" if as_told(found) == as_told(summary) else "different")
            self._change(key, {one.id: one for one in summaries if one.id not in known})
        return results


class JsonlSummaries(KeyedFiles[ArticleKey], DatedSummaries):
    """The `SummaryStorage` in a folder."""

    suffix = ".jsonl"
    _naming = SUMMARIES

    def read(self, key: ArticleKey) -> list[Summary]:
        """Return the summaries of a key. Raises StorageError if the file exists and cannot be opened."""
        return [summary for _, summary in self._lines(key) if summary is not None]

    def _change(
        self, key: ArticleKey, changed: Mapping[str, Summary | None], unwanted: Callable[[str], bool] = lambda line: False
    ) -> int:
        lines, new = self._lines(key), dict(changed)
        spoilt = [line for line, one in lines if one is None]
        left = [line for line in spoilt if not unwanted(line)]
        each = [(line, new.pop(one.id, None) if one.id in changed else one) for line, one in lines if one is not None]
        kept = [(one, as_line(one) if one.id in changed else line) for line, one in each if one is not None]
        kept += [(one, as_line(one)) for one in new.values() if one is not None]
        if new:
            kept.sort(key=lambda one: moment_of(one[0].created_at))
        if (changed or left != spoilt) and (written := [*left, *(line for _, line in kept)]):
            write_atomically(self._path(key), "".join(f"{line}\n" for line in written).encode())
        elif changed or left != spoilt:
            remove_durably(self._path(key))
        return len(spoilt) - len(left)

    def _remove(self, place: str) -> int:
        """Remove the file and return the number of its summaries, readable or not."""
        count = sum(bool(line.strip()) for line in (bytes_of(self._path_at(place)) or b"").split(b"\n"))
        super()._remove(place)
        return count

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
