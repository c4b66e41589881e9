"""Export of all data of a person or a group to an archive, and import into the same or another data directory."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import ForgottenHere, HistorianError, InvalidInput
from ...schema.event import EVENT_SCHEMA_VERSION
from ...schema.job import JOB_SCHEMA_VERSION
from ...stores.files.archive import FORMAT, VERSION, ArchiveReader, ArchiveWriter
from ..components import Parts
from .stores import archive_members


@dataclass
class ImportReport:
    """The result of an import by kind: items added, known, and known with different content (which stays); jobs queued and
    plain summaries added."""

    entity: str
    events: int = 0
    known_events: int = 0
    different_events: int = 0
    profiles: int = 0
    known_profiles: int = 0
    different_profiles: list[str] = field(default_factory=list)
    jobs: int = 0
    summaries: int = 0
    articles: int = 0
    known_articles: int = 0
    different_articles: int = 0
    dated_summaries: int = 0
    known_dated_summaries: int = 0
    different_dated_summaries: int = 0
    buffered_states: int = 0
    known_buffered_states: int = 0
    different_buffered_states: int = 0


def export(parts: Parts, entity: Entity, path: Path, *, version: str, replace: bool = False) -> dict[str, Any]:
    """Write the archive of `entity` and return its manifest. Blocking; raises InvalidInput and StorageError.

    Raises HistorianError and leaves `path` unchanged if there is no data of `entity`. Vectors are not exported; the importer
    embeds again. `version` is the version of this program.
    """
    with ArchiveWriter(path, replace=replace) as archive:
        written = {member.name: member.write(archive, entity) for member in archive_members(parts)}
        if not any(written.values()):
            raise HistorianError(f"nothing is known of {entity.key}: {path} is not written; check the id")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "event_schema_version": EVENT_SCHEMA_VERSION,
            "job_schema_version": JOB_SCHEMA_VERSION,
            "historian": version,
            "entity": {"type": entity.type, "id": entity.id},
            "made_at": datetime.fromtimestamp(parts.clock(), UTC).isoformat(timespec="seconds"),
            "counts": {name: count for name, count in written.items() if isinstance(count, int)},
            **{name: entries for name, entries in written.items() if isinstance(entries, list)},
        }
        archive.lines("manifest.json", [manifest])
    return manifest


def import_archive(parts: Parts, path: Path, *, even_forgotten: bool = False) -> ImportReport:
    """Import an archive. Blocking and idempotent.

    Everything is read, validated and redacted (at the level `redact_jobs`) before anything is written. Raises InvalidInput for
    a file that is not an archive, damaged or from a newer version; ForgottenHere, unless `even_forgotten`, if any entity in it
    was forgotten here since.
    """
    members = archive_members(parts)
    with ArchiveReader(path) as archive:
        entity = _entity_of(archive, path)
        read = [member.read(archive, path) for member in members]
    clean = [list(map(member.redact, values)) for member, values in zip(members, read, strict=True)]
    if not even_forgotten:
        marks = {mark for member, values in zip(members, clean, strict=True) for value in values for mark in member.marks(value)}
        forgotten = {mark.label for mark in marks if parts.events.is_forgotten(mark.job_id, mark.entities, mark.at)}
        if forgotten:
            raise ForgottenHere(
                f"{path}: {_named(forgotten)} forgotten here; nothing is imported. "
                "--even-forgotten brings back all of the archive"
            )
    report = ImportReport(entity.key)
    for member, values in zip(members, clean, strict=True):
        for name, result in member.restore(values).items():
            setattr(report, name, result)
    return report


def _entity_of(archive: ArchiveReader, path: Path) -> Entity:
    manifest = archive.manifest
    for name, known in (("event_schema_version", EVENT_SCHEMA_VERSION), ("job_schema_version", JOB_SCHEMA_VERSION)):
        version = manifest.get(name)
        if not isinstance(version, int) or version > known:
            raise InvalidInput(f"{path}: {name} {version!r} is not known, at most {known} is; upgrade langgraph-historian")
    try:
        return Entity(manifest["entity"]["type"], manifest["entity"]["id"])
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path}: its manifest does not name the entity ({error})") from None


def _named(forgotten: set[str]) -> str:
    """Return the forgotten entities for a message, at most three; the number of jobs if only jobs were forgotten."""
    people = sorted(key for key in forgotten if not key.startswith("job "))
    if not people:
        return "one of its jobs was" if len(forgotten) == 1 else f"{len(forgotten)} of its jobs were"
    more = f" and {len(people) - 3} more" if len(people) > 3 else ""
    return f"{', '.join(people[:3])}{more} {'was' if len(people) == 1 else 'were'}"
