"""Profiles as Markdown files with YAML front matter, see `revisioned.py`.

A file edited by hand can always be read: see `front_matter.py`. The file name gives the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...schema.errors import InvalidInput
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.protocols import ProfileStorage
from ...schema.scope import EntityType
from ...text.profiles.lines import distinct, read_lines
from .compare_and_swap import RevisionedProfiles
from .durable import names_in, write_atomically
from .front_matter import number, one_line, scalar, split_front_matter, strings, with_front_matter
from .naming import PROFILES
from .revisioned import RevisionedFiles


class ProfileFormat:
    """The `Format` of profiles."""

    def key(self, document: Profile) -> ProfileKey:
        return document.key

    def empty(self, key: ProfileKey) -> Profile:
        return Profile(key)

    def render(self, document: Profile) -> str:
        fields = {
            "entity_type": document.key.entity_type,
            "entity_id": document.key.entity_id,
            "layer": document.key.layer,
            "name": document.name,
            "tags": list(document.tags),
            "updated_at": document.updated_at,
            "revision": document.revision,
            "source_event_id": document.source_event_id,
            "lines": [line.as_json() for line in document.lines],
        }
        return with_front_matter(fields, f"{document.summary}\n")

    def parse(self, data: bytes, key: ProfileKey, revision: Callable[[], int], instead: Profile | None = None) -> Profile:
        """See `Format.parse`. Never raises: text that is not front matter is the summary."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        return Profile(
            key=key,
            name=scalar(fields.get("name")),
            tags=strings(fields.get("tags")),
            lines=read_lines(body, _noted(fields.get("lines")), day=scalar(fields.get("updated_at"))[:10]),
            updated_at=scalar(fields.get("updated_at")),
            revision=number(fields.get("revision")) or revision(),
            source_event_id=scalar(fields.get("source_event_id")),
        )

    def revised(self, document: Profile, revision: int, now: str, cause: str | None = None) -> Profile:
        return Profile(
            key=document.key,
            name=one_line(document.name),
            tags=tuple(tag for tag in map(one_line, document.tags) if tag),
            lines=distinct(replace(line, text=one_line(line.text)) for line in document.lines if one_line(line.text)),
            updated_at=now,
            revision=revision,
            source_event_id=one_line(document.source_event_id if cause is None else cause),
        )

    def causes(self, document: Profile) -> tuple[str, ...]:
        """Return the job in `{job_id}:{n}` or `rollback:{revision}:{job_id}`. A job id contains no colon."""
        first, *rest = document.source_event_id.split(":")
        return tuple(rest[1:]) if first == "rollback" else (first,) if rest else ()

    def lines(self, data: bytes, key: ProfileKey) -> list[str]:
        document = self.parse(data, key, int)
        return [*(line.text for line in document.lines), *document.tags]

    def without(self, document: Profile, unwanted: Callable[[str], bool]) -> Profile:
        lines = tuple(line for line in document.lines if not unwanted(line.text))
        return replace(document, lines=lines, tags=tuple(tag for tag in document.tags if not unwanted(tag)))

    def same(self, one: Profile, other: Profile) -> bool:
        return (one.name, one.tags, one.lines) == (other.name, other.tags, other.lines)


def _noted(stored: object) -> list[ProfileLine]:
    """Return the lines that a front matter notes; none that are not lines."""
    lines: list[ProfileLine] = []
    for one in stored if isinstance(stored, list) else ():
        if isinstance(one, dict) and all(scalar(one.get(name)) for name in ("line_id", "text")):
            told: dict[str, Any] = {name: value for name, value in one.items() if isinstance(value, str | list)}
            told |= {"told": number(one.get("told")) or 1, "pinned": one.get("pinned") == "true"}
            told |= {name: list(strings(one.get(name))) for name in ("evidence", "tags")}
            lines.append(ProfileLine.of_json(told))
    return lines


PROFILE_FORMAT = ProfileFormat()


def write_view(profiles: ProfileStorage, folder: Path) -> int:
    """Write the current revision of every profile of any store into an empty folder, as `MarkdownProfiles` has them.

    Return how many. Raises InvalidInput if the folder holds something, and StorageError.
    """
    if names_in(folder):
        raise InvalidInput(f"{folder} is not empty; give a new folder")
    found = [one for key in profiles.keys() if (one := profiles.read(key)) is not None]  # noqa: SIM118 - a store, no dictionary
    for one in found:
        write_atomically(folder / f"{PROFILES.place(one.key)}.md", PROFILE_FORMAT.render(one).encode())
    return len(found)


class MarkdownProfiles(RevisionedProfiles, RevisionedFiles[ProfileKey, Profile]):
    """The `ProfileStorage` in a folder."""

    _naming, _form = PROFILES, PROFILE_FORMAT

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        return [key.layer for key in self.keys() if (key.entity_type, key.entity_id) == (entity_type, entity_id)]
