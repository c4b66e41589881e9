"""The archive of a person or group: a zip file of JSON lines and Markdown, without vectors.

    manifest.json      {"format": "historian archive", "version": 1, "entity", "made_at", "historian", "profiles": […], counts}
    events.jsonl       one event per line, with "filed": true if its job is recorded as filed
    jobs.jsonl         waiting and failed jobs
    summaries.jsonl    plain summaries: {"scope_key", "job_id", "timestamp", "user_id", "text"}
    memory.jsonl       lines of MEMORY.md: {"scope_key", "timestamp", "text"}; for information, not imported
    profiles/…        Markdown as in the data directory, earlier revisions too
    layers/…           articles, dated summaries and buffered states: see `service/entity_data/registry.py`

Nothing is unpacked: members are read by the names in the manifest, and their destination depends on their content only.
Members that the manifest does not name are ignored.
"""

from __future__ import annotations

import glob
import json
import os
import re
import secrets
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO

from ...schema.errors import InvalidInput
from .durable import TEMPORARY_PREFIX, create_temporary, explaining, remove_abandoned, sync_folder
from .ordinary import check_no_database

FORMAT = "historian archive"
VERSION = 1
MAX_LINE_BYTES = MAX_PROFILE_BYTES = MAX_MANIFEST_BYTES = 2 * 1024 * 1024
"""A job has at most 1 MiB.

A piece that is read at once takes up to twenty times its size in memory.
"""
MAX_MEMBERS = 10_000
MAX_TOTAL_MIB = 64
"""Default limit of the unpacked size, some 100,000 events. Protects against decompression bombs."""
MAX_LINES_A_MIB = 16_384
"""Maximum number of lines per MiB of the size limit.

Each line is parsed. A line of an export is longer than 64 bytes.
"""

_MEMBER_BYTES = 200
"""Upper bound of the average size of an entry in the directory of a zip file.

`zipfile` reads the directory as a whole.
"""
_END, _END_BYTES, _LONGEST_COMMENT = b"PK\5\6", 22, 65_535
_ZIP64_LOCATOR, _ZIP64_LOCATOR_BYTES = b"PK\6\7", 20

# `zipfile` raises RuntimeError for encrypted members
_DAMAGE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal content gives equal files


class ArchiveWriter(AbstractContextManager["ArchiveWriter"]):
    """Writes an archive to a temporary file and renames it to `path` when it is complete.

    A context manager. Only the owner of the file may read it. Raises StorageError, and InvalidInput
    if `path` exists and `replace` is False.
    """

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        if path.exists() and not replace:
            raise InvalidInput(f"{path} already exists; give another file name, or add --force")
        self._path = path
        self._temporary = path.with_name(f"{TEMPORARY_PREFIX}{secrets.token_hex(4)}-{path.name}")
        with explaining("write", path):
            remove_abandoned(
                path.parent.glob(f"{TEMPORARY_PREFIX}????????-{glob.escape(path.name)}")
            )
            self._file = os.fdopen(create_temporary(self._temporary), "wb")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)

    def lines(self, name: str, values: Iterable[Mapping[str, Any]]) -> int:
        """Write a member of JSON lines. Return the number of lines."""
        count = 0
        with self._zip.open(zipfile.ZipInfo(name, _DATE), "w", force_zip64=True) as member:
            for count, value in enumerate(values, 1):  # noqa: B007 - the last one is the number
                member.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
        return count

    def text(self, name: str, text: str) -> None:
        info = zipfile.ZipInfo(name, _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        self._zip.writestr(info, text.encode())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with explaining("write", self._path):
                self._zip.close()
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                if error is None:
                    self._temporary.replace(self._path)
                    sync_folder(self._path.parent)
        finally:
            self._file.close()
            with suppress(OSError):  # it was renamed, or is useless
                self._temporary.unlink()


class ArchiveReader(AbstractContextManager["ArchiveReader"]):
    """Reads an archive; a context manager.

    Raises InvalidInput, which describes the error in the file.
    """

    def __init__(self, path: Path, *, most_mib: int = MAX_TOTAL_MIB) -> None:
        self._path = path
        self._most_mib = most_mib
        self.read_bytes = self._read_lines = 0
        """The numbers of unpacked bytes and of lines that were read so far."""
        self._file = _opened(path)
        try:
            _check_directory(self._file)
            self._zip = zipfile.ZipFile(self._file)
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
            self._file.close()
            raise InvalidInput(f"{path} is not an archive of `historian export`: {error}") from None
        try:
            self._names = frozenset(self._zip.namelist())
            # Checked before anything is read. `zipfile` unpacks no more of a member than the
            # directory states.
            self._check_size(sum(info.file_size for info in self._zip.infolist()))
            self.manifest = self._manifest()
        except BaseException:
            self._close()
            raise

    def rewind(self) -> None:
        """Reset the counts of bytes and lines, to read the archive again."""
        self.read_bytes = self._read_lines = 0

    def lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, object) of a member of JSON lines; nothing if it does not exist."""
        if name not in self._names:
            return
        try:
            with self._member(name) as member:
                number = 0
                while raw := member.readline(MAX_LINE_BYTES + 1):
                    number += 1
                    self._count(raw, lines=1)
                    if len(raw) > MAX_LINE_BYTES:
                        raise InvalidInput(
                            f"{self._path}: {name}, line {number}: longer than {MAX_LINE_BYTES} bytes"
                        )
                    yield number, self._object(raw, f"{name}, line {number}")
        except _DAMAGE as error:
            raise InvalidInput(f"{self._path}: {name} is damaged: {error}") from None

    def text(self, name: str) -> str:
        """Return a whole member as text."""
        return self._read(name, MAX_PROFILE_BYTES).decode("utf-8", "replace")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        self._zip.close()
        self._file.close()

    def _manifest(self) -> dict[str, Any]:
        manifest = self._object(self._read("manifest.json", MAX_MANIFEST_BYTES), "manifest.json")
        if manifest.get("format") != FORMAT:
            raise InvalidInput(
                f"{self._path} is not an archive of `historian export`: its manifest does not say {FORMAT!r}"
            )
        version = manifest.get("version")
        if type(version) is not int or version > VERSION:
            raise InvalidInput(
                f"{self._path}: made by a newer version (archive version {version!r}, this one knows {VERSION}); "
                "upgrade langgraph-historian"
            )
        return manifest

    def _read(self, name: str, limit: int) -> bytes:
        try:
            with self._member(name) as member:
                data = member.read(limit + 1)
        except KeyError:
            raise InvalidInput(
                f"{self._path} is not an archive of `historian export`: it has no {name}"
            ) from None
        except _DAMAGE as error:
            raise InvalidInput(f"{self._path}: {name} is damaged: {error}") from None
        self._count(data)
        if len(data) > limit:
            raise InvalidInput(f"{self._path}: {name} is larger than {limit} bytes")
        return data

    def _member(self, name: str) -> IO[bytes]:
        info = self._zip.getinfo(name)
        # LZMA may ask for gigabytes of memory.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile("compressed by a method that exports do not use")
        return self._zip.open(info)

    def _count(self, data: bytes, *, lines: int = 0) -> None:
        self.read_bytes += len(data)
        self._read_lines += lines
        self._check_size(self.read_bytes)
        if self._read_lines > (most := self._most_mib * MAX_LINES_A_MIB):
            raise InvalidInput(
                f"{self._path}: it has more than {most} lines and is not read further; if you "
                "trust it, import it with a "
                "larger --max-mib"
            )

    def _check_size(self, unpacked: int) -> None:
        if unpacked > self._most_mib * 1024 * 1024:
            raise InvalidInput(
                f"{self._path}: it is larger than {self._most_mib} MiB when unpacked and is not "
                "imported; if you trust it, import it with a larger --max-mib"
            )

    def _object(self, raw: bytes, where: str) -> dict[str, Any]:
        try:
            value = json.loads(raw, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{self._path}: {where}: not JSON: {error}") from None
        if not isinstance(value, dict):
            raise InvalidInput(f"{self._path}: {where}: expected an object")
        return value


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _opened(path: Path) -> BinaryIO:
    """Open an ordinary file.

    A pipe or a device is refused before it is read, since it may never end.
    """
    check_no_database(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidInput(
                f"{path} is not an ordinary file; give an archive of `historian export`"
            )
        return path.open("rb")
    except FileNotFoundError:
        raise InvalidInput(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None


def _check_directory(file: BinaryIO) -> None:
    """Raise ValueError if the directory of a zip file has too many entries.

    `zipfile` holds the directory in memory. A file that is not a zip file passes; `zipfile` reports
    it.
    """
    file.seek(
        max(file.seek(0, os.SEEK_END) - _END_BYTES - _LONGEST_COMMENT - _ZIP64_LOCATOR_BYTES, 0)
    )
    tail = file.read()
    # Check each marker that a reader could take for the end of the directory.
    for found in re.finditer(re.escape(_END), tail[: 4 - _END_BYTES]):
        members, size = struct.unpack_from("<HI", tail, found.start() + 10)
        is_zip64 = tail.startswith(_ZIP64_LOCATOR, max(found.start() - _ZIP64_LOCATOR_BYTES, 0))
        if is_zip64 or members > MAX_MEMBERS or size > MAX_MEMBERS * _MEMBER_BYTES:
            raise ValueError(f"it has more than {MAX_MEMBERS} members")
    file.seek(0)
