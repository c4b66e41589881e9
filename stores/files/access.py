"""Access rights of stored data: folders 0700 and files 0600, whatever the umask is.

In a data directory that is shared with a group (`cognitive.group_access`) they are 2770 and 0660.
The bit 2000 of a folder gives new files in it the group of the folder. On Windows nothing is
changed: files there follow the access list of their folder.
"""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

_OWN = (
    *(
        "index.sqlite",
        "queue",
        "checkpoints.sqlite",
        "chromadb",
        "forgetting",
        "profiles",
        "chapters",
        "summaries",
    ),
    *(
        "items.sqlite",
        "MEMORY.",
        "end_summaries.",
        "last_run.",
        "owner.",
        "reembed.",
        "restor",
        ".tmp-",
    ),
)
"""The beginnings of the names of Historian's own files and folders in a data directory."""

_creating = threading.Lock()
_shared: set[Path] = set()
"""Data directories of this process that are shared with a group."""


def protect(directory: Path, *, shared: bool) -> None:
    """Set the access rights of a data directory, and of files that are created in it later.

    A missing directory is not created. Historian's own files get the rights also if an earlier
    version left them readable for others. Other files are not changed, and neither is the directory
    if it contains any. Errors (another owner, a read-only disk) are ignored.
    """
    root = Path(os.path.abspath(directory))  # noqa: PTH100 - links are not followed - without following links
    (_shared.add if shared else _shared.discard)(root)
    if os.name == "nt":
        return
    with suppress(OSError):
        entries = list(os.scandir(root))
        for entry in entries:
            if entry.name.startswith(_OWN):
                _set_mode(Path(entry.path))
        if all(entry.name.startswith(_OWN) for entry in entries):
            _set_mode(root, inside=False)


def protect_files(folder: Path) -> None:
    """Set the access rights of all files in a folder that another program writes."""
    if os.name != "nt":
        with suppress(OSError):
            for path in (folder, *folder.rglob("*")):
                _set_mode(path, inside=False)


def is_shared(path: str | os.PathLike[str]) -> bool:
    """Return True if `path` is in a data directory that is shared with a group."""
    return bool(_shared) and any(
        Path(os.path.abspath(path)).is_relative_to(root)  # noqa: PTH100 - links are not followed
        for root in _shared
    )


def file_mode(path: str | os.PathLike[str]) -> int:
    return 0o660 if is_shared(path) else 0o600


def folder_mode(path: str | os.PathLike[str]) -> int:
    return 0o2770 if is_shared(path) else 0o700


def make_private_folders(folder: Path) -> None:
    """Create a folder and its parents. Raises OSError."""
    if not folder.parent.exists():
        make_private_folders(folder.parent)
    make_private_folder(folder)


def make_private_folder(folder: Path) -> None:
    """Create one folder, unless it exists. Raises OSError."""
    mode = folder_mode(folder)
    try:
        folder.mkdir(mode & 0o777)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        _change(folder, mode)


def create_file(path: str | os.PathLike[str], flags: int = os.O_WRONLY | os.O_EXCL) -> int:
    """Open a file, created if it is missing, and return its descriptor. A link is never followed.

    Raises OSError.
    """
    mode = file_mode(path)
    binary, no_links = getattr(os, "O_BINARY", 0), getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags | os.O_CREAT | binary | no_links, mode)
    # The umask or an older file may have set another mode.
    if os.name != "nt" and stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        with suppress(PermissionError):  # another member of the group created it
            os.fchmod(descriptor, mode)
    return descriptor


def create_empty(path: Path) -> None:
    """Create an empty file for SQLite, which would create it with the mode of the umask.

    Does nothing if the file exists. Only one thread at a time runs this: closing the file would
    drop the locks of another thread that has opened it as a database meanwhile.
    """
    with _creating:
        if not path.exists():
            with suppress(FileExistsError):
                os.close(create_file(path))


def _set_mode(path: Path, *, inside: bool = True) -> None:
    """Set the mode of a file or folder if it differs.

    A folder's own mode is set last, so that the next run completes an interrupted one.
    """
    with suppress(OSError):
        found = path.lstat().st_mode
        if stat.S_ISDIR(found):
            mode = folder_mode(path)
            if stat.S_IMODE(found) != mode:
                for entry in os.scandir(path) if inside else ():
                    _set_mode(Path(entry.path))
                _change(path, mode)
        elif stat.S_ISREG(found) and stat.S_IMODE(found) != file_mode(path):
            _change(path, file_mode(path))


def _change(path: Path, mode: int) -> None:
    if os.name != "nt":
        path.chmod(mode)
