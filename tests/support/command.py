"""The command line, called inside the process of the test."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from historian.interfaces.cli.app import app
from typer.testing import CliRunner

NO_MODELS = {
    "HISTORIAN__MODELS__EMBEDDING__PROVIDER": "none",
    "HISTORIAN__COGNITIVE__TIMEZONE": "Asia/Shanghai",
}


def at_noon() -> dict[str, str]:
    """Return the setting of a time zone in which it is noon now: in the small hours nobody knows which day "tomorrow" is."""
    return {"HISTORIAN__COGNITIVE__TIMEZONE": f"Etc/GMT{time.gmtime().tm_hour - 12:+d}"}


@dataclass(frozen=True)
class Called:
    """How a call ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """The JSON objects on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


_LEVELLED = (None, "historian", "httpx", "httpcore", "openai", "chromadb")
"""The loggers whose level the command line sets; None is the root."""


def historian(
    *arguments: object, stdin: str | bytes = "", environ: Mapping[str, str] | None = None
) -> Called:
    """Call `historian ARGUMENTS` without any model; an exception that the command lets through fails the test."""
    with _logging_as_before():
        result = CliRunner().invoke(
            app,
            [str(one) for one in arguments],
            input=stdin,
            env={**NO_MODELS, **(environ or {})},
            catch_exceptions=False,
        )
    return Called(result.exit_code, result.stdout, result.stderr)


@contextmanager
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    levels = {logging.getLogger(name): logging.getLogger(name).level for name in _LEVELLED}
    handlers = list(root.handlers)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for logger, level in levels.items():
            logger.setLevel(level)
