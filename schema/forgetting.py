"""A request to forget an entity, and the report of its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from .entity import Entity

Stage = Literal["waiting", "deleting", "erasing"]
"""The stage of a request. `waiting`: nothing is deleted yet; the search for the entity's data may
have begun. `deleting`: events are being deleted, everything else is already deleted. `erasing`: no
query finds data of the entity any more; the remaining bytes in files are being overwritten."""
Known = Mapping[str, Iterable[Any]]
"""Data found for a request: `texts`, `names` and `job_ids`, and `moments` as (scope key, seconds
since the epoch)."""
_KNOWN = ("texts", "names", "job_ids", "moments")


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request, its stage, and the data found for it so far.

    `until` is the time of the request in seconds since the epoch. Jobs that are dated `until` or
    earlier are not filed any more.

    `last_rows` has the number of the last event row of each scope when the deletion began (see
    `ErasureTables.last_rows`). The request deletes events up to these rows; later ones are kept.
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ForgetRequest:
        """Return the request from this JSON data. A request at a stage that this version does not
        know starts again. Raises ValueError.
        """
        given = _complete(data, "mentions", *_KNOWN)
        stage = given["stage"] if given.get("stage") in get_args(Stage) else "waiting"
        return _REQUEST.validate_python({**given, "stage": stage})

    def known(self) -> dict[str, list[Any]]:
        """Return the data found for the request, by kind."""
        return {name: list(getattr(self, name)) for name in _KNOWN}

    def with_known(self, more: Iterable[Known]) -> ForgetRequest:
        """Return the request with more data added, without duplicates."""
        found: dict[str, dict[Any, None]] = {
            name: dict.fromkeys(getattr(self, name)) for name in _KNOWN
        }
        for data in more:
            for name in _KNOWN:
                values = data.get(name, ())
                found[name].update(
                    dict.fromkeys(map(tuple, values) if name == "moments" else values)
                )
        every: dict[str, Any] = {name: tuple(values) for name, values in found.items()}
        return replace(self, **every)

    def is_same_request(self, other: ForgetRequest | None) -> bool:
        """Return True if both requests have the same entity, time and treatment of mentions."""
        return other is not None and (self.entity, self.until, self.mentions) == (
            other.entity,
            other.until,
            other.mentions,
        )


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """The result of forgetting an entity.

    `removed` counts items by kind. `mentions` lists other people's records that mention the entity,
    as (kind, id). `mention_texts` has their texts, which are empty strings if the work was resumed
    after a crash. These records are kept, or removed if `mentions_removed`. `left` lists places
    (files, tables) where forgotten texts were still found ("file: offset"), `unread` the places
    that could not be read; both should be empty. `too_short` is the number of texts that are too
    short to be searched for. If `done` is False, the process that carries out the request has not
    answered yet, but will do the work. Until then nothing new of the entity is filed, and `stage`
    is the stage of the request (see `Stage`).
    """

    entity: str
    done: bool = True
    stage: Stage | Literal[""] = ""
    removed: dict[str, int] = field(default_factory=dict)
    mentions: tuple[tuple[str, str], ...] = ()
    mention_texts: tuple[str, ...] = ()
    mentions_removed: bool = False
    left: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    too_short: int = 0
    bytes_scanned: int = 0

    @property
    def clean(self) -> bool:
        """Return True if the work is done, no texts were left and every place could be read."""
        return self.done and not self.left and not self.unread

    @property
    def texts_of_mentions(self) -> dict[tuple[str, str], str]:
        """Return the text of each mention, as far as it is known."""
        return dict(zip(self.mentions, self.mention_texts, strict=False))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {**asdict(self), "clean": self.clean}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ForgetReport:
        """Return the report from this JSON data. Raises ValueError if it is not a report, or does
        not say what was left.
        """
        return _REPORT.validate_python(_complete(data, "mentions", "left", "unread"))


_REQUEST, _REPORT = TypeAdapter(ForgetRequest), TypeAdapter(ForgetReport)


def _complete(data: Mapping[str, Any], *needed: str) -> Mapping[str, Any]:
    """Return stored data that has all `needed` keys. Raises ValueError otherwise, because a missing
    list must not count as an empty one.
    """
    if missing := [name for name in needed if name not in data]:
        raise ValueError(f"{', '.join(missing)} missing")
    return data
