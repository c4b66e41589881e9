"""Everything of a person or a group into one archive, and back, here or in another data directory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ...schema.entity import Entity
from ...schema.errors import ForgottenHere, HistorianError, InvalidInput
from ...schema.event import EVENT_SCHEMA_VERSION, Event
from ...schema.ids import encode_id, validate_id
from ...schema.job import JOB_SCHEMA_VERSION, Job, check_timezone, clean_text, parse_job
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ...schema.states_payload import StatesPayload
from ...stores.files.archive import FORMAT, VERSION, ArchiveReader, ArchiveWriter
from ...stores.files.end_summaries import EndSummaries
from ...stores.files.markdown_memory import MarkdownMemory
from ...stores.files.profiles import PROFILE_FORMAT
from ...stores.sqlite.event_transfer import Carried
from ..components import Parts
from .article_transfer import CarriedLayers, bring_layers, forgotten_of_layers, read_layers_of, write_layers
from .carried_redaction import CarriedRedaction

_EVENT = TypeAdapter(Event)
_ALL = 10_000_000
_AT_ONCE = 1_000
_CARRIED = ("remember", "states")
"""The kinds of jobs that an archive carries: what was said. Orders stay where they were given."""


@dataclass
class ImportReport:
    """What an import did: `events` and `profiles` added, known, or known with other content (which stays as it is), jobs put
    into the queue, plain summaries added; articles, dated summaries and states that wait as the profiles."""

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

    Raises HistorianError, and leaves what lies at `path`, where nothing is known of `entity`.

    No vectors: whoever imports embeds with a model of their own. `version` is that of this program.
    """
    with ArchiveWriter(path, replace=replace) as archive:
        counts = {
            "events": archive.lines("events.jsonl", _events(parts, entity)),
            "jobs": archive.lines("jobs.jsonl", _jobs(parts, entity)),
            "summaries": archive.lines("summaries.jsonl", _summaries(parts, entity)),
            "memory": archive.lines("memory.jsonl", _memory(parts, entity)),
        }
        profiles: list[dict[str, Any]] = []
        for profile in _profiles(parts, entity):
            name = f"profiles/{len(profiles):04d}-{encode_id(profile.key.entity_id)}-{profile.revision}.md"
            archive.text(name, PROFILE_FORMAT.render(profile))
            key = profile.key
            profiles.append(
                {
                    "member": name,
                    "entity_type": key.entity_type,
                    "entity_id": key.entity_id,
                    "layer": key.layer,
                    "revision": profile.revision,
                }
            )
        more, articles = write_layers(parts, entity, archive)
        if not (any(counts.values()) or any(more.values()) or profiles or articles):
            raise HistorianError(f"nothing is known of {entity.key}: {path} is not written; check the id")
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "event_schema_version": EVENT_SCHEMA_VERSION,
            "job_schema_version": JOB_SCHEMA_VERSION,
            "historian": version,
            "entity": {"type": entity.type, "id": entity.id},
            "made_at": datetime.fromtimestamp(parts.clock(), UTC).isoformat(timespec="seconds"),
            "counts": {**counts, **more},
            "profiles": profiles,
            "articles": articles,
        }
        archive.lines("manifest.json", [manifest])
    return manifest


def import_archive(parts: Parts, path: Path, *, even_forgotten: bool = False) -> ImportReport:
    """Bring back what an archive holds; the same archive again changes nothing. Blocking.

    All of it is read, checked and redacted (as `redact_jobs` says) before anything is written. Raises InvalidInput for a file
    that is no archive, is damaged or newer than this version; ForgottenHere, unless `even_forgotten`, where anybody in it was
    forgotten here since.
    """
    with ArchiveReader(path) as archive:
        entity = _entity_of(archive, path)
        events = [_event(value, f"{path}: events.jsonl, line {number}") for number, value in archive.lines("events.jsonl")]
        jobs = [_job(value, f"{path}: jobs.jsonl, line {number}") for number, value in archive.lines("jobs.jsonl")]
        summaries = [value for _, value in archive.lines("summaries.jsonl")]
        profiles = _profiles_of(archive, path)
        layers = read_layers_of(archive, path)
    clean = CarriedRedaction(parts.settings.historian.redact_jobs)
    events, jobs = [clean.event(one) for one in events], [clean.job(one) for one in jobs]
    summaries = [clean.plain_summary(one) for one in summaries]
    profiles = {key: [clean.profile(one) for one in revisions] for key, revisions in profiles.items()}
    layers = clean.layers(layers)
    if not even_forgotten:
        _refuse_forgotten(parts, path, events, jobs, profiles, layers)
    report = ImportReport(entity.key)
    for start in range(0, len(events), _AT_ONCE):
        arrived = parts.transfer.bring(events[start : start + _AT_ONCE])
        report.events += arrived.added
        report.known_events += arrived.known
        report.different_events += arrived.different
    for key, revisions in profiles.items():
        stored = parts.profiles.restore(revisions)
        if stored == "restored":
            report.profiles += 1
            parts.profile_index.put(revisions[-1], None)
        elif stored == "same":
            report.known_profiles += 1
        else:
            report.different_profiles.append(str(key))
    for what, results in bring_layers(parts, layers).items():
        for prefix, result in (("", "restored"), ("known_", "same"), ("different_", "different")):
            setattr(report, prefix + what, results[result])
    known = parts.queue.known_ids()
    for job in jobs:
        # A job of who was forgotten would be dropped by the worker; what was filed of it is among the events.
        if job.job_id not in known and not parts.ledger.has("job", job.job_id) and not parts.transfer.is_forgotten(job):
            parts.queue.put(job)
            report.jobs += 1
    report.summaries = EndSummaries(parts.directory / "end_summaries.json").restore(
        [(str(value.pop("scope_key", "")), value) for value in summaries]
    )
    return report


def _events(parts: Parts, entity: Entity) -> Iterator[dict[str, Any]]:
    for carried in parts.transfer.take(entity.where):
        yield {**asdict(carried.event), "filed": carried.filed}


def _jobs(parts: Parts, entity: Entity) -> Iterator[dict[str, Any]]:
    failed = [one.job for one in parts.queue.failed() if one.job is not None]
    waiting = [*parts.queue.jobs("processing", _ALL), *parts.queue.jobs("pending", _ALL), *failed]
    for job in {job.job_id: job for job in waiting if job.kind in _CARRIED and entity.owns(job)}.values():
        yield job.model_copy(update={"attempts": 0, "not_before": 0.0, "last_error": ""}).model_dump()


def _summaries(parts: Parts, entity: Entity) -> Iterator[dict[str, Any]]:
    for key, entry in EndSummaries(parts.directory / "end_summaries.json").entries():
        if key == entity.scope.key or (entity.type == "user" and entry.get("user_id") == entity.id):
            yield {"scope_key": key, **entry}


def _memory(parts: Parts, entity: Entity) -> Iterator[dict[str, Any]]:
    for key, timestamp, text in MarkdownMemory(parts.directory / "MEMORY.md").entries():
        if key == entity.scope.key:
            yield {"scope_key": key, "timestamp": timestamp, "text": text}


def _profiles(parts: Parts, entity: Entity) -> Iterator[Profile]:
    """Every kept revision, the oldest first."""
    for layer in parts.profiles.layers(entity.type, entity.id):
        kept = parts.profiles.kept(ProfileKey(entity.type, entity.id, layer))
        yield from sorted(kept, key=lambda profile: profile.revision)


def _entity_of(archive: ArchiveReader, path: Path) -> Entity:
    manifest = archive.manifest
    for name, known in (("event_schema_version", EVENT_SCHEMA_VERSION), ("job_schema_version", JOB_SCHEMA_VERSION)):
        version = manifest.get(name)
        if not isinstance(version, int) or version > known:
            raise InvalidInput(f"{path}: {name} {version!r} is not known, at most {known} is; upgrade langgraph-historian")
    try:
        return Entity(_entity_type(manifest["entity"]["type"]), manifest["entity"]["id"])
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path}: its manifest does not say whose archive it is ({error})") from None


def _entity_type(value: object) -> EntityType:
    if value == "user" or value == "group":
        return value
    raise InvalidInput(f"entity type {value!r:.40} is not one of user, group")


def _event(value: dict[str, Any], where: str) -> Carried:
    filed = value.pop("filed", False) is True
    try:
        event = _EVENT.validate_python({**value, "gate_reasons": tuple(value.get("gate_reasons", ()))})
        check_timezone(event.timezone)
        json.dumps(asdict(event), ensure_ascii=False).encode()
        if not event.event_id or not event.job_id or not event.text or not event.scope.key:
            raise InvalidInput("event_id, job_id and text must be there")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InvalidInput(f"{where}: {'.'.join(map(str, first['loc'])) or 'event'}: {first['msg']}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{where}: holds half of a character, which cannot be stored") from None
    except (InvalidInput, TypeError) as error:
        raise InvalidInput(f"{where}: {error}") from None
    if event.schema_version > EVENT_SCHEMA_VERSION:
        raise InvalidInput(f"{where}: schema_version {event.schema_version} is newer than {EVENT_SCHEMA_VERSION}; upgrade")
    return Carried(event, filed)


def _job(value: dict[str, Any], where: str) -> Job:
    try:
        job = parse_job(value)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
    if job.kind not in _CARRIED:
        raise InvalidInput(f"{where}: kind {job.kind!r}: an archive gives no orders")
    if job.kind == "states":
        try:
            StatesPayload.model_validate(job.payload)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InvalidInput(f"{where}: {'.'.join(('payload', *map(str, first['loc'])))}: {first['msg']}") from None
    return job


def _profiles_of(archive: ArchiveReader, path: Path) -> dict[ProfileKey, list[Profile]]:
    """The revisions of each profile, the oldest first."""
    found: dict[ProfileKey, list[Profile]] = {}
    for entry in archive.manifest.get("profiles", archive.manifest.get("portraits", [])):
        try:
            layer = clean_text(str(entry["layer"]))
            key = ProfileKey(_entity_type(entry["entity_type"]), validate_id(entry["entity_id"], "entity_id"), layer)
            profile = PROFILE_FORMAT.parse(archive.text(str(entry["member"])).encode(), key, partial(int, entry["revision"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"{path}: profiles: {error}") from None
        found.setdefault(key, []).append(profile)
    return {key: sorted(revisions, key=lambda one: one.revision) for key, revisions in found.items()}


def _refuse_forgotten(
    parts: Parts,
    path: Path,
    events: list[Carried],
    jobs: list[Job],
    profiles: dict[ProfileKey, list[Profile]],
    layers: CarriedLayers,
) -> None:
    forgotten = parts.transfer.forgotten_of(events)
    forgotten |= {
        f"job {job.job_id}" for job in jobs if parts.erasure.is_buried(job.job_id, sorted(job.entities), job.moment.timestamp())
    }
    buried = {value for kind, value, _ in parts.erasure.buried() if kind == "entity"}
    forgotten |= {key.entity for key in profiles if key.entity in buried}
    forgotten |= forgotten_of_layers(parts, layers)
    if forgotten:
        raise ForgottenHere(
            f"{path}: {_named(forgotten)} forgotten here; nothing is imported. --even-forgotten brings back all of the archive"
        )


def _named(forgotten: set[str]) -> str:
    """Who was forgotten, of several the first three; where it was single jobs only, how many."""
    people = sorted(key for key in forgotten if not key.startswith("job "))
    if not people:
        return "one of its jobs was" if len(forgotten) == 1 else f"{len(forgotten)} of its jobs were"
    more = f" and {len(people) - 3} more" if len(people) > 3 else ""
    return f"{', '.join(people[:3])}{more} {'was' if len(people) == 1 else 'were'}"
