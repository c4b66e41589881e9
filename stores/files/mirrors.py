"""Files that mirror documents: their digests and signatures, and the keys that their names stand
for."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ...schema.errors import InvalidInput
from .durable import bytes_of, explaining, names_in
from .front_matter import split_front_matter
from .naming import Key, Naming

SUFFIX = ".md"


_DIGEST = re.compile(rb"\ndigest: ([0-9a-f]{16})\n---\n")


def with_digest(text: str) -> bytes:
    """Return the content of a file: `text`, with its digest added to the front matter."""
    data = text.encode(errors="replace")
    return data.replace(b"\n---\n", b"\ndigest: %s\n---\n" % _digest(data), 1)


def is_as_written(data: bytes) -> bool:
    """Return True if a file is unchanged since `with_digest` has created its content."""
    found = _DIGEST.search(data)
    return found is not None and found[1] == _digest(
        data[: found.start()] + data[found.end() - len(b"\n---\n") :]
    )


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:16].encode()


def signature_of(path: Path) -> str:
    """Return size and modification time of a file; "" if it does not exist.

    Every change of the file changes one of them.
    """
    with explaining("read", path), suppress(FileNotFoundError, NotADirectoryError):
        status = os.stat(path)  # noqa: PTH116 - before every reply
        return f"{status.st_size}:{status.st_mtime_ns}"
    return ""


def places_below(folder: Path, within: Iterable[str], suffix: str) -> list[tuple[str, Path]]:
    """Return (place, path) of the documents in the folders `within` below `folder`.

    A place is a path without suffix, relative to `folder`.
    """
    names = (inside + name for inside in within for name in names_in(folder / inside))
    found = (name for name in names if name.endswith(suffix) and name.rpartition("/")[2][0] != ".")
    return [(name.removesuffix(suffix), folder / name) for name in found]


def key_of_file(
    naming: Naming[Key], path: Path, place: str, fields: Callable[[bytes], Mapping[str, object]]
) -> Key | None:
    """Return the key of a file by its name, or by its content if the name was shortened.

    None if the file is not one of Historian's.
    """
    key = naming.by_name(place)
    if key is None or naming.place(key) != place:
        try:
            key = naming.of_fields(fields(bytes_of(path) or b""))
        except InvalidInput:
            return None
    return key if key is not None and naming.place(key) == place else None


def front_matter_of(data: bytes) -> Mapping[str, object]:
    return split_front_matter(data.decode("utf-8", errors="replace"))[0]
