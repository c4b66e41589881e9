"""How a command is called: the options that all commands share, and how they end.

A command is a function whose first parameter is the `Shell`. `command` registers it with typer, adds `--config`,
`--data-dir`, `--json`, `--log-json` and `-v` (which are taken before and after the name of the command alike), runs it, and turns
errors into one line on stderr and an exit status. The docstring of the function is its help in English.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from ...schema.errors import HistorianError, InvalidInput, SettingsError
from .console import emit, make_console, plain, set_up_logging
from .help_pages import Command, Group
from .language import both, either, speaking

if TYPE_CHECKING:
    from ...schema.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])

FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help=both(
            "设置文件（否则用 HISTORIAN_CONFIG，再否则 ./config.toml）。",
            "The settings (else HISTORIAN_CONFIG, else ./config.toml).",
        ),
        show_default=False,
    ),
]
DataDirOption = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help=both("数据目录，代替设置里的那个。", "The data directory, in place of the configured one."),
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", help=both("给程序读：一行一个 JSON 对象。", "One JSON object a line, for programs."), show_default=False
    ),
]
VerboseOption = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        help=both("说出在做什么；-vv 说出一切。", "Say what is done; -vv everything."),
        show_default=False,
    ),
]

LogJsonOption = Annotated[
    bool,
    typer.Option(
        "--log-json",
        envvar="HISTORIAN_LOG_JSON",
        help=both("日志以 JSON 行写到 stderr，带任务 id。", "Log to stderr as JSON lines, with job ids."),
        show_default=False,
    ),
]

_SHARED = [
    inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
    inspect.Parameter("config", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=ConfigOption),
    inspect.Parameter("data_dir", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=DataDirOption),
    inspect.Parameter("json_output", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
    inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=0, annotation=VerboseOption),
    inspect.Parameter("log_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=LogJsonOption),
]


class CommandFailed(HistorianError):
    """What was asked for could not be done; exit status 1."""


@dataclass(frozen=True)
class Shell:
    """What a command works with: the shared options, the settings they lead to, and where to print."""

    config: Path | None = None
    given_data_dir: Path | None = None
    json: bool = False
    verbosity: int = 0
    log_json: bool = False

    @cached_property
    def settings(self) -> Settings:
        """The settings, read when first needed. Raises SettingsError."""
        from ...schema.settings_source import load_settings

        settings = load_settings(self.config)
        if self.given_data_dir is None:
            return settings
        cognitive = settings.cognitive.model_copy(update={"data_dir": str(self.given_data_dir.expanduser().absolute())})
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

    def say(self, text: str) -> None:
        """One line for people on stdout; nothing with `--json`."""
        if not self.json:
            self.out.print(plain(text), soft_wrap=True)

    def emit(self, **values: Any) -> None:
        """One JSON object."""
        emit(values)

    def needs_data(self) -> bool:
        """Whether there is a data directory; says on stderr where it was looked for if not."""
        if self.directory.is_dir():
            return True
        place = plain(self.directory)
        self.err.print(
            either(f"还没有存下任何东西：{place} 不存在", f"nothing is stored yet: {place} does not exist"), soft_wrap=True
        )
        return False

    def fail(self, message: object, status: int = FAILED) -> NoReturn:
        """End the command with one line on stderr."""
        line = Text.assemble((either("错误：", "error: "), "bold red"), " ".join(plain(message).split()))
        self.err.print(line, soft_wrap=True)
        raise typer.Exit(status)


def command(app: typer.Typer, name: str, *, zh: str) -> Callable[[Function], Function]:
    """Register a function `(shell, …)` as a command of `app`; `zh` is what its docstring says, in Chinese.

    The function itself is returned unchanged.
    """

    def register(function: Function) -> Function:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]

        @functools.wraps(function)
        def run(**values: Any) -> None:
            shell = shell_of(values.pop("context"), values)
            _guarded(shell, function, values)

        _set_signature(run, [*own, *_SHARED])
        app.command(name, cls=Command, help=both(zh, inspect.getdoc(function) or ""))(run)
        return function

    return register


def group(parent: typer.Typer, name: str, summary: str) -> typer.Typer:
    """A group of commands; it takes the shared options too."""
    app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, context_settings=HELP_NAMES)

    def options(**values: Any) -> None:
        context: typer.Context = values.pop("context")
        context.obj = shell_of(context, values)

    _set_signature(options, _SHARED)
    app.callback()(options)
    parent.add_typer(app, name=name, help=summary)
    return app


HELP_NAMES = {"help_option_names": ["-h", "--help"]}


def root(summary: str) -> typer.Typer:
    """The application, with the shared options and `--version`."""
    app = typer.Typer(
        name="historian",
        cls=Group,
        help=summary,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=HELP_NAMES,
    )

    def options(**values: Any) -> None:
        if values.pop("version"):
            from ... import __version__

            typer.echo(f"historian {__version__}")
            raise typer.Exit
        context: typer.Context = values.pop("context")
        context.obj = shell_of(context, values)
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    version = inspect.Parameter(
        "version",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool, typer.Option("--version", help=both("打印版本后结束。", "Print the version and end."), is_eager=True)
        ],
    )
    _set_signature(options, [*_SHARED, version])
    app.callback(invoke_without_command=True)(options)
    return app


def shell_of(context: typer.Context, values: dict[str, Any]) -> Shell:
    """Take the shared options out of `values`, over those given further left on the line."""
    outer = context.parent.obj if context.parent is not None and isinstance(context.parent.obj, Shell) else Shell()
    return replace(
        outer,
        config=values.pop("config") or outer.config,
        given_data_dir=values.pop("data_dir") or outer.given_data_dir,
        json=values.pop("json_output") or outer.json,
        verbosity=max(values.pop("verbose"), outer.verbosity),
        log_json=values.pop("log_json") or outer.log_json,
    )


def _set_signature(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    function.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword_only}


def _guarded(shell: Shell, function: Callable[..., Any], values: dict[str, Any]) -> None:
    set_up_logging(shell.err, shell.verbosity, as_json=shell.log_json)
    with speaking("en" if shell.json else None):
        _run_to_its_end(shell, function, values)


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
        if shell.verbosity > 1:
            shell.err.print_exception()
        shell.fail(error, WRONG_USE)
    except HistorianError as error:
        if shell.verbosity > 1:
            shell.err.print_exception()
        shell.fail(error, FAILED)
    except KeyboardInterrupt:
        shell.err.print(either("已中断", "interrupted"))
        raise typer.Exit(INTERRUPTED) from None


def to_nowhere(stream: TextIO) -> None:
    """After the reader of a pipe has gone: let the interpreter's own last flush of `stream` go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
