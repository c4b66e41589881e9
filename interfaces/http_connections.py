"""Connections of the HTTP server: a silent client gives way to others.

uvicorn bounds the size of a head (`http_serving.py`), but not the time of a request that is half sent, and a connection
that sends nothing counts against everybody else's.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_AT_ONCE = 200
"""Connections at a time. Where there are more, one that waits for its client is closed for each new one."""
HEAD_SECONDS, BODY_SECONDS = 10.0, 30.0
"""How long a client may take to send a head, and the body behind it."""


class BoundedConnection(H11Protocol):
    """A connection of uvicorn, with bounds."""

    _since = 0.0
    _awaited = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._make_room()
        self._watch("head")

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch("")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch(self._await_of_client())

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        super().on_response_complete()
        self._watch(self._await_of_client())

    @property
    def is_waiting(self) -> bool:
        """True if it is the client's turn: to send a request, or the rest of one without a token, or to read the answer."""
        is_sending = self.conn.their_state is h11.SEND_BODY or self.flow.write_paused
        return self.conn.their_state is h11.IDLE or (is_sending and not self.has_token)

    @property
    def has_token(self) -> bool:
        """True if the last request was let in."""
        return bool(self.scope and self.scope["state"].get("caller"))

    def _make_room(self) -> None:
        while len(self.connections) > MOST_AT_ONCE:
            waiting = [
                one for one in self.connections if isinstance(one, BoundedConnection) and one.is_waiting and one is not self
            ]
            if not waiting:
                break
            first = min(waiting, key=lambda one: (one.has_token, one._since))
            self.connections.discard(first)
            first.transport.abort()

    def _await_of_client(self) -> str:
        """Return what the client has begun to send and not finished: "head", "body" or ""."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return "body"
        return "head" if state is h11.IDLE and self.conn.trailing_data[0] else ""

    def _watch(self, awaited: str) -> None:
        """Give the client its time for what is `awaited`; it begins anew only with another part."""
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._timer is not None:
            self._timer.cancel()
        seconds = HEAD_SECONDS if awaited == "head" else BODY_SECONDS
        self._timer = self.loop.call_later(seconds, self._time_out) if awaited else None

    def _time_out(self) -> None:
        """Close, with a bare status unless an answer is under way."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.conn.our_state is h11.IDLE:
            head = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            self.transport.write(head)
        self.transport.close()
