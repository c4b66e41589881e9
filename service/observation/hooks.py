"""A registry of hooks, for bots without a framework.

    >>> hooks = Hooks()
    >>> seen = []
    >>> unregister = hooks.register("tool_executed", lambda name, **_: seen.append(name), inline=True)
    >>> hooks.emit("tool_executed", name="search", arguments={}, result="…")
    >>> seen
    ['search']

`emit` never waits: each hook has its own queue and thread, which is started when it is first
needed. An `inline` hook is called directly and must return within microseconds. Errors of hooks are
logged. Only the KeyboardInterrupt of an inline hook is raised, because it may come from the user.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import queue
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

log = logging.getLogger(__name__)

QUEUE_MAX = 1_000
LOOP_LOOK_SECONDS = 1.0
"""Interval in seconds at which a thread that waits for a coroutine checks whether the coroutine's
event loop is closed."""

Hook = Callable[..., Any]


class Hooks:
    """The hooks of each event name. Thread-safe."""

    def __init__(self) -> None:
        self._hooks: dict[str, tuple[_Registered, ...]] = {}
        self._lock = threading.Lock()

    def register(self, event: str, hook: Hook, *, inline: bool = False) -> Callable[[], None]:
        """Call `hook` with the keyword arguments of every `emit(event, …)`. Return a function that
        unregisters it.

        A coroutine function (or an object whose `__call__` is one) runs on the event loop that is
        running now, or, if there is none, on a loop in the hook's thread. A hook receives its
        events in order. While 1,000 events wait for a hook, further events are dropped for this
        hook, and this is logged. `aclose` of the service removes all hooks: register them again
        after another `start`. Raises ValueError for an inline coroutine function.
        """
        registered = _Registered(event, hook, inline=inline)
        with self._lock:
            self._hooks[event] = (*self._hooks.get(event, ()), registered)

        def unregister() -> None:
            with self._lock:
                self._hooks[event] = tuple(
                    other for other in self._hooks.get(event, ()) if other is not registered
                )
            registered.close()

        return unregister

    def emit(self, event: str, /, **payload: Any) -> None:
        """Pass an event to its hooks. Returns at once. The payload may have any key, including
        `event`."""
        for hook in self._hooks.get(event, ()):
            hook.take(payload)

    def close(self) -> None:
        """Remove all hooks. Their threads end when their queues are empty."""
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
                raise ValueError(
                    f"hook {_name(hook)} is a coroutine function and cannot be called inline"
                )
            with suppress(RuntimeError):  # without a running loop, the hook's thread runs one
                self._loop = asyncio.get_running_loop()

    def take(self, payload: dict[str, Any]) -> None:
        if self._closed:
            return
        if self._inline:
            self._call(payload)
        elif self._waiting.qsize() < QUEUE_MAX:
            self._full = False
            self._waiting.put(payload)
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._work, name=f"hook {self._event}", daemon=True
                    )
                    self._thread.start()
        elif not self._full:
            self._full = True
            log.warning(
                "hook %s is too slow for %s: events are dropped", _name(self._hook), self._event
            )

    def close(self) -> None:
        self._closed = True
        self._waiting.put(None)

    def _work(self) -> None:
        while (payload := self._waiting.get()) is not None:
            self._call(payload)

    def _call(self, payload: dict[str, Any]) -> None:
        """Call the hook and log its errors, even a SystemExit. A KeyboardInterrupt of an inline
        hook is raised, because it may come from the user."""
        try:
            result = self._hook(**payload)
            if self._inline and inspect.iscoroutine(result):
                # A plain function returned a coroutine. It is not run: inline hooks may not wait.
                result.close()
                log.warning(
                    "hook %s returned a coroutine for %s: register it without inline",
                    _name(self._hook),
                    self._event,
                )
            elif inspect.isawaitable(result):
                self._finish(result)
        except BaseException as error:
            if self._inline and isinstance(error, KeyboardInterrupt):
                raise
            self._failed(error)

    def _finish(self, result: Awaitable[Any]) -> None:
        """Wait in the hook's thread until `result` is done."""
        if self._loop is None or self._loop.is_closed():
            asyncio.run(self._guarded(result))
            return
        future = asyncio.run_coroutine_threadsafe(self._guarded(result), self._loop)
        while not concurrent.futures.wait([future], LOOP_LOOK_SECONDS).done:
            if self._loop.is_closed():
                log.warning(
                    "hook %s on %s did not end before its loop was closed",
                    _name(self._hook),
                    self._event,
                )
                return
        future.result()

    async def _guarded(self, result: Awaitable[Any]) -> None:
        try:
            await result
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # SystemExit in a task would end its event loop, which belongs to the agent.
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        # The text of the error is not logged, because it may contain the payload.
        log.warning(
            "hook %s failed on %s: %s", _name(self._hook), self._event, type(error).__name__
        )


def _is_coroutine_function(hook: Hook) -> bool:
    call = getattr(type(hook), "__call__", None)  # noqa: B004 - asks whether it is a coroutine function, not whether it is callable
    return inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(call)


def _name(hook: Hook) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)
