"""Names of profiles, articles and summaries as columns and as files, and the owner of a file name.

    profiles    {users,groups}/{id}[@{layer}]
    articles    {user} in the private chat, {user}@{scope} in a group; the same for dated summaries

Ids, layers and scopes are encoded, so that none of them contains `@`. If an encoded id was
shortened, the owner is read from the content of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol, TypeVar, cast
from urllib.parse import unquote

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.ids import encode_id, validate_id
from ...schema.job import clean_text
from ...schema.profile import ProfileKey
from ...schema.scope import EntityType
from ...schema.summary import ArticleKey


class OfEntities(Protocol):
    """A key of data that belongs to entities."""

    @property
    def entities(self) -> list[str]:
        """The entities (`user:42`) that own the data; a person comes first."""


Key = TypeVar("Key", bound=OfEntities)


class Naming(Protocol[Key]):
    """The naming of one kind of file.

    A `place` is a path without suffix, relative to the folder of the store.
    """

    what: str
    """The name of one document in messages, before its key."""
    folders: tuple[str, ...]
    """The folders of the files, each with `/` at the end; "" for no folder."""

    def place(self, key: Key) -> str: ...

    def by_name(self, place: str) -> Key | None:
        """Return the key that a name suggests.

        It is correct if `place(key)` gives the same name.
        """

    def fields(self, key: Key) -> dict[str, str]:
        """Return the fields for a key in a file or in the manifest of an archive."""

    def of_fields(self, fields: Mapping[str, object]) -> Key:
        """Return the key from fields of a file or of the manifest of an archive.

        Raises InvalidInput.
        """

    def is_of(self, place: str, entity: Entity) -> bool:
        """Return True if a file is erased with an entity: data of a user, or learnt in a group."""

    def ledger_key(self, key: Key) -> str: ...

    def row(self, key: Key) -> tuple[EntityType, str, str]:
        """Return the columns `entity_type`, `entity_id` and `place` of a key."""

    def of_row(self, entity_type: EntityType, entity_id: str, place: str) -> Key: ...


class _Profiles:
    what = "profile"
    folders: tuple[str, ...] = ("users/", "groups/")
    _types: Final[dict[str, EntityType]] = {"users": "user", "groups": "group"}

    def place(self, key: ProfileKey) -> str:
        return f"{key.entity_type}s/{_stem(key.entity_id, key.layer)}"

    def by_name(self, place: str) -> ProfileKey | None:
        folder, _, stem = place.partition("/")
        entity_id, _, layer = stem.partition("@")
        return ProfileKey(self._types[folder], unquote(entity_id), unquote(layer))

    def fields(self, key: ProfileKey) -> dict[str, str]:
        return {"entity_type": key.entity_type, "entity_id": key.entity_id, "layer": key.layer}

    def of_fields(self, fields: Mapping[str, object]) -> ProfileKey:
        whose = Entity(
            cast(EntityType, fields.get("entity_type")),
            validate_id(fields.get("entity_id"), "entity_id"),
        )
        return ProfileKey(whose.type, whose.id, clean_text(str(fields.get("layer", ""))))

    def is_of(self, place: str, entity: Entity) -> bool:
        folder, _, stem = place.partition("/")
        entity_id, _, layer = stem.partition("@")
        if folder == f"{entity.type}s" and entity_id == encode_id(entity.id):
            return True
        return entity.type == "group" and folder == "users" and layer == encode_id(entity.scope.key)

    def ledger_key(self, key: ProfileKey) -> str:
        """Return the key, with ids encoded: `user:42@private` could be the user `42@private`."""
        return f"{key.entity_type}:{_stem(key.entity_id, key.layer)}"

    def row(self, key: ProfileKey) -> tuple[EntityType, str, str]:
        return key.entity_type, key.entity_id, key.layer

    def of_row(self, entity_type: EntityType, entity_id: str, place: str) -> ProfileKey:
        return ProfileKey(entity_type, entity_id, place)


class _Articles:
    what = "article of"
    folders: tuple[str, ...] = ("",)

    def place(self, key: ArticleKey) -> str:
        return _stem(key.user_id, key.scope.key if key.group_id else "")

    def by_name(self, place: str) -> ArticleKey | None:
        user, _, scope = place.partition("@")
        return ArticleKey.parse(unquote(user), unquote(scope))

    def fields(self, key: ArticleKey) -> dict[str, str]:
        return {"user_id": key.user_id, "scope": key.scope.key}

    def of_fields(self, fields: Mapping[str, object]) -> ArticleKey:
        key = ArticleKey.parse(fields.get("user_id"), fields.get("scope"))
        if key is None or key.scope.key != fields.get("scope"):
            whose = f"user_id {fields.get('user_id')!r:.80} and scope {fields.get('scope')!r:.80}"
            raise InvalidInput(
                f"{whose} do not fit together; expected a user id with its private chat, or with a group"
            )
        return key

    def is_of(self, place: str, entity: Entity) -> bool:
        user, _, scope = place.partition("@")
        return (
            user == encode_id(entity.id)
            if entity.type == "user"
            else scope == encode_id(entity.scope.key)
        )

    def ledger_key(self, key: ArticleKey) -> str:
        return f"article:{self.place(key)}"

    def row(self, key: ArticleKey) -> tuple[EntityType, str, str]:
        return "user", key.user_id, key.scope.key

    def of_row(self, entity_type: EntityType, entity_id: str, place: str) -> ArticleKey:
        return ArticleKey(entity_id, place.removeprefix("g:") if place.startswith("g:") else "")


PROFILES: Final = _Profiles()
ARTICLES: Final = _Articles()


def is_noted_of(ledger_key: str, entity: Entity) -> bool:
    """Return True if a ledger entry is about a document that is erased with the entity."""
    kind, _, stem = ledger_key.partition(":")
    return (
        ARTICLES.is_of(stem, entity)
        if kind == "article"
        else PROFILES.is_of(f"{kind}s/{stem}", entity)
    )


def _stem(first: str, second: str) -> str:
    return f"{encode_id(first)}@{encode_id(second)}" if second else encode_id(first)
