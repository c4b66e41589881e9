"""Requests to forget an entity, as files, so that they survive a crash and reach the owner from any process.

`forgetting/{type}-{id}.json` exists from the request until the work is complete, and says how far it is. During the work the
folder `….known` holds the texts that are being removed, so that the work can be resumed after a crash. `….report.json` is the
answer: places and counts, no texts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, cast, get_args

from ...schema.entity import Entity
from ...schema.errors import StorageError
from ...schema.ids import encode_id
from ...schema.scope import EntityType
from .durable import bytes_of, names_in, remove_durably, remove_folder, storage_error, sweep_leftovers, write_atomically

_REPORT = ".report.json"
_KNOWN = ("texts", "names", "job_ids", "moments")

Stage = Literal["waiting", "deleting", "erasing"]
"""How far a request is. `waiting`: begun at most with a survey. `deleting`: events go, all the rest is gone. `erasing`: nothing
is found any more; what is left of it in bytes is being overwritten and searched for."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request, how far it is, and the data found for it so far. `until` is in seconds since the epoch.

    `last_rows` are the last rows of `index.sqlite` that it concerns, see `IndexErasure.last_rows`.
    """

    entity: Entity
    until: float
    mentions: bool = False
    stage: Stage = "waiting"
    last_rows: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()

    def is_as(self, other: ForgetRequest | None) -> bool:
        """Return True if both ask for the same."""
        return other is not None and (self.entity, self.until, self.mentions) == (other.entity, other.until, other.mentions)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of forgetting an entity.

    `removed` counts items by kind. `mentions` are (kind, id) of records of others that name the person or repeat their words;
    they are kept, or removed (`mentions_removed`). `left` lists places in the data directory where forgotten texts were still
    found ("file: offset"), `unread` the files that could not be read; both should be empty. `too_short` counts texts too short
    to be searched for. Not `done`: the owner of the data directory has not answered yet; it will do the work, and nothing new
    of the person is filed meanwhile; `stage` says how far it is then (see `Stage`).
    """

    entity: str
    done: bool = True
    stage: Stage | Literal[""] = ""
    removed: dict[str, int] = field(default_factory=dict)
    mentions: tuple[tuple[str, str], ...] = ()
    mentions_removed: bool = False
    left: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    too_short: int = 0
    bytes_scanned: int = 0

    @property
    def clean(self) -> bool:
        """Return True if the work is done and nothing is left."""
        return self.done and not self.left and not self.unread

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {**asdict(self), "mentions": [list(one) for one in self.mentions], "left": list(self.left), "clean": self.clean}


class ForgetRequests:
    """The requests of one data directory. Any process may ask; only the owner carries requests out."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / "forgetting"

    def ask(self, request: ForgetRequest) -> None:
        """Store a request durably, merged with an earlier one for the same entity, which begins anew then.

        Removes the report of an earlier request.
        """
        known = self._stored(request.entity)
        remove_durably(self._report(request.entity))
        if known is None:
            self._drop_known(request.entity)
        else:
            both: dict[str, Any] = {
                name: tuple(dict.fromkeys((*getattr(known, name), *getattr(request, name)))) for name in _KNOWN
            }
            until, mentions = max(known.until, request.until), known.mentions or request.mentions
            request = replace(request, until=until, mentions=mentions, **both)
        self._write(request)

    def advance(self, request: ForgetRequest, stage: Stage, *, last_rows: Sequence[int] | None = None) -> bool:
        """Note how far a request is. Return False, and note nothing, if it was asked anew meanwhile."""
        stored = self._stored(request.entity)
        if stored is None or not request.is_as(stored):
            return False
        rows = stored.last_rows if last_rows is None else tuple(last_rows)
        self._write(replace(stored, stage=stage, last_rows=rows))
        return True

    def note(
        self,
        entity: Entity,
        *,
        texts: Collection[str] = (),
        names: Collection[str] = (),
        job_ids: Collection[str] = (),
        moments: Collection[tuple[str, float]] = (),
    ) -> None:
        """Store more data found for a request durably, before it is removed elsewhere."""
        folder = self._known(entity)
        taken = set(names_in(folder))
        name = next(one for n in count(len(taken)) if (one := f"{n:06d}") not in taken)
        data = {"texts": list(texts), "names": list(names), "job_ids": list(job_ids), "moments": list(moments)}
        write_atomically(folder / name, json.dumps(data, ensure_ascii=True).encode())

    def stage_of(self, entity: Entity) -> Stage | Literal[""]:
        """Return how far the request for an entity is; an empty string if there is none."""
        stored = self._stored(entity)
        return "" if stored is None else stored.stage

    def stages(self) -> dict[str, Stage]:
        """Return how far each request is, by entity (`user:42`)."""
        return {one.entity.key: one.stage for one in map(_request, sorted(self._files())) if one is not None}

    def waiting(self) -> bool:
        """Return True if there is any request. Cheap: lists one folder that usually does not exist."""
        return any(True for _ in self._files())

    def all(self) -> list[ForgetRequest]:
        """Return all requests. Raises StorageError for an invalid file, which must not be skipped."""
        stored = [one for one in map(_request, sorted(self._files())) if one is not None]
        return [known for one in stored if (known := self.read(one.entity)) is not None]

    def read(self, entity: Entity) -> ForgetRequest | None:
        """Return the request for an entity with all the data found for it so far; None if there is none."""
        stored = self._stored(entity)
        if stored is None:
            return None
        found: dict[str, dict[Any, None]] = {name: dict.fromkeys(getattr(stored, name)) for name in _KNOWN}
        for path in self.known_paths(entity):
            data = _parsed(path)
            for name in _KNOWN:
                found[name].update(dict.fromkeys(map(tuple, data[name]) if name == "moments" else data[name]))
        every: dict[str, Any] = {name: tuple(values) for name, values in found.items()}
        return replace(stored, **every)

    def answer(self, request: ForgetRequest, report: ForgetReport) -> bool:
        """Store the report, then remove the request: the work is complete. Return False if it was asked anew meanwhile."""
        entity = request.entity
        if not request.is_as(self._stored(entity)):
            return False
        write_atomically(self._report(entity), json.dumps(report.as_dict(), ensure_ascii=False).encode())
        self.close(entity)
        return True

    def is_answered(self, entity: Entity) -> bool:
        """Return True if there is a report: where a request stands beside it, only `close` is left to do."""
        return self._report(entity).exists()

    def close(self, entity: Entity) -> None:
        """Remove a request that is answered, and what was noted for it."""
        self._drop_known(entity)
        remove_durably(self.path(entity))
        sweep_leftovers(self.folder)

    def take_answer(self, entity: Entity) -> ForgetReport | None:
        """Return the report and remove it; None if there is none yet."""
        if self.path(entity).exists():
            return None
        path = self._report(entity)
        try:
            data = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StorageError(f"{path} cannot be read: {error}; ask again") from error
        remove_durably(path)
        data.pop("clean")
        data["mentions"] = tuple((kind, item) for kind, item in data["mentions"])
        return ForgetReport(**{**data, "left": tuple(data["left"]), "unread": tuple(data["unread"])})

    def path(self, entity: Entity) -> Path:
        """Return the path of the request."""
        return self.folder / f"{entity.type}-{encode_id(entity.id)}.json"

    def known_paths(self, entity: Entity) -> list[Path]:
        """Return the files with data found for a request."""
        folder = self._known(entity)
        return [folder / name for name in names_in(folder) if not name.startswith(".")]

    def _known(self, entity: Entity) -> Path:
        return self.path(entity).with_suffix(".known")

    def _drop_known(self, entity: Entity) -> None:
        for path in self.known_paths(entity):
            remove_durably(path)
        remove_folder(self._known(entity))

    def _stored(self, entity: Entity) -> ForgetRequest | None:
        return _request(self.path(entity))

    def _write(self, request: ForgetRequest) -> None:
        write_atomically(self.path(request.entity), json.dumps(asdict(request), ensure_ascii=True).encode())

    def _report(self, entity: Entity) -> Path:
        return self.folder / f"{entity.type}-{encode_id(entity.id)}{_REPORT}"

    def _files(self) -> list[Path]:
        try:
            return [
                path
                for path in self.folder.iterdir()
                if path.suffix == ".json" and not path.name.startswith(".") and not path.name.endswith(_REPORT)
            ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise storage_error("list", self.folder, error) from error


def _request(path: Path) -> ForgetRequest | None:
    """Return the request in a file, None if there is no such file (any more)."""
    data = _parsed(path)
    if not data:
        return None
    try:
        stage = data.get("stage", "waiting")
        return ForgetRequest(
            Entity(cast(EntityType, data["entity"]["type"]), data["entity"]["id"]),
            float(data["until"]),
            bool(data["mentions"]),
            stage if stage in get_args(Stage) else "waiting",
            tuple(map(int, data.get("last_rows", ()))),
            tuple(data["texts"]),
            tuple(data["names"]),
            tuple(data["job_ids"]),
            tuple((str(scope), float(moment)) for scope, moment in data["moments"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _invalid(path, error) from error


def _parsed(path: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one if the file does not exist."""
    data = bytes_of(path)
    try:
        return {} if data is None else cast(dict[str, Any], json.loads(data))
    except ValueError as error:
        raise _invalid(path, error) from error


def _invalid(path: Path, error: Exception) -> StorageError:
    return StorageError(f"{path} is not a valid request to forget an entity ({error}); remove it and ask again")
