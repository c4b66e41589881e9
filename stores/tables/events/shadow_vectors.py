"""A change of the embedding model.

The vectors of the new model are stored separately. When they are complete, all of them replace the
old ones in one step. There are three tables of the same form: searches read `event_vectors`;
`next_event_vectors` holds the vectors of the new model; `kept_event_vectors` holds those of the
former model. The change renames the tables in one transaction, which also changes the fingerprint
and increments the change numbers of all scopes, so that readers in every process drop their caches.
No vector is copied: 100,000 vectors take as long as 1,000. Transactions that file vectors wait
meanwhile (`check_dimension`). A derived index with another fingerprint is filled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ....schema.errors import InvalidInput
from ....schema.profile import Profile
from ....schema.protocols import Fingerprint, Vector
from ..engine import Transaction
from ..fingerprint import read_fingerprint, write_fingerprint
from .rows import EVENT_COLUMNS, EVENT_COLUMNS_OF_E, BesideEvents, sizes

_Role = Literal["next", "kept"]


class Lacking(NamedTuple):
    """An event without a vector of the new model; `text` is what is embedded (`Event.said`)."""

    row: int
    event_id: str
    text: str


@dataclass(frozen=True, slots=True)
class VectorSets:
    """The models with stored vectors.

    `used` is in use, `next` is being made (`next_done` events so far), and `kept` is the one from
    before the last change.
    """

    used: Fingerprint | None
    next: Fingerprint | None
    next_done: int
    kept: Fingerprint | None
    kept_count: int
    events: int


class ShadowVectors(BesideEvents):
    """The vectors of another embedding model, stored beside those in use."""

    def sets(self) -> VectorSets:
        with self._database.reading() as transaction:
            return VectorSets(
                used=read_fingerprint(transaction),
                next=_fingerprint(transaction, "next"),
                next_done=_count(transaction, "next"),
                kept=_fingerprint(transaction, "kept"),
                kept_count=_count(transaction, "kept"),
                events=int(transaction.row("SELECT coalesce(sum(events), 0) FROM scopes")[0]),
            )

    def begin(self, model: str, dimension: int) -> None:
        """Prepare for the vectors of a model.

        Vectors of an unfinished change to another model are deleted.

        Does nothing if a change to this model was begun. Raises InvalidInput if vectors of an
        earlier change are still stored: only one former model can be kept.
        """
        with self._database.writing() as transaction:
            transaction.lock_name("shadow vectors")
            if _fingerprint(transaction, "next") == (model, dimension):
                return
            kept = _fingerprint(transaction, "kept")
            if kept is not None:
                raise InvalidInput(
                    f"the vectors of {kept[0]} are still stored since the last change; delete them "
                    "with `historian reembed "
                    "--drop-old`, or restore them with `--rollback`"
                )
            self._empty(transaction, "next")
            _note(transaction, "next", (model, dimension))

    def lacking(self, after_row: int, limit: int) -> list[Lacking]:
        """Return at most `limit` events after `after_row` without a vector of the new model.

        They are ordered by row.
        """
        found = self._database.rows(
            f"SELECT {EVENT_COLUMNS_OF_E}, e.row FROM events e WHERE e.row > %s"
            " AND NOT EXISTS (SELECT 1 FROM next_event_vectors n WHERE n.row = e.row) ORDER BY e.row LIMIT %s",
            (after_row, max(limit, 0)),
        )
        return [
            Lacking(row[-1], event.event_id, event.said)
            for row in found
            for event in [self._events.event(row)]
        ]

    def store(self, items: Sequence[Lacking], vectors: Sequence[Vector]) -> int:
        """Store a batch of vectors durably. Return the number of stored vectors.

        Events that were changed or deleted meanwhile are skipped.
        """
        stored = [self._database.stored(vector) for vector in vectors]
        with self._database.writing() as transaction:
            _check(transaction, vectors)
            listed = f"SELECT {EVENT_COLUMNS}, row FROM events WHERE row = ANY(%s) ORDER BY row {self._events.hold}"
            found = transaction.rows(listed, ([item.row for item in items],))
            known = {row[-1]: self._events.event(row).said for row in found}
            same = [
                (item.row, vector)
                for item, vector in zip(items, stored, strict=True)
                if known.get(item.row) == item.text
            ]
            transaction.run_many(
                "INSERT INTO next_event_vectors (sequence, row, vector) VALUES (%s, %s, %s)"
                " ON CONFLICT (sequence) DO UPDATE SET vector = excluded.vector",
                [(row, row, vector) for row, vector in same],
            )
        return len(same)

    def profiles_lacking(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Return the profiles that have no vector of the new model for their revision."""
        found = self._database.rows(
            "SELECT item_id, revision FROM other_profile_vectors WHERE role = 'next' AND item_id = ANY(%s)",
            ([profile.key.index_id for profile in profiles],),
        )
        made = dict(found)
        return [
            profile for profile in profiles if made.get(profile.key.index_id) != profile.revision
        ]

    def store_profiles(self, profiles: Sequence[Profile], vectors: Sequence[Vector]) -> None:
        stored = [self._database.stored(vector) for vector in vectors]
        with self._database.writing() as transaction:
            _check(transaction, vectors)
            transaction.run_many(
                "INSERT INTO other_profile_vectors (role, item_id, revision, vector) VALUES ('next', %s, %s, %s)"
                " ON CONFLICT (role, item_id) DO UPDATE SET revision = excluded.revision, vector = excluded.vector",
                [
                    (profile.key.index_id, profile.revision, vector)
                    for profile, vector in zip(profiles, stored, strict=True)
                ],
            )

    def change_over(self) -> Fingerprint:
        """Put the new vectors in use. The former vectors are kept. Return the new fingerprint.

        Events without a vector of the new model are found by keyword until they are embedded.
        Raises InvalidInput if no change was begun.
        """
        with self._database.writing() as transaction:
            _lock_out_writers(transaction)
            made = _fingerprint(transaction, "next")
            if made is None:
                raise InvalidInput(
                    "no change of the embedding model is in progress; run `historian reembed` first"
                )
            transaction.run("DROP TABLE kept_event_vectors")
            _rename(
                transaction,
                ("event_vectors", "kept_event_vectors"),
                ("next_event_vectors", "event_vectors"),
            )
            transaction.run(f"CREATE TABLE next_event_vectors {self._events.new_vectors}")
            _note(transaction, "next", None)
            self._renamed(transaction, "next", made)
        return made

    def roll_back(self) -> Fingerprint:
        """Put the kept vectors in use again. The current vectors are kept. Return the fingerprint.

        Events filed since the change then have no vector. Raises InvalidInput if no vectors are
        kept.
        """
        with self._database.writing() as transaction:
            _lock_out_writers(transaction)
            kept = _fingerprint(transaction, "kept")
            if kept is None:
                raise InvalidInput(
                    "no vectors of a former model are stored; there is nothing to switch back to"
                )
            between = "vectors_changing_places"
            tables = (
                ("event_vectors", between),
                ("kept_event_vectors", "event_vectors"),
                (between, "kept_event_vectors"),
            )
            _rename(transaction, *tables)
            self._renamed(transaction, "kept", kept)
        return kept

    def drop_old(self) -> int:
        """Delete the vectors of the former model and of an incomplete change.

        Return their number.
        """
        with self._database.writing() as transaction:
            transaction.lock_name("shadow vectors")
            dropped = _count(transaction, "kept") + _count(transaction, "next")
            self._empty(transaction, "kept")
            self._empty(transaction, "next")
        self._database.truncate_log()
        return dropped

    def _empty(self, transaction: Transaction, role: _Role) -> None:
        transaction.run(f"{self._events.empty} {role}_event_vectors")
        transaction.run("DELETE FROM other_profile_vectors WHERE role = %s", (role,))
        _note(transaction, role, None)

    def _renamed(self, transaction: Transaction, source: _Role, used: Fingerprint) -> None:
        """Update all data that depends on the vectors, after the tables were renamed.

        The vectors of `source` are in use now.
        """
        self._exchange_profiles(transaction, source)
        _note(transaction, "kept", read_fingerprint(transaction))
        write_fingerprint(transaction, used)
        # New sequence numbers start after all that were used in any of the tables.
        transaction.run(
            "UPDATE scopes SET additions = additions + 1, removals = removals + 1,"
            " last_vector = CASE WHEN last_vector < last_row THEN last_row ELSE last_vector END"
        )
        has_vector = "EXISTS (SELECT 1 FROM event_vectors v WHERE v.row = events.row)"
        transaction.run(f"UPDATE events SET embedded = {has_vector} WHERE embedded != {has_vector}")

    def _exchange_profiles(self, transaction: Transaction, source: _Role) -> None:
        """Set the vectors of profiles to those of `source` with the same revision.

        The present vectors are stored as `kept`.
        """
        present = f"SELECT item_id, revision, vector FROM {self._events.profiles} WHERE vector IS NOT NULL"
        transaction.run(f"CREATE TEMP TABLE present AS {present}")
        transaction.run(
            f"UPDATE {self._events.profiles} AS p SET vector = (SELECT o.vector FROM other_profile_vectors o"
            " WHERE o.role = %s AND o.item_id = p.item_id AND o.revision = p.revision)",
            (source,),
        )
        transaction.run("DELETE FROM other_profile_vectors WHERE role IN (%s, 'kept')", (source,))
        transaction.run(
            "INSERT INTO other_profile_vectors (role, item_id, revision, vector)"
            " SELECT 'kept', item_id, revision, vector FROM present"
        )
        transaction.run("DROP TABLE present")


def _lock_out_writers(transaction: Transaction) -> None:
    """Wait for transactions that file vectors, and block new ones until this one ends."""
    transaction.lock_name("shadow vectors")
    transaction.lock_name("fingerprint")


def _rename(transaction: Transaction, *tables: tuple[str, str]) -> None:
    for before, after in tables:
        transaction.run(f"ALTER TABLE {before} RENAME TO {after}")


def _note(transaction: Transaction, role: _Role, fingerprint: Fingerprint | None) -> None:
    write_fingerprint(transaction, fingerprint, f"fingerprint_{role}")


def _fingerprint(transaction: Transaction, role: _Role) -> Fingerprint | None:
    return read_fingerprint(transaction, f"fingerprint_{role}")


def _check(transaction: Transaction, vectors: Sequence[Vector]) -> None:
    """Raise InvalidInput unless every vector has the dimension given to `begin`."""
    expected = _fingerprint(transaction, "next")
    if expected is None:
        raise InvalidInput(
            "no change of the embedding model is in progress (another process ended it); run "
            "`historian reembed` again"
        )
    found = set(sizes(vectors))
    if found - {expected[1]}:
        raise InvalidInput(
            f"got vectors with {sorted(found)} dimensions, but {expected[0]} has {expected[1]}"
        )


def _count(transaction: Transaction, role: _Role) -> int:
    return int(transaction.row(f"SELECT count(*) FROM {role}_event_vectors")[0])
