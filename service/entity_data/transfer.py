"""Export of all data of a person or a group to an archive, and import into the same or another data
directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import ForgottenHere, HistorianError, InvalidInput
from ...schema.event import EVENT_SCHEMA_VERSION
from ...schema.job import JOB_SCHEMA_VERSION
from ...stores.files.archive import FORMAT, MAX_TOTAL_MIB, VERSION, ArchiveReader, ArchiveWriter
from ..components import Parts
from ..timezones import iso_of
from .kinds import Kind
from .registry import stored_kinds

_AT_ONCE, _BYTES_AT_ONCE = 1_000, 2 * 1024 * 1024
"""An import stores a portion after it has read this many values or unpacked bytes into memory."""
_REFUSED_TOLD = 20
"""Number of combinations of kind and owner that a report names; further refused values are counted
per kind."""
_PREFIXES = {"restored": "", "same": "known_", "different": "different_"}


def export(
    parts: Parts, entity: Entity, path: Path, *, version: str, replace: bool = False
) -> dict[str, Any]:
    """Write the archive of `entity` and return its manifest. Blocking; raises InvalidInput and
    StorageError.

    Raises HistorianError and leaves `path` unchanged if there is no data of `entity`. Vectors are
    not exported: imported events are embedded again. `version` is the version of this program.
    """
    with ArchiveWriter(path, replace=replace) as archive:
        written = {
            kind.name: kind.write(archive, entity) for kind in stored_kinds(parts) if kind.name
        }
        if not any(written.values()):
            raise HistorianError(
                f"there is no data about {entity.key}, so {path} was not written; check the id"
            )
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "event_schema_version": EVENT_SCHEMA_VERSION,
            "job_schema_version": JOB_SCHEMA_VERSION,
            "historian": version,
            "entity": {"type": entity.type, "id": entity.id},
            "made_at": iso_of(parts.clock()),
            "counts": {name: count for name, count in written.items() if isinstance(count, int)},
            **{name: entries for name, entries in written.items() if isinstance(entries, list)},
        }
        archive.lines("manifest.json", [manifest])
    return manifest


def import_archive(
    parts: Parts, path: Path, *, even_forgotten: bool = False, most_mib: int = MAX_TOTAL_MIB
) -> dict[str, Any]:
    """Import an archive of at most `most_mib` MiB unpacked. Return a report as JSON values.
    Blocking and idempotent.

    The report holds the numbers of items per kind: added, already stored (`known_…`), and stored
    with different content (`different_…`), which is not changed; for profiles the keys of the
    different ones. `refused` are the numbers of values that belong to other entities than that of
    the archive and are not imported, by kind and owner (`events of user:42`).

    The whole archive is read and validated before anything is written. Then it is read again,
    redacted at the level `redact_jobs` and written, a few megabytes at a time. Raises InvalidInput
    if the file is no archive, damaged, too large or from a newer version. Raises ForgottenHere,
    unless `even_forgotten`, if an entity of a value was forgotten here after the time of the value.
    """
    kinds = [kind for kind in stored_kinds(parts) if kind.name and kind.is_imported]
    counts: Counter[str] = Counter()
    for kind in kinds:
        prefixes = _PREFIXES.values() if kind.is_compared else ("", "known_")
        counts.update({prefix + kind.name: 0 for prefix in prefixes})
    different: list[str] = []
    with ArchiveReader(path, most_mib=most_mib) as archive:
        entity = _entity_of(archive, path)
        refused = _refused(parts, archive, path, kinds, entity, even_forgotten)
        archive.rewind()
        for kind in kinds:
            for values in _portions(kind, archive, path, entity):
                results = kind.restore([kind.redact(value) for value in values])
                counts.update(_PREFIXES[result] + kind.name for result in results)
                if kind.name == "profiles":
                    pairs = zip(values, results, strict=True)
                    different += [str(one[-1].key) for one, how in pairs if how == "different"]
    return {
        "entity": entity.key,
        **counts,
        "different_profiles": different,
        "refused": refused,
    }


def _refused(
    parts: Parts,
    archive: ArchiveReader,
    path: Path,
    kinds: Sequence[Kind[Any]],
    entity: Entity,
    even_forgotten: bool,
) -> dict[str, int]:
    """Read and validate the archive without storing anything. Return the numbers of refused values.
    Raises the errors of `import_archive`."""
    is_forgotten = parts.events.is_forgotten
    forgotten: set[str] = set()
    jobs_forgotten: set[str] = set()
    refused: Counter[str] = Counter()
    for kind in kinds:
        for record in map(kind.record, kind.read(archive, path)):
            if not kind.may_hold(entity, record):
                owner = record.entities[0] if record.entities else record.scope
                refused[
                    f"{kind.name} of {owner if len(refused) < _REFUSED_TOLD else 'others'}"
                ] += 1
            elif not even_forgotten:
                owners, at = record.entities, record.at
                forgotten |= {one for one in owners if is_forgotten("", (one,), at)}
                if record.job_id and is_forgotten(record.job_id, (), at):
                    jobs_forgotten.add(record.job_id)
    if forgotten or jobs_forgotten:
        more = f" and {len(forgotten) - 3} more" if len(forgotten) > 3 else ""
        whose = ", ".join(sorted(forgotten)[:3]) + more or f"{len(jobs_forgotten)} of its jobs"
        is_one = len(forgotten or jobs_forgotten) == 1
        raise ForgottenHere(
            f"{path}: {whose} {'was' if is_one else 'were'} forgotten here; nothing is "
            "imported. --even-forgotten imports the whole archive"
        )
    return dict(refused)


def _portions(
    kind: Kind[Any], archive: ArchiveReader, path: Path, entity: Entity
) -> Iterator[list[Any]]:
    """Yield the values that belong to the entity of the archive, in lists that fit into memory."""
    some: list[Any] = []
    since = archive.read_bytes
    for value in kind.read(archive, path):
        if kind.may_hold(entity, kind.record(value)):
            some.append(value)
        if len(some) >= _AT_ONCE or archive.read_bytes - since >= _BYTES_AT_ONCE:
            yield some
            some, since = [], archive.read_bytes
    if some:
        yield some


def _entity_of(archive: ArchiveReader, path: Path) -> Entity:
    manifest = archive.manifest
    for name, known in (
        ("event_schema_version", EVENT_SCHEMA_VERSION),
        ("job_schema_version", JOB_SCHEMA_VERSION),
    ):
        version = manifest.get(name)
        if type(version) is not int or version > known:
            raise InvalidInput(
                f"{path}: {name} {version!r} is not known; the newest known version is {known}; "
                "upgrade langgraph-historian"
            )
    former = "portraits" if "portraits" in manifest else ""
    if (version := manifest["event_schema_version"]) < EVENT_SCHEMA_VERSION:
        former = f"event_schema_version {version}"
    if former:
        raise InvalidInput(
            f"{path}: an archive of a former version ({former}), which is no longer read; import it "
            "with the version that wrote it, upgrade that memory, and export it again"
        )
    try:
        return Entity(manifest["entity"]["type"], manifest["entity"]["id"])
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path}: its manifest does not name the entity ({error})") from None
