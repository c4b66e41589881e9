"""One HTTP client per event loop: a client's connections belong to the loop that opened them.

A bot has one loop. Notebooks, tests, and commands that call `asyncio.run` twice have several.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

Client = TypeVar("Client")


class Closable(Protocol):
    async def aclose(self) -> Any: ...


class LoopClients(Generic[Client]):
    """Opens a client, in a thread, on the first request of each event loop.

    `open_client` returns the client and the object to close. It may import slow modules.
    """

    def __init__(self, open_client: Callable[[], tuple[Client, Closable]]) -> None:
        self._open_client = open_client
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Client, Closable]] = (
            WeakKeyDictionary()
        )
        self._lock = threading.Lock()

    async def get(self) -> Client:
        loop = asyncio.get_running_loop()
        with self._lock:
            known = self._clients.get(loop)
        if known is not None:
            return known[0]
        opened = await asyncio.to_thread(self._open_client)
        with self._lock:
            client, closable = self._clients.setdefault(loop, opened)
        if closable is not opened[1]:  # another caller opened a client at the same time
            await opened[1].aclose()
        return client

    async def aclose(self) -> None:
        """Close the client of the running loop; clients of other loops end with their loops."""
        with self._lock:
            opened = self._clients.pop(asyncio.get_running_loop(), None)
            self._clients.clear()
        if opened is not None:
            await opened[1].aclose()


def given_client(client: Client) -> LoopClients[Client]:
    """Return an object of the caller as the client of every event loop. The caller closes it."""
    return LoopClients(lambda: (client, AsyncExitStack()))
