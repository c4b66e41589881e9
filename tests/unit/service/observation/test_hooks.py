"""The hook registry."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
from historian.service.observation.hooks import QUEUE_MAX, Hooks


def test_every_hook_hears_of_its_events_in_order() -> None:
    hooks, done = Hooks(), threading.Event()
    heard: list[int] = []

    def listen(n: int) -> None:
        heard.append(n)
        if n == 99:
            done.set()

    hooks.register("tick", listen)
    hooks.register("tock", lambda n: heard.append(-n))
    for n in range(100):
        hooks.emit("tick", n=n)
    assert done.wait(10)
    assert heard == list(range(100))
    hooks.close()


def test_the_error_of_one_hook_is_not_anothers_and_its_text_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks, heard = Hooks(), []

    def broken(word: str) -> None:
        raise ValueError(f"cannot use {word}")

    hooks.register("said", broken, inline=True)
    hooks.register("said", lambda word: heard.append(word), inline=True)
    with caplog.at_level(logging.WARNING):
        hooks.emit("said", word="swordfish")
    assert heard == ["swordfish"]
    assert "ValueError" in caplog.text
    assert "swordfish" not in caplog.text


def test_a_hook_that_hangs_delays_nobody_and_its_queue_is_bounded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks, gate, quick = Hooks(), threading.Event(), threading.Event()
    hooks.register("tick", lambda: gate.wait(10))
    hooks.register("tick", quick.set)
    with caplog.at_level(logging.WARNING):
        for _ in range(QUEUE_MAX + 50):
            hooks.emit("tick")
    assert quick.wait(10)
    assert caplog.text.count("too slow") >= 1
    gate.set()
    hooks.close()


def test_an_unregistered_hook_hears_nothing_more() -> None:
    hooks, heard = Hooks(), []
    unregister = hooks.register("tick", lambda: heard.append(1), inline=True)
    hooks.emit("tick")
    unregister()
    unregister()
    hooks.emit("tick")
    hooks.emit("never registered")
    assert heard == [1]


async def test_a_coroutine_function_runs_on_the_loop_it_was_registered_in() -> None:
    hooks, heard = Hooks(), asyncio.Event()
    loops = []

    async def listen() -> None:
        loops.append(asyncio.get_running_loop())
        heard.set()

    hooks.register("tick", listen)
    hooks.emit("tick")
    async with asyncio.timeout(10):
        await heard.wait()
    assert loops == [asyncio.get_running_loop()]
    with pytest.raises(ValueError, match="inline"):
        hooks.register("tick", listen, inline=True)


def test_a_coroutine_function_runs_without_a_loop_too() -> None:
    hooks, done = Hooks(), threading.Event()

    async def listen() -> None:
        done.set()

    hooks.register("tick", listen)
    hooks.emit("tick")
    assert done.wait(10)


@pytest.mark.parametrize(
    "error",
    [SystemExit(3), asyncio.CancelledError(), GeneratorExit()],
    ids=lambda error: type(error).__name__,
)
def test_an_inline_hook_that_wants_the_program_to_end_ends_neither_it_nor_the_other_hooks(
    error: BaseException,
) -> None:
    hooks, heard = Hooks(), []

    def leave() -> None:
        raise error

    hooks.register("tick", leave, inline=True)
    hooks.register("tick", lambda: heard.append(1), inline=True)
    hooks.emit("tick")
    assert heard == [1]


def test_a_keyboard_interrupt_may_be_the_users_own_and_goes_through() -> None:
    hooks = Hooks()

    def interrupted() -> None:
        raise KeyboardInterrupt

    hooks.register("tick", interrupted, inline=True)
    with pytest.raises(KeyboardInterrupt):
        hooks.emit("tick")


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_hooks_thread_outlives_whatever_the_hook_raises(error: type[BaseException]) -> None:
    hooks, done = Hooks(), threading.Event()

    def leave_at_first(n: int) -> None:
        if n == 0:
            raise error
        done.set()

    hooks.register("tick", leave_at_first)
    hooks.emit("tick", n=0)
    hooks.emit("tick", n=1)
    assert done.wait(10)
    hooks.close()


async def test_a_coroutine_that_raises_system_exit_ends_no_loop() -> None:
    hooks, done = Hooks(), asyncio.Event()

    async def leave_at_first(n: int) -> None:
        if n == 0:
            raise SystemExit(3)
        done.set()

    hooks.register("tick", leave_at_first)
    hooks.emit("tick", n=0)
    hooks.emit("tick", n=1)
    async with asyncio.timeout(10):
        await done.wait()
    hooks.close()


def test_the_payload_may_hold_a_name_of_the_registrys_own() -> None:
    hooks, heard = Hooks(), []
    hooks.register("tick", lambda event, self: heard.append((event, self)), inline=True)
    hooks.emit("tick", event="x", **{"self": "y"})
    assert heard == [("x", "y")]


async def test_an_object_with_an_asynchronous_call_is_a_coroutine_function() -> None:
    hooks, loops, heard = Hooks(), [], asyncio.Event()

    class Listener:
        async def __call__(self) -> None:
            loops.append(asyncio.get_running_loop())
            heard.set()

    with pytest.raises(ValueError, match="inline"):
        hooks.register("tick", Listener(), inline=True)
    hooks.register("tick", Listener())
    hooks.emit("tick")
    async with asyncio.timeout(10):
        await heard.wait()
    assert loops == [asyncio.get_running_loop()]
    hooks.close()


@pytest.mark.filterwarnings("error")
async def test_a_coroutine_that_comes_of_an_inline_hook_is_told_of_and_not_left_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooks = Hooks()

    async def listen() -> None:
        raise AssertionError("it must not run")

    hooks.register("tick", lambda: listen(), inline=True)
    hooks.emit("tick")
    assert "without inline" in caplog.text


def test_closed_hooks_leave_no_thread_behind_and_hear_nothing_more() -> None:
    hooks, heard = Hooks(), threading.Event()
    before = set(threading.enumerate())
    hooks.register("tick", heard.set)
    hooks.emit("tick")
    assert heard.wait(10)
    (thread,) = set(threading.enumerate()) - before
    hooks.close()
    thread.join(10)
    assert not thread.is_alive()
    heard.clear()
    hooks.emit("tick")
    assert set(threading.enumerate()) <= before
