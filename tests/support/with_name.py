"""Run a command and print its lines as they come, each behind a name: what runs side by side stays legible.

    python tests/support/with_name.py units python -m pytest tests/unit

While no line is finished, the seconds and what stands of the next line are printed every few seconds (EVERY_SECONDS in the
environment, 5 by default). Ends with the command's status.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from queue import Empty, Queue

NOBODY_READS = 141
"""The status of a command whose reader has gone (`make test | head`), as shells give it."""


def show(name: str, line: bytes) -> None:
    sys.stdout.buffer.write(f"{name:>8} | ".encode() + line + b"\n")
    sys.stdout.buffer.flush()


def show_all(name: str, run: subprocess.Popen[bytes]) -> None:
    """Show the command's lines until it ends, and that it still runs."""
    assert run.stdout is not None
    every = float(os.environ.get("EVERY_SECONDS", "5"))
    pieces: Queue[bytes] = Queue(maxsize=100)
    file = run.stdout.fileno()

    def read() -> None:
        with suppress(OSError):  # closed: nobody reads any longer
            while piece := os.read(file, 65_536):
                pieces.put(piece)
        pieces.put(b"")

    threading.Thread(target=read, daemon=True).start()
    begun = shown = time.monotonic()
    unfinished = b""
    while True:
        try:
            piece = pieces.get(timeout=max(0.01, shown + every - time.monotonic()))
        except Empty:
            piece = None
        if piece == b"":
            break
        *lines, unfinished = (unfinished + (piece or b"")).split(b"\n")
        for line in lines:
            show(name, line)
            shown = time.monotonic()
        if time.monotonic() >= shown + every:
            shown = time.monotonic()
            show(name, f"after {shown - begun:.0f} s: ".encode() + (unfinished or b"no line yet"))
    if unfinished:
        show(name, unfinished)


def main(name: str, *command: str) -> int:
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environ
    ) as run:
        try:
            show_all(name, run)
        except BrokenPipeError:
            run.terminate()
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
            )  # for the interpreter's last flush
            return NOBODY_READS
        except KeyboardInterrupt:
            run.wait()  # it was interrupted too, and tells so
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
