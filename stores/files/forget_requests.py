"""Requests to forget an entity, as files, so that they survive a crash and reach the owner from any process.

`forgetting/{type}-{id}.json` exists from the request until the work is complete, and says how far it is. During the work the
folder `….known` holds the texts that are being removed, so that the work can be resumed after a crash. `….report.json` is the
answer, until it is read: places, counts, and the texts of others that are about the entity.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, cast

from ...schema.entity import Entity
from ...schema.errors import StorageError
from ...schema.ids import encode_id
from ...schema.protocols.forget_requests import ForgetReport, ForgetRequest, Known, Stage
from .durable import bytes_of, names_in, remove_durably, remove_folder, sweep_leftovers, write_atomically

_REPORT = ".report.json"


class FileForgetRequests:
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
            until, mentions = max(known.until, request.until), known.mentions or request.mentions
            both = known.with_known([request.known()])
            request = replace(both, until=until, mentions=mentions, stage=request.stage, last_rows=request.last_rows)
        self._write(request)

    def advance(self, request: ForgetRequest, stage: Stage, *, last_rows: Sequence[int] | None = None) -> bool:
        """Note how far a request is. Return False, and note nothing, if it was asked anew meanwhile."""
        stored = self._stored(request.entity)
        if stored is None or not request.is_as(stored):
            return False
        rows = stored.last_rows if last_rows is None else tuple(last_rows)
        self._write(replace(stored, stage=stage, last_rows=rows))
        return True

    def note(self, entity: Entity, known: Known) -> None:
        """Store more data found for a request durably, before it is removed elsewhere."""
        folder = self._known(entity)
        taken = set(names_in(folder))
        name = next(one for n in count(len(taken)) if (one := f"{n:06d}") not in taken)
        data = {kind: list(values) for kind, values in known.items()}
        write_atomically(folder / name, json.dumps(data, ensure_ascii=True).encode())

    def stage_of(self, entity: Entity) -> Stage | Literal[""]:
        """Return how far the request for an entity is; an empty string if there is none."""
        stored = self._stored(entity)
        return "" if stored is None else stored.stage

    def stages(self) -> dict[str, Stage]:
        """Return how far each request is, by entity (`user:42`)."""
        return {one.entity.key: one.stage for one in map(_request, self._files()) if one is not None}

    def waiting(self) -> bool:
        """Return True if there is any request. Cheap: lists one folder that usually does not exist."""
        return bool(self._files())

    def all(self) -> list[ForgetRequest]:
        """Return all requests. Raises StorageError for an invalid file, which must not be skipped."""
        stored = [one for one in map(_request, self._files()) if one is not None]
        return [one.with_known(map(_parsed, self.known_paths(one.entity))) for one in stored]

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
        return ForgetReport.from_dict(data)

    def drop_unread(self) -> None:
        names = set(names_in(self.folder))
        for name in names:
            if name.endswith(_REPORT) and name.removesuffix(_REPORT) + ".json" not in names:
                remove_durably(self.folder / name)

    def path(self, entity: Entity) -> Path:
        """Return the path of the request."""
        return self.folder / f"{entity.type}-{encode_id(entity.id)}.json"

    def files_of(self, entity: Entity) -> list[Path]:
        return [self.path(entity), *self.known_paths(entity)]

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
        named = (name for name in names_in(self.folder) if name.endswith(".json") and name[0] != ".")
        return [self.folder / name for name in named if not name.endswith(_REPORT)]


def _request(path: Path) -> ForgetRequest | None:
    """Return the request in a file, None if there is no such file (any more)."""
    data = _parsed(path)
    if not data:
        return None
    try:
        return ForgetRequest.from_dict(data)
    except ValueError as error:
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
