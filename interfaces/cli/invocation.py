"""The application, the options that all commands share, and the exit status of commands.

A command is a function whose first parameter is the `Shell`. `command` registers it with typer, adds `--config`, `--data-dir`,
`--json`, `--log-json` and `-v` (accepted before and after the name of the command alike), runs it, and turns errors into one
line on stderr and an exit status. The docstring of the function is its help.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO, TypeVar, get_args

import typer
from rich.console import Console, RenderableType
from rich.text import Text
from typer import Option

from ...schema.errors import HistorianError, InvalidInput, SettingsError
from ..lookups import NotFound
from .console import Cell, emit, fields, make_console, plain, report, set_up_logging, table
from .help_pages import Command, Group, refusal
from .language import language, later, say, speaking

if TYPE_CHECKING:
    from ...schema.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])
Item = TypeVar("Item")

NOTHING_STORED = later("nothing is stored yet: {place} does not exist")
FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
PARSER: Mapping[str, Any] = {
    **{"cls": Group, "no_args_is_help": True, "rich_markup_mode": None},
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
"""What the application and its groups have in common."""


class CommandFailed(HistorianError):
    """The command could not do what was asked; exit status 1."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(say(message, **values))


class WrongUse(CommandFailed, InvalidInput):
    """The arguments of the command do not go together; exit status 2."""


@dataclass(frozen=True)
class Shell:
    """The context of a command: the shared options, their settings, and the output.

    Messages are English texts of the catalogue; the methods translate and fill them.
    """

    config: Path | None = None
    data_dir: Path | None = None
    json: bool = False
    verbosity: int = 0
    log_json: bool = False
    to_close: ExitStack = field(default_factory=ExitStack, compare=False)
    """What is closed when the command ends."""

    @cached_property
    def settings(self) -> Settings:
        """The settings, read when first needed. Raises SettingsError."""
        from ...schema.settings.source import load_settings

        settings = load_settings(self.config)
        if self.data_dir is None:
            return settings
        cognitive = settings.cognitive.model_copy(update={"data_dir": str(self.data_dir.expanduser().absolute())})
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
        """Print one line for people on stdout; nothing with `--json`."""
        if not self.json:
            self.out.print(plain(say(message, **values)), soft_wrap=True)

    def note(self, message: str, /, **values: object) -> None:
        """Print one line on stderr."""
        self.err.print(say(message, **values), soft_wrap=True)

    def emit(self, **values: Any) -> None:
        """Print one JSON object."""
        emit(values)

    def result(self, data: Mapping[str, Any], message: str, /, **values: object) -> None:
        """Print the result: `data` with `--json`, else the message."""
        if self.json:
            emit(data)
        else:
            self.tell(message, **values)

    def report(self, data: Mapping[str, Any], *shown: str) -> None:
        """Print JSON data; for people as names and values, only those of `shown` if any."""
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
        """Print items: one JSON object each with `--json`, else a table, or `empty` if there are none.

        `columns` names the columns in one message, separated by |.
        """
        if self.json:
            for one in found:
                emit(data(one))
        elif found or not empty:
            self.table(columns, map(cells, found), wide=wide)
        else:
            self.tell(empty)

    def table(self, columns: str, rows: Iterable[Sequence[Cell]], *, wide: int = -1) -> None:
        """Print a table; `columns` as `rows` takes them."""
        self.out.print(table(say(columns).split("|"), rows, wide=wide))

    def fields(self, values: Mapping[str, object | RenderableType]) -> None:
        """Print names, translated, and values, one a line."""
        self.out.print(fields({say(name): value for name, value in values.items()}))

    @contextmanager
    def progress(self, what: str, *, hidden: bool = False) -> Iterator[Callable[[int, int], None]]:
        """Show a progress bar on a terminal; yield the function to call with (done, total)."""
        from rich.progress import MofNCompleteColumn, Progress

        off = hidden or self.json or not self.err.is_terminal
        columns = *Progress.get_default_columns(), MofNCompleteColumn()
        with Progress(*columns, console=self.err, transient=True, disable=off) as bar:
            task = bar.add_task(say(what), total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def confirm(self, question: str, /, *, yes: bool, shown: Callable[[], None] | None = None, **values: object) -> None:
        """Ask on a terminal before something irreversible; end the command unless the answer is yes."""
        if not yes and self.can_ask:
            if shown is not None:
                shown()
            typer.confirm(say(question, **values), abort=True)

    @property
    def can_ask(self) -> bool:
        """True if somebody sits at a terminal who can answer."""
        return not self.json and sys.stdin.isatty()

    def ask(self, question: str, /, **values: object) -> str:
        """Return the line that is answered on the terminal; "" if it is empty."""
        answer: str = typer.prompt(say(question, **values), default="", show_default=False)
        return answer

    @property
    def has_data(self) -> bool:
        """True if there may be data, in a database or the data directory."""
        return bool(self.settings.stores.url) or self.directory.is_dir()

    def needs_data(self) -> bool:
        """Return True if there may be data, in a database or the data directory; otherwise print its path on stderr."""
        if not self.has_data:
            self.note(NOTHING_STORED, place=plain(self.directory))
        return self.has_data

    def end_without_data(self) -> None:
        """End the command where there is no data, as `needs_data` tells."""
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
                "memory is switched off (cognitive.enabled = false); switch it on to take jobs in and file them. "
                "What was accepted waits on disk"
            )

    def error(self, error: object) -> None:
        """Print an error in one line on stderr."""
        if isinstance(error, NotFound):
            message = say(error.message, **error.values)
        else:
            message = str(error) if language() == "en" else refusal(str(error))
        line = " ".join(plain(message).split())
        self.err.print(Text.assemble((say("error: "), "bold red"), line), soft_wrap=True)

    def fail(self, error: Exception, status: int) -> NoReturn:
        """End the command with one line on stderr; with `-vv`, with the traceback too."""
        if self.verbosity > 1:
            self.err.print_exception()
        self.error(error)
        raise typer.Exit(status) from None


def shell_of(
    context: typer.Context,
    config: Annotated[
        Path | None, Option("--config", metavar="FILE", help="The settings (else HISTORIAN_CONFIG, else ./config.toml).")
    ] = None,
    data_dir: Annotated[
        Path | None, Option("--data-dir", metavar="DIR", help="The data directory, in place of the configured one.")
    ] = None,
    json: Annotated[bool, Option("--json", help="One JSON object a line, for programs.")] = False,
    verbose: Annotated[
        int, Option("--verbose", "-v", count=True, help="Say what is done; -vv everything.", show_default=False)
    ] = 0,
    log_json: Annotated[
        bool, Option("--log-json", envvar="HISTORIAN_LOG_JSON", help="Log to stderr as JSON lines, with job ids.")
    ] = False,
) -> Shell:
    """Return the shell of a call; these options override those before the name of the command."""
    outer = context.parent.obj if context.parent is not None and isinstance(context.parent.obj, Shell) else Shell()
    return replace(
        outer,
        config=config or outer.config,
        data_dir=data_dir or outer.data_dir,
        json=json or outer.json,
        verbosity=max(verbose, outer.verbosity),
        log_json=log_json or outer.log_json,
    )


SHARED = inspect.signature(shell_of, eval_str=True).parameters
"""The parameters that every command has besides its own."""


def command(
    name: str, app: typer.Typer | None = None, *, more: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[Function], Function]:
    """Register a function `(shell, …)` as a command of `app`; the function itself is returned unchanged.

    `more` are parameters (`Annotated[…]` by name) that stand before its own, for a function that takes them as `**values`; those
    that may be None need not be given.
    """
    keyword, required = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    before = [
        inspect.Parameter(one, keyword, annotation=kind, default=None if type(None) in get_args(get_args(kind)[0]) else required)
        for one, kind in more.items()
    ]

    def register(function: Function) -> Function:
        own = [one for one in inspect.signature(function, eval_str=True).parameters.values() if one.kind is not one.VAR_KEYWORD]

        def run(**values: Any) -> None:
            shell = shell_of(**{one: values.pop(one) for one in SHARED})
            set_up_logging(shell.err, shell.verbosity, as_json=shell.log_json)
            with speaking("en" if shell.json else None):
                _run_to_its_end(shell, function, values)

        _set_signature(run, [*before, *own[1:], *SHARED.values()])
        (app or APP).command(name, cls=Command, help=inspect.getdoc(function))(run)
        return function

    return register


def group(name: str, summary: str) -> typer.Typer:
    """Return a new group of commands; it takes the shared options too."""
    app = _with_options()
    APP.add_typer(app, name=name, help=summary)
    return app


def _with_options(*more: inspect.Parameter, **about: Any) -> typer.Typer:
    """Return an application or group that takes the shared options, and `more`."""
    app = typer.Typer(**PARSER, **about)

    def options(**values: Any) -> None:
        context: typer.Context = values["context"]
        context.obj = shell_of(**{name: values[name] for name in SHARED})
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    _set_signature(options, [*SHARED.values(), *more])
    app.callback(invoke_without_command=bool(more))(options)
    return app


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from ... import __version__

        typer.echo(f"historian {__version__}")
        raise typer.Exit


def _application() -> typer.Typer:
    """Return the application, with the shared options and `--version`."""
    help_text = "Print the version and end."
    option = Option("--version", help=help_text, is_eager=True, callback=_print_version)
    keyword = inspect.Parameter.KEYWORD_ONLY
    version = inspect.Parameter("version", keyword, default=False, annotation=Annotated[bool, option])
    return _with_options(
        version,
        name="historian",
        help="Long-term memory for chat bots: what a bot did and learnt becomes events that stay true out of context, and "
        "profiles of people and groups. Begin with `historian demo`.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )


def _set_signature(function: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> None:
    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    function.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]  # what typer reads
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword_only}


def _run_to_its_end(shell: Shell, function: Callable[..., Any], values: dict[str, Any]) -> None:
    try:
        result = function(shell, **values)
        if inspect.iscoroutine(result):
            asyncio.run(result)
        sys.stdout.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        raise typer.Exit(FAILED) from None
    except (InvalidInput, SettingsError) as error:
        shell.fail(error, WRONG_USE)
    except HistorianError as error:
        shell.fail(error, FAILED)
    except KeyboardInterrupt:
        shell.note("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        shell.to_close.close()


def to_nowhere(stream: TextIO) -> None:
    """Redirect `stream` to the null device, so that the interpreter's last flush does not fail after a broken pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


APP = _application()
"""The application; `app.py` imports the modules that register commands with it."""
