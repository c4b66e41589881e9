"""`historian init`: a configuration file that explains every key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..invocation import CommandFailed, Shell, command
from ..language import both, either
from ..root import app


@command(app, "init", zh="写一份 config.toml：每个键、默认值、中英文说明。")
def init(
    shell: Shell,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help=both(
                "写到哪里（否则用 --config，再否则 ./config.toml）。", "Where to write it (else --config, else ./config.toml)."
            ),
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help=both("覆盖已有的文件。", "Write over a file that exists."), show_default=False)
    ] = False,
    markdown: Annotated[
        Literal["zh", "en"] | None,
        typer.Option(
            "--markdown",
            help=both("把全部设置打印成 Markdown 表格，不写文件。", "Print all settings as Markdown tables, and write nothing."),
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a config.toml with every key, its default and what it means, in Chinese and English."""
    from ....schema.settings_source import sample_config
    from ....schema.settings_tables import settings_tables

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
        raise CommandFailed(
            either(
                f"{str(target)!r} 已存在，没有动它；要覆盖请加 --force",
                f"{str(target)!r} exists and is left as it is; write over it with --force",
            )
        ) from None
    except OSError as error:
        why = error.strerror or error
        raise CommandFailed(
            either(f"{str(target)!r} 写不了：{why}；请换个地方", f"{str(target)!r} cannot be written: {why}; name another place")
        ) from None
    if shell.json:
        shell.emit(path=str(target.absolute()))
    shell.say(
        either(
            f"已写好 {target}。不改也能用；要用模型看 [models.chat]，再试试 `historian doctor`",
            f"{target} is written. It works as it is; see [models.chat] for a model, then try `historian doctor`",
        )
    )
