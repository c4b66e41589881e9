"""A change of the embedding model: vectors of the new model are stored separately, then replace the old ones at once.

Three tables of the same form: searches read `event_vectors`; `next_event_vectors` holds the vectors of the new model;
`kept_event_vectors` holds those of the former model. The change renames the tables, in one transaction that also changes the
fingerprint, increments the change numbers of all scopes (so that readers in every process drop their caches) and adds every
event to the outbox of the derived index. No vector is copied: 100,000 vectors take as long as 1,000.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...schema.errors import InvalidInput
from ...schema.profile import Profile
from ...schema.protocols import Vector
from .database import SqliteDatabase
from .event_rows import AMONG, as_json, vector_to_blob
from .fingerprint import Fingerprint, read_fingerprint, write_fingerprint
from .index_outbox import fill_outbox

_Role = Literal["next", "kept"]

_FORM = "(sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL)"


class Lacking(NamedTuple):
    """An event that has no vector of the new model yet."""

    row: int
    event_id: str
    text: str


@dataclass(frozen=True, slots=True)
class VectorSets:
    """The models with stored vectors: in use, next (with progress in events), and kept from the last change."""

    used: Fingerprint | None
    next: Fingerprint | None
    next_done: int
    kept: Fingerprint | None
    kept_count: int
    events: int


class ShadowVectors:
    """The vectors of another model in one `index.sqlite`."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def sets(self) -> VectorSets:
        with self._database.reading() as connection:
            return VectorSets(
                used=read_fingerprint(connection),
                next=_fingerprint(connection, "next"),
                next_done=_count(connection, "next_event_vectors"),
                kept=_fingerprint(connection, "kept"),
                kept_count=_count(connection, "kept_event_vectors"),
                events=int(connection.execute("SELECT ifnull(sum(events), 0) FROM scopes").fetchone()[0]),
            )

    def begin(self, model: str, dimension: int) -> None:
        """Prepare for the vectors of a model. Vectors of this model stay; those begun with another model are deleted.

        Raises InvalidInput if vectors of an earlier change are still kept: only one former model can be kept.
        """
        with self._database.writing() as connection:
            if _fingerprint(connection, "next") == (model, dimension):
                return
            kept = _fingerprint(connection, "kept")
            if kept is not None:
                raise InvalidInput(
                    f"the vectors of {kept[0]} are still kept from the last change; delete them with `historian reembed "
                    "--drop-old`, or restore them with `--rollback`"
                )
            _empty(connection, "next")
            _note(connection, "next", (model, dimension))

    def lacking(self, after_row: int, limit: int) -> list[Lacking]:
        """Return events after `after_row` without a vector of the new model, ordered by row."""
        found = self._database.rows(
            "SELECT e.row, e.event_id, e.text FROM events e WHERE e.row > ?"
            " AND NOT EXISTS (SELECT 1 FROM next_event_vectors n WHERE n.row = e.row) ORDER BY e.row LIMIT ?",
            (after_row, max(limit, 0)),
        )
        return [Lacking._make(row) for row in found]

    def store(self, items: Sequence[Lacking], vectors: Sequence[Vector]) -> int:
        """Store a batch durably. Return how many. Events changed or deleted meanwhile are skipped."""
        blobs = [vector_to_blob(vector) for vector in vectors]
        with self._database.writing() as connection:
            _check(connection, blobs)
            before = connection.total_changes
            connection.executemany(
                "INSERT OR REPLACE INTO next_event_vectors (sequence, row, vector)"
                " SELECT row, row, ? FROM events WHERE row = ? AND text = ?",
                [(blob, item.row, item.text) for item, blob in zip(items, blobs, strict=True)],
            )
            return connection.total_changes - before

    def profiles_lacking(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Return the profiles that have no vector of the new model for their revision."""
        found = self._database.rows(
            f"SELECT item_id, revision FROM other_profile_vectors WHERE role = 'next' AND item_id {AMONG}",
            (as_json(profile.key.index_id for profile in profiles),),
        )
        made = dict(found)
        return [profile for profile in profiles if made.get(profile.key.index_id) != profile.revision]

    def store_profiles(self, profiles: Sequence[Profile], vectors: Sequence[Vector]) -> None:
        blobs = [vector_to_blob(vector) for vector in vectors]
        with self._database.writing() as connection:
            _check(connection, blobs)
            connection.executemany(
                "INSERT OR REPLACE INTO other_profile_vectors (role, item_id, revision, vector) VALUES ('next', ?, ?, ?)",
                [(profile.key.index_id, profile.revision, blob) for profile, blob in zip(profiles, blobs, strict=True)],
            )

    def change_over(self) -> Fingerprint:
        """Let searches use the new vectors and keep the former ones. Return the new fingerprint.

        Events without a vector of the new model are found by keyword until they are embedded. Raises InvalidInput if
        no change was begun.
        """
        with self._database.writing() as connection:
            made = _fingerprint(connection, "next")
            if made is None:
                raise InvalidInput("no vectors of another model are being made; run `historian reembed` first")
            connection.execute("DROP TABLE kept_event_vectors")
            connection.execute("ALTER TABLE event_vectors RENAME TO kept_event_vectors")
            connection.execute("ALTER TABLE next_event_vectors RENAME TO event_vectors")
            connection.execute(f"CREATE TABLE next_event_vectors {_FORM}")
            _note(connection, "next", None)
            _renamed(connection, "next", made)
        return made

    def roll_back(self) -> Fingerprint:
        """Let searches use the kept vectors again and keep the current ones. Return the fingerprint.

        Events filed since the change then have no vector. Raises InvalidInput if no vectors are kept.
        """
        with self._database.writing() as connection:
            kept = _fingerprint(connection, "kept")
            if kept is None:
                raise InvalidInput("no vectors of a former model are kept; there is nothing to go back to")
            connection.execute("ALTER TABLE event_vectors RENAME TO vectors_changing_places")
            connection.execute("ALTER TABLE kept_event_vectors RENAME TO event_vectors")
            connection.execute("ALTER TABLE vectors_changing_places RENAME TO kept_event_vectors")
            _renamed(connection, "kept", kept)
        return kept

    def drop_old(self) -> int:
        """Delete the vectors of the former model and those of a change not completed. Return how many vectors."""
        with self._database.writing() as connection:
            dropped = _count(connection, "kept_event_vectors") + _count(connection, "next_event_vectors")
            _empty(connection, "kept")
            _empty(connection, "next")
        self._database.truncate_log()
        return dropped


def _renamed(connection: sqlite3.Connection, source: _Role, used: Fingerprint) -> None:
    """Update everything that depends on the vectors after the tables were renamed: those of `source` are in use now."""
    _exchange_profiles(connection, source)
    _note(connection, "kept", read_fingerprint(connection))
    write_fingerprint(connection, used)
    # New sequence numbers start after all that were used in any of the tables.
    connection.execute(
        "UPDATE scopes SET last_vector = max(last_vector, last_row), additions = additions + 1, removals = removals + 1"
    )
    has_vector = "EXISTS (SELECT 1 FROM event_vectors v WHERE v.row = events.row)"
    connection.execute(f"UPDATE events SET embedded = {has_vector} WHERE embedded != {has_vector}")
    fill_outbox(
        connection,
        "SELECT e.event_id FROM events e WHERE e.row IN"
        " (SELECT row FROM event_vectors UNION SELECT row FROM kept_event_vectors) ORDER BY e.row",
    )


def _exchange_profiles(connection: sqlite3.Connection, source: _Role) -> None:
    """Set the vectors of profiles to those of `source` with the same revision, and keep the present ones."""
    connection.execute("CREATE TEMP TABLE present AS SELECT item_id, revision, vector FROM profiles WHERE vector IS NOT NULL")
    connection.execute(
        "UPDATE profiles SET vector = (SELECT o.vector FROM other_profile_vectors o"
        " WHERE o.role = ? AND o.item_id = profiles.item_id AND o.revision = profiles.revision)",
        (source,),
    )
    connection.execute("DELETE FROM other_profile_vectors WHERE role IN (?, 'kept')", (source,))
    connection.execute(
        "INSERT INTO other_profile_vectors (role, item_id, revision, vector)"
        " SELECT 'kept', item_id, revision, vector FROM present"
    )
    connection.execute("DROP TABLE present")


def _empty(connection: sqlite3.Connection, role: _Role) -> None:
    connection.execute(f"DELETE FROM {role}_event_vectors")
    connection.execute("DELETE FROM other_profile_vectors WHERE role = ?", (role,))
    _note(connection, role, None)


def _note(connection: sqlite3.Connection, role: _Role, fingerprint: Fingerprint | None) -> None:
    if fingerprint is None:
        connection.execute("DELETE FROM meta WHERE name = ?", (f"fingerprint_{role}",))
    else:
        write_fingerprint(connection, fingerprint, f"fingerprint_{role}")


def _fingerprint(connection: sqlite3.Connection, role: _Role) -> Fingerprint | None:
    return read_fingerprint(connection, f"fingerprint_{role}")


def _check(connection: sqlite3.Connection, blobs: Sequence[bytes]) -> None:
    """Raise InvalidInput unless every vector has the dimension given to `begin`."""
    expected = _fingerprint(connection, "next")
    sizes = {len(blob) // 4 for blob in blobs}
    if expected is None:
        raise InvalidInput("no vectors of another model are being made (another process ended it); run `historian reembed` again")
    if sizes - {expected[1]}:
        raise InvalidInput(f"vectors of {sorted(sizes)} dimensions given, expected {expected[1]} of {expected[0]}")


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
