"""A change of the embedding model: the new model's vectors are made beside the old ones, then take their place at once.

Three tables of one form: `event_vectors` is what searches read, `next_event_vectors` is being made, `kept_event_vectors` is
what was read before. To change over is to give the tables each other's names, in one transaction that also changes the
fingerprint, moves every scope's change number (so that every reader, in whatever process, drops what it holds in memory)
and notes every event for the derived index. It copies no vector: 100,000 of them take as long as 1,000.
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
    """Whose vectors there are: in use, being made (with how many of how many events), and kept from before."""

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
        """Make room for the vectors of a model. What was made of this very one stays; what was made of another goes.

        Raises InvalidInput where vectors of an earlier change are still kept: there is room for one former model.
        """
        with self._database.writing() as connection:
            if _fingerprint(connection, "next") == (model, dimension):
                return
            kept = _fingerprint(connection, "kept")
            if kept is not None:
                raise InvalidInput(
                    f"the vectors of {kept[0]} are still kept from the last change; let them go with `historian reembed "
                    "--drop-old`, or go back to them with `--rollback`"
                )
            _empty(connection, "next")
            _note(connection, "next", (model, dimension))

    def lacking(self, after_row: int, limit: int) -> list[Lacking]:
        """Events behind `after_row` without a vector of the new model, in the order of their rows."""
        found = self._database.rows(
            "SELECT e.row, e.event_id, e.text FROM events e WHERE e.row > ?"
            " AND NOT EXISTS (SELECT 1 FROM next_event_vectors n WHERE n.row = e.row) ORDER BY e.row LIMIT ?",
            (after_row, max(limit, 0)),
        )
        return [Lacking._make(row) for row in found]

    def store(self, items: Sequence[Lacking], vectors: Sequence[Vector]) -> int:
        """Keep a batch for good; returns how many. Events whose text was changed or deleted meanwhile are passed over."""
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
        """Those of which no vector of the new model was made in their revision."""
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
        """Let searches read what was made; what they read until now is kept. Returns the new fingerprint.

        Events that lack a vector of the new model are found by keyword until they are embedded. Raises InvalidInput
        where nothing was begun.
        """
        with self._database.writing() as connection:
            made = _fingerprint(connection, "next")
            if made is None:
                raise InvalidInput("no vectors of another model are being made; run `historian reembed` first")
            former = read_fingerprint(connection)
            connection.execute("DROP TABLE kept_event_vectors")
            connection.execute("ALTER TABLE event_vectors RENAME TO kept_event_vectors")
            connection.execute("ALTER TABLE next_event_vectors RENAME TO event_vectors")
            connection.execute(f"CREATE TABLE next_event_vectors {_FORM}")
            _exchange_profiles(connection, "next")
            _note(connection, "next", None)
            self._tell(connection, used=made, kept=former)
        return made

    def roll_back(self) -> Fingerprint:
        """Let searches read the kept vectors again; those read until now are kept in turn. Returns the fingerprint.

        Events filed since the change lack a vector then. Raises InvalidInput where nothing is kept.
        """
        with self._database.writing() as connection:
            kept = _fingerprint(connection, "kept")
            if kept is None:
                raise InvalidInput("no vectors of a former model are kept; there is nothing to go back to")
            former = read_fingerprint(connection)
            connection.execute("ALTER TABLE event_vectors RENAME TO vectors_changing_places")
            connection.execute("ALTER TABLE kept_event_vectors RENAME TO event_vectors")
            connection.execute("ALTER TABLE vectors_changing_places RENAME TO kept_event_vectors")
            _exchange_profiles(connection, "kept")
            self._tell(connection, used=kept, kept=former)
        return kept

    def drop_old(self) -> int:
        """Delete what is kept of a former model, and what was made of one and never used; returns how many vectors."""
        with self._database.writing() as connection:
            dropped = _count(connection, "kept_event_vectors") + _count(connection, "next_event_vectors")
            _empty(connection, "kept")
            _empty(connection, "next")
        self._database.truncate_log()
        return dropped

    def _tell(self, connection: sqlite3.Connection, *, used: Fingerprint, kept: Fingerprint | None) -> None:
        """Bring everything that depends on the vectors into line with the tables as they are named now."""
        write_fingerprint(connection, used)
        _note(connection, "kept", kept)
        # New sequence numbers begin behind all that were given out, in whichever table.
        connection.execute(
            "UPDATE scopes SET last_vector = max(last_vector, last_row), additions = additions + 1, removals = removals + 1"
        )
        has_vector = "EXISTS (SELECT 1 FROM event_vectors v WHERE v.row = events.row)"
        connection.execute(f"UPDATE events SET embedded = 0 WHERE embedded = 1 AND NOT {has_vector}")
        connection.execute(f"UPDATE events SET embedded = 1 WHERE embedded = 0 AND {has_vector}")
        fill_outbox(
            connection,
            "SELECT e.event_id FROM events e WHERE e.row IN"
            " (SELECT row FROM event_vectors UNION SELECT row FROM kept_event_vectors) ORDER BY e.row",
        )


def _exchange_profiles(connection: sqlite3.Connection, source: _Role) -> None:
    """Give profiles their vectors of `source` where those are of the same revision; their present ones are kept."""
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
    """Raises InvalidInput unless every vector has the dimension that was begun with."""
    expected = _fingerprint(connection, "next")
    sizes = {len(blob) // 4 for blob in blobs}
    if expected is None:
        raise InvalidInput("no vectors of another model are being made (another process ended it); run `historian reembed` again")
    if sizes - {expected[1]}:
        raise InvalidInput(f"vectors of {sorted(sizes)} dimensions given where {expected[0]} began with {expected[1]}")


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
