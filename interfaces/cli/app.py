"""The command line put together. Heavy imports wait inside the commands, so that the small ones answer at once."""

from __future__ import annotations

import io
import sys
from importlib import import_module

from .root import app

__all__ = ["app", "run"]

COMMANDS = (
    "demo",
    "initialise",
    "ingest",
    "index",
    "worker",
    "searching",
    "events",
    "profiles",
    "chapters",
    "summaries",
    "jobs",
    "forget",
    "transfer",
    "migrate",
    "filters",
    "graph",
    "doctor",
    "stats",
    "reembed",
    "mcp",
)
"""The modules that register commands, in the order of the help."""

for _module in COMMANDS:
    import_module(f".{_module}", __package__)


def run() -> None:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a locale that lacks a character must not end a command half-way
    app()
