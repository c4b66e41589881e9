"""Corrections: edits and deletions, which can be undone for a while."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from .event import Event, EventLink
from .profile import ProfileKey, ProfileLine

CorrectionAction = Literal["edit_line", "delete_line", "edit_event", "delete_event"]
CandidateKind = Literal["line", "event", "message"]


@dataclass(frozen=True, slots=True)
class Correction:
    """The records that one correction removed or replaced, as they were before.

    `lines` are profile lines with the key of their profile, `events` the deleted or edited events,
    `messages` the records of messages that were hidden or deleted. `still_told` are texts that may
    still contain the corrected statement: remaining messages, and lines of articles and summaries.
    `elsewhere` is the number of records of other conversations, which are not shown. `at` and
    `undo_until` are ISO 8601 in UTC; an empty `undo_until` means that the correction cannot be
    undone. `is_undone` is True after `undo`. After a `dry_run`, `correction_id` is empty and
    nothing has changed.
    """

    correction_id: str
    action: CorrectionAction
    at: str
    lines: tuple[tuple[ProfileKey, ProfileLine], ...] = ()
    events: tuple[Event, ...] = ()
    messages: tuple[Event, ...] = ()
    undo_until: str = ""
    still_told: tuple[str, ...] = ()
    elsewhere: int = 0
    is_undone: bool = False

    def seen_in(self, scope_key: str) -> Correction:
        """Return the correction without the events and messages of other conversations, which are
        added to `elsewhere`.
        """
        seen = {
            name: tuple(one for one in getattr(self, name) if one.scope.key == scope_key)
            for name in ("events", "messages")
        }
        hidden = len(self.events) + len(self.messages) - sum(map(len, seen.values()))
        return replace(
            self,
            events=seen["events"],
            messages=seen["messages"],
            elsewhere=self.elsewhere + hidden,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the correction as JSON values."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        told["lines"] = _lines_as_json(self.lines)
        told |= {
            name: [asdict(one) for one in getattr(self, name)] for name in ("events", "messages")
        }
        return told | {"still_told": list(self.still_told)}

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> Correction:
        """Return the correction from the values of `as_json`."""
        lines = _lines_of_json(stored["lines"])
        records = {
            name: tuple(map(_event_of_json, stored[name])) for name in ("events", "messages")
        }
        return cls(
            **{**stored, "lines": lines, **records, "still_told": tuple(stored["still_told"])}
        )


@dataclass(frozen=True, slots=True)
class CorrectionRecord:
    """A correction with the data that `undo` needs: new lines and events, links, and statements
    that must not be filed again.

    `scope_key` is the conversation in which the correction was made ("" for the owner). `new_lines`
    are the lines that were written. `fewer` are the lines that lost a part of their evidence, as
    they were before. `added` are the ids of events that were filed, `edited` the ids of events that
    got the new text `text`. `links` are the links of deleted events, `job_ids` the deleted
    messages. `digests` identify the texts (`corrected_digest`) that are not filed again. `entities`
    are the people and groups; the record is deleted when one of them is forgotten. `until` is in
    seconds since the epoch.
    """

    correction: Correction
    scope_key: str
    until: float
    new_lines: tuple[tuple[ProfileKey, ProfileLine], ...] = ()
    fewer: tuple[tuple[ProfileKey, ProfileLine], ...] = ()
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    text: str = ""
    links: tuple[EventLink, ...] = ()
    job_ids: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()

    def encoded(self) -> str:
        """Return the record as JSON text."""
        told: dict[str, Any] = {
            name: list(getattr(self, name))
            for name in ("added", "edited", "links", "job_ids", "digests", "entities")
        }
        told |= {
            "correction": self.correction.as_json(),
            "scope_key": self.scope_key,
            "until": self.until,
            "text": self.text,
        }
        told |= {name: _lines_as_json(getattr(self, name)) for name in ("new_lines", "fewer")}
        return json.dumps(told, ensure_ascii=False)

    @classmethod
    def decoded(cls, stored: str) -> CorrectionRecord:
        """Return the record from the text of `encoded`."""
        told = json.loads(stored)
        return cls(
            correction=Correction.of_json(told["correction"]),
            scope_key=told["scope_key"],
            until=told["until"],
            text=told["text"],
            new_lines=_lines_of_json(told["new_lines"]),
            fewer=_lines_of_json(told["fewer"]),
            links=tuple(EventLink(*one) for one in told["links"]),
            **{
                name: tuple(told[name])
                for name in ("added", "edited", "job_ids", "digests", "entities")
            },
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that a correction may refer to.

    `target_id` is the id of the line or event (for a message: of its first record), `day` the day
    on which it was last stated (`YYYY-MM-DD`), `score` the share of the given words that it holds
    (0 to 1).
    """

    target_id: str
    kind: CandidateKind
    text: str
    day: str
    score: float


def corrected_digest(scope_key: str, words: str, said_by: str = "") -> str:
    """Return the digest by which a corrected statement is recognised in a conversation without
    storing its words.

    `words` are compared exactly. `said_by` is the id of the speaker of a message, "" for a
    statement that is true out of context.
    """
    return hashlib.sha256(f"{scope_key}\0{said_by}\0{words}".encode("utf-8", "replace")).hexdigest()


def _lines_as_json(lines: Iterable[tuple[ProfileKey, ProfileLine]]) -> list[list[Any]]:
    return [[key.index_id, line.as_json()] for key, line in lines]


def _lines_of_json(stored: Iterable[Sequence[Any]]) -> tuple[tuple[ProfileKey, ProfileLine], ...]:
    return tuple((ProfileKey.of_index_id(key), ProfileLine.of_json(line)) for key, line in stored)


def _event_of_json(stored: Mapping[str, Any]) -> Event:
    known = {one.name: stored[one.name] for one in fields(Event) if one.name in stored}
    values: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in known.items()
    }
    return Event(**values)
