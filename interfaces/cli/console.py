"""Output of commands.

People get tables and colours, programs get one JSON object per line. Logs go to stderr only.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..texts import Piece, size, words
from .language import catalogue, duration, encodes, language, listed, percent, say

PIPE_WIDTH = 160
"""Width in columns if the output is not a terminal. It is large, so that `grep` finds a table row
in one line."""

SHORT_TEXT = 400
"""Maximum number of characters in a table cell; `show` commands and `--json` print whole texts."""

Cell = str | Text

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
"""The styles of the lines of a unified diff, by their first character."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console for stdout or stderr.

    It uses colours only on terminals, honours NO_COLOR, and interprets no markup or emoji codes.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def plain(text: object) -> str:
    """Return `text` with control and formatting characters replaced by U+FFFD.

    Such characters, for example bidirectional overrides, could control the terminal. Line feeds and
    tabs are unchanged.
    """
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cf", "Cs"} else "\ufffd"
        for c in str(text)
    )


def short(text: object, limit: int = SHORT_TEXT) -> str:
    """Return `text` as one line of at most `limit` characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def minute(timestamp: str) -> str:
    """Return the date, hour and minute of an ISO 8601 timestamp for people (2026-02-21 17:30)."""
    return timestamp[:16].replace("T", " ")


def json_line(value: Mapping[str, Any]) -> str:
    """Return a JSON object as one line.

    Non-ASCII characters are escaped if stdout cannot encode them.
    """
    line = json.dumps(value, ensure_ascii=False)
    return line if encodes(sys.stdout, line) else json.dumps(value)


def emit(value: Mapping[str, Any]) -> None:
    """Print a JSON object and flush, so that the reader of a pipe gets it at once."""
    sys.stdout.write(json_line(value) + "\n")
    sys.stdout.flush()


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, wide: int = -1) -> Table:
    """Return a plain table.

    `wide` is the index of the column that takes the remaining width; the others are not wrapped.
    """
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for number, name in enumerate(columns):
        is_wide = number == wide % len(columns)
        made.add_column(name, overflow="fold", ratio=1 if is_wide else None, no_wrap=not is_wide)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else plain(cell) for cell in row))
    return made


def fields(values: Mapping[str, object | RenderableType]) -> Table:
    """Return a table with one name and its value per row."""
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in values.items():
        made.add_row(name, value if isinstance(value, Text | Table) else plain(value))
    return made


def report(data: Mapping[str, Any]) -> Table:
    """Return JSON data as a table for people, with one name and its value per row.

    Values that are 0, False, None or empty are left out, except an empty object.
    """
    told = {name: _told(name, value) for name, value in data.items() if value or value == {}}
    return fields({_label(name): text for name, text in told.items()})


def _label(name: str) -> str:
    if language() == "zh":
        return str(catalogue()["reports"].get(name, name))
    return name.replace("_", " ")


def _told(name: str, value: Any) -> str:
    """Return a value for people. The end of its name (`seconds`, `_share`) determines the unit."""
    if isinstance(value, Mapping):
        parts = [f"{_label(key)} {_told(key, one)}" for key, one in value.items() if one]
        return listed(parts) or say("none")
    if isinstance(value, list | tuple):
        return "; ".join(_told(name, one) for one in value)
    if isinstance(value, bool):
        return say("yes")
    if name.endswith("seconds"):
        return duration(value)
    if name.endswith("_share"):
        return percent(value)
    if name == "bytes":
        return size(value)
    return f"{value:g}" if isinstance(value, float) else plain(value)


def changes(before: str, after: str) -> tuple[Text, Text]:
    """Return both texts: removed parts are red and struck through, added parts are green."""
    old, new = words(plain(before), plain(after))
    return _shown(old, "red strike"), _shown(new, "bold green")


def _shown(pieces: Sequence[Piece], style: str) -> Text:
    return Text.assemble(*((text, style if is_own else "") for is_own, text in pieces))


def coloured(line: str) -> Text:
    """Return a line of a unified diff in its colour."""
    style = "bold" if line.startswith(("+++", "---")) else _STYLES.get(line[:1], "default")
    return Text(plain(line), style=style)


HANDLER = "historian command line"


class ConsoleHandler(logging.Handler):
    """A log handler that writes through the console of stderr.

    The console keeps log lines and a progress bar apart.
    """

    def __init__(self, console: Console, *, tracebacks: bool) -> None:
        super().__init__()
        self._console = console
        self._tracebacks = tracebacks

    def emit(self, record: logging.LogRecord) -> None:
        try:
            style = (
                "red"
                if record.levelno >= logging.ERROR
                else "yellow"
                if record.levelno >= logging.WARNING
                else "dim"
            )
            line = Text.assemble(
                (f"{record.levelname.lower()}: ", style), plain(record.getMessage())
            )
            self._console.print(line, soft_wrap=True)
            if self._tracebacks and record.exc_info:
                self._console.print(
                    plain(logging.Formatter().formatException(record.exc_info)), soft_wrap=True
                )
        except BrokenPipeError:
            raise
        except Exception:
            self.handleError(record)


def set_up_logging(console: Console, verbosity: int, *, as_json: bool = False) -> None:
    """Set up logging to stderr.

    Warnings are logged; with `-v` also INFO and tracebacks, with `-vv` also Historian's DEBUG
    messages. With `as_json` the log has JSON lines, from INFO on.
    """
    verbosity = max(verbosity, int(as_json))
    level = (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)]
    root = logging.getLogger()
    for old in [one for one in root.handlers if getattr(one, "name", None) == HANDLER]:
        root.removeHandler(old)
    handler: logging.Handler = ConsoleHandler(console, tracebacks=verbosity > 0)
    if as_json:
        from ...service.telemetry.structured_logs import json_handler

        handler = json_handler()
    handler.name = HANDLER
    root.addHandler(handler)
    root.setLevel(max(level, logging.INFO))
    logging.getLogger("historian").setLevel(level)
    for noisy in ("httpx", "httpcore", "openai", "chromadb"):
        logging.getLogger(noisy).setLevel(logging.WARNING if verbosity < 2 else logging.INFO)
