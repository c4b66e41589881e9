"""Incremental index of Markdown notes: unchanged files are not read, moved files are not embedded
again.

Events of notes are stored without vectors; the worker embeds them when it is idle.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from ...schema.event import Event
from ...schema.ids import digest_of
from ...schema.job import clean_text
from ...schema.scope import Scope, scope_of_key
from ...schema.settings import Settings
from ...stores.files.markdown_memory import MarkdownMemory
from ...stores.files.note_folder import (
    Listing,
    NoteFile,
    NotText,
    content_hash,
    list_notes,
    read_note,
)
from ...stores.tables.notes import FileChange, IndexedFile, NoteTables, note_job_id
from ...text.redaction import Level, redact
from ...text.tokens import chunk
from ..data_directory import data_directory
from ..timezones import configured_timezone

BATCH_CHUNKS = 64
"""Number of new chunks, or of files, after which a batch is written."""
FORM_VERSION = 2
"""Version of the way in which notes are indexed. Raise it if all notes must be indexed again."""
_DIGEST_CHARACTERS = 16
_SEGMENTS_KEPT = 65_536
UNSETTLED_NS = 2_000_000_000
"""A file that changed less than two seconds before it was read may change again with the same
modification time, whose resolution can be two seconds (FAT)."""


class NoteNames:
    """Redacted names of notes, for one level of redaction. Each segment of a path is redacted once.

    >>> NoteNames("secrets").stored("work/password=Hunter2xQ9zz.md")
    'work/password=[PASSWORD]~d94213688898d974'

    A folder has the same stored name in the path of every file below it. Therefore a stored path is
    below a stored folder exactly if the file is below the folder. Two names with the same redacted
    form have different digests.
    """

    def __init__(self, level: Level) -> None:
        self._level = level
        self._segment = lru_cache(_SEGMENTS_KEPT)(self._redacted)

    def stored(self, path: str) -> str:
        """Return the stored name of a file or folder, `/` between its segments."""
        return "/".join(map(self._segment, path.split("/")))

    def _redacted(self, segment: str) -> str:
        shown = redact(segment, self._level) if segment else segment
        if shown == segment:
            return segment
        return f"{shown}~{hashlib.sha256(segment.encode('utf-8', 'replace')).hexdigest()[:_DIGEST_CHARACTERS]}"


@dataclass
class IndexReport:
    """The result of a run, as numbers of files per outcome.

    `chunks` is the number of new chunks, `removed` the number of removed events, `without_vector`
    the number of new chunks that are not embedded yet. `skipped` holds the reasons by stored name.
    `complete` is False if `pause` interrupted the run; the next run continues.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    renamed: int = 0
    deleted: int = 0
    chunks: int = 0
    removed: int = 0
    without_vector: int = 0
    complete: bool = True
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def outcomes(self) -> tuple[int, int, int, int]:
        """The numbers of files that are new, changed, renamed and deleted."""
        return self.new, self.changed, self.renamed, self.deleted


class NotesIndex:
    """Indexes folders of notes into the events of a scope, as `source="note"`.

    The texts of notes are redacted, but not absolutized; therefore the events are never marked
    absolute. Names of files are not searched. Only the owner of the data directory may run this.
    """

    def __init__(
        self, manifest: NoteTables, settings: Settings, clock: Callable[[], float]
    ) -> None:
        self._manifest = manifest
        self._settings = settings
        self._clock = clock
        self._timezone = configured_timezone(settings.cognitive.timezone)
        self._names = NoteNames(settings.cognitive.historian.redact_jobs)

    async def run(
        self,
        root: Path,
        scope: Scope,
        *,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        pause: Callable[[], Awaitable[bool]] | None = None,
    ) -> IndexReport:
        """Update the events of a folder. Calls `on_progress(files done, files to read)`.

        `pause` is called after every batch; if it returns True, the rest is left to the next run.

        Raises InvalidInput if `root` is no readable folder (then nothing is removed), and
        StorageError. Batches that were written before an error are stored, and the next run
        continues after them.
        """
        folder = self._names.stored(str(root))
        follow = self._settings.cognitive.notes_follow_links
        found = await asyncio.to_thread(
            list_notes, root, data_directory(self._settings), follow_links=follow
        )
        known = await asyncio.to_thread(self._manifest.files, scope.key, folder)
        listing = await asyncio.to_thread(self._named, found)
        report = IndexReport(skipped=dict(listing.skipped))
        to_read = [
            file
            for path, file in listing.files.items()
            if not self._is_unchanged(file, known.get(path))
        ]
        report.unchanged = len(listing.files) - len(to_read)
        vanished = {
            p: f for p, f in known.items() if p not in listing.files and not listing.may_exist(p)
        }
        moved = {file.content: path for path, file in vanished.items()}
        batch, touched = list[FileChange](), list[tuple[str, IndexedFile]]()
        for done, file in enumerate(to_read):
            on_progress(done, len(to_read))
            read = await asyncio.to_thread(self._read, file, listing, report)
            if read is None:
                continue
            now, text = read
            before = known.get(file.path)
            if before is not None and before.content == now.content:
                touched.append((file.path, now))
                report.unchanged += 1
                continue
            came_from = moved.pop(now.content, None) if before is None else None
            if came_from is not None:
                del vanished[came_from]
                touched.append((came_from, now))
                report.renamed += 1
                continue
            report.changed += before is not None
            report.new += before is None
            batch.append(await asyncio.to_thread(self._change, scope, now, text, file.mtime_ns))
            if max(len(batch), sum(len(change.events) for change in batch)) >= BATCH_CHUNKS:
                await self._write(batch, scope, folder, report)
                batch = []
                if pause is not None and await pause():
                    await asyncio.to_thread(self._manifest.touch, scope.key, folder, touched)
                    report.complete = False
                    return report
        await self._write(batch, scope, folder, report)
        await asyncio.to_thread(self._manifest.touch, scope.key, folder, touched)
        # Files are removed last, so that a chunk that moved from one file to another keeps its
        # event. Files that can no longer be indexed (binary now, or too large) count as deleted.
        unfit = [
            p
            for p in listing.skipped
            if p in known and p not in vanished and not listing.may_exist(p)
        ]
        gone = [*vanished, *unfit]
        report.deleted = len(gone)
        report.removed += await asyncio.to_thread(self._manifest.remove, scope.key, folder, gone)
        on_progress(len(to_read), len(to_read))
        report.skipped = dict(listing.skipped)
        return report

    async def remove(self, root: Path, scope: Scope) -> IndexReport:
        """Remove the notes of a folder from a scope. The folder need not exist."""
        folder = self._names.stored(str(root))
        known = await asyncio.to_thread(self._manifest.files, scope.key, folder)
        removed = await asyncio.to_thread(self._manifest.remove, scope.key, folder, list(known))
        return IndexReport(deleted=len(known), removed=removed)

    async def run_memory(self, path: Path, scope: Scope) -> IndexReport:
        """Re-index the hand-written parts of `MEMORY.md`: each section in its conversation's scope,
        the rest in `scope`.

        A missing file counts as empty. Raises StorageError.
        """
        folder, report = self._names.stored(str(path)), IndexReport()
        loose, written = await asyncio.to_thread(MarkdownMemory(path).by_hand)
        changed = await asyncio.to_thread(_changed_at, path)
        texts = {**written, scope.key: "\n\n".join(filter(None, (loose, written.get(scope.key))))}
        indexed = [
            key for key, root, _ in await asyncio.to_thread(self._manifest.roots) if root == folder
        ]
        for key in dict.fromkeys([*texts, *indexed]):
            text, where = texts.get(key, ""), scope if key == scope.key else scope_of_key(key)
            before = (await asyncio.to_thread(self._manifest.files, key, folder)).get(path.name)
            if not text or where is None:
                report.deleted += before is not None
                report.removed += await asyncio.to_thread(
                    self._manifest.remove, key, folder, [path.name]
                )
                continue
            now = IndexedFile(
                path.name,
                changed,
                len(text),
                content_hash(text.encode(errors="replace")),
                self._form,
            )
            if before is not None and before.content == now.content:
                report.unchanged += 1
                continue
            report.changed += before is not None
            report.new += before is None
            change = await asyncio.to_thread(self._change, where, now, text, changed)
            await self._write([change], where, folder, report)
        return report

    def _named(self, listing: Listing) -> Listing:
        """Return the listing with stored names."""
        stored = self._names.stored
        files = {
            name: replace(file, path=name)
            for path, file in listing.files.items()
            if (name := stored(path))
        }
        skipped = {stored(path): why for path, why in listing.skipped.items()}
        return Listing(files, skipped, set(map(stored, listing.unread)))

    @property
    def _form(self) -> str:
        settings = self._settings.cognitive
        return f"{FORM_VERSION} {settings.historian.redact_jobs} {settings.observation.chunk_max_tokens}"

    def _is_unchanged(self, file: NoteFile, before: IndexedFile | None) -> bool:
        return before is not None and (before.mtime_ns, before.size, before.form) == (
            file.mtime_ns,
            file.size,
            self._form,
        )

    def _read(
        self, file: NoteFile, listing: Listing, report: IndexReport
    ) -> tuple[IndexedFile, str] | None:
        try:
            content, text = read_note(file)
        except NotText as error:
            listing.skipped[file.path] = str(error)
            return None
        except OSError as error:
            listing.skipped[file.path] = f"cannot be read: {error.strerror or error}"
            if not isinstance(error, FileNotFoundError):
                listing.unread.add(file.path)
            return None
        settled = self._clock() * 1e9 - file.mtime_ns > UNSETTLED_NS
        # No file has the time -1, so the next run reads the file again.
        mtime_ns = file.mtime_ns if settled else -1
        return IndexedFile(file.path, mtime_ns, file.size, content_hash(content), self._form), text

    def _change(self, scope: Scope, now: IndexedFile, text: str, mtime_ns: int) -> FileChange:
        """Return the change of a file: the ids of its chunks, and the events of those that are new
        to the scope."""
        settings = self._settings.cognitive
        clean = redact(clean_text(text), settings.historian.redact_jobs)
        chunks = {
            digest_of(one): one for one in chunk(clean, settings.observation.chunk_max_tokens)
        }
        known = self._manifest.known_chunks(scope.key, list(chunks))
        new = [self._event(scope, *one, mtime_ns) for one in chunks.items() if one[0] not in known]
        return FileChange(now, tuple(chunks), tuple(new))

    async def _write(
        self, batch: Sequence[FileChange], scope: Scope, folder: str, report: IndexReport
    ) -> None:
        if batch:
            await asyncio.to_thread(self._manifest.write, scope.key, folder, batch)
            report.chunks += len({one.event_id for change in batch for one in change.events})

    def _event(self, scope: Scope, chunk_id: str, text: str, mtime_ns: int) -> Event:
        job_id = note_job_id(scope.key, chunk_id)
        # A copied file may have any time; the time of an event must be between 1970 and now.
        moment = datetime.fromtimestamp(
            min(max(mtime_ns / 1e9, 0.0), self._clock()), ZoneInfo(self._timezone)
        )
        return Event.in_scope(
            scope,
            moment.replace(microsecond=0),
            self._timezone,
            "fact",
            text,
            event_id=f"{job_id}:0",
            job_id=job_id,
            is_absolute=False,
            gate_reasons=("a note, kept as it was written",),
            rewritten_by="none",
            source="note",
        )


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
