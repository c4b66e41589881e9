"""Which conversation each session belongs to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from ...schema.errors import InvalidInput
from ...schema.scope import Scope, checked_scope

SESSIONS_KNOWN = 10_000
SESSIONS_REMEMBERED = 100_000
"""Sessions beyond those, of which two numbers are kept (10 MB at most): enough to tell whether a scope is the same."""


class SessionScopes:
    """Binds a session to the scope that is given first. Thread-safe and bounded.

    Without a scope, the sessions used last are found. A session that was bound before is refused another scope, also when it
    was not used for long.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Scope] = OrderedDict()
        self._former: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session_id: str) -> Scope | None:
        """Return the scope of a session that was used lately."""
        with self._lock:
            if session_id in self._known:
                self._known.move_to_end(session_id)
            return self._known.get(session_id)

    def bind(self, session_id: str, scope: Scope) -> None:
        """Bind a session to a conversation. Raises InvalidInput if it is or was bound to another one."""
        checked_scope(scope)
        with self._lock:
            former = self._former.get(hash(session_id))
            if former not in (None, hash(scope.key)):
                raise InvalidInput(f"session_id: {session_id!r} belonged to another conversation; use one id a conversation")
            known = self._known.setdefault(session_id, scope)
            if known.key != scope.key:
                raise InvalidInput(
                    f"session_id: {session_id!r} belongs to {known.key}, not {scope.key}; use one id a conversation"
                )
            self._known.move_to_end(session_id)
            if len(self._known) > SESSIONS_KNOWN:
                dropped, its_scope = self._known.popitem(last=False)
                self._former[hash(dropped)] = hash(its_scope.key)
                self._former.move_to_end(hash(dropped))
            if len(self._former) > SESSIONS_REMEMBERED:
                self._former.popitem(last=False)

    def remove(self, is_wanted: Callable[[Scope], bool]) -> None:
        """Remove the sessions of scopes that `is_wanted` returns True for."""
        with self._lock:
            for session_id in [one for one, scope in self._known.items() if is_wanted(scope)]:
                del self._known[session_id]
