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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar, get_args

import typer
from typer import Option

from ...schema.errors import HistorianError, InvalidInput, SettingsError
from .console import set_up_logging
from .help_pages import Command, Group
from .language import speaking
from .shell import FAILED, INTERRUPTED, WRONG_USE, Shell

if TYPE_CHECKING:
    pass

Function = TypeVar("Function", bound=Callable[..., Any])

PARSER: Mapping[str, Any] = {
    **{"cls": Group, "no_args_is_help": True, "rich_markup_mode": None},
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
"""The typer arguments that the application and its command groups share."""


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
