"""Profiles as Markdown files with YAML front matter, see `revisioned.py`.

A file edited by hand can always be read: see `front_matter.py`. The file name gives the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...schema.job import clean_text
from ...schema.profile import Profile, ProfileKey
from ...schema.protocols import Ledger
from ...schema.scope import EntityType
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
        }
        return with_front_matter(fields, f"{document.summary}\n")

    def parse(self, data: bytes, key: ProfileKey, revision: Callable[[], int], instead: Profile | None = None) -> Profile:
        """See `Format.parse`. Never raises: text that is not front matter is the summary."""
        fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
        return Profile(
            key=key,
            name=scalar(fields.get("name")),
            tags=strings(fields.get("tags")),
            summary=body,
            updated_at=scalar(fields.get("updated_at")),
            revision=number(fields.get("revision")) or revision(),
            source_event_id=scalar(fields.get("source_event_id")),
        )

    def revised(self, document: Profile, revision: int, now: str, cause: str | None = None) -> Profile:
        return Profile(
            key=document.key,
            name=one_line(document.name),
            tags=tuple(tag for tag in map(one_line, document.tags) if tag),
            summary=clean_text(document.summary.replace("\r\n", "\n")),
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
        return [line for line in (*document.summary.splitlines(), *document.tags) if line.strip()]

    def without(self, document: Profile, unwanted: Callable[[str], bool]) -> Profile:
        summary = "\n".join(line for line in document.summary.splitlines() if not unwanted(line))
        return replace(document, summary=summary, tags=tuple(tag for tag in document.tags if not unwanted(tag)))

    def same(self, one: Profile, other: Profile) -> bool:
        return (one.name, one.tags, one.summary) == (other.name, other.tags, other.summary)


PROFILE_FORMAT = ProfileFormat()


class MarkdownProfiles(RevisionedFiles[ProfileKey, Profile]):
    """The `ProfileStorage` in a folder."""

    def __init__(self, folder: Path, *, ledger: Ledger, revision_keep: int = 5) -> None:
        super().__init__(folder, PROFILES, PROFILE_FORMAT, ledger=ledger, revision_keep=revision_keep)

    def write(self, profile: Profile, *, expected_revision: int, job_id: str = "", now: str) -> Profile:
        """See `ProfileStorage.write`. Sets `source_event_id` to name the job, if one is given. Raises StorageError."""
        if job_id and job_id not in profile.source_event_id.split(":"):
            profile = replace(profile, source_event_id=f"{job_id}:0")
        written = self._put(profile.key, profile, [job_id] if job_id else [], expected_revision=expected_revision, now=now)
        assert written is not None  # None is returned only if `forgotten` is given
        return written

    def is_applied(self, key: ProfileKey, job_id: str) -> bool:
        return bool(self._noted(key, [job_id], self.read(key)))

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        return [key.layer for key in self.keys() if (key.entity_type, key.entity_id) == (entity_type, entity_id)]
