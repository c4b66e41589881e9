"""Erasure of the data of an entity from the store of events and what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from ..entity import Entity
from ..event import EventFilter

PIECE_BYTES = 24
"""A text is searched for in pieces of this length, since a database may split it between pages."""


class StoredBytes(NamedTuple):
    """A piece of what is stored: the name of its file or table, the offset of the bytes in it, and the bytes.

    Bytes that follow one another in a file overlap by PIECE_BYTES - 1.
    """

    place: str
    offset: int
    data: bytes


class Erasure(Protocol):
    """Erasure of events, their words and vectors, the profile index, and the manifest of notes. All is idempotent."""

    def bury(self, entity: str, until: float) -> None:
        """Prevent filing of jobs of `entity` (`user:42`) at `until` or before (seconds since the epoch)."""

    def bury_jobs(self, job_ids: Sequence[str]) -> None:
        """Prevent filing of jobs, and remove their ledger entries."""

    def bury_words(self, digests: Sequence[str], until: float) -> None:
        """Prevent filing of statements (`corrected_digest`) that were told at `until` or before (seconds since the epoch)."""

    def lift(self, job_ids: Sequence[str], digests: Sequence[str]) -> None:
        """Let jobs and statements be filed again."""

    def erase_events(self, where: EventFilter) -> int:
        """Delete events with words, vectors and the ledger entries of their jobs. Return how many.

        Each job gets a tombstone, so that it is not filed again if it is submitted with a later time.
        """

    def erase_some(
        self,
        where: EventFilter,
        *,
        last_rows: Sequence[int] | None = None,
        before: Callable[[Sequence[str], Sequence[str]], None] | None = None,
    ) -> int:
        """Delete some of the matching events as `erase_events`, in one short transaction. Return how many.

        With `last_rows`, only of these scopes and up to these rows. `before` is called with their texts and the ids of their
        jobs while they can still be read.
        """

    def last_rows(self, where: EventFilter) -> list[int]:
        """Return the last row of each scope with matching events: what is filed from now on has higher ones."""

    def keep_mentions(self, entity: str, mentions: Sequence[tuple[str, str, str]]) -> None:
        """Note what of others mentions a forgotten entity, as (kind, id, digest of the text). Replaces what was noted before."""

    def kept_mentions(self, entity: str) -> set[tuple[str, str, str]]:
        """Return what `keep_mentions` noted."""

    def erase_profiles(self, entity: Entity) -> int:
        """Remove all layers of the profile of an entity from the index, with their vectors. Return how many.

        Of a group, the layers of user profiles that belong to it are removed as well.
        """

    def erase_notes(self, scope_key: str) -> int:
        """Remove the manifest entries of the note files of a scope. Return how many. Their events are erased separately."""

    def erase_whole(self) -> int:
        """Remove what is erased as a whole, while no job runs: checkpoints, and damaged files of unknown content."""

    def merge_words(self) -> Iterator[None]:
        """Remove words of deleted records that the keyword index still holds; yields between short transactions."""

    def check_words(self) -> None:
        """Make a keyword index that holds words of no record (after damage) anew."""

    def rewrite(self, stop: Callable[[], bool] = bool) -> bool:
        """Overwrite what deleted records left behind. Return False if `stop` broke it off. Raises StorageError."""

    def has_remains(self) -> bool:
        """Return True if messages were withdrawn or edited since `overwrite` last ended."""

    def overwrite(
        self,
        stop: Callable[[], bool] = bool,
        *,
        insist: bool = False,
        derived: Callable[[], None] = lambda: None,
    ) -> bool:
        """Overwrite what withdrawn and edited messages left behind, as `merge_words` and `rewrite` do. Return True if done.

        `derived` is called at the end, to delete copies outside of the database: until it returns there is something left to do.
        Return False, with something left to do, if `stop` broke it off, or a writer that waits, unless `insist`.
        """

    def holds(self, places: Collection[str]) -> bool:
        """Return True if one of the places (`StoredBytes.place`) is one that `rewrite` overwrites."""

    def writers_wait(self) -> bool:
        """Return True if somebody in this process waits to write."""
