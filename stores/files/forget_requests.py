"""Requests to forget an entity, as files, so that they survive a crash and reach the owner from any process.

`forgetting/{type}-{id}.json` exists from the request until the work is complete. During the work it holds the texts that
are being removed, so that the work can be resumed after a crash. `….report.json` is the answer: places and counts, no texts.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from ...schema.entity import Entity
from ...schema.errors import StorageError
from ...schema.ids import encode_id
from ...schema.scope import EntityType
from .durable import remove_durably, storage_error, sweep_leftovers, write_atomically

_REPORT = ".report.json"
_KNOWN = ("texts", "names", "job_ids", "moments")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request and the data found for it so far. `until` is in seconds since the epoch."""

    entity: Entity
    until: float
    mentions: bool = False
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of forgetting an entity.

    `removed` counts items by kind. `mentions` are (kind, id) of records of others that name the person or repeat their words;
    they are kept, or removed (`mentions_removed`). `left` lists places in the data directory where forgotten texts were still
    found ("file: offset"), `unread` the files that could not be read; both should be empty. `too_short` counts texts too short
    to be searched for. Not `done`: the owner of the data directory has not answered yet; it will do the work, and nothing new
    of the person is filed meanwhile.
    """

    entity: str
    done: bool = True
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
        """Store a request durably, merged with an earlier one for the same entity. Removes the report of an earlier request."""
        known = self.read(request.entity)
        remove_durably(self._report(request.entity))
        if known is not None:
            both = {name: tuple(dict.fromkeys((*getattr(known, name), *getattr(request, name)))) for name in _KNOWN}
            until, mentions = max(known.until, request.until), known.mentions or request.mentions
            request = ForgetRequest(request.entity, until, mentions, **both)
        write_atomically(self.path(request.entity), json.dumps(asdict(request), ensure_ascii=True).encode())

    def waiting(self) -> bool:
        """Return True if there is any request. Cheap: lists one folder that usually does not exist."""
        return any(True for _ in self._files())

    def all(self) -> list[ForgetRequest]:
        """Return all requests. Raises StorageError for an invalid file, which must not be skipped."""
        return [_request(path) for path in sorted(self._files())]

    def read(self, entity: Entity) -> ForgetRequest | None:
        path = self.path(entity)
        return _request(path) if path.exists() else None

    def answer(self, entity: Entity, report: ForgetReport) -> None:
        """Store the report, then remove the request: the work is complete."""
        write_atomically(self._report(entity), json.dumps(report.as_dict(), ensure_ascii=False).encode())
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


def _request(path: Path) -> ForgetRequest:
    try:
        data = json.loads(path.read_bytes())
        entity = Entity(cast(EntityType, data["entity"]["type"]), data["entity"]["id"])
        return ForgetRequest(
            entity,
            float(data["until"]),
            bool(data["mentions"]),
            tuple(data["texts"]),
            tuple(data["names"]),
            tuple(data["job_ids"]),
            tuple((str(scope), float(moment)) for scope, moment in data["moments"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{path} is not a valid request to forget an entity ({error}); remove it and ask again") from error
