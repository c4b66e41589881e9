"""The conversation that each session belongs to."""

from __future__ import annotations

from ...schema.errors import InvalidInput
from ...schema.scope import Scope, checked_scope
from ..bounded import Bounded

SESSIONS_KNOWN = 100_000
"""Sessions that are remembered (30 MB at most); of more, those used longest ago are forgotten."""


class SessionScopes(Bounded[str, Scope]):
    """Binds a session to the scope that is given first. Thread-safe and bounded."""

    def __init__(self) -> None:
        super().__init__(SESSIONS_KNOWN)

    def bind(self, session_id: str, scope: Scope) -> None:
        """Bind a session to a conversation. Raises InvalidInput if it is bound to another one."""
        known = self.setdefault(session_id, checked_scope(scope))
        if known.key != scope.key:
            raise InvalidInput(f"session_id: {session_id!r} belongs to {known.key}, not {scope.key}; use one id a conversation")
