"""Markdown files below a folder: listing, reading, and the reasons for skipped files."""

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
"""Larger files are exports or logs rather than notes, and would dominate the results."""


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A note file. `location` is its path on disk.

    `path` is relative to the folder, with `/`, or the name under which the file is stored.
    """

    path: str
    location: Path
    mtime_ns: int
    size: int


@dataclass
class Listing:
    """The files that were found. `skipped` maps paths to the reasons for skipping them.

    `unread` are paths that could not be read: files in or below them may exist.
    """

    files: dict[str, NoteFile] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)

    def may_exist(self, path: str) -> bool:
        """Return True if a path that was not found is in a folder that could not be read."""
        return any(path == unread or path.startswith(f"{unread}/") for unread in self.unread)


class NotText(Exception):
    """A file that is not text; the message gives the reason."""


def list_notes(root: Path, memory: Path | None = None, *, follow_links: bool = False) -> Listing:
    """Return all Markdown files below `root` without opening them.

    Hidden files and folders are skipped.

    Links that lead out of `root` are followed only with `follow_links`: otherwise anybody who can
    write a note could make Historian read any file of this user. No folder is entered twice. A data
    directory of Historian (`memory`, or any folder that looks like one) is never entered, not even
    by a link: profiles are not notes, and private memory would become readable in a group.

    Raises InvalidInput if `root` is in such a directory, or is not a readable folder. The caller
    must not treat the notes of an unreadable folder as deleted.
    """
    listing = Listing()
    try:
        if not root.is_dir():
            raise InvalidInput(f"{root} is not a folder; give the folder of the notes")
        if is_in_memory(root, memory):
            raise InvalidInput(
                f"{root} belongs to Historian's own data, which is never indexed; give a folder of notes"
            )
        links = _Links(None if follow_links else root.resolve(), memory)
        _list_folder(root, listing, {_identity(root.stat())}, links)
    except OSError as error:
        raise InvalidInput(
            f"{root} cannot be read: {error.strerror or error}; let the user who runs this read it"
        ) from error
    return listing


def read_note(file: NoteFile) -> tuple[bytes, str]:
    """Return content and text of a file.

    Raises OSError, or NotText if it is too large, binary or not UTF-8.
    """
    # A pipe or a link may have replaced the file after the listing.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file.location, os.O_RDONLY | flags)
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(MAX_NOTE_BYTES + 1)
    if len(content) > MAX_NOTE_BYTES:
        raise NotText(f"larger than {MAX_NOTE_BYTES // 1024**2} MiB")
    if b"\0" in content:
        raise NotText("binary")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotText(f"not UTF-8 (byte {error.start}); save it as UTF-8") from None
    return content, text.replace("\r\n", "\n").replace("\r", "\n")


def content_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class _Links:
    """The rule for links: followed if below `root` (None: all), never into a data directory."""

    root: Path | None
    memory: Path | None

    def objection(self, target: Path) -> str:
        """Return the reason why a link to `target` (a resolved path) is not followed, or ""."""
        if is_in_memory(target, self.memory):
            return _OWN_DATA
        if self.root is not None and not target.is_relative_to(self.root):
            return (
                "a link that leads out of the folder; set cognitive.notes_follow_links to follow it"
            )
        return ""


_OWN_DATA = "Historian's own data, which is never indexed"


def _list_folder(
    folder: Path, listing: Listing, entered: set[tuple[int, int]], links: _Links
) -> None:
    """Add the content of `folder` to `listing`; unreadable folders inside it are recorded as
    unread.

    Raises OSError if `folder` itself cannot be read.
    """
    waiting: list[tuple[Path, str]] = [(folder, "")]
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
        inside = _sorted_out(entries, prefix, listing, entered, links)
        waiting.extend((Path(entry.path), path + "/") for entry, path in inside)


def _sorted_out(
    entries: list[os.DirEntry[str]],
    prefix: str,
    listing: Listing,
    entered: set[tuple[int, int]],
    links: _Links,
) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Record files and skipped entries; yield the folders to enter."""
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = prefix + entry.name
        is_note = entry.name.lower().endswith(SUFFIXES)
        shown = path.encode("utf-8", "replace").decode()
        if shown != path:
            if is_note:
                listing.skipped[shown] = "its name is not UTF-8; rename it"
            continue
        location = Path(entry.path)
        try:
            status = entry.stat()
            is_folder = stat.S_ISDIR(status.st_mode)
            objection = _OWN_DATA if is_folder and _is_memory(location, links.memory) else ""
            if entry.is_symlink() and (is_folder or is_note):
                location = location.resolve()
                objection = objection or links.objection(location)
        except OSError as error:
            # The entry is unreadable, or its path is too long for the system. The other entries are
            # still listed.
            if is_note or not entry.is_file(follow_symlinks=False):
                listing.skipped[path] = f"cannot be accessed: {error.strerror or error}"
                if not isinstance(error, FileNotFoundError):
                    listing.unread.add(path)
            continue
        if objection:
            listing.skipped[path] = objection
            continue
        if is_folder:
            if _identity(status) in entered:
                listing.skipped[path] = "a link to a folder that is listed already"
                continue
            entered.add(_identity(status))
            yield entry, path
        elif not is_note:
            continue
        elif not stat.S_ISREG(status.st_mode):
            listing.skipped[path] = "not an ordinary file"
        elif status.st_size > MAX_NOTE_BYTES:
            listing.skipped[path] = f"larger than {MAX_NOTE_BYTES // 1024**2} MiB"
        else:
            listing.files[path] = NoteFile(path, location, status.st_mtime_ns, status.st_size)


def is_in_memory(path: Path, memory: Path | None) -> bool:
    """Return True if `path`, with links resolved, is a data directory of Historian or is in one."""
    resolved = path.resolve()
    return any(_is_memory(folder, memory) for folder in (resolved, *resolved.parents))


def _is_memory(folder: Path, memory: Path | None) -> bool:
    if (folder / "index.sqlite").is_file() and any(
        (folder / name).exists() for name in ("queue.sqlite", "queues")
    ):
        return True
    try:
        return memory is not None and folder.samefile(memory)
    except OSError:  # one of the two does not exist
        return False


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
