"""The archive of a person or group: a zip file of JSON lines and Markdown, without vectors.

    manifest.json      {"format": "historian archive", "version": 1, "entity", "made_at", "historian", "profiles": […], counts}
    events.jsonl       one event per line, with "filed": true if its job is recorded as filed
    jobs.jsonl         waiting and failed jobs
    summaries.jsonl    plain summaries: {"scope_key", "job_id", "timestamp", "user_id", "text"}
    memory.jsonl       lines of MEMORY.md: {"scope_key", "timestamp", "text"}; for information, not imported
    profiles/…        Markdown as in the data directory, earlier revisions too
    layers/…           articles, dated summaries and buffered states: see `service/entity_data/articles.py`

Nothing is unpacked: members are read by the names in the manifest, and their destination depends on their content only.
Members that the manifest does not name are ignored.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ...schema.errors import InvalidInput
from .durable import TEMPORARY_PREFIX, storage_error, sync_folder

FORMAT = "historian archive"
VERSION = 1
MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_PROFILE_BYTES = 16 * 1024 * 1024
MAX_MANIFEST_BYTES = 64 * 1024 * 1024

MAX_TOTAL_BYTES = 4 * 1024 * 1024 * 1024
"""Unpacked. A larger archive cannot be the memory of one person; this protects against decompression bombs."""

_DAMAGE = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)  # `zipfile` raises RuntimeError for encrypted members
_DATE = (1980, 1, 1, 0, 0, 0)  # so that equal content gives equal files


class ArchiveWriter:
    """Writes an archive to a temporary file and renames it to `path` when it is complete; a context manager.

    Only the owner of the file may read it. Raises StorageError, and InvalidInput if `path` exists and `replace` is False.
    """

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        if path.exists() and not replace:
            raise InvalidInput(f"{path} exists; name another file, or add --force")
        self._path = path
        self._temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{path.name}")
        try:
            descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
            self._file = os.fdopen(descriptor, "wb")
        except OSError as error:
            raise storage_error("write", path, error) from error
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self._zip.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if error is None:
                self._temporary.replace(self._path)
                sync_folder(self._path.parent)
        except OSError as failed:
            raise storage_error("write", self._path, failed) from failed
        finally:
            self._file.close()
            with suppress(OSError):  # it was renamed, or is useless
                self._temporary.unlink()


class ArchiveReader:
    """Reads an archive; a context manager. Raises InvalidInput that describes the error in the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_bytes = 0
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise InvalidInput(f"{path} does not exist") from None
        except (OSError, zipfile.BadZipFile) as error:
            raise InvalidInput(f"{path} is not an archive of `historian export`: {error}") from None
        try:
            self.manifest = self._manifest()
        except BaseException:
            self._zip.close()
            raise

    def lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, object) of a member of JSON lines; nothing if the archive has no such member."""
        if name not in self._zip.namelist():
            return
        try:
            with self._zip.open(name) as member:
                number = 0
                while raw := member.readline(MAX_LINE_BYTES + 1):
                    number += 1
                    self._count(raw)
                    if len(raw) > MAX_LINE_BYTES:
                        raise InvalidInput(f"{self._path}: {name}, line {number}: longer than {MAX_LINE_BYTES} bytes")
                    yield number, self._object(raw, f"{name}, line {number}")
        except _DAMAGE as error:
            raise InvalidInput(f"{self._path}: {name} is damaged: {error}") from None

    def text(self, name: str) -> str:
        """Return a whole member as text."""
        return self._read(name, MAX_PROFILE_BYTES).decode("utf-8", "replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._zip.close()

    def _manifest(self) -> dict[str, Any]:
        manifest = self._object(self._read("manifest.json", MAX_MANIFEST_BYTES), "manifest.json")
        if manifest.get("format") != FORMAT:
            raise InvalidInput(f"{self._path} is not an archive of `historian export`: its manifest does not say {FORMAT!r}")
        version = manifest.get("version")
        if not isinstance(version, int) or version > VERSION:
            raise InvalidInput(
                f"{self._path}: made by a newer version (archive version {version!r}, this one knows {VERSION}); "
                "upgrade langgraph-historian"
            )
        return manifest

    def _read(self, name: str, limit: int) -> bytes:
        try:
            with self._zip.open(name) as member:
                data = member.read(limit + 1)
        except KeyError:
            raise InvalidInput(f"{self._path} is not an archive of `historian export`: it has no {name}") from None
        except _DAMAGE as error:
            raise InvalidInput(f"{self._path}: {name} is damaged: {error}") from None
        self._count(data)
        if len(data) > limit:
            raise InvalidInput(f"{self._path}: {name} is larger than {limit} bytes")
        return data

    def _count(self, data: bytes) -> None:
        self._read_bytes += len(data)
        if self._read_bytes > MAX_TOTAL_BYTES:
            raise InvalidInput(f"{self._path}: holds more than {MAX_TOTAL_BYTES} bytes; it is not read further")

    def _object(self, raw: bytes, where: str) -> dict[str, Any]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{self._path}: {where}: not JSON: {error}") from None
        if not isinstance(value, dict):
            raise InvalidInput(f"{self._path}: {where}: expected an object")
        return value
