"""The bytes of all files of a folder, for a search."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from ...schema.protocols.erasure import PIECE_BYTES, StoredBytes

_READ_BYTES = 4 * 1024 * 1024


def bytes_below(folder: Path, unread: list[str], *, skip: Collection[Path] = ()) -> Iterator[StoredBytes]:
    """Yield the bytes of the files below `folder` in blocks that overlap, see `Backend.stored_bytes`."""
    for path in sorted(folder.rglob("*")):
        if path in skip or path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        try:
            with path.open("rb") as file:
                start, kept = 0, b""
                while block := file.read(_READ_BYTES):
                    data = kept + block
                    yield StoredBytes(name, start, data)
                    kept = data[-PIECE_BYTES + 1 :]
                    start += len(data) - len(kept)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError as error:
            unread.append(f"{name}: {error.strerror or error}")
