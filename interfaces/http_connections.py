"""Connections of the HTTP server, with time limits for slow clients.

uvicorn limits the size of a request head (`http_serving.py`), but not the time in which a request
must be sent. A connection that sends nothing also counts against the limit for all connections.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_AT_ONCE = 200
"""Maximum number of open connections. Above it, a connection that waits for its client is closed
for each new connection."""
HEAD_SECONDS, BODY_SECONDS = 10.0, 30.0
"""Seconds that a client may take to send the head of a request, and then its body."""


class BoundedConnection(H11Protocol):
    """A connection of uvicorn with time limits and a limit on the number of connections."""

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
        """True if the server waits for the client.

        It waits for the next request, or, if the request has no valid token, for the rest of the
        body or until the client has read the response.
        """
        is_sending = self.conn.their_state is h11.SEND_BODY or self.flow.write_paused
        return self.conn.their_state is h11.IDLE or (is_sending and not self.has_token)

    @property
    def has_token(self) -> bool:
        """True if the last request was authorised."""
        return bool(self.scope and self.scope["state"].get("caller"))

    def _make_room(self) -> None:
        while len(self.connections) > MOST_AT_ONCE:
            waiting = [
                one
                for one in self.connections
                if isinstance(one, BoundedConnection) and one.is_waiting and one is not self
            ]
            if not waiting:
                break
            first = min(waiting, key=lambda one: (one.has_token, one._since))
            self.connections.discard(first)
            first.transport.abort()

    def _await_of_client(self) -> str:
        """Return the unfinished part of the request: "head", "body", or "" if there is none."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            return "body"
        return "head" if state is h11.IDLE and self.conn.trailing_data[0] else ""

    def _watch(self, awaited: str) -> None:
        """Start the timer for the `awaited` part of a request; "" stops it.

        If the same part is awaited already, its timer continues.
        """
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._timer is not None:
            self._timer.cancel()
        seconds = HEAD_SECONDS if awaited == "head" else BODY_SECONDS
        self._timer = self.loop.call_later(seconds, self._time_out) if awaited else None

    def _time_out(self) -> None:
        """Close the connection, after an empty 408 response unless a response is in progress."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.conn.our_state is h11.IDLE:
            head = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            self.transport.write(head)
        self.transport.close()
