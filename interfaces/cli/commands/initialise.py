"""`historian init`: writes a configuration file that explains every key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ....schema.language import Language
from ..invocation import command
from ..shell import CommandFailed, Shell


@command("init")
def init(
    shell: Shell,
    path: Annotated[
        Path | None,
        Argument(metavar="FILE", help="The file to write (default: --config, else ./config.toml)."),
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing file.")] = False,
    markdown: Annotated[
        Language | None,
        Option("--markdown", help="Print all settings as Markdown tables, and write nothing."),
    ] = None,
) -> None:
    """Write a config.toml with every key, its default and what it means, in Chinese and English."""
    from ....schema.settings.tables import sample_config, settings_tables
    from ....stores.files.access import create_file

    if markdown is not None:
        typer.echo(settings_tables(markdown), nl=False)
        return
    target = path or shell.config or Path("config.toml")
    if target.is_dir():
        target /= "config.toml"
    try:
        # The file will contain an API key, so only its owner may read it.
        descriptor = create_file(
            target.resolve() if force else target,
            os.O_WRONLY | (os.O_TRUNC if force else os.O_EXCL),
        )
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(sample_config())
    except FileExistsError:
        raise CommandFailed(
            "{file!r} exists and was not changed; add --force to overwrite it", file=str(target)
        ) from None
    except OSError as error:
        why = error.strerror or error
        raise CommandFailed(
            "{file!r} cannot be written: {why}; give another path", file=str(target), why=why
        ) from None
    shell.result(
        {"path": str(target.absolute())},
        "{file} was written. It works without changes; to use a model, fill in [models.chat], then "
        "run `historian doctor`",
        file=target,
    )
