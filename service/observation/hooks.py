"""A small registry of hooks, for bots that have no framework of their own.

    >>> hooks = Hooks()
    >>> seen = []
    >>> unregister = hooks.register("tool_executed", lambda name, **_: seen.append(name), inline=True)
    >>> hooks.emit("tool_executed", name="search", arguments={}, result="…")
    >>> seen
    ['search']

`emit` never waits and never raises: each hook has a queue and a thread of its own, made when it is first needed. An
`inline` hook is called at once instead; it must be as quick as the observation queue's own methods are. Of what an inline
hook raises, KeyboardInterrupt alone goes through: it may be the user's own, who wants the program to end.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

log = logging.getLogger(__name__)

QUEUE_MAX = 1_000
LOOP_LOOK_SECONDS = 1.0
"""How often a hook's thread that waits for a coroutine looks whether the loop it runs on is closed."""

Hook = Callable[..., Any]


class Hooks:
    """Functions by the name of the event that they want to hear of. Thread-safe."""

    def __init__(self) -> None:
        self._hooks: dict[str, tuple[_Registered, ...]] = {}
        self._lock = threading.Lock()

    def register(self, event: str, hook: Hook, *, inline: bool = False) -> Callable[[], None]:
        """Call `hook` with the keyword arguments of every `emit(event, …)` from now on; returns what ends that.

        A coroutine function (or an object whose `__call__` is one) runs on the loop that is running now, or on one of the
        hook's thread where there is none. Events of one hook come in order. With 1,000 waiting, further ones are dropped
        for that hook, and logged. `aclose` of the service ends all hooks: register them anew after another `start`. Raises
        ValueError for a coroutine function that is to be called inline.
        """
        registered = _Registered(event, hook, inline=inline)
        with self._lock:
            self._hooks[event] = (*self._hooks.get(event, ()), registered)

        def unregister() -> None:
            with self._lock:
                self._hooks[event] = tuple(other for other in self._hooks.get(event, ()) if other is not registered)
            registered.close()

        return unregister

    def emit(self, event: str, /, **payload: Any) -> None:
        """Tell every hook of an event. Returns at once, whatever the hooks do. The payload may hold any name, `event` too."""
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
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        if _is_coroutine_function(hook):
            if inline:
                raise ValueError(f"hook {_name(hook)} is a coroutine function and cannot be called inline")
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:
                self._loop = None

    def take(self, payload: dict[str, Any]) -> None:
        if self._closed:
            return
        if self._inline:
            self._call_inline(payload)
        elif self._waiting.qsize() < QUEUE_MAX:
            self._full = False
            self._waiting.put(payload)
            if self._thread is None:
                self._start()
        elif not self._full:
            self._full = True
            log.warning("hook %s is too slow for %s: events are dropped", _name(self._hook), self._event)

    def close(self) -> None:
        self._closed = True
        self._waiting.put(None)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"hook {self._event}", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while (payload := self._waiting.get()) is not None:
            try:
                result = self._hook(**payload)
                if inspect.isawaitable(result):
                    self._finish(result)
            except BaseException as error:
                # SystemExit and KeyboardInterrupt too: in this thread they can only be the hook's, and would end it.
                self._failed(error)

    def _call_inline(self, payload: dict[str, Any]) -> None:
        try:
            result = self._hook(**payload)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._failed(error)
            return
        if inspect.iscoroutine(result):
            # It was not known for one by its definition. Nothing may be waited for here, so it is not run at all.
            result.close()
            log.warning("hook %s gave a coroutine for %s: register it without inline", _name(self._hook), self._event)

    def _finish(self, result: Awaitable[Any]) -> None:
        """Wait, in the hook's thread, until what it gave is done."""
        if self._loop is None or self._loop.is_closed():
            asyncio.run(self._guarded(result))
            return None
        future = asyncio.run_coroutine_threadsafe(self._guarded(result), self._loop)
        while True:
            try:
                return future.result(LOOP_LOOK_SECONDS)
            except TimeoutError:
                if self._loop.is_closed():
                    log.warning("hook %s on %s did not end before its loop was closed", _name(self._hook), self._event)
                    return None

    async def _guarded(self, result: Awaitable[Any]) -> None:
        try:
            await result
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # A task that lets SystemExit through would end the loop it runs on, which is the agent's.
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        # A hook's failure is its own. Its text is not logged: it may hold what the hook was given.
        log.warning("hook %s failed on %s: %s", _name(self._hook), self._event, type(error).__name__)


def _is_coroutine_function(hook: Hook) -> bool:
    call = getattr(type(hook), "__call__", None)  # noqa: B004 - not whether it can be called, but what a call gives
    return inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(call)


def _name(hook: Hook) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)
