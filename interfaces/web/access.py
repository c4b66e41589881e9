"""The tokens and sessions that authorise requests.

There is the operator's token, tokens for one conversation each, and the sessions of browsers that
signed in with a token.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus

from ...schema.errors import InvalidInput
from ...schema.scope import SHARED_NOTES, Scope, notes_scope, scope_of_key
from ...schema.settings import WebSettings
from .problems import Refused

LINK_SECONDS = 600.0
"""Seconds for which the one-time address that the server prints is valid."""
SESSION_SECONDS = 14 * 86_400.0
MOST_SESSIONS = 1_000
NOTES = "notes"
"""The name of the scope of shared notes in requests."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: the operator, or the holder of a token for one scope.

    The speakers that a request with such a token names cannot be verified. They count as only
    asserted, in whichever field they are named (see `Scope.asserted`).
    """

    scope: Scope | None = None

    @property
    def is_operator(self) -> bool:
        return self.scope is None

    @property
    def key(self) -> str:
        """The key by which the requests of this caller are counted."""
        return "operator" if self.scope is None else self.scope.key

    def scope_named(self, named: str | None, user_id: str | None = None) -> Scope | None:
        """Return the scope that a request names (`group:7`, `user:42`, a key, `notes`).

        The default is the scope of the caller's token, and None for the operator. `user_id` is the
        speaker in a group. Raises Refused if the token is for another scope. Raises InvalidInput if
        `named` is malformed, or if `user_id` is not the user of the private chat.
        """
        scope = _scope(named) if named else self.scope
        if self.scope is not None and (scope is None or scope.key != self.scope.key):
            raise Refused(HTTPStatus.FORBIDDEN, f"this token is valid for {self.scope.key} only")
        scope = self.scope or scope
        if scope is None or not user_id or scope.request_type != "group":
            if scope is not None and user_id and scope.user_id != user_id:
                raise InvalidInput(
                    f"user_id: this is the private chat with {scope.user_id!r}; leave user_id out"
                )
            return scope
        return scope.spoken_by(user_id)

    def needed_scope(self, named: str | None, user_id: str | None = None) -> Scope:
        """Return the result of `scope_named`. Raises InvalidInput if it is None."""
        scope = self.scope_named(named, user_id)
        if scope is None:
            raise InvalidInput("scope: missing; name a conversation, such as group:7 or user:42")
        return scope

    def check_operator(self) -> None:
        """Raise Refused unless the caller is the operator."""
        if self.scope is not None:
            raise Refused(HTTPStatus.FORBIDDEN, "this needs the operator's token")


def _scope(named: str) -> Scope:
    return (
        SHARED_NOTES
        if named in (NOTES, SHARED_NOTES.key)
        else scope_of_key(named) or notes_scope(named)
    )


class Access:
    """The valid tokens, and the sessions that were begun with one. Thread-safe."""

    def __init__(self, settings: WebSettings, clock: Callable[[], float]) -> None:
        self.token = settings.token or secrets.token_urlsafe(24)
        self.is_new_token = not settings.token
        self._clock = clock
        self._known = [(self.token.encode(), Caller())]
        scopes = (
            (token, replace(notes_scope(named), asserted=True))
            for named, token in settings.scope_tokens.items()
        )
        self._known += [(token.encode(), Caller(scope)) for token, scope in scopes]
        self._links: dict[str, float] = {}
        self._sessions: dict[str, tuple[Caller, float]] = {}
        self._lock = threading.Lock()

    def link_token(self) -> str:
        """Return a new one-time token, which begins one session of the operator.

        It is valid for LINK_SECONDS.
        """
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._links[token] = self._clock() + LINK_SECONDS
        return token

    def caller_of_token(self, token: str) -> Caller | None:
        """Return the caller with this token; None if it is unknown.

        The running time is the same for all wrong tokens.
        """
        given, found = token.encode(errors="replace"), None
        for known, caller in self._known:
            if hmac.compare_digest(known, given):
                found = caller
        return found

    def begin_session(self, token: str) -> str | None:
        """Begin a session and return its id; None if the token is unknown or has expired.

        `token` is a normal token, or a one-time token, which becomes invalid.
        """
        now = self._clock()
        with self._lock:
            expires = self._links.pop(token, 0.0)
        caller = Caller() if expires > now else self.caller_of_token(token)
        if caller is None:
            return None
        session = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions = {one: kept for one, kept in self._sessions.items() if kept[1] > now}
            while len(self._sessions) >= MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[session] = caller, now + SESSION_SECONDS
        return session

    def end_session(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(session, None)

    def caller_of_session(self, session: str) -> Caller | None:
        caller, expires = self._sessions.get(session, (None, 0.0))
        return caller if expires > self._clock() else None
