"""Lookup of the entities, profiles, events and jobs that a caller names.

Used by the command line, the HTTP API and the web pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from ..schema.errors import HistorianError, InvalidInput
from .texts import MessageFormatter, later

if (
    TYPE_CHECKING
):  # commands import this module when they start, so slow imports are left to the functions
    from collections.abc import Callable

    from ..schema.entity import Entity
    from ..schema.profile import Profile
    from ..schema.protocols import JobQueue
    from ..schema.scope import EntityType, Scope
    from ..service.components import Parts
    from ..service.inspection.event_pages import EventDetail

PUBLIC = "public"
"""The name by which users see and write the public layer of a profile, whose key is ""."""


class NotFound(HistorianError):
    """An error for a record that does not exist.

    `message` and `values` are stored, so that the command line can translate the message.
    """

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(MessageFormatter().vformat(message, (), values))
        self.message, self.values = message, values


class WrongName(NotFound, InvalidInput):
    """An error for a name that is malformed or ambiguous."""


def named_entity(name: str) -> Entity:
    """Return the entity that `user:42` or `group:7` names. Raises InvalidInput."""
    from ..schema.entity import Entity
    from ..schema.scope import EntityType

    kind, colon, entity_id = name.partition(":")
    if not colon or kind not in get_args(EntityType):
        message = later(
            "{name!r:.80} is not a person or group; write user:ID or group:ID, such as user:42"
        )
        raise WrongName(message, name=name)
    return Entity(cast("EntityType", kind), entity_id)


def profile_layers(parts: Parts, whose: Entity, layer: str | None = None) -> list[Profile]:
    """Return the existing layers of a profile, the public one first, or only `layer`. Blocking."""
    from ..schema.profile import ProfileKey

    known = sorted(parts.profiles.layers(whose.type, whose.id))
    named = known if layer is None else ["" if layer == PUBLIC else layer]
    keys = [ProfileKey(whose.type, whose.id, one) for one in named]
    return [one for key in keys if (one := parts.profiles.read(key)) is not None]


def named_profile(parts: Parts, entity: str, layer: str | None = None) -> list[Profile]:
    """Return the layers of the profile of an entity such as `user:42`, or only `layer`. Blocking.

    Raises NotFound if there is no such profile or layer, InvalidInput if `entity` is malformed.
    """
    found = profile_layers(parts, named_entity(entity), layer)
    if not found and layer is None:
        message = later("there is no profile {entity!r:.80}; the list of profiles shows all")
        raise NotFound(message, entity=entity)
    if not found:
        message = later("there is no layer {layer!r:.80} of profile {entity!r:.80}")
        raise NotFound(message, layer=layer, entity=entity)
    return found


def found_event(parts: Parts, event_id: str, scope: Scope | None = None) -> EventDetail:
    """Return an event with its revisions and links. Blocking.

    Raises NotFound if the event does not exist, or if it belongs to another scope than `scope`.
    """
    from ..service.inspection.event_pages import event_detail

    found = event_detail(parts, event_id)
    if found is None or (scope is not None and found.event.scope.key != scope.key):
        message = later("there is no event {id!r:.80}; it may have been deleted")
        raise NotFound(message, id=event_id)
    return found


def found_job(
    queue: JobQueue,
    job_id: str,
    limit: int | None = None,
    is_shown: Callable[[dict[str, Any]], bool] = lambda _: True,
) -> dict[str, Any]:
    """Return the job with this id or file name from the queue, as JSON data. Blocking.

    At most `limit` jobs per state are searched. Raises NotFound, with the same message for a job
    that is not in the queue and for one for which `is_shown` returns False.
    """
    from ..service.inspection.json_data import job_entries

    for one in job_entries(queue, limit):
        if job_id in (one["job_id"], one["name"]) and is_shown(one):
            return one
    message = later(
        "job {id!r:.80} is not in the queue. If it is done, it has left the queue: look for its "
        "events instead"
    )
    raise NotFound(message, id=job_id)


def retried(queue: JobQueue, job_id: str | None) -> int:
    """Put one failed job, or all if `job_id` is None, back into the queue; return their number.

    Blocking. Raises NotFound if `job_id` is not the id of a failed job.
    """
    count = queue.retry_failed(job_id)
    if job_id is not None and not count:
        raise NotFound(later("job {id!r:.80} is not among the failed ones"), id=job_id)
    return count
