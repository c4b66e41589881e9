"""The application, the options that all commands share, and the exit status of commands.

A command is a function whose first parameter is the `Shell`. The decorator `command` registers it
with typer and adds `--config`, `--data-dir`, `--json`, `--log-json` and `-v`. These options are
accepted before and after the name of the command. An error of the function is printed as one line
on stderr and ends the process with an exit status. The docstring of the function is its help text.
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
"""The typer arguments that the application and its command groups share."""


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

        `columns` is one message with the names of the columns, separated by |.
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
            message = str(error) if language() == "en" else refusal(str(error))
        line = " ".join(plain(message).split())
        self.err.print(Text.assemble((say("error: "), "bold red"), line), soft_wrap=True)

    def fail(self, error: Exception, status: int) -> NoReturn:
        """End the command with one line on stderr. With `-vv` also print the traceback."""
        if self.verbosity > 1:
            self.err.print_exception()
        self.error(error)
        raise typer.Exit(status) from None


def shell_of(
    context: typer.Context,
    config: Annotated[
        Path | None,
        Option(
            "--config",
            metavar="FILE",
            help="The configuration file (default: HISTORIAN_CONFIG, else ./config.toml).",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        Option(
            "--data-dir", metavar="DIR", help="The data directory, instead of the configured one."
        ),
    ] = None,
    json: Annotated[
        bool, Option("--json", help="Print one JSON object per line, for programs.")
    ] = False,
    verbose: Annotated[
        int,
        Option(
            "--verbose",
            "-v",
            count=True,
            help="Log what is done; -vv logs everything.",
            show_default=False,
        ),
    ] = 0,
    log_json: Annotated[
        bool,
        Option(
            "--log-json",
            envvar="HISTORIAN_LOG_JSON",
            help="Log to stderr as JSON lines, with job ids.",
        ),
    ] = False,
) -> Shell:
    """Return the `Shell` of a command.

    Options after the name of the command override those before it.
    """
    outer = (
        context.parent.obj
        if context.parent is not None and isinstance(context.parent.obj, Shell)
        else Shell()
    )
    return replace(
        outer,
        config=config or outer.config,
        data_dir=data_dir or outer.data_dir,
        json=json or outer.json,
        verbosity=max(verbose, outer.verbosity),
        log_json=log_json or outer.log_json,
    )


SHARED = inspect.signature(shell_of, eval_str=True).parameters
"""The parameters that all commands share."""


def command(
    name: str, app: typer.Typer | None = None, *, more: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[Function], Function]:
    """Return a decorator that registers a function `(shell, …)` as a command of `app`.

    The decorator returns the function unchanged. `more` are further parameters (`Annotated[…]` by
    name), which precede the function's own; the function gets them as `**values`. A parameter whose
    type includes None is optional.
    """
    keyword, required = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    before = [
        inspect.Parameter(
            one,
            keyword,
            annotation=kind,
            default=None if type(None) in get_args(get_args(kind)[0]) else required,
        )
        for one, kind in more.items()
    ]

    def register(function: Function) -> Function:
        own = [
            one
            for one in inspect.signature(function, eval_str=True).parameters.values()
            if one.kind is not one.VAR_KEYWORD
        ]

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
    """Return a new command group, which accepts the shared options too."""
    app = _with_options()
    APP.add_typer(app, name=name, help=summary)
    return app


def _with_options(*more: inspect.Parameter, **about: Any) -> typer.Typer:
    """Return an application or group that accepts the shared options and `more`."""
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
    """Return the application, which accepts the shared options and `--version`."""
    help_text = "Print the version and exit."
    option = Option("--version", help=help_text, is_eager=True, callback=_print_version)
    keyword = inspect.Parameter.KEYWORD_ONLY
    version = inspect.Parameter(
        "version", keyword, default=False, annotation=Annotated[bool, option]
    )
    return _with_options(
        version,
        name="historian",
        help="Long-term memory for chat bots: what a bot did and learnt becomes events that stay true out of context, and "
        "profiles of people and groups. Begin with `historian demo`.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )


def _set_signature(function: Callable[..., Any], parameters: Iterable[inspect.Parameter]) -> None:
    keyword_only = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters
    ]
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
    """Redirect `stream` to the null device.

    Otherwise the last flush of the interpreter would fail after a broken pipe.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


APP = _application()
"""The application; `app.py` imports the modules that register commands with it."""
