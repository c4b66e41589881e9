"""A user or a group, identified by the id on the platform."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import InvalidInput
from .event import EventFilter
from .ids import validate_id
from .job import Job
from .scope import EntityType, Scope


@dataclass(frozen=True, slots=True)
class Entity:
    """A user in all conversations, or a group with everything said in it. Raises InvalidInput for
    an invalid type or id.
    """

    type: EntityType
    id: str

    def __post_init__(self) -> None:
        if self.type not in ("user", "group"):
            raise InvalidInput(f"entity type {self.type!r:.40} is not one of user, group")
        validate_id(self.id, self.type)

    @property
    def key(self) -> str:
        """The key as in `Job.entities`: `user:42`, `group:7`."""
        return f"{self.type}:{self.id}"

    @property
    def scope(self) -> Scope:
        """The private chat with the user, or the group's conversation."""
        return Scope("private", self.id) if self.type == "user" else Scope.group(self.id)

    @property
    def where(self) -> EventFilter:
        """The filter of the entity's events. For a user: their events in every conversation,
        including events made from the words of several people. For a group: the events of its
        conversation.
        """
        return (
            EventFilter(None, people=(self.id,))
            if self.type == "user"
            else EventFilter(self.scope.key)
        )

    def spoke(self, user_id: str, group_id: str) -> bool:
        """Return True if a message of `user_id` in `group_id` ("" in private) belongs to the
        entity.
        """
        return user_id == self.id if self.type == "user" else group_id == self.id

    def owns(self, job: Job) -> bool:
        return self.spoke(job.user_id, job.group_id)
