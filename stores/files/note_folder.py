"""Markdown files below a folder: which there are, and their text, with a word for each that cannot be taken."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...schema.errors import InvalidInput

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd")
MAX_NOTE_BYTES = 2 * 1024 * 1024
"""What is larger was not written by hand: an export or a log, which would drown the notes."""


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file that was found. `path` is relative to the folder, with `/` (or the name it is stored as); `location` is where it
    can be opened."""

    path: str
    location: Path
    mtime_ns: int
    size: int


@dataclass
class Listing:
    """What was found. `skipped` says why, by path; of paths in or below `unread` it is not known whether they exist."""

    files: dict[str, NoteFile] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)

    def may_exist(self, path: str) -> bool:
        """Whether a path that was not found lies where nothing could be read."""
        return any(path == unread or path.startswith(f"{unread}/") for unread in self.unread)


class NotText(Exception):
    """A file that holds no text; the message says why."""


def list_notes(root: Path, memory: Path | None = None) -> Listing:
    """Every Markdown file below `root`, without opening one. Hidden files and folders are passed over.

    Links are followed, a folder that was entered before is not entered again. A directory of Historian's own data (that at
    `memory`, and whatever looks like one) is never entered, by no link either: profiles are no notes, and what was learnt in
    private would be read in a group. Raises InvalidInput where `root` is no folder that can be read (then nothing is known about
    its files, least of all that they were deleted), or lies in such a directory.
    """
    listing = Listing()
    try:
        if not root.is_dir():
            raise InvalidInput(f"{root} is no folder; name the one that holds the notes")
        if is_in_memory(root, memory):
            raise InvalidInput(f"{root} belongs to Historian's own data, which is never indexed; name a folder of notes")
        entered = {_identity(root.stat())}
        _list_folder(root, "", listing, entered, memory)
    except OSError as error:
        raise InvalidInput(f"{root} cannot be read: {error.strerror or error}; let the user who runs this read it") from error
    return listing


def read_note(file: NoteFile) -> tuple[bytes, str]:
    """Content and text of a file. Raises OSError, or NotText for what is too large, binary or no UTF-8."""
    # Not to wait for ever where a pipe took the file's place since it was listed.
    descriptor = os.open(file.location, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(MAX_NOTE_BYTES + 1)
    if len(content) > MAX_NOTE_BYTES:
        raise NotText(f"larger than {MAX_NOTE_BYTES // 1024**2} MiB")
    if b"\0" in content:
        raise NotText("binary")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText(f"no UTF-8 text (byte {error.start}); save it as UTF-8") from None
    return content, text.replace("\r\n", "\n").replace("\r", "\n")


def content_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _list_folder(folder: Path, below: str, listing: Listing, entered: set[tuple[int, int]], memory: Path | None) -> None:
    """Raises OSError where `folder` itself cannot be read; folders inside of it are noted as unread."""
    waiting: list[tuple[Path, str]] = [(folder, below)]
    while waiting:
        current, prefix = waiting.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError as error:
            if current == folder:
                raise
            listing.skipped[prefix.rstrip("/")] = f"cannot be read: {error.strerror or error}"
            listing.unread.add(prefix.rstrip("/"))
            continue
        inside = _sorted_out(entries, prefix, listing, entered, memory)
        waiting.extend((Path(entry.path), path + "/") for entry, path in inside)


def _sorted_out(
    entries: list[os.DirEntry[str]], prefix: str, listing: Listing, entered: set[tuple[int, int]], memory: Path | None
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Note files and what is skipped; gives the folders to enter."""
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = prefix + entry.name
        is_note = entry.name.lower().endswith(SUFFIXES)
        if not _is_utf8(path):
            if is_note:
                listing.skipped[path.encode("utf-8", "replace").decode()] = "its name is no UTF-8; rename it"
            continue
        try:
            status = entry.stat()
        except OSError as error:
            if is_note or entry.is_symlink():
                listing.skipped[path] = f"cannot be looked at: {error.strerror or error}"
                if not isinstance(error, FileNotFoundError):
                    listing.unread.add(path)
            continue
        if (entry.is_symlink() and is_in_memory(Path(entry.path), memory)) or (
            stat.S_ISDIR(status.st_mode) and _is_memory(Path(entry.path), memory)
        ):
            listing.skipped[path] = "Historian's own data, which is never indexed"
            continue
        if stat.S_ISDIR(status.st_mode):
            if _identity(status) in entered:
                listing.skipped[path] = "a link to a folder that is read already"
                continue
            entered.add(_identity(status))
            yield entry, path
        elif not is_note:
            continue
        elif not stat.S_ISREG(status.st_mode):
            listing.skipped[path] = "no ordinary file"
        elif status.st_size > MAX_NOTE_BYTES:
            listing.skipped[path] = f"larger than {MAX_NOTE_BYTES // 1024**2} MiB"
        else:
            listing.files[path] = NoteFile(path, Path(entry.path), status.st_mtime_ns, status.st_size)


def is_in_memory(path: Path, memory: Path | None) -> bool:
    """Whether `path`, with its links resolved, is a directory of Historian's data or lies in one."""
    resolved = path.resolve()
    return any(_is_memory(folder, memory) for folder in (resolved, *resolved.parents))


def _is_memory(folder: Path, memory: Path | None) -> bool:
    if (folder / "index.sqlite").is_file() and (folder / "queues").is_dir():
        return True
    try:
        return memory is not None and folder.samefile(memory)
    except OSError:  # one of the two does not exist
        return False


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
