"""The command line. Slow imports are inside the commands, so that the other commands start fast."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from .console import plain
from .invocation import APP as app
from .invocation import to_nowhere
from .language import language_for, say, speaking
from .shell import FAILED

__all__ = ["app", "run"]

COMMANDS = (
    *(
        "demo",
        "initialise",
        "ingest",
        "index",
        "worker",
        "searching",
        "events",
        "documents.profiles",
    ),
    *("documents.corrections", "documents.chapters"),
    *(
        "jobs",
        "data.forget",
        "data.transfer",
        "data.backups",
        "data.migrate",
        "filters",
        "graph",
        "doctor",
        "stats",
    ),
    *("reembed", "reprocess", "mcp", "serve"),
)
"""The modules that register commands, in the order of the help page."""

for _module in COMMANDS:
    import_module(f".commands.{_module}", __package__)


def run() -> None:
    """Run the command line of this process."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the locale cannot encode must not end a command with an error.
            stream.reconfigure(errors="replace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        sys.exit(FAILED)
    except OSError as error:
        # For example, the disk is full. A second error during the report of this one is ignored.
        with suppress(OSError), speaking(language_for(sys.argv[1:])):
            sys.stderr.write(f"{say('error: ')}{plain(error)}\n")
        for stream in (sys.stdout, sys.stderr):
            to_nowhere(stream)
        sys.exit(FAILED)


def _open_what_is_closed() -> None:
    """Open the null device for each standard stream that the caller has closed (`>&-`).

    Python sets such a stream to None.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the process is
