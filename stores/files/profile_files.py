"""Where profiles lie: `{users,groups}/{id}[@layer].md` and `history/{users,groups}/{id}[@layer]/{revision}-{time}.md`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from ...schema.ids import encode_id
from ...schema.profile import ProfileKey
from ...schema.scope import EntityType
from .durable import storage_error
from .front_matter import split_front_matter

SUFFIX = ".md"
FOLDERS: dict[EntityType, str] = {"user": "users", "group": "groups"}

_SNAPSHOT = re.compile(r"(?P<revision>[0-9]{1,9})-.*\.md")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An earlier revision: its number, as its file's name says, and where it lies."""

    revision: int
    path: Path


def file_stem(key: ProfileKey) -> str:
    """`{id}` or `{id}@{layer}`, both encoded: unambiguous, since an encoded id holds no `@`."""
    return f"{encode_id(key.entity_id)}@{encode_id(key.layer)}" if key.layer else encode_id(key.entity_id)


def ledger_stem(entity_id: str) -> str:
    """What the names of all files of an entity begin with, up to a layer's `@` or the end."""
    return encode_id(entity_id)


def erasable(root: Path, entity_type: EntityType, entity_id: str, layers_of_users: str = "") -> list[Path]:
    """Every file and history folder of an entity's profiles, readable or not; with them those of one layer of all users.

    A user's layer is named as in `ProfileKey.layer`. Raises StorageError.
    """
    found: list[Path] = []
    for kind, folder_name in FOLDERS.items():
        for folder in (root / "history" / folder_name, root / folder_name):
            for name in sorted(_names(folder)):
                owner, _, layer = name.removesuffix(SUFFIX).partition("@")
                theirs = kind == entity_type and owner == encode_id(entity_id)
                if theirs or (layers_of_users and kind == "user" and layer == encode_id(layers_of_users)):
                    found.append(folder / name)
    return found


def profile_path(root: Path, key: ProfileKey) -> Path:
    return root / FOLDERS[key.entity_type] / (file_stem(key) + SUFFIX)


def history_folder(root: Path, key: ProfileKey) -> Path:
    return root / "history" / FOLDERS[key.entity_type] / file_stem(key)


def ledger_key(key: ProfileKey) -> str:
    """What a profile is called in the ledger: `user:42@private` cannot be told from a user `42@private`, this can."""
    return f"{key.entity_type}:{file_stem(key)}"


def snapshot_name(revision: int, updated_at: str) -> str:
    """`{revision}-{time}.md`, the time in UTC and in a form that every file system takes."""
    try:
        stamp = datetime.fromisoformat(updated_at).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    except (ValueError, OverflowError):  # edited by hand
        stamp = "unknown"
    return f"{revision}-{stamp}{SUFFIX}"


def snapshots(folder: Path) -> list[Snapshot]:
    """The kept revisions in a history folder, newest first. Raises StorageError."""
    matches = ((_SNAPSHOT.fullmatch(name), name) for name in _names(folder))
    found = [Snapshot(int(match["revision"]), folder / name) for match, name in matches if match]
    return sorted(found, key=lambda one: (one.revision, one.path.name), reverse=True)


def stored_keys(root: Path, entity_type: EntityType) -> Iterator[ProfileKey]:
    """The keys of all profiles of a type, by their files' names, and by their content where a name was cut short.

    A file that says in neither way whose it is, is left out. Raises StorageError.
    """
    folder = root / FOLDERS[entity_type]
    for name in sorted(_names(folder)):
        if name.endswith(SUFFIX) and name[0] != ".":
            key = _key_of(folder / name, entity_type)
            if key is not None:
                yield key


def _key_of(path: Path, entity_type: EntityType) -> ProfileKey | None:
    stem = path.name.removesuffix(SUFFIX)
    entity_part, _, layer_part = stem.partition("@")
    key = ProfileKey(entity_type, unquote(entity_part), unquote(layer_part))
    if file_stem(key) == stem:
        return key
    try:
        fields, _ = split_front_matter(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise storage_error("read", path, error) from error
    entity_id, layer = fields.get("entity_id", ""), fields.get("layer", "")
    if isinstance(entity_id, str) and isinstance(layer, str):
        key = ProfileKey(entity_type, entity_id, layer)
        if file_stem(key) == stem:
            return key
    return None


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise storage_error("list", folder, error) from error
