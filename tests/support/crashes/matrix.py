"""What crash matrices share: the parent that forks workers to be killed, and what their traces say."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[2]
ANSWER_SECONDS = 300


class Host:
    """The warm parent (`support.crashes.host`) and one order at a time to it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "support.crashes.host"],
            cwd=TESTS,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            self.process.kill()
            raise TimeoutError(f"a worker has not ended within {ANSWER_SECONDS} s: it hangs")
        return self.process.stdout.readline().strip()

    def work(self, name: str, directory: Path, **more: Any) -> dict[str, int]:
        """Let a child do a work of `support.crashes.works` in `directory`."""
        return self.drain(directory, "", work=name, **more)

    def drain(self, directory: Path, base_url: str, **more: Any) -> dict[str, int]:
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"directory": str(directory), "base_url": base_url, **more}) + "\n"
        )
        self.process.stdin.flush()
        answer: dict[str, int] = json.loads(self._line())
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)


def is_stopped(pid: int) -> bool:
    """Return True if a process has stopped (SIGSTOP)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def distinct(points: list[str]) -> list[int]:
    """The points that differ in what has happened: the first of all, and each one right after a side effect.

    Between the end of one side effect and the beginning of the next nothing lasting happens, whatever nodes begin and
    end there, so that one kill stands for all points of such a gap.
    """
    after_effect = [
        number
        for number in range(1, len(points))
        if points[number].endswith(" after")
        and points[number - 1] == points[number].replace(" after", " before")
    ]
    return [0, *after_effect]


def saved_answers(points: list[str]) -> int:
    """How many of the answers received before a kill had been checkpointed: a write of the saver has followed them."""
    saved = waiting = 0
    for point in points:
        if point == "LangChainChatModel.structured after":
            waiting += 1
        elif point == "ThreadedSaver.aput_writes after" or point == "ThreadedSaver.aput after":
            saved, waiting = saved + waiting, 0
    return saved
