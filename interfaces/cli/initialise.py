"""`historian init`: a configuration file that explains every key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from .invocation import CommandFailed, Shell, command
from .root import app


@command(app, "init")
def init(
    shell: Shell,
    path: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Where to write it (else --config, else ./config.toml).", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.", show_default=False)] = False,
    markdown: Annotated[
        Literal["zh", "en"] | None,
        typer.Option("--markdown", help="Print all settings as Markdown tables, and write nothing.", show_default=False),
    ] = None,
) -> None:
    """Write a config.toml with every key, its default and what it means, in Chinese and English."""
    from ...schema.settings_source import sample_config
    from ...schema.settings_tables import settings_tables

    if markdown is not None:
        typer.echo(settings_tables(markdown), nl=False)
        return
    target = path or shell.config or Path("config.toml")
    if target.is_dir():
        target /= "config.toml"
    try:
        with target.open("w" if force else "x", encoding="utf-8") as file:
            file.write(sample_config())
    except FileExistsError:
        raise CommandFailed(f"{str(target)!r} exists and is left as it is; write over it with --force") from None
    except OSError as error:
        raise CommandFailed(f"{str(target)!r} cannot be written: {error.strerror or error}; name another place") from None
    if shell.json:
        shell.emit(path=str(target.absolute()))
    shell.say(f"{target} is written. It works as it is; see [models.chat] for a model, then try `historian doctor`")
