"""The store of profiles."""

from __future__ import annotations

from collections.abc import Callable, Collection
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

    def revise(self, key: ProfileKey, change: Callable[[Profile], Profile], *, now: str, cause: str) -> Profile | None:
        """Write what `change` makes of the current revision as the next one, and delete earlier ones that it would change.

        So nothing that `change` takes out can come back by `rollback`. `cause` becomes the `source_event_id`. Returns the new
        revision, None if nothing changes. `change` is called under the lock of the profile, for each kept revision.
        """

    def is_applied(self, key: ProfileKey, job_id: str) -> bool: ...

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]: ...
