"""The context of a command: the shared options, the settings, and the output; errors of commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from ...schema.errors import HistorianError, InvalidInput
from ..lookups import NotFound
from .console import Cell, emit, fields, make_console, plain, report, table
from .help_pages import error_in_chinese
from .language import language, later, say

if TYPE_CHECKING:
    from ...schema.settings import Settings

Item = TypeVar("Item")

NOTHING_STORED = later("nothing is stored yet: {place} does not exist")
FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130


class CommandFailed(HistorianError):
    """A failure of a command; exit status 1."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(say(message, **values))


class WrongUse(CommandFailed, InvalidInput):
    """Arguments that are invalid or cannot be combined; exit status 2."""


@dataclass(frozen=True)
class Shell:
    """The context of a command: the shared options, the settings, and the output.

    Messages are English texts of the catalogue. The methods translate them and fill their
    placeholders.
    """

    config: Path | None = None
    data_dir: Path | None = None
    json: bool = False
    verbosity: int = 0
    log_json: bool = False
    to_close: ExitStack = field(default_factory=ExitStack, compare=False)
    """Resources that are closed when the command ends."""

    @cached_property
    def settings(self) -> Settings:
        """The settings, which are read at the first use. Raises SettingsError."""
        from ...schema.settings.source import load_settings

        settings = load_settings(self.config)
        if self.data_dir is None:
            return settings
        cognitive = settings.cognitive.model_copy(
            update={"data_dir": str(self.data_dir.expanduser().absolute())}
        )
        return settings.model_copy(update={"cognitive": cognitive})

    @property
    def directory(self) -> Path:
        """The data directory."""
        return Path(self.settings.cognitive.data_dir)

    @cached_property
    def out(self) -> Console:
        return make_console()

    @cached_property
    def err(self) -> Console:
        return make_console(stderr=True)

    def tell(self, message: str = "", /, **values: object) -> None:
        """Print one line for people on stdout. With `--json` nothing is printed."""
        if not self.json:
            self.out.print(plain(say(message, **values)), soft_wrap=True)

    def note(self, message: str, /, **values: object) -> None:
        """Print one line on stderr."""
        self.err.print(say(message, **values), soft_wrap=True)

    def emit(self, **values: Any) -> None:
        """Print one JSON object."""
        emit(values)

    def result(self, data: Mapping[str, Any], message: str, /, **values: object) -> None:
        """Print `data` with `--json`, else the message."""
        if self.json:
            emit(data)
        else:
            self.tell(message, **values)

    def report(self, data: Mapping[str, Any], *shown: str) -> None:
        """Print JSON data, or for people a table of names and values.

        If names are given in `shown`, people see only these.
        """
        if self.json:
            emit(data)
        else:
            self.out.print(report({name: data[name] for name in shown or data if name in data}))

    def rows(
        self,
        found: Sequence[Item],
        data: Callable[[Item], Mapping[str, Any]],
        columns: str,
        cells: Callable[[Item], Sequence[Cell]],
        *,
        wide: int = -1,
        empty: str = "",
    ) -> None:
        """Print items as a table, or `empty` if there are none. With `--json`, one object per item.

        `columns` is one message with the names of the columns, separated by |. `wide` is the index
        of the column that takes the remaining width.
        """
        if self.json:
            for one in found:
                emit(data(one))
        elif found or not empty:
            self.table(columns, map(cells, found), wide=wide)
        else:
            self.tell(empty)

    def table(self, columns: str, rows: Iterable[Sequence[Cell]], *, wide: int = -1) -> None:
        """Print a table. `columns` has the same format as for `rows`."""
        self.out.print(table(say(columns).split("|"), rows, wide=wide))

    def fields(self, values: Mapping[str, object | RenderableType]) -> None:
        """Print translated names and their values, one pair per line."""
        self.out.print(fields({say(name): value for name, value in values.items()}))

    @contextmanager
    def progress(self, what: str, *, hidden: bool = False) -> Iterator[Callable[[int, int], None]]:
        """Show a progress bar on a terminal. Yield the function to call with (done, total)."""
        from rich.progress import MofNCompleteColumn, Progress

        off = hidden or self.json or not self.err.is_terminal
        columns = *Progress.get_default_columns(), MofNCompleteColumn()
        with Progress(*columns, console=self.err, transient=True, disable=off) as bar:
            task = bar.add_task(say(what), total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def confirm(
        self,
        question: str,
        /,
        *,
        yes: bool,
        shown: Callable[[], None] | None = None,
        **values: object,
    ) -> None:
        """Ask before an irreversible action; end the command unless the answer is yes.

        `shown` is called before the question. Nothing is asked with `yes`, with `--json`, or if
        stdin is no terminal.
        """
        if not yes and self.can_ask:
            if shown is not None:
                shown()
            typer.confirm(say(question, **values), abort=True)

    @property
    def can_ask(self) -> bool:
        """True if questions can be asked: stdin is a terminal, and `--json` is not given."""
        return not self.json and sys.stdin.isatty()

    def ask(self, question: str, /, **values: object) -> str:
        """Return the line that the user enters as an answer; it may be empty."""
        answer: str = typer.prompt(say(question, **values), default="", show_default=False)
        return answer

    @property
    def has_data(self) -> bool:
        """True if there may be data, in a database or the data directory."""
        return bool(self.settings.stores.url) or self.directory.is_dir()

    def needs_data(self) -> bool:
        """Return `has_data`. If it is False, print a note with the data directory on stderr."""
        if not self.has_data:
            self.note(NOTHING_STORED, place=plain(self.directory))
        return self.has_data

    def end_without_data(self) -> None:
        """End the command with status 0 if there is no data, after the note of `needs_data`."""
        if not self.needs_data():
            raise typer.Exit

    def check_data(self) -> None:
        """Raise CommandFailed if nothing is stored yet."""
        if not self.has_data:
            raise CommandFailed(NOTHING_STORED, place=self.directory)

    def needs_memory(self) -> None:
        """Raise CommandFailed if memory is switched off."""
        if not self.settings.cognitive.enabled:
            raise CommandFailed(
                "memory is switched off (cognitive.enabled = false); switch it on to accept and "
                "file jobs. Jobs that were accepted earlier are still on disk"
            )

    def error(self, error: object) -> None:
        """Print an error in one line on stderr."""
        if isinstance(error, NotFound):
            message = say(error.message, **error.values)
        else:
            message = str(error) if language() == "en" else error_in_chinese(str(error))
        line = " ".join(plain(message).split())
        self.err.print(Text.assemble((say("error: "), "bold red"), line), soft_wrap=True)

    def fail(self, error: Exception, status: int) -> NoReturn:
        """End the command with one line on stderr. With `-vv` also print the traceback."""
        if self.verbosity > 1:
            self.err.print_exception()
        self.error(error)
        raise typer.Exit(status) from None
