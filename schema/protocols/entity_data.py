"""What forgetting, export and import say of the data of an entity in any store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..entity import Entity


class Record(NamedTuple):
    """A stored record. `id` is what `EntityData.drop` is given (`service/entity_data/members.py`).

    `texts` are its texts, `names` the names of the entity in it, `told` the texts searched for mentions (default: `texts`).
    `job_ids` and `moments` (scope key, seconds since the epoch) identify its jobs; `event_id` is given for events.

    `scope` is the key of its conversation ("": those in which who bears a name in it spoke), `borne` the names in it as
    (entity key, name): the bot's with an empty key, and who spoke with an empty name where none is known. `named` are the people
    whom an event notes to name, as (entity key, words).
    """

    id: str
    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
    job_ids: tuple[str, ...] = ()
    moments: tuple[tuple[str, float], ...] = ()
    event_id: str = ""
    scope: str = ""
    borne: tuple[tuple[str, str], ...] = ()
    named: tuple[tuple[str, str], ...] = ()


@dataclass
class Traces:
    """An entity and what is known of its stored data: texts, names, job ids, and moments of its jobs."""

    entity: Entity
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    job_ids: set[str] = field(default_factory=set)
    moments: set[tuple[str, float]] = field(default_factory=set)
    event_ids: set[str] = field(default_factory=set)
    """The events seen by this process."""

    def add(self, record: Record) -> None:
        self.texts.update(record.texts)
        self.names.update(name for name in record.names if name)
        self.job_ids.update(record.job_ids)
        self.moments.update(record.moments)
        if record.event_id:
            self.event_ids.add(record.event_id)


class Mark(NamedTuple):
    """Arguments of `EventStore.is_forgotten` for a value of an archive, with a `label` for messages."""

    label: str
    job_id: str
    entities: tuple[str, ...]
    at: float
