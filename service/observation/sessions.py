"""The conversations to which the sessions of a bot are bound."""

from __future__ import annotations

from ...schema.entity import Entity
from ...schema.errors import InvalidInput
from ...schema.scope import Scope, checked_scope
from ..bounded import Bounded
from ..incoming_messages import given_id

SESSIONS_KNOWN = 100_000
"""Maximum number of sessions whose scope is stored in memory (30 MB at most). The least recently
used session is dropped first."""


class SessionScopes:
    """The conversation of each session, which never changes. Thread-safe."""

    def __init__(self) -> None:
        self._scopes: Bounded[str, Scope] = Bounded(SESSIONS_KNOWN)

    def scope_of(self, session_id: str, scope: Scope | None) -> Scope:
        """Return `scope`, to which the session is bound, or else the conversation of the session.
        Raises InvalidInput if there is none, or another one."""
        session_id = given_id(session_id, "session_id")
        if not session_id:
            if scope is None:
                raise InvalidInput(
                    "scope: missing; give the conversation, or the session_id of a session that is bound to one"
                )
            return checked_scope(scope)
        known = self._scopes.get(session_id)
        if scope is not None and known is not scope:
            known = self._scopes.setdefault(session_id, checked_scope(scope))
            if known.key != scope.key:
                raise InvalidInput(
                    f"session_id: {session_id!r} belongs to {known.key}, not {scope.key}; use one id a conversation"
                )
            return scope
        if known is None:
            raise InvalidInput(
                f"session_id: {session_id!r} is not bound to a scope; give scope= the first time"
            )
        return known

    def forget(self, entity: Entity) -> None:
        """Forget the sessions of the conversation of a user or a group."""
        self._scopes.remove(lambda scope: scope.key == entity.scope.key)
