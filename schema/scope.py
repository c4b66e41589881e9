"""Scopes, and the rules of visibility.

A *scope* is one conversation: a group, or the private chat with one user. Every record stores its
scope, and every read names the scope for which it reads. The rules of visibility are defined only
here.
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
"""The user id of `SHARED_NOTES`. No user of a platform may have it, because that user would read
the shared notes."""

ASSERTED = "asserted-"
"""The prefix of the ids of jobs, and thus of their events, that were handed over with the token of
one conversation."""

PUBLIC_LAYER = ""
PRIVATE_LAYER = "private"


@dataclass(frozen=True, slots=True)
class Scope:
    """One conversation. In a group `user_id` is the current speaker (it filters nothing); in
    private it is the partner.

    `asserted` is True for a holder of this conversation's token: the speakers that its requests
    name are not verified.
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
                raise InvalidInput(
                    f"group_id: {self.group_id!r} given for a private chat; leave it out or use a group scope"
                )
        else:
            raise InvalidInput(f"request_type: {self.request_type!r} is not one of group, private")

    @classmethod
    def group(cls, group_id: str | int, user_id: str | int | None = "") -> Scope:
        """Return the scope of the group `group_id`; `user_id` is the current speaker, if known.
        Raises InvalidInput for an invalid id.
        """
        speaker = "" if user_id in (None, "") else no_reserved_user(validate_id(user_id, "user_id"))
        return cls("group", speaker, validate_id(group_id, "group_id"))

    @classmethod
    def private(cls, user_id: str | int) -> Scope:
        """Return the scope of the private chat with `user_id`. Raises InvalidInput for an invalid
        id, such as None.
        """
        return cls("private", no_reserved_user(validate_id(user_id, "user_id")))

    @property
    def key(self) -> str:
        """The scope as one string, `g:{group_id}` or `p:{user_id}`. Two scopes share events exactly
        if their keys are equal.
        """
        return f"g:{self.group_id}" if self.request_type == "group" else f"p:{self.user_id}"

    @property
    def speaker_is_asserted(self) -> bool:
        """True if the speaker is only known from the request. The token of a private chat itself
        names the partner.
        """
        return self.asserted and self.request_type == "group"

    def spoken_by(self, user_id: str) -> Scope:
        """Return the same group with `user_id` as the current speaker. Raises InvalidInput."""
        return replace(Scope.group(self.group_id, user_id), asserted=self.asserted)

    def request_id(self, request_id: str) -> str:
        """Return the id of a request from this scope. Its prefix shows whether the speakers are
        asserted.
        """
        return f"{ASSERTED}{request_id}" if self.asserted else request_id


def is_asserted(item_id: str) -> bool:
    """Return True if the id of a job, event or state shows that its speakers are only asserted."""
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
"""The scope of notes that belong to no conversation. They are read only if this scope is requested,
never in groups or private chats."""


def no_reserved_user(user_id: str) -> str:
    """Return `user_id`, or raise InvalidInput if it is RESERVED_USER."""
    if user_id == RESERVED_USER:
        raise InvalidInput(
            f"user_id: {RESERVED_USER!r} is reserved; for shared notes, use SHARED_NOTES or `--notes`"
        )
    return user_id


def checked_scope(scope: object) -> Scope:
    """Return `scope`, or raise InvalidInput if it is not a Scope."""
    if not isinstance(scope, Scope):
        raise InvalidInput(
            f"scope: expected a Scope, such as Scope.group(…) or Scope.private(…), got {type_and_size(scope)}"
        )
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
    raise InvalidInput(
        f"{value!r} is not a conversation; write group:ID or user:ID, or leave it empty for shared "
        "notes"
    )


def reads_own_words_of(scope: Scope, *, from_groups: bool) -> str:
    """Return the id of the user whose words in groups may also be read in `scope`; "" for nobody.

    The id is returned only with `from_groups` (`query.own_words_from_groups`), only in a private
    chat, and only for its user.
    """
    return (
        scope.user_id
        if from_groups and scope.request_type == "private" and scope.user_id != RESERVED_USER
        else ""
    )


def layer_written(scope: Scope, entity_type: EntityType, rule: LayerRule) -> str:
    """Return the profile layer for a fact learnt in `scope` about an entity. For an asserted
    speaker it is the group's own layer.
    """
    if entity_type == "user" and scope.speaker_is_asserted:
        return scope.key
    if rule == "shared" or entity_type == "group":
        return PUBLIC_LAYER
    if scope.request_type == "private":
        return PRIVATE_LAYER
    return PUBLIC_LAYER if rule == "private_separate" else scope.key


def layers_read(
    scope: Scope,
    entity_type: EntityType,
    entity_id: str,
    rule: LayerRule,
    *,
    has_spoken: bool = False,
) -> tuple[str, ...]:
    """Return the layers of an entity's profile that may be read in `scope`, most general first;
    possibly none.

    A group's profile, and a group's own layer of a user, are read only in that group. A user's
    private layer is read only in the private chat with that user (under every rule, because it
    holds their pins). A user's public layer is read only where the user has spoken: the user of
    `scope` always counts as having spoken, unless only asserted; other users count if `has_spoken`.
    """
    if entity_type == "group":
        return (
            (PUBLIC_LAYER,) if scope.request_type == "group" and scope.group_id == entity_id else ()
        )
    has_spoken = has_spoken or (entity_id == scope.user_id and not scope.speaker_is_asserted)
    public = (PUBLIC_LAYER,) if has_spoken and rule != "per_group" else ()
    if scope.request_type == "group":
        return (*public, scope.key)
    return (*public, PRIVATE_LAYER) if entity_id == scope.user_id else public
