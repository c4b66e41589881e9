"""A small registry of hooks, for bots that have no framework of their own.

    >>> hooks = Hooks()
    >>> seen = []
    >>> unregister = hooks.register("tool_executed", lambda name, **_: seen.append(name), inline=True)
    >>> hooks.emit("tool_executed", name="search", arguments={}, result="…")
    >>> seen
    ['search']

`emit` never waits and never raises: each hook has a queue and a thread of its own, made when it is first needed. An
`inline` hook is called at once instead; it must be as quick as the observation queue's own methods are.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)

QUEUE_MAX = 1_000

Hook = Callable[..., Any]


class Hooks:
    """Functions by the name of the event that they want to hear of. Thread-safe."""

    def __init__(self) -> None:
        self._hooks: dict[str, tuple[_Registered, ...]] = {}
        self._lock = threading.Lock()

    def register(self, event: str, hook: Hook, *, inline: bool = False) -> Callable[[], None]:
        """Call `hook` with the keyword arguments of every `emit(event, …)` from now on; returns what ends that.

        A coroutine function runs on the loop that is running now, or on one of the hook's thread where there is none.
        Events of one hook come in order. With 1,000 waiting, further ones are dropped for that hook, and logged.
        """
        registered = _Registered(event, hook, inline=inline)
        with self._lock:
            self._hooks[event] = (*self._hooks.get(event, ()), registered)

        def unregister() -> None:
            with self._lock:
                self._hooks[event] = tuple(other for other in self._hooks.get(event, ()) if other is not registered)
            registered.close()

        return unregister

    def emit(self, event: str, **payload: Any) -> None:
        """Tell every hook of an event. Returns at once, whatever the hooks do."""
        for hook in self._hooks.get(event, ()):
            hook.take(payload)

    def close(self) -> None:
        """End all hooks; what waits in their queues is done first, in their own time."""
        with self._lock:
            ended, self._hooks = self._hooks, {}
        for hooks in ended.values():
            for hook in hooks:
                hook.close()


class _Registered:
    """One hook with its queue and thread."""

    def __init__(self, event: str, hook: Hook, *, inline: bool) -> None:
        self._event = event
        self._hook = hook
        self._inline = inline
        self._waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._full = False
        self._loop: asyncio.AbstractEventLoop | None = None
        if inspect.iscoroutinefunction(hook):
            if inline:
                raise ValueError(f"hook {_name(hook)} is a coroutine function and cannot be called inline")
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:
                self._loop = None

    def take(self, payload: dict[str, Any]) -> None:
        if self._inline:
            self._call(payload)
        elif self._waiting.qsize() < QUEUE_MAX:
            self._full = False
            self._waiting.put(payload)
            if self._thread is None:
                self._start()
        elif not self._full:
            self._full = True
            log.warning("hook %s is too slow for %s: events are dropped", _name(self._hook), self._event)

    def close(self) -> None:
        self._waiting.put(None)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"hook {self._event}", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while (payload := self._waiting.get()) is not None:
            self._call(payload)

    def _call(self, payload: dict[str, Any]) -> None:
        try:
            result = self._hook(**payload)
            if inspect.iscoroutine(result):
                if self._loop is not None and not self._loop.is_closed():
                    asyncio.run_coroutine_threadsafe(result, self._loop).result()
                else:
                    asyncio.run(result)
        except Exception as error:
            # A hook's failure is its own. Its text is not logged: it may hold what the hook was given.
            log.warning("hook %s failed on %s: %s", _name(self._hook), self._event, type(error).__name__)


def _name(hook: Hook) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)
