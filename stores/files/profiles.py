"""The formats of a profile: JSON in the database, Markdown with YAML front matter elsewhere.

The Markdown form is used in files and archives. A file edited by hand can always be read: see
`front_matter.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...text.profiles.lines import distinct, read_lines, with_lines
from .front_matter import (
    begins_with_fence,
    number,
    one_line,
    scalar,
    split_front_matter,
    strings,
    with_front_matter,
)
from .naming import PROFILES


class ProfileFormat:
    """The `Format` of profiles."""

    def key(self, document: Profile) -> ProfileKey:
        return document.key

    def empty(self, key: ProfileKey) -> Profile:
        return Profile(key)

    def as_json(self, document: Profile) -> dict[str, Any]:
        return {
            "name": document.name,
            "tags": list(document.tags),
            "lines": [line.as_json() for line in document.lines],
            "source_event_id": document.source_event_id,
        }

    def of_json(
        self, key: ProfileKey, revision: int, updated_at: str, stored: Mapping[str, Any]
    ) -> Profile:
        return Profile(
            key,
            name=stored["name"],
            tags=tuple(stored["tags"]),
            lines=tuple(map(ProfileLine.of_json, stored["lines"])),
            updated_at=updated_at,
            revision=revision,
            source_event_id=stored["source_event_id"],
        )

    def render(self, document: Profile) -> str:
        fields = {
            **PROFILES.fields(document.key),
            "name": document.name,
            "tags": list(document.tags),
            "updated_at": document.updated_at,
            "revision": document.revision,
            "source_event_id": document.source_event_id,
            "lines": [line.as_json() for line in document.lines],
        }
        return with_front_matter(fields, f"{document.summary}\n")

    def parse(self, data: bytes, key: ProfileKey, revision: Callable[[], int]) -> Profile:
        """See `Format.parse`. Never raises: text without front matter is read as lines."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        return Profile(
            key=key,
            name=scalar(fields.get("name")),
            tags=strings(fields.get("tags")),
            lines=read_lines(body, noted_lines(fields.get("lines"))),
            updated_at=scalar(fields.get("updated_at")),
            revision=number(fields.get("revision")) or revision(),
            source_event_id=scalar(fields.get("source_event_id")),
        )

    def edited(
        self, data: bytes, current: Profile, kept: Callable[[int], Profile | None], day: str
    ) -> Profile | None:
        """See `Format.edited`. Lines that were not edited are taken from `current`.

        With a file that has no front matter, lines can only be added.
        """
        text = data.decode("utf-8", errors="replace")
        fields, body = split_front_matter(text)
        if not text.strip("\0\ufeff \r\n\t") or (not fields and begins_with_fence(text)):
            return None
        if not fields:
            return replace(current, lines=with_lines(current.lines, read_lines(body, day=day)))
        noted, revision = noted_lines(fields.get("lines")), number(fields.get("revision"))
        base = kept(revision) if revision else current
        before = base.lines if base is not None else tuple(noted)
        told = read_lines(body, noted or before or current.lines, day=day)
        lines = merged_lines(before, told, current.lines)
        name, tags = scalar(fields.get("name")), strings(fields.get("tags"))
        return replace(
            current,
            lines=lines,
            name=name if "name" in fields and (base is None or name != base.name) else current.name,
            tags=tags
            if (tags or fields.get("tags") in ("", [])) and (base is None or tags != base.tags)
            else current.tags,
        )

    def revised(
        self, document: Profile, revision: int, now: str, cause: str | None = None
    ) -> Profile:
        told = ((line, one_line(line.text)) for line in document.lines)
        return Profile(
            key=document.key,
            name=one_line(document.name),
            tags=tuple(tag for tag in map(one_line, document.tags) if tag),
            lines=distinct(replace(line, text=text) for line, text in told if text),
            updated_at=now,
            revision=revision,
            source_event_id=one_line(document.source_event_id if cause is None else cause),
        )

    def causes(self, document: Profile) -> tuple[str, ...]:
        """Return the job in `{job_id}:{n}` or `rollback:{revision}:{job_id}`.

        A job id contains no colon.
        """
        first, *rest = document.source_event_id.split(":")
        return tuple(rest[1:]) if first == "rollback" else (first,) if rest else ()

    def lines(self, document: Profile) -> list[str]:
        return [*(line.text for line in document.lines), *document.tags]

    def without(self, document: Profile, unwanted: Callable[[str], bool]) -> Profile:
        lines = tuple(line for line in document.lines if not unwanted(line.text))
        return replace(
            document, lines=lines, tags=tuple(tag for tag in document.tags if not unwanted(tag))
        )

    def same(self, one: Profile, other: Profile) -> bool:
        return (one.name, one.tags, one.lines) == (other.name, other.tags, other.lines)


def merged_lines(
    before: Iterable[ProfileLine], edited: Iterable[ProfileLine], current: Iterable[ProfileLine]
) -> tuple[ProfileLine, ...]:
    """Return the lines of a file that was edited while `before` became `current`.

    Lines that were changed by hand are taken from `edited`, others from `current`.
    """
    known, now = ({line.line_id: line for line in lines} for lines in (before, current))
    told = {
        line.line_id: line if known.get(line.line_id) != line else now.get(line.line_id)
        for line in edited
    }
    new = (line for line in now.values() if line.line_id not in told and line.line_id not in known)
    return distinct((*filter(None, told.values()), *new))


def noted_lines(stored: object) -> Sequence[ProfileLine]:
    """Return the lines in the field of a front matter. Invalid entries are omitted."""
    lines: list[ProfileLine] = []
    for one in stored if isinstance(stored, list) else ():
        if isinstance(one, dict) and all(scalar(one.get(name)) for name in ("line_id", "text")):
            told: dict[str, Any] = {
                name: value for name, value in one.items() if isinstance(value, str | list)
            }
            told |= {
                "told": number(one["told"]) if "told" in one else 1,
                "pinned": one.get("pinned") == "true",
            }
            told |= {name: list(strings(one.get(name))) for name in ("evidence", "tags")}
            lines.append(ProfileLine.of_json(told))
    return lines


PROFILE_FORMAT = ProfileFormat()
