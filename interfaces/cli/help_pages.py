"""Chinese help pages and error messages of the parser, which itself has only English ones."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from .language import catalogue, language, language_for, say, say_help, speaking

NAME_WIDTH = 30
"""Width in columns for the names of options and commands; a longer name is wrapped."""


class Command(TyperCommand):
    """A command with a help page in the current language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if language() == "en":
            super().format_help(ctx, formatter)
        else:
            formatter.write(_page(self, ctx, formatter.width, {}))


class Group(TyperGroup):
    """A group of commands with a help page and parser errors in the current language."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if language() == "en":
            super().format_help(ctx, formatter)
        else:
            formatter.write(_page(self, ctx, formatter.width, self.commands))

    def main(self, args: Sequence[str] | None = None, *given: Any, **extra: Any) -> Any:
        with speaking(language_for(sys.argv[1:] if args is None else args)):
            if not extra.get("standalone_mode", True) or language() == "en":
                return super().main(args, *given, **extra)
            try:
                status = super().main(args, *given, **{**extra, "standalone_mode": False})
            except typer.TyperException as error:
                shown = io.StringIO()
                error.show(shown)  # type: ignore[attr-defined]  # every error of the parser has it
                sys.stderr.write(in_chinese(shown.getvalue()))
                status = error.exit_code
            except typer.Abort:
                typer.echo(say("Aborted."), err=True)
                status = 1
            sys.exit(status if isinstance(status, int) else 0)


def in_chinese(text: str) -> str:
    """Return an error output of the parser in Chinese.

    Texts without a pattern in the catalogue stay English.
    """
    found = re.search(r"^Error: ", text, re.MULTILINE)
    if found is None:
        return _usage(text)
    said = text[found.end() :].rstrip("\n")
    return (
        _usage(text[: found.start()])
        + "错误："
        + error_in_chinese(said)
        + text[found.end() + len(said) :]
    )


def _usage(text: str) -> str:
    for english, chinese in catalogue()["usage"]:
        text = re.sub(english, chinese, text, flags=re.MULTILINE)
    return text


def error_in_chinese(text: str) -> str:
    """Return an error message in Chinese, or unchanged if no pattern of the catalogue matches.

    A pattern must match the whole message, so that arguments of the user are not translated. The
    regex group `why` holds a second error message, which is translated in the same way.
    """
    for english, chinese in catalogue()["refusals"]:
        found = re.fullmatch(english, text, re.DOTALL)
        if found is not None:
            why = found.groupdict().get("why")
            return found.expand(chinese) + (error_in_chinese(why) if why else "")
    return text


def _page(
    command: TyperCommand | TyperGroup, context: Any, width: int, commands: Mapping[str, Any]
) -> str:
    usage = _usage(" ".join([context.command_path, *command.collect_usage_pieces(context)]))
    below = [
        (name, say_help(one.help or "").partition("。")[0] + "。") for name, one in commands.items()
    ]
    rows: dict[str, list[tuple[str, str]]] = {"argument": [], "option": [], "command": below}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            own = getattr(parameter, "help", None) or ""
            told = say(own) + _usage(record[1][len(own) :])
            rows[parameter.param_type_name].append((_usage(record[0]), told))
    page = io.StringIO()
    out = Console(file=page, width=width, markup=False, emoji=False, highlight=False)
    out.print(f"用法：{usage}\n")
    out.print(Padding(say_help(command.help or ""), (0, 0, 0, 2)))
    for heading, some in zip(("参数", "选项", "命令"), rows.values(), strict=True):
        if some:
            table = Table.grid(padding=(0, 2, 0, 0))
            table.add_column(max_width=NAME_WIDTH, overflow="fold")
            for row in some:
                table.add_row(*map(Text, row))
            out.print(f"\n{heading}：")
            out.print(Padding(table, (0, 0, 0, 2)))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()) + "\n"
