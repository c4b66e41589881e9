"""How the files of the two layers are named: `{user}` in the private chat, `{user}@{scope}` in a group, both encoded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

from ...schema.errors import InvalidInput
from ...schema.ids import encode_id
from ...schema.scope import Scope
from ...schema.summary import ArticleKey
from .durable import storage_error

_GROUP = "g:"
ARTICLE_LEDGER = "article:"
"""What the ledger calls an article by, before its stem."""


def layer_stem(key: ArticleKey) -> str:
    """The name of a person's file without its suffix: unambiguous, since an encoded id holds no `@`."""
    return f"{encode_id(key.user_id)}@{encode_id(key.scope.key)}" if key.group_id else encode_id(key.user_id)


def is_of_user(stem: str, user_id: str) -> bool:
    """Whether a name (without suffix) is that of a file about this user, in any conversation."""
    return stem.partition("@")[0] == encode_id(user_id)


def is_of_scope(stem: str, scope: Scope) -> bool:
    """Whether a name (without suffix) is that of a file of this conversation."""
    if scope.request_type == "private":
        return stem == encode_id(scope.user_id)
    return stem.partition("@")[2] == encode_id(scope.key)


def stored_layer_keys(folder: Path, suffix: str, inside: Callable[[Path], ArticleKey | None]) -> Iterator[ArticleKey]:
    """The keys of all files in a folder, by their names, and by `inside` (their content) where a name was cut short.

    A file that says in neither way whose it is, is left out. Raises StorageError.
    """
    for name in names_in(folder):
        if name.endswith(suffix) and name[0] != ".":
            stem = name.removesuffix(suffix)
            key = _key_of(stem) or inside(folder / name)
            if key is not None and layer_stem(key) == stem:
                yield key


def names_in(folder: Path) -> list[str]:
    """The names in a folder in order; none where it does not exist. Raises StorageError."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise storage_error("list", folder, error) from error


def bytes_of(path: Path) -> bytes | None:
    """The content of a file, None where there is none. Raises StorageError."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise storage_error("read", path, error) from error


def key_from(user_id: object, scope_key: object) -> ArticleKey | None:
    """The key that a file's content names, None where it names none."""
    if not isinstance(user_id, str) or not isinstance(scope_key, str):
        return None
    try:
        return ArticleKey(user_id, scope_key.removeprefix(_GROUP) if scope_key.startswith(_GROUP) else "")
    except InvalidInput:
        return None


def _key_of(stem: str) -> ArticleKey | None:
    user, _, scope = stem.partition("@")
    key = key_from(unquote(user), unquote(scope))
    return key if key is not None and layer_stem(key) == stem else None
