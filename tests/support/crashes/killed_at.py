"""Runs a piece of work in forked children, each killed (SIGKILL) at another of its calls to the operating system."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from typing import Any

WATCHED = (
    "open",
    "write",
    "fsync",
    "close",
    "replace",
    "rename",
    "unlink",
    "utime",
    "mkdir",
    "rmdir",
)


def killed_at_every_call(work: Callable[[], Any], reset: Callable[[], None]) -> Iterator[int]:
    """Yield n after `work` was killed just before its nth watched call, beginning with 1, until it runs through.

    `reset` is called in the parent before each run. The last n yielded is that of the run that was not killed.
    """
    n = 0
    while True:
        n += 1
        reset()
        finished = _run_killed(work, n)
        yield n
        if finished:
            return


def _run_killed(work: Callable[[], Any], n: int) -> bool:
    child = os.fork()
    if child == 0:
        try:
            _arm(n)
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.waitstatus_to_exitcode(status) == 0, (
        "the work itself failed in the child; see its trace"
    )
    return True


def _arm(n: int) -> None:
    left = n

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        return call

    for name in WATCHED:
        setattr(os, name, watched(getattr(os, name)))
