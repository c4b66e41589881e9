"""Profiles as Markdown files that people may read and edit, with revisions.

Writers compare and swap: they say which revision they have read, and only one of two writers of it succeeds. A write
first keeps the old file in the history, byte for byte, then replaces it, then notes the job in the ledger. A process
killed in between has written whole files or none; that a job was applied is then seen in the files, since each names
the event that caused it.

A file that somebody edited by hand while a writer worked from the older text is in the history, like any old revision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ...schema.errors import InvalidInput, RevisionConflict
from ...schema.job import clean_text
from ...schema.profile import Profile, ProfileKey
from ...schema.protocols import Ledger, ProfileStorage
from ...schema.scope import EntityType
from .durable import remove_durably, storage_error, sweep_leftovers, sync_folder, write_atomically
from .entity_locks import EntityLocks
from .front_matter import one_line, parse_profile, render_profile
from .profile_files import (
    FOLDERS,
    Snapshot,
    erasable,
    history_folder,
    ledger_key,
    profile_path,
    snapshot_name,
    snapshots,
    stored_keys,
)


class MarkdownProfiles(ProfileStorage):
    """A `ProfileStorage` in a folder. The last `revision_keep` earlier revisions are kept (0: none).

    Safe to use from several threads and processes at once; reading waits for nobody.
    """

    def __init__(self, folder: Path, *, ledger: Ledger, revision_keep: int = 5) -> None:
        self._folder = folder
        self._ledger = ledger
        self._keep = revision_keep
        self._locks = EntityLocks(folder / ".locks")

    def read(self, key: ProfileKey) -> Profile | None:
        """Raises StorageError where the file is there and cannot be opened; a spoilt one is read as well as can be."""
        data = _bytes_of(profile_path(self._folder, key))
        return None if data is None else self._parse(data, key)

    def write(self, profile: Profile, *, expected_revision: int, job_id: str = "", now: str) -> Profile:
        """As the protocol says. `source_event_id` is made to name the job, where one is given. Raises StorageError."""
        key = profile.key
        with self._locked(key):
            current = self.read(key)
            if job_id and self._was_applied(key, job_id, current):
                return current or Profile(key)  # deleted since: what was forgotten does not come back by a rerun
            found = current.revision if current else 0
            if found != expected_revision:
                raise RevisionConflict(
                    f"profile {key}: revision {found} is stored, expected {expected_revision}; read it again and merge anew"
                )
            return self._swap(profile, current, job_id, now)

    def is_applied(self, key: ProfileKey, job_id: str) -> bool:
        return self._was_applied(key, job_id, self.read(key))

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        return [key.layer for key in stored_keys(self._folder, entity_type) if key.entity_id == entity_id]

    def keys(self) -> list[ProfileKey]:
        return [key for entity_type in FOLDERS for key in stored_keys(self._folder, entity_type)]

    def history(self, key: ProfileKey) -> list[Profile]:
        current = self.read(key)
        earlier = [profile for _, profile in self._earlier(key)]
        # A process killed between keeping the old file and writing the new one leaves the current one there too.
        return [profile for profile in earlier if current is None or profile.revision < current.revision]

    def rollback(self, key: ProfileKey, revision: int, *, now: str, job_id: str = "") -> Profile:
        with self._locked(key):
            current = self.read(key)
            if job_id and self._was_applied(key, job_id, current):
                return current or Profile(key)
            earlier = [profile for profile in self.history(key) if profile.revision == revision]
            if not earlier:
                kept = ", ".join(str(profile.revision) for profile in self.history(key)) or "none"
                raise InvalidInput(f"revision: profile {key} has no earlier revision {revision}; kept are {kept}")
            source = f"rollback:{revision}:{job_id}" if job_id else f"rollback:{revision}"
            return self._swap(replace(earlier[0], source_event_id=source), current, job_id, now)

    def delete(self, key: ProfileKey) -> bool:
        """As the protocol says. The ledger keeps what was applied, so that no rerun of an old job brings it back."""
        with self._locked(key):
            folder = history_folder(self._folder, key)
            kept = snapshots(folder)
            for snapshot in kept:  # first, so that a deletion that was cut short is found by its profile and repeated
                remove_durably(snapshot.path)
            if folder.is_dir():
                sweep_leftovers(folder)
                try:
                    folder.rmdir()
                except OSError as error:
                    raise storage_error("remove", folder, error) from error
                sync_folder(folder.parent)
            return remove_durably(profile_path(self._folder, key)) or bool(kept)

    def erase(self, entity_type: EntityType, entity_id: str, layers_of_users: str = "") -> int:
        """Remove every file of an entity's profiles, with history, and one layer of all users; returns how many.

        Damaged files too, and histories whose profile is gone. Raises StorageError.
        """
        removed = 0
        for path in erasable(self._folder, entity_type, entity_id, layers_of_users):
            if path.is_dir():
                for file in sorted(path.iterdir()):
                    removed += remove_durably(file)
                try:
                    path.rmdir()
                except OSError as error:
                    raise storage_error("remove", path, error) from error
                sync_folder(path.parent)
            else:
                removed += remove_durably(path)
        self.sweep()
        return removed

    def restore(self, revisions: Sequence[Profile]) -> Literal["restored", "same", "different"]:
        """Put back a profile with its history, oldest first and with the revisions' own numbers, where there is none.

        One that is there is never changed: "same" where its newest revision says the same, else "different".
        """
        newest = revisions[-1]
        with self._locked(newest.key):
            current = self.read(newest.key)
            if current is not None:
                same = (current.name, current.tags, current.summary) == (newest.name, newest.tags, newest.summary)
                return "same" if same else "different"
            folder = history_folder(self._folder, newest.key)
            for earlier in revisions[:-1][-self._keep :] if self._keep else ():
                write_atomically(folder / snapshot_name(earlier.revision, earlier.updated_at), render_profile(earlier).encode())
            # Last, so that a restoring that was cut short is done again.
            write_atomically(profile_path(self._folder, newest.key), render_profile(newest).encode())
        return "restored"

    def kept(self, key: ProfileKey) -> list[Profile]:
        """The current profile and every revision in its history, as they can be read."""
        current = self.read(key)
        return [*([current] if current else []), *(profile for _, profile in self._earlier(key))]

    def without_lines(self, key: ProfileKey, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Take lines out of a profile for good: a new revision without them, and no earlier one that holds any.

        Tags that are unwanted go too. Returns how many lines that were. Raises StorageError.
        """
        with self._locked(key):
            current = self.read(key)
            lines = current.summary.splitlines() if current else []
            left = [line for line in lines if not unwanted(line)]
            tags = tuple(tag for tag in current.tags if not unwanted(tag)) if current else ()
            if current is not None and (len(left) < len(lines) or tags != current.tags):
                changed = replace(current, summary="\n".join(left), tags=tags, source_event_id="forget")
                self._swap(changed, current, "", now)
            for snapshot, earlier in list(self._earlier(key)):
                if any(map(unwanted, (*earlier.summary.splitlines(), *earlier.tags))):
                    remove_durably(snapshot.path)
            return len(lines) - len(left)

    def sweep(self) -> int:
        """Remove the temporary files of killed processes; returns how many. Raises StorageError."""
        folders = [self._folder / name for name in FOLDERS.values()]
        for name in FOLDERS.values():
            history = self._folder / "history" / name
            folders += [path for path in history.iterdir() if path.is_dir()] if history.is_dir() else []
        return sum(sweep_leftovers(folder) for folder in folders)

    def _swap(self, profile: Profile, current: Profile | None, job_id: str, now: str) -> Profile:
        """Keep the current file, write the new one, note the job. The caller holds the lock."""
        source = profile.source_event_id
        if job_id and not _names_job(source, job_id):
            source = f"{job_id}:0"
        written = Profile(
            key=profile.key,
            name=one_line(profile.name),
            tags=tuple(tag for tag in map(one_line, profile.tags) if tag),
            summary=clean_text(profile.summary.replace("\r\n", "\n")),
            updated_at=now,
            revision=(current.revision if current else 0) + 1,
            source_event_id=one_line(source),
        )
        if current is not None:
            self._snapshot(current)
        write_atomically(profile_path(self._folder, profile.key), render_profile(written).encode())
        if job_id:
            self._ledger.add(ledger_key(profile.key), job_id)
        for snapshot in snapshots(history_folder(self._folder, profile.key))[self._keep :]:
            remove_durably(snapshot.path)
        return written

    def _snapshot(self, current: Profile) -> None:
        """Keep the current file in the history, byte for byte."""
        data = _bytes_of(profile_path(self._folder, current.key))
        if self._keep > 0 and data is not None:
            name = snapshot_name(current.revision, current.updated_at)
            write_atomically(history_folder(self._folder, current.key) / name, data)

    def _was_applied(self, key: ProfileKey, job_id: str, current: Profile | None) -> bool:
        """By the ledger, else by the files; what only the files know is added to the ledger."""
        if self._ledger.has(ledger_key(key), job_id):
            return True
        written = [current] if current else []
        if not any(_names_job(profile.source_event_id, job_id) for profile in (*written, *(p for _, p in self._earlier(key)))):
            return False
        self._ledger.add(ledger_key(key), job_id)
        return True

    def _earlier(self, key: ProfileKey) -> Iterator[tuple[Snapshot, Profile]]:
        for snapshot in snapshots(history_folder(self._folder, key)):
            data = _bytes_of(snapshot.path)
            if data is not None:
                yield snapshot, parse_profile(data.decode("utf-8", errors="replace"), key, revision=snapshot.revision)

    def _parse(self, data: bytes, key: ProfileKey) -> Profile:
        profile = parse_profile(data.decode("utf-8", errors="replace"), key, revision=0)
        if profile.revision:
            return profile
        # The number was lost by hand: it is the one after the newest that was kept.
        kept = snapshots(history_folder(self._folder, key))
        return replace(profile, revision=kept[0].revision + 1 if kept else 1)

    def _locked(self, key: ProfileKey) -> AbstractContextManager[None]:
        return self._locks.of(key.entity, f"profile {key}")


def _names_job(source_event_id: str, job_id: str) -> bool:
    """Whether a revision was caused by a job: `{job_id}:{n}`, `rollback:{revision}:{job_id}`. A job id holds no colon."""
    return job_id in source_event_id.split(":")


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise storage_error("read", path, error) from error
