"""The store of profiles."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from ...profile import Profile, ProfileKey
from ...scope import EntityType
from .revisions import Revisions


class ProfileStorage(Revisions[ProfileKey, Profile], Protocol):
    """Profiles and their revisions."""

    def write(
        self, profile: Profile, *, expected_revision: int, job_id: str = "", also: Collection[str] = (), now: str
    ) -> Profile:
        """Write `profile` as revision `expected_revision + 1` and return it.

        Raises RevisionConflict if another revision is stored. If `job_id`, and what was `also` a cause of this revision, were
        all applied to this key before, nothing is written and the stored profile is returned.
        """

    def is_applied(self, key: ProfileKey, job_id: str) -> bool: ...

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]: ...
