"""Profiles with history and their index, as `EntityData`. For a group, also the layers of user profiles that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ...schema.entity import Entity
from ...schema.ids import validate_id
from ...schema.job import clean_text
from ...schema.profile import Profile, ProfileKey
from ...schema.protocols.entity_data import Member, Record, Traces
from ...stores.files.naming import PROFILES
from ...stores.files.profiles import PROFILE_FORMAT
from ...text.redaction import redact
from ..components import Parts
from .members import FileMember, redact_time, redact_word


class ProfileData(FileMember[ProfileKey, Profile]):
    """The `EntityData` of profiles."""

    kind = name = path = "profiles"
    former_name = "portraits"

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.profiles, PROFILE_FORMAT)
        self.members: Sequence[Member[Any]] = (self,)
        self._profiles = parts.profiles
        self._index = parts.profile_index
        self._erasure = parts.erasure
        self._clock = parts.clock
        self._level = parts.settings.historian.redact_jobs

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key in self._profiles.keys():  # noqa: SIM118 - a store, not a dictionary
            if traces is None:
                yield Record(key.index_id, tuple(self._profiles.lines(key)))
            elif PROFILES.is_of(PROFILES.place(key), traces.entity):
                kept = self._profiles.kept(key)
                names = tuple(one.name for one in kept) if key.entity == traces.entity.key else ()
                yield Record(key.index_id, tuple(line for one in kept for line in one.summary.splitlines()), names)

    def erase(self, traces: Traces) -> int:
        self._erasure.erase_profiles(traces.entity)
        self._erasure.erase_ledger(traces.entity)
        return self._profiles.erase(traces.entity)

    def drop(self, ids: Collection[str], unwanted: Callable[[str], bool]) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        for index_id in ids:
            key = ProfileKey.of_index_id(index_id)
            self._profiles.without_lines(key, unwanted, now=now)
            profile = self._profiles.read(key)
            if profile is not None:
                self._index.put(profile, None)

    def is_carried(self, key: ProfileKey, entity: Entity) -> bool:
        return key.entity == entity.key

    def owner(self, key: ProfileKey) -> str:
        return key.entity_id

    def entry(self, key: ProfileKey) -> dict[str, str]:
        return {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer}

    def key_of(self, entry: Mapping[str, Any]) -> ProfileKey:
        whose = Entity(entry["entity_type"], validate_id(entry["entity_id"], "entity_id"))
        return ProfileKey(whose.type, whose.id, clean_text(str(entry["layer"])))

    def entities(self, key: ProfileKey) -> list[str]:
        return [key.entity]

    def redact(self, value: list[Profile]) -> list[Profile]:
        return [
            replace(
                one,
                name=redact_word(one.name, self._level),
                tags=tuple(redact_word(tag, self._level) for tag in one.tags),
                summary=redact(one.summary, self._level),
                updated_at=redact_time(one.updated_at),
                source_event_id=redact_word(one.source_event_id, self._level),
            )
            for one in value
        ]

    def restore(self, values: Sequence[list[Profile]]) -> Mapping[str, int | list[str]]:
        results = []
        for revisions in values:
            results.append(self._profiles.restore(revisions))
            if results[-1] == "restored":
                self._index.put(revisions[-1], None)
        different = [str(value[-1].key) for value, result in zip(values, results, strict=True) if result == "different"]
        known = results.count("same")
        return {"profiles": results.count("restored"), "known_profiles": known, "different_profiles": different}
