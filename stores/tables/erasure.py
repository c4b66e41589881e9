"""Erasure of the data of a person or a group from the tables that engines have alike."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ...schema.entity import Entity
from ...schema.event import MESSAGE, EventFilter
from ...schema.profile import ProfileKey
from ..files.naming import PROFILES
from .engine import Transaction
from .events.rows import MESSAGES, SCOPE_SHIFT, BesideEvents
from .meta import REMAINS, note, noted
from .tombstones import SAID, SECONDS_OF_EVER, add_tombstones

ERASED_AT_ONCE = 500
"""Events deleted in one transaction, for about a tenth of a second."""
_MENTIONS = "mentions of "
_ERASED = "e.row, e.job_id, e.text, e.handed_over, e.kind"


class ErasureTables(BesideEvents, ABC):
    """Erasure of events, their words and vectors, the profile index, and the manifest of notes. All is idempotent."""

    among: str
    """A table of the numbers `r` of a list."""

    def bury(self, entity: str, until: float) -> None:
        """Prevent filing of jobs of `entity` (`user:42`) at `until` or before (seconds since the epoch).

        What is being written of the entity is waited for.
        """
        with self._database.writing() as transaction:
            transaction.lock_entities([entity], exclusive=True)
            add_tombstones(transaction, "entity", [entity], until)

    def bury_jobs(self, job_ids: Sequence[str]) -> None:
        """Prevent filing of jobs, and remove their ledger entries."""
        with self._database.writing() as transaction:
            add_tombstones(transaction, "job", job_ids, SECONDS_OF_EVER)
            self.remove_applied(transaction, job_ids)

    def bury_words(self, digests: Sequence[str], until: float) -> None:
        """Prevent filing of statements (`corrected_digest`) that were told at `until` or before (seconds since the epoch)."""
        with self._database.writing() as transaction:
            transaction.lock_name(SAID)  # what is being filed is waited for; what is filed later finds them
            add_tombstones(transaction, SAID, digests, until)

    def lift(self, job_ids: Sequence[str], digests: Sequence[str]) -> None:
        """Let jobs and statements be filed again."""
        with self._database.writing() as transaction:
            for kind, values in (("job", job_ids), (SAID, digests)):
                transaction.run("DELETE FROM tombstones WHERE kind = %s AND value = ANY(%s)", (kind, list(values)))

    def erase_events(self, where: EventFilter) -> int:
        """Delete events with words, vectors and the ledger entries of their jobs. Return how many.

        Each job gets a tombstone, so that it is not filed again if it is submitted with a later time.
        """
        erased = 0
        while some := self.erase_some(where):
            erased += some
        return erased

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
        with self._database.writing() as transaction:
            transaction.lock_name(MESSAGES)
            condition, parameters = self._events.conditions(where)
            if last_rows is not None:
                condition += f" AND e.row <= (SELECT r FROM {self.among} WHERE r >> {SCOPE_SHIFT} = e.row >> {SCOPE_SHIFT})"
                parameters = [*parameters, list(last_rows)]
            found = transaction.rows(
                f"SELECT {_ERASED} FROM events e WHERE {condition} LIMIT {ERASED_AT_ONCE}",
                parameters,
            )
            if not found:
                return 0
            messages = {job_id for _, job_id, *_, kind in found if kind == MESSAGE}
            self._events.lock_messages(transaction, {job_id for _, job_id, *_ in found})
            known = {row for row, *_ in found}
            resting = self._events.resting(transaction, messages)
            found += transaction.rows(
                f"SELECT {_ERASED} FROM events e WHERE e.row = ANY(%s)",
                ([row for row, _ in resting if row not in known],),
            )
            rows, jobs = [row for row, *_ in found], sorted({job_id for _, job_id, *_ in found})
            if before is not None:
                former = transaction.rows("SELECT text FROM event_revisions WHERE row = ANY(%s)", (rows,))
                before([text for _, _, *texts, _ in found for text in texts] + [text for (text,) in former], jobs)
            filed = transaction.rows("DELETE FROM filed_jobs WHERE job_id = ANY(%s) RETURNING job_id", (jobs,))
            # A message is in no list of filed jobs: its edit, or the same message again, must not bring it back.
            add_tombstones(transaction, "job", {job_id for (job_id,) in filed} | messages, SECONDS_OF_EVER)
            self.remove_applied(transaction, jobs)
            self._events.delete(transaction, rows)
        return len(found)

    def has_remains(self) -> bool:
        """Return True if messages were withdrawn or edited since `overwrite` last ended."""
        return noted(self._database, REMAINS) is not None

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
        mark = noted(self._database, REMAINS)
        for _ in self.merge_words():
            if stop():
                return False
        if not self.rewrite(lambda: stop() or (not insist and self.writers_wait())):
            return False
        derived()
        with self._database.writing() as transaction:
            if noted(transaction, REMAINS) == mark:  # else something was deleted meanwhile
                note(transaction, REMAINS, None)
        return True

    def merge_words(self) -> Iterator[None]:
        """Remove words of deleted records from a keyword index that still holds them; yields between short transactions."""
        return iter(())

    def check_words(self) -> None:
        """Rebuild a keyword index that holds words of no record (after damage)."""

    @abstractmethod
    def rewrite(self, stop: Callable[[], bool] = bool) -> bool:
        """Overwrite what deleted records left behind. Return False if `stop` broke it off. Raises StorageError."""

    @abstractmethod
    def erase_whole(self) -> int:
        """Remove what is erased as a whole, while no job runs: checkpoints, and damaged files of unknown content."""

    def holds(self, places: Collection[str]) -> bool:
        """Return True if one of the places (`StoredBytes.place`) is one that `rewrite` overwrites."""
        return False

    def writers_wait(self) -> bool:
        """Return True if a writer of this process waits for `rewrite`."""
        return False

    def erase_profiles(self, entity: Entity) -> int:
        """Remove all layers of the profile of an entity from the index, with their vectors. Return how many.

        Of a group, the layers of user profiles that belong to it are removed as well.
        """
        with self._database.writing() as transaction:
            transaction.lock_entities([entity.key], exclusive=True)
            tables = (self._events.profiles, "other_profile_vectors")
            found = [transaction.rows(f"SELECT DISTINCT item_id FROM {table}") for table in tables]
            gone = [[name for (name,) in names if _is_of(name, entity)] for names in found]
            self.remove_profile_words(transaction, gone[0])
            for table, names in zip(tables, gone, strict=True):
                transaction.run(f"DELETE FROM {table} WHERE item_id = ANY(%s)", (names,))
        return len(gone[0])

    def remove_profile_words(self, transaction: Any, item_ids: Sequence[str]) -> None:
        """Remove profiles from an index of words that is kept apart from their rows."""

    def remove_applied(self, transaction: Transaction, job_ids: Sequence[str]) -> None:
        """Remove what was noted of jobs in the ledger."""
        transaction.run("DELETE FROM ledger WHERE job_id = ANY(%s)", (list(job_ids),))

    def last_rows(self, where: EventFilter) -> list[int]:
        """Return the last row of each scope with matching events: what is filed from now on has higher ones."""
        condition, parameters = self._events.conditions(where)
        found = self._database.rows(
            f"SELECT (scope_number << {SCOPE_SHIFT}) | last_row FROM scopes WHERE scope_number IN"
            f" (SELECT DISTINCT e.row >> {SCOPE_SHIFT} FROM events e WHERE {condition})",
            parameters,
        )
        return [row for (row,) in found]

    def keep_mentions(self, entity: str, mentions: Sequence[tuple[str, str, str]]) -> None:
        """Note what of others mentions a forgotten entity, as (kind, id, digest of the text). Replaces what was noted before."""
        with self._database.writing() as transaction:
            note(transaction, _MENTIONS + entity, json.dumps(mentions, ensure_ascii=False) if mentions else None)

    def kept_mentions(self, entity: str) -> set[tuple[str, str, str]]:
        """Return what `keep_mentions` noted."""
        found = json.loads(noted(self._database, _MENTIONS + entity) or "[]")
        return {(kind, item, digest) for kind, item, digest in found}

    def erase_notes(self, scope_key: str) -> int:
        """Remove the manifest entries of the note files of a scope. Return how many. Their events are erased separately."""
        with self._database.writing() as transaction:
            transaction.lock_name("notes", scope_key)
            transaction.run(
                "DELETE FROM note_chunks WHERE file_number IN (SELECT file_number FROM note_files WHERE scope_key = %s)",
                (scope_key,),
            )
            return transaction.run("DELETE FROM note_files WHERE scope_key = %s", (scope_key,))


def _is_of(index_id: str, entity: Entity) -> bool:
    return PROFILES.is_of(PROFILES.place(ProfileKey.of_index_id(index_id)), entity)
