"""The records of corrections, as rows of the table `corrections`, with their people and groups."""

from __future__ import annotations

from collections.abc import Iterator

from ...schema.correction import CorrectionRecord
from ...schema.entity import Entity
from .engine import OfOpened

_LATEST = (
    "SELECT body FROM corrections WHERE until > %s AND (%s = 1 OR scope_key = %s)"
    # `at` has whole seconds, `until` fractions
    " ORDER BY at DESC, until DESC, correction_id LIMIT %s"
)


class CorrectionTable(OfOpened):
    """Records of what corrections removed, stored until they can no longer be undone.

    Calls block, and raise StorageError. The database is looked up at each use.
    """

    def put(self, record: CorrectionRecord) -> None:
        """Store a record, and replace one with the same id. Durable when it returns."""
        correction = record.correction
        row = (
            correction.correction_id,
            record.scope_key,
            correction.at,
            record.until,
            record.encoded(),
        )
        with self._database.writing() as transaction:
            transaction.lock_entities(record.entities)
            transaction.run(
                "INSERT INTO corrections (correction_id, scope_key, at, until, body) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (correction_id) DO UPDATE SET until = excluded.until, body = excluded.body",
                row,
            )
            transaction.run_many(
                "INSERT INTO correction_entities (entity, correction_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [(entity, correction.correction_id) for entity in record.entities],
            )

    def get(self, correction_id: str) -> CorrectionRecord | None:
        found = self._database.row(
            "SELECT body FROM corrections WHERE correction_id = %s", (correction_id,)
        )
        return None if found is None else CorrectionRecord.decoded(found[0])

    def latest(self, scope_key: str | None, now: float, limit: int) -> list[CorrectionRecord]:
        """Return at most `limit` records that have not expired at `now`, newest first.

        They are of one conversation, or of all if `scope_key` is None.
        """
        found = self._database.rows(_LATEST, (now, int(scope_key is None), scope_key or "", limit))
        return [CorrectionRecord.decoded(body) for (body,) in found]

    def expired(self, now: float) -> list[str]:
        """Return the ids of the records that have expired at `now` (seconds since the epoch)."""
        found = self._database.rows(
            "SELECT correction_id FROM corrections WHERE until <= %s", (now,)
        )
        return [correction_id for (correction_id,) in found]

    def remove(self, correction_ids: list[str]) -> int:
        """Remove records, also from the log of changes. Return their number."""
        if not correction_ids:
            return 0
        with self._database.writing() as transaction:
            transaction.run(
                "DELETE FROM correction_entities WHERE correction_id = ANY(%s)", (correction_ids,)
            )
            removed = transaction.run(
                "DELETE FROM corrections WHERE correction_id = ANY(%s)", (correction_ids,)
            )
        self._database.truncate_log()
        return removed

    def all(self) -> Iterator[CorrectionRecord]:
        """Yield every record, including expired ones."""
        for (correction_id,) in self._database.rows(
            "SELECT correction_id FROM corrections ORDER BY correction_id"
        ):
            if (record := self.get(correction_id)) is not None:
                yield record

    def erase(self, entity: Entity) -> int:
        """Remove the records that concern a person or a group, also from the log of changes.

        Return their number.
        """
        concerned = self._database.rows(
            "SELECT correction_id FROM correction_entities WHERE entity = %s", (entity.key,)
        )
        return self.remove([correction_id for (correction_id,) in concerned])
