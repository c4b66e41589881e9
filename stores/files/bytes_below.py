"""The bytes of all files of a folder, for a search.

Another process reads the files, since this process may have some of them open as databases;
`ordinary.py` explains why it must not open them as files.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PIECE_BYTES = 24
"""Texts are searched for in pieces of this length, since a database may split a text between pages.
"""
_PROGRAM = Path(__file__).with_name("file_reader.py")
_OF_WINDOWS = ("CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP")


class StoredBytes(NamedTuple):
    """A piece of the stored data: the name of a file or table, the offset in it, and the bytes.

    Consecutive pieces of a file overlap by PIECE_BYTES - 1 bytes.
    """

    place: str
    offset: int
    data: bytes


def bytes_below(folder: Path, unread: list[str]) -> Iterator[StoredBytes]:
    """Yield the bytes of the files below `folder` in overlapping blocks: `Backend.stored_bytes`.

    The names of unreadable files are appended to `unread`: all names if no process can be started.
    """
    paths = [path for path in sorted(folder.rglob("*")) if _is_ordinary(path)]
    names = [path.relative_to(folder).as_posix() for path in paths]
    try:
        reader = _started()
    except OSError as error:
        unread.extend(
            f"{name}: no process can be started to read it: {error.strerror or error}"
            for name in names
        )
        return
    with reader:
        for path, name in zip(paths, names, strict=True):
            try:
                start, kept = 0, b""
                for block in _blocks(reader, path):
                    data = kept + block
                    yield StoredBytes(name, start, data)
                    kept = data[-PIECE_BYTES + 1 :]
                    start += len(data) - len(kept)
            except OSError as error:
                unread.append(f"{name}: {error.strerror or error}")


def _is_ordinary(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _started() -> subprocess.Popen[bytes]:
    """Start `file_reader.py` in its own session, so that Ctrl-C only reaches this process.

    Raises OSError.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        raise OSError("this program has no Python interpreter to start (sys.executable)")
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", f"utf8={sys.flags.utf8_mode}", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=sum(getattr(subprocess, name, 0) for name in _OF_WINDOWS),
    )


def _blocks(reader: subprocess.Popen[bytes], path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file.

    Raises OSError; after the process has ended, for all further files too.
    """
    assert reader.stdin is not None and reader.stdout is not None
    os.write(reader.stdin.fileno(), json.dumps(os.fspath(path)).encode() + b"\n")
    while True:
        try:
            block = pickle.load(reader.stdout)
        except (EOFError, ValueError, pickle.UnpicklingError) as error:
            raise BrokenPipeError(
                f"the process that reads it has ended ({sys.executable})"
            ) from error
        if isinstance(block, str):
            raise OSError(block)
        if not block:
            return
        yield block
