"""A folder with one file per key: listing keys, locking a key, erasing the files of an entity."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Generic

from ...schema.entity import Entity
from .durable import bytes_of, names_in, remove_durably
from .entity_locks import EntityLocks
from .naming import Key, Naming


class KeyedFiles(Generic[Key]):
    """The files of one store. Safe for several threads and processes; reads take no lock."""

    suffix = ".md"
    _naming: Naming[Key]

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks = EntityLocks(folder / ".locks")

    def keys(self) -> list[Key]:
        """Return the keys of all files, without files whose key is given neither by name nor by content."""
        return [key for place in self._places() if (key := self._key_of(place)) is not None]

    def erase(self, entity: Entity) -> int:
        """Remove all files of a user or a group, including damaged ones. Return how many. Raises StorageError."""
        removed = 0
        for place in self._erasable():
            if self._naming.is_of(place, entity):
                with self._locks.of(place, f"{self._naming.what} {place}"):
                    removed += self._remove(place)
        return removed

    def _fields(self, data: bytes) -> Mapping[str, object]:
        """Return the fields in a file that give its key."""
        raise NotImplementedError

    def _remove(self, place: str) -> int:
        return int(remove_durably(self._path_at(place)))

    def _erasable(self) -> list[str]:
        return self._places()

    def _places(self) -> list[str]:
        return [
            folder + name.removesuffix(self.suffix)
            for folder in self._naming.folders
            for name in names_in(self._folder / folder)
            if name.endswith(self.suffix) and name[0] != "."
        ]

    def _key_of(self, place: str) -> Key | None:
        key = self._naming.by_name(place)
        if key is None or self._naming.place(key) != place:
            key = self._naming.by_content(place, self._fields(bytes_of(self._path_at(place)) or b""))
        return key if key is not None and self._naming.place(key) == place else None

    def _path(self, key: Key) -> Path:
        return self._path_at(self._naming.place(key))

    def _path_at(self, place: str) -> Path:
        return self._folder / (place + self.suffix)

    def _locked(self, key: Key) -> AbstractContextManager[None]:
        return self._locks.of(self._naming.place(key), f"{self._naming.what} {key}")
