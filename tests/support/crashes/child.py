"""Work in forked children, some of which kill themselves on the way."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked child and return its process id; the child ends with 0 if it returns, with 1 if it raises."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return child


def exit_code(child: int) -> int:
    """Wait for the end of a child; -N if signal N ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_killed(work: Callable[[], object]) -> bool:
    """Run `work` in a child. Return True if the child killed itself, False if it ran through; nothing else may happen."""
    code = exit_code(in_child(work))
    assert code in (0, -signal.SIGKILL)
    return code != 0


class Killer:
    """Kills this process (SIGKILL) at the nth of the points that it passes."""

    def __init__(self, point: int) -> None:
        self.left = point

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function` with a point before it and one behind it."""

        def call(*arguments: Any, **options: Any) -> Any:
            self.point()
            result = function(*arguments, **options)
            self.point()
            return result

        return call

    def point(self) -> None:
        """Pass a point."""
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
