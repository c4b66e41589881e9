"""A profile: lasting knowledge about a user or a group, as lines, in layers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from .job import Job
from .scope import EntityType, LayerRule, layer_written


@dataclass(frozen=True, slots=True)
class ProfileKey:
    """The key of a profile: `entity_type` (user or group), the platform id, and the layer ("" is the public one)."""

    entity_type: EntityType
    entity_id: str
    layer: str = ""

    @property
    def entity(self) -> str:
        """The key of the profile's user or group, as in `Job.entities`."""
        return f"{self.entity_type}:{self.entity_id}"

    @property
    def entities(self) -> list[str]:
        """The entities (`user:42`) whose archive contains the profile."""
        return [self.entity]

    @property
    def index_id(self) -> str:
        """The key as a unique string: a JSON array, because ids may contain `:` and `@`."""
        return json.dumps([self.entity_type, self.entity_id, self.layer], ensure_ascii=False)

    @classmethod
    def of_job(cls, job: Job, rule: LayerRule) -> list[ProfileKey]:
        """Return the keys of the profiles that a job may change."""
        keys = [cls("user", job.user_id, layer_written(job.scope, "user", rule))]
        return (
            [*keys, cls("group", job.group_id, layer_written(job.scope, "group", rule))]
            if job.group_id
            else keys
        )

    @classmethod
    def of_index_id(cls, index_id: str) -> ProfileKey:
        """Return the key with this `index_id`."""
        return cls(*json.loads(index_id))

    def __str__(self) -> str:
        return f"{self.entity}@{self.layer}" if self.layer else self.entity


LineKind = Literal[
    "identity", "health", "home", "work", "relation", "taste", "habit", "plan", "boundary", "other"
]
"""The subject of a profile line: `identity` includes name, birthday and languages, `boundary`
includes standing wishes."""
LINE_KINDS: tuple[LineKind, ...] = get_args(LineKind)
MOST_EVIDENCE = 20
"""The maximum number of ids of events and messages that a line stores as evidence: the first and
the latest ones."""
_ID_CHARACTERS = 10


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """One statement of a profile, which can be edited, removed and pinned separately.

    `line_id` is unique in its profile and does not change when the line is edited. `text` is one
    line of text without a list marker; words that a person said about themselves are in quotation
    marks, unchanged. `first_day` and `last_day` (`YYYY-MM-DD`, "" if unknown) are the first and
    last day on which the statement was made, `told` is the number of times. `until` is the last
    moment at which it is true (ISO 8601, a day or a time with offset; "" if open). `evidence` are
    the ids of the events and messages that support it, in order; a line written by hand has none.
    `said_by` is the id of the person who claims it, if that is not the person described by the
    profile. `tags` are the owner's.
    """

    line_id: str
    text: str
    kind: LineKind = "other"
    told: int = 1
    first_day: str = ""
    last_day: str = ""
    until: str = ""
    pinned: bool = False
    evidence: tuple[str, ...] = ()
    said_by: str = ""
    tags: tuple[str, ...] = ()

    @property
    def dated_text(self) -> str:
        """The text followed by the last day on which it was stated: `lives in Leeds (2026-03-02)`.
        If the text already holds that day, it is not added.
        """
        return (
            f"{self.text} ({self.last_day})"
            if self.last_day and self.last_day not in self.text
            else self.text
        )

    @property
    def told_when(self) -> str:
        """How often and on which days it was stated; "" if this is unknown.

        Examples: ` (2026-03-02)`, or ` (5×, 2026-01-02 – 2026-05-01)` with the first and last day.
        """
        days = dict.fromkeys((self.first_day, self.last_day) if self.told > 1 else (self.last_day,))
        known = [f"{self.told}×" if self.told > 1 else "", " – ".join(filter(None, days))]
        return f" ({', '.join(filter(None, known))})" if any(known) else ""

    @property
    def counted_text(self) -> str:
        """The text as the block of a prompt shows it: with `told_when` if it was stated several
        times, else `dated_text`.
        """
        return self.text + self.told_when if self.told > 1 else self.dated_text

    def holds_at(self, moment: str) -> bool:
        """Return True if the line has not ended at `moment`, ISO 8601 in UTC. A day as `until` ends
        at its last moment in UTC.
        """
        until = (
            f"{self.until}T23:59:59+00:00" if len(self.until) == len("2026-03-02") else self.until
        )
        return not until or until >= moment

    @staticmethod
    def until_moment(expires_at: float | None) -> str:
        """Return a moment (seconds since the epoch) as `until`; "" for None."""
        if expires_at is None:
            return ""
        return datetime.fromtimestamp(expires_at, UTC).isoformat(timespec="seconds")

    def as_json(self) -> dict[str, Any]:
        """Return the fields that differ from the defaults, as JSON values."""
        told = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        return {
            name: value
            for name, value in told.items()
            if value not in (_LINE_DEFAULTS.get(name), [])
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> ProfileLine:
        """Return the line from the values of `as_json`. Unknown fields are ignored, an unknown kind
        becomes `other`.
        """
        known = {name: value for name, value in stored.items() if name in _LINE_FIELDS}
        known |= {
            name: tuple(map(str, known[name])) for name in ("evidence", "tags") if name in known
        }
        known["kind"] = known["kind"] if known.get("kind") in LINE_KINDS else "other"
        return cls(**known)


_LINE_FIELDS = frozenset(field.name for field in fields(ProfileLine))
_LINE_DEFAULTS = {
    field.name: field.default
    for field in fields(ProfileLine)
    if isinstance(field.default, str | int | bool)
}


def line_id_of(text: str, *origin: str) -> str:
    """Return the id of a new line: the same for the same text and origin (such as the id of an
    event).
    """
    return hashlib.sha256("\0".join((*origin, text)).encode("utf-8", "replace")).hexdigest()[
        :_ID_CHARACTERS
    ]


def bounded_evidence(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids of evidence without duplicates. Of more than MOST_EVIDENCE ids, return the first
    one and the latest ones.
    """
    known = tuple(dict.fromkeys(ids))
    return known if len(known) <= MOST_EVIDENCE else (known[0], *known[1 - MOST_EVIDENCE :])


@dataclass(frozen=True, slots=True)
class Profile:
    """One layer of a profile.

    `lines` are its statements, in the order in which they were added. `revision` counts from 1 (0:
    not written yet). `updated_at` is ISO 8601 with offset. `source_event_id` is the first event of
    the job that caused this revision, or names the command that did (`rollback:3`, `edit`,
    `rename`).
    """

    key: ProfileKey
    name: str = ""
    tags: tuple[str, ...] = ()
    lines: tuple[ProfileLine, ...] = ()
    updated_at: str = ""
    revision: int = 0
    source_event_id: str = ""

    @property
    def summary(self) -> str:
        """The lines as a Markdown list, each with the day on which it was last stated."""
        return "\n".join(f"- {line.dated_text}" for line in self.lines)


@dataclass(frozen=True, slots=True)
class ProfileFilter:
    """Filter of profiles: those of users in one of `user_layers`, and those in `keys`.

    With `spoken_in`, the key of a scope, the public layer of a user matches only if the user has
    spoken there (`EventStore.has_spoken`).
    """

    user_layers: tuple[str, ...] = ()
    keys: tuple[ProfileKey, ...] = ()
    spoken_in: str | None = None


def profile_text(profile: Profile) -> str:
    """Return the text of a profile for searching and embedding: name, tags and lines."""
    return "\n".join(
        part
        for part in (profile.name, ", ".join(profile.tags), *(line.text for line in profile.lines))
        if part
    )
