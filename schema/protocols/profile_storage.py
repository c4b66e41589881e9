"""The store of profiles, and the ledger of the jobs that were applied to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from ..profile import Profile, ProfileKey
from ..scope import EntityType


class Ledger(Protocol):
    """Which jobs were applied to which profile. A pair, once added, is there when `add` returns."""

    def has(self, entity_key: str, job_id: str) -> bool: ...

    def add(self, entity_key: str, job_id: str) -> None:
        """Note that a job was applied; a second time changes nothing."""


class ProfileStorage(Protocol):
    """Profiles, with revisions. Writers compare and swap."""

    def read(self, key: ProfileKey) -> Profile | None: ...

    def write(self, profile: Profile, *, expected_revision: int, job_id: str = "", now: str) -> Profile:
        """Write `profile` as revision `expected_revision + 1` and return it.

        Raises RevisionConflict where the stored revision is another one. With a `job_id` that was applied to this key
        before, nothing is written and the stored profile is returned.
        """

    def is_applied(self, key: ProfileKey, job_id: str) -> bool: ...

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]: ...

    def keys(self) -> list[ProfileKey]: ...

    def history(self, key: ProfileKey) -> list[Profile]:
        """The kept earlier revisions, newest first."""

    def rollback(self, key: ProfileKey, revision: int, *, now: str, job_id: str = "") -> Profile:
        """Write the content of an earlier revision as a new one; a `job_id` as in `write`.

        Raises InvalidInput, naming the revisions that are kept, where that one is not.
        """

    def sweep(self) -> int:
        """Remove what writers that were killed left half-written; returns how many files. For the owner, at start."""

    def delete(self, key: ProfileKey) -> bool:
        """Remove a profile with its history."""

    def erase(self, entity_type: EntityType, entity_id: str, layers_of_users: str = "") -> int:
        """Remove all profiles of an entity with their history, and one layer of all users; returns how many files.

        For good: what cannot be read goes too.
        """

    def restore(self, revisions: Sequence[Profile]) -> Literal["restored", "same", "different"]:
        """Put back the revisions of one profile, oldest first, where there is none; one that is there stays as it is."""

    def kept(self, key: ProfileKey) -> list[Profile]:
        """The current profile and its kept revisions."""

    def without_lines(self, key: ProfileKey, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Take lines out of a profile and of its history for good; returns how many."""
