"""Who is to be forgotten, as files: what was asked for outlives a crash, and reaches the owner from any process.

`forgetting/{type}-{id}.json` is there from the moment of asking until nothing is left. While the work is under way it
holds the texts that are being removed, so that whoever resumes it after a crash still knows what to look for.
`…report.json` is the answer; it names places and numbers, and holds no text.
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
    """What was asked for, and what of it is known. `until` and `asked_at` are in seconds since the epoch."""

    entity: Entity
    until: float
    mentions: bool = False
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was done.

    `removed` counts by kind. `mentions` are (kind, id) of records of others that name the person or repeat their words: left
    where they are, or removed (`mentions_removed`). `left` says where forgotten texts still stand in the data directory
    ("file: offset"), and `unread` which files could not be looked at; empty is what they should be. `too_short` counts texts
    too short to be looked for. Not `done`: the process that owns the data directory has not answered yet; it will do the
    work, and nothing new of the person is filed meanwhile.
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
        """Whether it was done and nothing is left."""
        return self.done and not self.left and not self.unread

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {**asdict(self), "mentions": [list(one) for one in self.mentions], "left": list(self.left), "clean": self.clean}


class ForgetRequests:
    """The folder of one data directory. Any process may ask; the owner alone works on what was asked."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / "forgetting"

    def ask(self, request: ForgetRequest) -> None:
        """Keep a request for good; an answer to an earlier one goes. A second request for the same only widens the first."""
        known = self.read(request.entity)
        remove_durably(self._report(request.entity))
        if known is not None:
            both = {name: tuple(dict.fromkeys((*getattr(known, name), *getattr(request, name)))) for name in _KNOWN}
            until, mentions = max(known.until, request.until), known.mentions or request.mentions
            request = ForgetRequest(request.entity, until, mentions, **both)
        write_atomically(self.path(request.entity), json.dumps(asdict(request), ensure_ascii=True).encode())

    def waiting(self) -> bool:
        """Whether anything is asked for. Cheap: one look at a folder that is mostly not there."""
        return any(True for _ in self._files())

    def all(self) -> list[ForgetRequest]:
        """What is asked for. Raises StorageError for a file that is no request: it must be looked at, not skipped."""
        return [_request(path) for path in sorted(self._files())]

    def read(self, entity: Entity) -> ForgetRequest | None:
        path = self.path(entity)
        return _request(path) if path.exists() else None

    def answer(self, entity: Entity, report: ForgetReport) -> None:
        """Keep the report, then take the request away: all is done."""
        write_atomically(self._report(entity), json.dumps(report.as_dict(), ensure_ascii=False).encode())
        remove_durably(self.path(entity))
        sweep_leftovers(self.folder)

    def take_answer(self, entity: Entity) -> ForgetReport | None:
        """The report, once; None while it is not there."""
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
        """Where a request lies."""
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
        raise StorageError(f"{path} is no request to forget somebody ({error}); remove it and ask again") from error
