"""Profiles and articles with revisions, as rows of the table `documents`.

A row holds one revision as Markdown with front matter, in the form of the files of the local store, so that a view of them as
files and the archive hold the same text. The row with the highest revision is the current one. A write compares and swaps,
records its causes in the ledger and drops what is not kept any more in one transaction.

A write holds the locks of its entities (shared), which erasure takes exclusively: it is over before, or finds the tombstone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...schema.entity import Entity
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ...schema.summary import ArticleKey, StoredArticle
from ..files.articles import ARTICLE_FORMAT
from ..files.compare_and_swap import Document, Revisioned, RevisionedArticles, RevisionedProfiles
from ..files.naming import ARTICLES, PROFILES, Key
from ..files.profiles import PROFILE_FORMAT
from ..tables.ledger import LedgerTable
from .database import PostgresDatabase

_OF_KEY = "kind = %s AND entity_type = %s AND entity_id = %s AND place = %s"
_OF_ENTITY = "kind = %s AND ((entity_type = %s AND entity_id = %s) OR (entity_type = 'user' AND %s AND place = %s))"


class RevisionedRows(Revisioned[Key, Document]):
    """Documents of one format. The last `revision_keep` earlier revisions are kept (0: none)."""

    kind: str

    def __init__(self, database: PostgresDatabase, *, revision_keep: int = 5) -> None:
        self._database = database
        self._ledger = LedgerTable(database)
        self._keep = revision_keep

    def key_at(self, entity_type: EntityType, entity_id: str, place: str) -> Key:
        raise NotImplementedError

    def place_of(self, key: Key) -> tuple[str, str, str]:
        """Return the entity type, the entity's id and the place of a key."""
        raise NotImplementedError

    @contextmanager
    def _locked(self, key: Key) -> Iterator[None]:
        """Begin a transaction, of which all is that this thread reads and writes in it."""
        entity_type, entity_id, place = self.place_of(key)
        group = [f"group:{place.removeprefix('g:')}"] if place.startswith("g:") else []
        with self._database.writing() as transaction:
            transaction.lock_entities([f"{entity_type}:{entity_id}", *group])
            transaction.lock(self._database.lock_key(f"{self.kind} {self._naming.ledger_key(key)}"))
            yield

    def read(self, key: Key) -> Document | None:
        return next(iter(self._revisions(key, limit=1)), None)

    def keys(self) -> list[Key]:
        found = self._database.rows(
            "SELECT DISTINCT entity_type, entity_id, place FROM documents WHERE kind = %s ORDER BY 1, 2, 3", (self.kind,)
        )
        return [self.key_at(*row) for row in found]

    def history(self, key: Key) -> list[Document]:
        return self.kept(key)[1:]

    def kept(self, key: Key) -> list[Document]:
        return self._revisions(key)

    def erase(self, entity: Entity) -> int:
        """Remove all documents of an entity with their history. Return how many revisions. The ledger is not changed."""
        return len(self._erased(entity))

    def _erased(self, entity: Entity) -> list[Any]:
        with self._database.writing() as transaction:
            transaction.lock_entities([entity.key], exclusive=True)
            return transaction.execute(
                f"DELETE FROM documents WHERE {_OF_ENTITY} RETURNING entity_type, entity_id, place",
                (self.kind, entity.type, entity.id, entity.type == "group", entity.scope.key),
            ).fetchall()

    def _insert(self, key: Key, document: Document, current: Document | None = None) -> None:
        self._database.run(
            "INSERT INTO documents (kind, entity_type, entity_id, place, revision, updated_at, content)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (self.kind, *self.place_of(key), document.revision, document.updated_at, self._form.render(document)),
        )

    def _earlier_places(self, key: Key) -> list[int]:
        return [revision for (revision,) in self._asked(key, "revision")[1:]]

    def _told(self, key: Key) -> list[tuple[int, list[str]]]:
        found = self._asked(key, "revision, content")
        return [(revision, self._form.lines(content.encode(), key)) for revision, content in found]

    def _drop(self, key: Key, places: Sequence[int]) -> None:
        if places:
            where = (self.kind, *self.place_of(key), list(places))
            self._database.run(f"DELETE FROM documents WHERE {_OF_KEY} AND revision = ANY(%s)", where)

    def _revisions(self, key: Key, limit: int | None = None) -> list[Document]:
        """Return the stored revisions, newest first."""
        return [self._form.parse(content.encode(), key, int) for (content,) in self._asked(key, "content", limit)]

    def _asked(self, key: Key, columns: str, limit: int | None = None) -> list[Any]:
        """Return columns of the stored revisions, newest first."""
        query = f"SELECT {columns} FROM documents WHERE {_OF_KEY} ORDER BY revision DESC LIMIT %s"
        return self._database.rows(query, (self.kind, *self.place_of(key), limit))


class PostgresProfiles(RevisionedProfiles, RevisionedRows[ProfileKey, Profile]):
    """The `ProfileStorage` of one schema."""

    kind = "profile"
    _naming, _form = PROFILES, PROFILE_FORMAT

    def key_at(self, entity_type: EntityType, entity_id: str, place: str) -> ProfileKey:
        return ProfileKey(entity_type, entity_id, place)

    def place_of(self, key: ProfileKey) -> tuple[str, str, str]:
        return key.entity_type, key.entity_id, key.layer

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        found = self._database.rows(
            "SELECT DISTINCT place FROM documents WHERE kind = %s AND entity_type = %s AND entity_id = %s ORDER BY place",
            (self.kind, entity_type, entity_id),
        )
        return [layer for (layer,) in found]


class PostgresArticles(RevisionedArticles, RevisionedRows[ArticleKey, StoredArticle]):
    """The `ArticleStorage` of one schema."""

    kind = "article"
    _naming, _form = ARTICLES, ARTICLE_FORMAT

    def key_at(self, entity_type: EntityType, entity_id: str, place: str) -> ArticleKey:
        return ArticleKey(entity_id, place.removeprefix("g:") if place.startswith("g:") else "")

    def place_of(self, key: ArticleKey) -> tuple[str, str, str]:
        return "user", key.user_id, key.scope.key

    def erase(self, entity: Entity) -> int:
        """See `Revisions.erase`. Articles are counted, not their revisions."""
        return len(set(self._erased(entity)))
