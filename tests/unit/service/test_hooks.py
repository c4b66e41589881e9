"""The hook registry."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
from historian.service.hooks import QUEUE_MAX, Hooks


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


def test_the_error_of_one_hook_is_not_anothers_and_its_text_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
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


def test_a_hook_that_hangs_delays_nobody_and_its_queue_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
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
