"""`historian gate` and `historian absolutize`: the rules as filters, line by line, with no data directory and no model.

With `--json` every line in is one JSON object and every line out is its answer, flushed at once, so that a program can
talk with a filter as it goes. Keys that a filter does not know are passed over. A line that is wrong is answered with
`{"error": …}`; the filter goes on and ends with status 1.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from zoneinfo import ZoneInfo

import typer
from rich.text import Text

from ....schema.errors import InvalidInput
from ....schema.job import check_timestamp, check_timezone
from ..console import emit, plain
from ..filter_lines import json_lines, language_of, names_of, string_of, strings_of, text_lines, text_of
from ..invocation import FAILED, Shell, command
from ..language import both, either, language
from ..root import app
from ..scopes import time_zone

if TYPE_CHECKING:
    from ....text.absolutize import Absolutized
    from ....text.gate import GateResult

log = logging.getLogger(__name__)

Item = Literal["action", "fact"]

TextsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEXT",
        help=both("文字；一个也不给就读 stdin 的各行。", "Texts; without any, lines from stdin."),
        show_default=False,
    ),
]
ItemOption = Annotated[
    Literal["action", "fact"],
    typer.Option(
        "--item",
        help=both(
            "机器人做了的（action），或得知的用户的事（fact）。",
            "What the bot did (action), or what it learnt about the user (fact).",
        ),
    ),
]


@command(
    app,
    "gate",
    zh="找出一段文字里离开此时此地就看不懂的说法。\n\n"
    '加 --json 时，进来的每行是 {"text": …}（可选："language"，"user_name"、"bot_name" 等名字，"others"，"glossary"），'
    '出去的每行是 {"violations": [{"kind", "text", "start", "end"}], "notes": […]}。',
)
def gate(shell: Shell, texts: TextsArgument = None) -> None:
    """Find what in a text only makes sense here and now.

    With --json each line in is {"text": …} (optional: "language", names such as "user_name" and "bot_name", "others",
    "glossary") and each line out {"violations": [{"kind", "text", "start", "end"}], "notes": […]}.
    """
    pronouns = shell.settings.historian.gate_pronouns

    def judged(line: Mapping[str, Any]) -> tuple[str, GateResult]:
        from ....text.gate import find_relative_words

        text = text_of(line)
        names = names_of(line, default_bot=shell.settings.cognitive.bot_name)
        return text, find_relative_words(text, names=names, pronouns=pronouns, language=language_of(line))

    def answer(line: Mapping[str, Any]) -> dict[str, Any]:
        _, result = judged(line)
        return {"violations": _findings(result.violations), "notes": _findings(result.notes)}

    def show(line: Mapping[str, Any]) -> None:
        text, result = judged(line)
        shown = Text(plain(text))
        for finding in result.notes:
            shown.stylize("yellow underline", finding.start, finding.end)
        for finding in result.violations:
            shown.stylize("bold red underline", finding.start, finding.end)
        shell.out.print(Text.assemble(_mark(result), shown), soft_wrap=True)
        _print_findings(shell, result)

    _filter(shell, texts, {}, answer, show)


@command(
    app,
    "absolutize",
    zh="用规则把一段文字改写得离开上下文也成立：“昨天”换成日期，“我”换成名字。\n\n"
    '加 --json 时，进来的每行是 {"text", "timestamp", "timezone", "bot_name", "user_name", "user_id", "group_name", '
    '"group_id"}（除了 text 都可以没有；还可以有 "item"、"language"、"others"、"glossary"、"recent_speakers"），'
    '出去的每行是 {"text", "resolved": [{"text", "start", "end", "value", "until"}], "is_absolute", "violations"}；'
    '"resolved" 的 start 和 end 是在进来的文字里的位置。',
)
def absolutize(
    shell: Shell,
    texts: TextsArgument = None,
    timestamp: Annotated[
        str | None,
        typer.Option(
            "--timestamp",
            metavar="TIME",
            help=both("什么时候说的（ISO 8601 带时区偏移；否则为现在）。", "When it was said (ISO 8601 with offset; else now)."),
            show_default=False,
        ),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            metavar="ZONE",
            help=both("在哪个时区，如 Asia/Shanghai（否则按设置）。", "Where, such as Asia/Shanghai (else as configured)."),
            show_default=False,
        ),
    ] = None,
    bot_name: Annotated[str, typer.Option("--bot-name", help=both("“我”是谁。", "Who speaks as I."), show_default=False)] = "",
    user_name: Annotated[
        str, typer.Option("--user-name", help=both("机器人在和谁说话。", "Whom the bot talked with."), show_default=False)
    ] = "",
    user_id: Annotated[str, typer.Option("--user-id", help=both("此人的 id。", "Their id."), show_default=False)] = "",
    group_name: Annotated[str, typer.Option("--group-name", help=both("在哪个群。", "In which group."), show_default=False)] = "",
    group_id: Annotated[str, typer.Option("--group-id", help=both("群的 id。", "Its id."), show_default=False)] = "",
    item: ItemOption = "fact",
) -> None:
    """Rewrite a text by rules so that it is true out of context: dates for 昨天, names for 我.

    With --json each line in is {"text", "timestamp", "timezone", "bot_name", "user_name", "user_id", "group_name",
    "group_id"} (all but text may be missing; optional too: "item", "language", "others", "glossary",
    "recent_speakers") and each line out {"text", "resolved": [{"text", "start", "end", "value", "until"}],
    "is_absolute", "violations"}; start and end of "resolved" are offsets in the text that came in.
    """
    given = {
        "timestamp": timestamp,
        "timezone": timezone,
        "bot_name": bot_name,
        "user_name": user_name,
        "user_id": user_id,
        "group_name": group_name,
        "group_id": group_id,
        "item": item,
    }

    def worked(line: Mapping[str, Any]) -> tuple[str, Absolutized, GateResult]:
        return _absolutized(line, shell)

    def answer(line: Mapping[str, Any]) -> dict[str, Any]:
        _, done, verdict = worked(line)
        return {
            "text": done.text,
            "resolved": [
                {"text": one.text, "start": one.start, "end": one.end, "value": one.value, "until": one.until}
                for one in done.resolved
            ],
            "is_absolute": verdict.passed,
            "violations": _findings(verdict.violations),
        }

    def show(line: Mapping[str, Any]) -> None:
        text, done, verdict = worked(line)
        before, after = marked(text, done)
        shell.out.print(Text.assemble("  ", before), soft_wrap=True)
        shell.out.print(Text.assemble(_mark(verdict), after), soft_wrap=True)
        for one in done.resolved:
            span = one.value if one.until in (None, one.value) else f"{one.value} … {one.until}"
            shell.out.print(f"    {plain(one.text)} = {plain(span)}", style="dim")
        _print_findings(shell, verdict)

    _filter(shell, texts, {key: value for key, value in given.items() if value}, answer, show)


def marked(text: str, done: Absolutized) -> tuple[Text, Text]:
    """The text before, with what was replaced in red, and after, with what replaced it in green."""
    changes = sorted(
        [(one.start, one.end, one.rendered) for one in done.resolved] + [(one.start, one.end, one.new) for one in done.replaced]
    )
    before, after = Text(plain(text)), Text(plain(done.text))
    position = 0
    for start, end, new in changes:
        before.stylize("red strike", start, end)
        wording = new.strip()
        found = done.text.find(wording, position) if wording else -1
        if found >= 0:
            after.stylize("bold green", found, found + len(wording))
            position = found + len(wording)
    return before, after


def _absolutized(line: Mapping[str, Any], shell: Shell) -> tuple[str, Absolutized, GateResult]:
    from ....text.absolutize import absolutize as by_rules
    from ....text.gate import check

    settings = shell.settings
    text = text_of(line)
    given = string_of(line, "timestamp")
    zone = check_timezone(string_of(line, "timezone") or time_zone(settings, given))
    reference = datetime.fromisoformat(check_timestamp(given)) if given else datetime.fromtimestamp(time.time(), ZoneInfo(zone))
    item = string_of(line, "item") or "fact"
    if item not in ("action", "fact"):
        raise InvalidInput(f"item: {item!r} is not one of action, fact")
    names = names_of(line, default_bot=settings.cognitive.bot_name)
    kind = cast(Item, item)
    done = by_rules(
        text, reference, zone, names, kind, recent_speakers=strings_of(line, "recent_speakers"), language=language_of(line)
    )
    verdict = check(
        done.text,
        source=text,
        resolved=done.resolved_text,
        draft=done.text,
        names=names,
        item=kind,
        pronouns=settings.historian.gate_pronouns,
        language=language_of(line),
    )
    return text, done, verdict


def _filter(
    shell: Shell,
    texts: list[str] | None,
    given: dict[str, Any],
    answer: Callable[[Mapping[str, Any]], dict[str, Any]],
    show: Callable[[Mapping[str, Any]], None],
) -> None:
    """Answer every text of the arguments, or every line of stdin. `given` stands where a line does not say otherwise."""
    wrong = 0
    if texts:
        lines: Iterator[Mapping[str, Any] | InvalidInput] = iter([{"text": text} for text in texts])
    elif shell.json:
        lines = json_lines()
    else:
        lines = text_lines()
    for line in lines:
        try:
            if isinstance(line, InvalidInput):
                raise line
            complete = {**given, **line}
            if shell.json:
                emit(answer(complete))
            else:
                show(complete)
        except InvalidInput as error:
            wrong += 1
            if shell.json:
                emit({"error": str(error)})
            else:
                shell.err.print(Text.assemble((either("错误：", "error: "), "bold red"), plain(error)), soft_wrap=True)
        except BrokenPipeError:
            raise
        except Exception as error:
            # A fault of the rules in one text must not take along the program at the other end of the pipe.
            wrong += 1
            log.exception("a text could not be worked on")
            if shell.json:
                emit({"error": f"internal error: {type(error).__name__}: {error}"})
    if wrong:
        raise typer.Exit(FAILED)


def _findings(findings: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{"kind": one.kind, "text": one.text, "start": one.start, "end": one.end} for one in findings]


def _mark(result: GateResult) -> tuple[str, str]:
    return ("✓ ", "bold green") if result.passed else ("✗ ", "bold red")


def _print_findings(shell: Shell, result: GateResult) -> None:
    from ....text.gate import reasons

    for sentence in reasons(result, language()):
        shell.out.print(Text.assemble(("    ✗ ", "red"), plain(sentence)), soft_wrap=True)
    for note in result.notes:
        shell.out.print(
            Text.assemble(("    · ", "yellow"), (f"{plain(note.text)}{either('：可能指好几个', ': could mean several')}", "dim")),
            soft_wrap=True,
        )
