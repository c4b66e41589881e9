"""A program that reads files for another process, which may have them open as databases.

`bytes_below.py` starts it. Each line of stdin is the path of a file, as JSON. The answer on stdout
is a row of blocks, each after its length (8 bytes, big-endian); length 0 ends the file. A negative
length -n says that the file cannot be read, followed by n bytes: the reason in UTF-8, one blank if
the file does not exist. Uses the standard library alone and imports nothing of Historian.
"""

from __future__ import annotations

import json
import os
import stat
import sys

BLOCK_BYTES = 4 * 1024 * 1024


def main() -> None:
    """Answer until stdin ends."""
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        try:
            _send(json.loads(line))
        except FileNotFoundError:
            _refuse(b" ")
        except OSError as error:
            _refuse((error.strerror or str(error)).encode())
        else:
            out.write(bytes(8))
        out.flush()


def _send(path: str) -> None:
    # A pipe in the place of the file is not waited for, and a link is not followed.
    flags = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb", buffering=0) as file:
        while stat.S_ISREG(os.fstat(file.fileno()).st_mode) and (block := file.read(BLOCK_BYTES)):
            sys.stdout.buffer.write(len(block).to_bytes(8, "big"))
            sys.stdout.buffer.write(block)


def _refuse(reason: bytes) -> None:
    sys.stdout.buffer.write((-len(reason)).to_bytes(8, "big", signed=True))
    sys.stdout.buffer.write(reason)


if __name__ == "__main__":
    main()
