"""Scopes, and the rules of visibility.

A *scope* is one conversation: a group, or the private chat with one user. Everything stored carries its scope; every read
names the scope it is for. The rules of visibility are defined only here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .errors import InvalidInput
from .ids import type_and_size, validate_id

RequestType = Literal["group", "private"]
EntityType = Literal["user", "group"]
LayerRule = Literal["private_separate", "per_group", "shared"]
PublicLayer = Literal["where_spoken", "everywhere"]

RESERVED_USER = "historian:shared-notes"
"""The user id of `SHARED_NOTES`. No user of a platform may have it: that one would read the shared notes."""

ASSERTED = "asserted-"
"""What the ids of jobs begin with, and so those of their events, that the token of one conversation handed over."""

PUBLIC_LAYER = ""
PRIVATE_LAYER = "private"


@dataclass(frozen=True, slots=True)
class Scope:
    """One conversation. In a group `user_id` is the current speaker (it filters nothing); in private it is the partner.

    `asserted` is True for the holder of this conversation's token: what its requests say of speakers nobody vouches for.
    """

    request_type: RequestType
    user_id: str = ""
    group_id: str = ""
    asserted: bool = False

    def __post_init__(self) -> None:
        if self.request_type == "group":
            validate_id(self.group_id, "group_id")
            if self.user_id:
                validate_id(self.user_id, "user_id")
        elif self.request_type == "private":
            validate_id(self.user_id, "user_id")
            if self.group_id:
                raise InvalidInput(f"group_id: {self.group_id!r} given for a private chat; leave it out or use a group scope")
        else:
            raise InvalidInput(f"request_type: {self.request_type!r} is not one of group, private")

    @classmethod
    def group(cls, group_id: str | int, user_id: str | int | None = "") -> Scope:
        """Return the scope of the group `group_id`; `user_id` is the current speaker, if known. Raises InvalidInput for no id."""
        speaker = "" if user_id in (None, "") else no_reserved_user(validate_id(user_id, "user_id"))
        return cls("group", speaker, validate_id(group_id, "group_id"))

    @classmethod
    def private(cls, user_id: str | int) -> Scope:
        """Return the scope of the private chat with `user_id`. Raises InvalidInput for what is no id, such as None."""
        return cls("private", no_reserved_user(validate_id(user_id, "user_id")))

    @property
    def key(self) -> str:
        """The scope as one string, `g:{group_id}` or `p:{user_id}`: equal exactly if events are shared."""
        return f"g:{self.group_id}" if self.request_type == "group" else f"p:{self.user_id}"

    @property
    def speaker_is_asserted(self) -> bool:
        """True if nothing but a request says who speaks. The token of a private chat names its partner itself."""
        return self.asserted and self.request_type == "group"

    def spoken_by(self, user_id: str) -> Scope:
        """Return the same group with the current speaker. Raises InvalidInput."""
        return replace(Scope.group(self.group_id, user_id), asserted=self.asserted)

    def request_id(self, request_id: str) -> str:
        """Return the id of a request that this scope makes, which tells whether its speakers are asserted."""
        return f"{ASSERTED}{request_id}" if self.asserted else request_id


def is_asserted(item_id: str) -> bool:
    """Return True for the id of a job, an event or a state whose speakers are asserted alone."""
    return item_id.startswith(ASSERTED)


def scope_of_key(key: str) -> Scope | None:
    """Return the scope of a key (`Scope.key`); None for anything else."""
    kind, colon, entity_id = key.partition(":")
    try:
        if colon and kind in ("g", "p"):
            return Scope.group(entity_id) if kind == "g" else Scope.private(entity_id)
    except InvalidInput:
        pass
    return None


SHARED_NOTES = Scope("private", RESERVED_USER)
"""The scope of notes that belong to no conversation: read only if this scope is requested, never in groups or private chats."""


def no_reserved_user(user_id: str) -> str:
    """Return `user_id`, or raise InvalidInput if it is the one that Historian keeps for itself."""
    if user_id == RESERVED_USER:
        raise InvalidInput(f"user_id: {RESERVED_USER!r} is reserved; for shared notes, use SHARED_NOTES or `--notes`")
    return user_id


def checked_scope(scope: object) -> Scope:
    """Return `scope`, or raise InvalidInput if it is not a Scope."""
    if not isinstance(scope, Scope):
        raise InvalidInput(f"scope: expected a Scope, such as Scope.group(…) or Scope.private(…), got {type_and_size(scope)}")
    return scope


def notes_scope(value: str) -> Scope:
    """Return the scope of `group:ID`, `user:ID` or "" (shared notes). Raises InvalidInput for anything else."""
    kind, colon, entity_id = value.partition(":")
    if not value:
        return SHARED_NOTES
    if colon and kind == "group":
        return Scope.group(entity_id)
    if colon and kind == "user":
        return Scope.private(entity_id)
    raise InvalidInput(f"{value!r} names no conversation; write group:ID, user:ID, or nothing for shared notes")


def reads_own_words_of(scope: Scope, *, from_groups: bool) -> str:
    """Return the user whose own words in any group may be read in `scope` too; "" for nobody.

    Only with `from_groups` (`query.own_words_from_groups`), only in a private chat, only those of that very user.
    """
    return scope.user_id if from_groups and scope.request_type == "private" and scope.user_id != RESERVED_USER else ""


def layer_written(scope: Scope, entity_type: EntityType, rule: LayerRule) -> str:
    """Return the profile layer for something learnt in `scope` about an entity: of an asserted speaker the group's own."""
    if entity_type == "user" and scope.speaker_is_asserted:
        return scope.key
    if rule == "shared" or entity_type == "group":
        return PUBLIC_LAYER
    if scope.request_type == "private":
        return PRIVATE_LAYER
    return PUBLIC_LAYER if rule == "private_separate" else scope.key


def layers_read(
    scope: Scope, entity_type: EntityType, entity_id: str, rule: LayerRule, *, has_spoken: bool = False
) -> tuple[str, ...]:
    """Return the layers of an entity's profile that may be read in `scope`, most general first; possibly none.

    A group's profile is read only in that group, and so is a group's own layer of a user; a user's private layer only in the
    private chat with that user (under every rule: it holds their pins), and a user's public layer only where they have spoken:
    the user of `scope` always has, unless they are asserted alone, others if `has_spoken`.
    """
    if entity_type == "group":
        return (PUBLIC_LAYER,) if scope.request_type == "group" and scope.group_id == entity_id else ()
    has_spoken = has_spoken or (entity_id == scope.user_id and not scope.speaker_is_asserted)
    public = (PUBLIC_LAYER,) if has_spoken and rule != "per_group" else ()
    if scope.request_type == "group":
        return (*public, scope.key)
    return (*public, PRIVATE_LAYER) if entity_id == scope.user_id else public
