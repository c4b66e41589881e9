"""A program that reads files for another process, which may have them open as databases.

`bytes_below.py` starts it. Each line of stdin is the path of a file, as JSON. The answer on stdout
is a sequence of pickles: blocks of bytes, the last one empty (the only one if the file does not
exist), or a str, the reason why the file cannot be read. Imports nothing of Historian.
"""

from __future__ import annotations

import json
import os
import pickle
import stat
import sys
from collections.abc import Iterator

BLOCK_BYTES = 4 * 1024 * 1024


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin.buffer:
        for block in _read(json.loads(line)):
            pickle.dump(block, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _read(path: str) -> Iterator[bytes | str]:
    # Do not wait for a pipe in the place of the file, and do not follow a link.
    flags = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb", buffering=0) as file:
            while stat.S_ISREG(os.fstat(file.fileno()).st_mode) and (
                block := file.read(BLOCK_BYTES)
            ):
                yield block
        yield b""
    except FileNotFoundError:
        yield b""
    except OSError as error:
        yield error.strerror or str(error)


if __name__ == "__main__":
    main()
