"""Erasure of the data of a person or a group from the tables that both engines share."""

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
"""Maximum number of events selected per transaction, which takes about a tenth of a second."""
_MENTIONS = "mentions of "
_ERASED = "e.row, e.job_id, e.text, e.handed_over, e.kind"


class ErasureTables(BesideEvents, ABC):
    """Erasure of events with words and vectors, of the profile index, and of the manifest of notes.

    All methods are idempotent.
    """

    among: str
    """SQL for a table of the numbers `r` in a list."""

    def bury(self, entity: str, until: float) -> None:
        """Prevent the filing of jobs of `entity` (`user:42`) that are dated `until` or earlier.

        `until` is in seconds since the epoch. Waits for transactions that write data of the entity.
        """
        with self._database.writing() as transaction:
            transaction.lock_entities([entity], exclusive=True)
            add_tombstones(transaction, "entity", [entity], until)

    def bury_jobs(self, job_ids: Sequence[str]) -> None:
        """Prevent the filing of jobs, and remove their ledger entries."""
        with self._database.writing() as transaction:
            add_tombstones(transaction, "job", job_ids, SECONDS_OF_EVER)
            self.remove_applied(transaction, job_ids)

    def bury_words(self, digests: Sequence[str], until: float) -> None:
        """Prevent the filing of statements (`corrected_digest`) that were made at `until` or
        earlier.

        `until` is in seconds since the epoch.
        """
        with self._database.writing() as transaction:
            transaction.lock_name(SAID)  # waits for open filings; later ones find the tombstones
            add_tombstones(transaction, SAID, digests, until)

    def lift(self, job_ids: Sequence[str], digests: Sequence[str]) -> None:
        """Allow jobs and statements to be filed again."""
        with self._database.writing() as transaction:
            for kind, values in (("job", job_ids), (SAID, digests)):
                transaction.run(
                    "DELETE FROM tombstones WHERE kind = %s AND value = ANY(%s)",
                    (kind, list(values)),
                )

    def erase_events(self, where: EventFilter) -> int:
        """Delete events with words, vectors and the ledger entries of their jobs.

        Return their number.

        Each job gets a tombstone, so that it is not filed again if it is submitted with a later
        time.
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
        """Delete some of the matching events like `erase_events`, in one short transaction.

        Return the number of deleted events, which include those derived from deleted messages. With
        `last_rows`, only events of these scopes and up to these rows are selected. `before` is
        called with the texts and the ids of the jobs before they are deleted.
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
                former = transaction.rows(
                    "SELECT text FROM event_revisions WHERE row = ANY(%s)", (rows,)
                )
                before(
                    [text for _, _, *texts, _ in found for text in texts]
                    + [text for (text,) in former],
                    jobs,
                )
            filed = transaction.rows(
                "DELETE FROM filed_jobs WHERE job_id = ANY(%s) RETURNING job_id", (jobs,)
            )
            # Messages are not in `filed_jobs`. With a tombstone, an edit or a repetition of the
            # message is not stored.
            add_tombstones(
                transaction, "job", {job_id for (job_id,) in filed} | messages, SECONDS_OF_EVER
            )
            self.remove_applied(transaction, jobs)
            self._events.delete(transaction, rows)
        return len(found)

    def has_remains(self) -> bool:
        """Return True if records were deleted or edited since `overwrite` last completed."""
        return noted(self._database, REMAINS) is not None

    def overwrite(
        self,
        stop: Callable[[], bool] = bool,
        *,
        insist: bool = False,
        derived: Callable[[], None] = lambda: None,
    ) -> bool:
        """Overwrite the remains of deleted and edited records with `merge_words` and `rewrite`.

        Return True if this is complete. Return False if `stop` interrupted it, or, unless `insist`,
        a waiting writer; `has_remains` is then still True. `derived` is called at the end, to
        delete copies outside of the database.
        """
        mark = noted(self._database, REMAINS)
        for _ in self.merge_words():
            if stop():
                return False
        if not self.rewrite(lambda: stop() or (not insist and self.writers_wait())):
            return False
        derived()
        with self._database.writing() as transaction:
            if noted(transaction, REMAINS) == mark:  # otherwise something was deleted meanwhile
                note(transaction, REMAINS, None)
        return True

    def merge_words(self) -> Iterator[None]:
        """Remove the words of deleted records from a keyword index that still contains them.

        Yields between short transactions.
        """
        return iter(())

    def check_words(self) -> None:
        """Rebuild a keyword index that contains words of missing records (after damage)."""

    @abstractmethod
    def rewrite(self, stop: Callable[[], bool] = bool) -> bool:
        """Overwrite the remains of deleted records. Return False if `stop` interrupted it.

        Raises StorageError.
        """

    @abstractmethod
    def erase_unattributed(self) -> int:
        """Delete data that cannot be attributed to one entity: checkpoints and damaged files.

        Return the number of jobs that had checkpoints, or of deleted files.

        To be called while no job runs.
        """

    def holds(self, places: Collection[str]) -> bool:
        """Return True if `rewrite` overwrites one of `places` (`StoredBytes.place`)."""
        return False

    def writers_wait(self) -> bool:
        """Return True if a writer of this process waits for the end of `rewrite`."""
        return False

    def erase_profiles(self, entity: Entity) -> int:
        """Remove all layers of the profile of an entity from the index. Return their number.

        Their vectors are removed too. For a group, the layers of user profiles that belong to it
        are removed as well.
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
        """Remove profiles from an index of words that is separate from their rows."""

    def remove_applied(self, transaction: Transaction, job_ids: Sequence[str]) -> None:
        """Remove the ledger entries of jobs."""
        transaction.run("DELETE FROM ledger WHERE job_id = ANY(%s)", (list(job_ids),))

    def last_rows(self, where: EventFilter) -> list[int]:
        """Return the last row of each scope with matching events.

        Later events get higher numbers.
        """
        condition, parameters = self._events.conditions(where)
        found = self._database.rows(
            f"SELECT (scope_number << {SCOPE_SHIFT}) | last_row FROM scopes WHERE scope_number IN"
            f" (SELECT DISTINCT e.row >> {SCOPE_SHIFT} FROM events e WHERE {condition})",
            parameters,
        )
        return [row for (row,) in found]

    def keep_mentions(self, entity: str, mentions: Sequence[tuple[str, str, str]]) -> None:
        """Store which records of others mention a forgotten entity.

        `mentions` are (kind, id, digest of the text). Replaces the records that were stored before.
        """
        with self._database.writing() as transaction:
            note(
                transaction,
                _MENTIONS + entity,
                json.dumps(mentions, ensure_ascii=False) if mentions else None,
            )

    def kept_mentions(self, entity: str) -> set[tuple[str, str, str]]:
        """Return the records that `keep_mentions` has stored."""
        found = json.loads(noted(self._database, _MENTIONS + entity) or "[]")
        return {(kind, item, digest) for kind, item, digest in found}

    def erase_notes(self, scope_key: str) -> int:
        """Remove the manifest entries of the note files of a scope. Return their number.

        The events of the notes are erased separately.
        """
        with self._database.writing() as transaction:
            transaction.lock_name("notes", scope_key)
            transaction.run(
                "DELETE FROM note_chunks WHERE file_number IN (SELECT file_number FROM note_files WHERE scope_key = %s)",
                (scope_key,),
            )
            return transaction.run("DELETE FROM note_files WHERE scope_key = %s", (scope_key,))


def _is_of(index_id: str, entity: Entity) -> bool:
    return PROFILES.is_of(PROFILES.place(ProfileKey.of_index_id(index_id)), entity)
