"""A profile: lasting knowledge about a user or a group, in layers."""

from __future__ import annotations

import json
from dataclasses import dataclass

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
        """The key by which jobs are serialised."""
        return f"{self.entity_type}:{self.entity_id}"

    @property
    def index_id(self) -> str:
        """The key as a unique string: a JSON array, because ids may contain `:` and `@`."""
        return json.dumps([self.entity_type, self.entity_id, self.layer], ensure_ascii=False)

    @classmethod
    def of_job(cls, job: Job, rule: LayerRule) -> list[ProfileKey]:
        """Return the keys of the profiles that a job may change."""
        keys = [cls("user", job.user_id, layer_written(job.scope, "user", rule))]
        return [*keys, cls("group", job.group_id, layer_written(job.scope, "group", rule))] if job.group_id else keys

    @classmethod
    def of_index_id(cls, index_id: str) -> ProfileKey:
        """Return the key with this `index_id`."""
        return cls(*json.loads(index_id))

    def __str__(self) -> str:
        return f"{self.entity}@{self.layer}" if self.layer else self.entity


@dataclass(frozen=True, slots=True)
class Profile:
    """One layer of a profile. `summary` is Markdown; `revision` counts from 1 (0: not written yet);
    `updated_at` is ISO 8601 with offset; `source_event_id` is the first event of the job that caused this revision,
    or names the command that did (`rollback:3`, `edit`, `rename`)."""

    key: ProfileKey
    name: str = ""
    tags: tuple[str, ...] = ()
    summary: str = ""
    updated_at: str = ""
    revision: int = 0
    source_event_id: str = ""


@dataclass(frozen=True, slots=True)
class ProfileFilter:
    """Filter of profiles: those of users in one of `user_layers`, and those in `keys`.

    With `spoken_in`, the key of a scope, the public layer is that of users who have spoken there (`EventStore.has_spoken`).
    """

    user_layers: tuple[str, ...] = ()
    keys: tuple[ProfileKey, ...] = ()
    spoken_in: str | None = None


def profile_text(profile: Profile) -> str:
    """Return the text of a profile that is searched and embedded: name, tags, summary, one line each."""
    return "\n".join(part for part in (profile.name, ", ".join(profile.tags), profile.summary) if part)
