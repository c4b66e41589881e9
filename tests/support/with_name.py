"""Run a command and print its lines as they come, each behind a name: what runs side by side stays legible.

    python tests/support/with_name.py units python -m pytest tests/unit

Ends with the command's status.
"""

from __future__ import annotations

import os
import subprocess
import sys

NOBODY_READS = 141
"""The status of a command whose reader has gone (`make test | head`), as shells give it."""


def main(name: str, *command: str) -> int:
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environ) as run:
        assert run.stdout is not None
        try:
            for line in run.stdout:
                sys.stdout.buffer.write(f"{name:>6} | ".encode() + line)
                sys.stdout.buffer.flush()
        except BrokenPipeError:
            run.terminate()
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the interpreter's last flush
            return NOBODY_READS
        except KeyboardInterrupt:
            run.wait()  # it was interrupted too, and tells so
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
