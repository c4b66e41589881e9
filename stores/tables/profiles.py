"""Profiles with revisions, as documents."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from ...schema.errors import InvalidInput
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ..files.durable import names_in, write_atomically
from ..files.naming import PROFILES
from ..files.profiles import PROFILE_FORMAT
from .documents import DocumentTable


class ProfileStorage(DocumentTable[ProfileKey, Profile]):
    """The profiles in one database."""

    kind = "profile"
    naming, form = PROFILES, PROFILE_FORMAT

    def write(
        self,
        profile: Profile,
        *,
        expected_revision: int,
        job_id: str = "",
        also: Collection[str] = (),
        now: str,
    ) -> Profile:
        """Write `profile` as revision `expected_revision + 1` and return it.

        Raises RevisionConflict if another revision is stored. `also` are further causes of this
        revision. If `job_id` and all of `also` were applied to this key before, nothing is written
        and the stored profile is returned.

        Sets `source_event_id` to name the job, if one is given. Raises StorageError.
        """
        if job_id and job_id not in profile.source_event_id.split(":"):
            profile = replace(profile, source_event_id=f"{job_id}:0")
        causes = [job_id, *also] if job_id else list(also)
        written = self._put(
            profile.key, profile, causes, expected_revision=expected_revision, now=now
        )
        assert written is not None  # None is returned only if `forgotten` is given
        return written

    def revise(
        self, key: ProfileKey, change: Callable[[Profile], Profile], *, now: str, cause: str
    ) -> Profile | None:
        """Write the result of `change` for the current revision as the next one.

        Earlier revisions that `change` would alter are deleted, so that `rollback` cannot restore
        what it removes. `cause` becomes the `source_event_id`. Returns the new revision, None if
        nothing changes. `change` is called under the lock of the profile, for each stored revision.
        """
        with self._writing(key) as transaction:
            kept, written = self._revisions(transaction, key), None
            if kept and not self.form.same(changed := change(kept[0]), kept[0]):
                written = self._swap(transaction, key, changed, kept[0], (), now, cause)
            self._drop(
                transaction,
                key,
                [one.revision for one in kept if not self.form.same(change(one), one)],
            )
        self._database.truncate_log()
        return written

    def is_applied(self, key: ProfileKey, job_id: str) -> bool:
        return bool(self._applied(self._database, key, [job_id]))

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        found = self._database.rows(
            "SELECT DISTINCT place FROM documents WHERE kind = %s AND entity_type = %s AND entity_id = %s ORDER BY place",
            (self.kind, entity_type, entity_id),
        )
        return [layer for (layer,) in found]


def write_view(profiles: ProfileStorage, folder: Path) -> int:
    """Write the current revision of every profile into an empty folder, as in a data directory.

    Works with any store. Return the number of profiles. Raises InvalidInput if the folder is not
    empty, and StorageError.
    """
    if names_in(folder):
        raise InvalidInput(f"{folder} is not empty; give a new folder")
    found = [one for key in profiles.keys() if (one := profiles.read(key)) is not None]  # noqa: SIM118 - a store, no dictionary
    for one in found:
        write_atomically(
            folder / f"{PROFILES.place(one.key)}.md", PROFILE_FORMAT.render(one).encode()
        )
    return len(found)
