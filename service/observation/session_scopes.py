"""Which conversation each session belongs to."""

from __future__ import annotations

from collections import OrderedDict

from ...schema.errors import InvalidInput
from ...schema.scope import Scope, checked_scope
from ..bounded import Bounded

SESSIONS_KNOWN = 10_000
SESSIONS_REMEMBERED = 100_000
"""Sessions beyond those, of which two numbers are kept (10 MB at most): enough to tell whether a scope is the same."""


class SessionScopes(Bounded[str, Scope]):
    """Binds a session to the scope that is given first. Thread-safe and bounded.

    Without a scope, the sessions used last are found. A session that was bound before is refused another scope, also when it
    was not used for long.
    """

    def __init__(self) -> None:
        super().__init__(SESSIONS_KNOWN)
        self._former: OrderedDict[int, int] = OrderedDict()

    def bind(self, session_id: str, scope: Scope) -> None:
        """Bind a session to a conversation. Raises InvalidInput if it is or was bound to another one."""
        checked_scope(scope)
        with self._lock:
            former = self._former.get(hash(session_id))
            if former not in (None, hash(scope.key)):
                raise InvalidInput(f"session_id: {session_id!r} belonged to another conversation; use one id a conversation")
            known = self._entries.setdefault(session_id, scope)
            if known.key != scope.key:
                raise InvalidInput(
                    f"session_id: {session_id!r} belongs to {known.key}, not {scope.key}; use one id a conversation"
                )
            self._used(session_id)

    def _dropped(self, key: str, value: Scope) -> None:
        self._former[hash(key)] = hash(value.key)
        self._former.move_to_end(hash(key))
        if len(self._former) > SESSIONS_REMEMBERED:
            self._former.popitem(last=False)
