"""Help pages and refusals of the parser in Chinese. The parser words its own in English only, and breaks lines at spaces."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer
from rich.cells import cell_len
from typer.core import TyperCommand, TyperGroup

from .language import both, language, language_for, speaking, spoken

MOST_NAMES = 30
"""Columns for the names of options and commands; what is longer has a line of its own."""

both("显示这段说明。", "Show this message and exit.")

_USAGE_WORDS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"^Usage: ", "用法："),
    (r"\[OPTIONS\]", "[选项]"),
    (r"COMMAND \[ARGS\]\.\.\.", "命令 [参数]..."),
    (r"^Try '(.+)' for help\.$", r"运行 `\1` 看说明。"),
    (r"\[default: |; default: ", lambda m: f"{m[0][0]}默认 "),
    (r"\[env var: |; env var: ", lambda m: f"{m[0][0]}环境变量 "),
    (r"\[required\]|; required\]", lambda m: m[0].replace("required", "必填")),
    (r"<int(?: range)?>", "<整数>"),
    (r"<float(?: range)?>", "<数>"),
    (r"<str>|<list\[str\]>", "<文字>"),
    (r"<path>", "<路径>"),
]
"""What the parser says of how a command is called, and the same in Chinese."""

_REFUSALS: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"No such command (.*?)(?:\. Did you mean (.*)\?|\.)", lambda m: f"没有命令 {m[1]}" + _perhaps(m[2])),
    (r"Missing command\.", lambda _: "缺少命令"),
    (
        r"No such option: (.*?)(?: \(Possible options: (.*)\)|\. Did you mean (.*)\?)?",
        lambda m: f"没有选项 {m[1]}" + _perhaps(m[2] or m[3]),
    ),
    (r"Option '(.+)' does not take a value\.", lambda m: f"选项 {m[1]} 不带值"),
    (r"Option '(.+)' requires an argument\.", lambda m: f"选项 {m[1]} 要带一个值"),
    (r"Missing (?:argument|option|parameter) '(.+?)'\.(?: Choose from:)?(.*)", lambda m: f"缺少 {m[1]}{m[2]}"),
    (r"Got unexpected extra argument\(s\) \((.*)\)", lambda m: f"多出来的参数：{m[1]}"),
    (r"Invalid value for '(.+?)': (.*)", lambda m: f"{m[1]} 的值不对：{_refusal_in_chinese(m[2])}"),
    (r"Value error, (.*) is not one of (.*)\.", lambda m: f"{m[1]} 不在 {m[2]} 之中"),
    (r"Input should be a valid (?:integer|number).*", lambda _: "要一个数"),
    (r"Input should be (greater|less) than or equal to (.+)", lambda m: f"{'至少' if m[1] == 'greater' else '至多'} {m[2]}"),
]
"""What the parser refuses with, whole, and the same in Chinese: what somebody typed stays as it is. What is not among these
stays English."""

_PIECE = re.compile(r"[!-~]+[，。；：、！？）》”’…]*|\s+|[（《“‘]?[^\s!-~][，。；：、！？）》”’…]*")
"""What is not divided at the end of a line: a Latin word, white space, one character with the punctuation that clings to it."""


class Command(TyperCommand):
    """A command whose help is in the language of the moment."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if language() == "en":
            super().format_help(ctx, formatter)
        else:
            formatter.write(_page(self, ctx, formatter.width, []))


class Group(TyperGroup):
    """A group of commands whose help, and what the parser refuses below it, is in the language of the moment."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if language() == "en":
            super().format_help(ctx, formatter)
            return
        found = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name)) is not None]
        rows = [(name, spoken(command.help or "").partition("。")[0] + "。") for name, command in found]
        formatter.write(_page(self, ctx, formatter.width, rows))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        run = partial(super().main, args, prog_name, complete_var, windows_expand_args=windows_expand_args, **extra)
        with speaking(language_for(sys.argv[1:] if args is None else args)):
            return self._in_its_language(run, standalone_mode)

    def _in_its_language(self, run: Callable[..., Any], standalone_mode: bool) -> Any:
        """Run, and word in the language of the moment what the parser refuses."""
        if not standalone_mode or language() == "en":
            return run(standalone_mode=standalone_mode)
        try:
            status = run(standalone_mode=False)
        except typer.TyperException as error:
            shown = io.StringIO()
            error.show(shown)  # type: ignore[attr-defined]  # every error of the parser has it
            sys.stderr.write(in_chinese(shown.getvalue()))
            status = error.exit_code
        except typer.Abort:
            typer.echo("已取消", err=True)
            status = 1
        sys.exit(status if isinstance(status, int) else 0)


def in_chinese(text: str) -> str:
    """What the parser says when it refuses something, as far as it is known."""
    refusal = re.search(r"^Error: ", text, re.MULTILINE)
    if refusal is None:
        return _usage_in_chinese(text)
    said = text[refusal.end() :].rstrip("\n")
    return _usage_in_chinese(text[: refusal.start()]) + "错误：" + _refusal_in_chinese(said) + text[refusal.end() + len(said) :]


def _usage_in_chinese(text: str) -> str:
    for english, chinese in _USAGE_WORDS:
        text = re.sub(english, chinese, text, flags=re.MULTILINE)
    return text


def _refusal_in_chinese(text: str) -> str:
    for english, chinese in _REFUSALS:
        refusal = re.fullmatch(english, text, re.DOTALL)
        if refusal is not None:
            return chinese(refusal)
    return text


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, of which a Chinese character takes two; the lines of `text` stay apart."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _PIECE.findall(paragraph):
            if line and cell_len(line + piece.rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            line += piece if line else piece.lstrip()
        lines.append(line.rstrip())
    return lines


def _page(command: TyperCommand | TyperGroup, context: Any, width: int, commands: Sequence[tuple[str, str]]) -> str:
    usage = _usage_in_chinese(" ".join([context.command_path, *command.collect_usage_pieces(context)]))
    lines = [f"用法：{usage}", "", *(f"  {line}".rstrip() for line in wrapped(spoken(command.help or ""), width - 2))]
    parts: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            own = getattr(parameter, "help", None) or ""
            parts[parameter.param_type_name].append(
                (_usage_in_chinese(record[0]), spoken(own) + _usage_in_chinese(record[1][len(own) :]))
            )
    for heading, rows in (("参数", parts["argument"]), ("选项", parts["option"]), ("命令", commands)):
        if rows:
            lines += ["", f"{heading}：", *_definitions(rows, width)]
    return "\n".join(lines) + "\n"


def _definitions(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    column = min(max(cell_len(name) for name, _ in rows), MOST_NAMES) + 2
    lines = []
    for name, text in rows:
        said = wrapped(text, max(width - column - 2, 10))
        if cell_len(name) <= column - 2:
            lines.append(f"  {name}{' ' * (column - cell_len(name))}{said[0]}".rstrip())
        else:
            lines += [f"  {name}", f"{' ' * (column + 2)}{said[0]}"]
        lines += [f"{' ' * (column + 2)}{line}" for line in said[1:]]
    return lines


def _perhaps(names: str | None) -> str:
    return f"。是不是 {names}？" if names else ""
