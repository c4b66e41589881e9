"""`historian gate` and `historian absolutize`: apply the rules to lines of text.

The commands need no data directory and no model. With `--json` each input line is a JSON object,
and each output line is its result. Each result is flushed, so that a program can write a line and
read its result. Unknown keys are ignored. The result of an invalid line is `{"error": …}`; the
command continues with the next line, and its exit status is 1 at the end.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo

import typer
from rich.text import Text
from typer import Argument, Option

from ....schema.errors import InvalidInput
from ....service.timezones import told_timezone
from ..console import changes, emit, plain
from ..filter_lines import AbsolutizeLine, GateLine, Line, json_lines, text_lines, validated_line
from ..invocation import command
from ..language import language, say
from ..shell import FAILED, Shell

if TYPE_CHECKING:
    from ....text.checks.findings import Verdict
    from ....text.rewriting.absolutize import Absolutized

log = logging.getLogger(__name__)

TextsArgument = Annotated[
    list[str] | None,
    Argument(metavar="TEXT", help="The texts; without any, lines are read from stdin."),
]
SAID = {
    "timestamp": Annotated[
        str | None,
        Option(
            "--timestamp",
            metavar="TIME",
            help="When it was said (ISO 8601 with offset; default: now).",
        ),
    ],
    "timezone": Annotated[
        str | None,
        Option(
            "--timezone",
            metavar="ZONE",
            help="The time zone, such as Asia/Shanghai (default: as configured).",
        ),
    ],
    "bot_name": Annotated[str | None, Option("--bot-name", help="Who speaks as I.")],
    "user_name": Annotated[
        str | None, Option("--user-name", help="The name of the person the bot talked with.")
    ],
    "user_id": Annotated[str | None, Option("--user-id", help="Their id.")],
    "group_name": Annotated[str | None, Option("--group-name", help="The name of the group.")],
    "group_id": Annotated[str | None, Option("--group-id", help="The id of the group.")],
}
"""The options that give the defaults for all lines of `absolutize`; a line may override them."""


@command("gate")
def gate(shell: Shell, texts: TextsArgument = None) -> None:
    """Find the parts of a text that only make sense here and now.

    With --json each line in is {"text": …} (optional: "language", names such as "user_name" and "bot_name", "others",
    "glossary") and each line out {"violations": [{"kind", "text", "start", "end"}], "notes": […]}.
    """

    def work(line: GateLine) -> dict[str, Any]:
        from ....text.checks.findings import Finding, Verdict
        from ....text.checks.gate import is_unread
        from ....text.checks.relative_words import find_relative_words

        names = line.names(default_bot=shell.settings.cognitive.bot_name)
        pronouns = shell.settings.historian.gate_pronouns
        if line.language == "auto" and is_unread(line.text, names):
            result = Verdict((Finding("language", line.text, 0, len(line.text), "other"),))
        else:
            result = find_relative_words(
                line.text, names=names, pronouns=pronouns, language=line.language
            )
        if not shell.json:
            show(line, result)
        return {"violations": _findings(result.violations), "notes": _findings(result.notes)}

    def show(line: GateLine, result: Verdict) -> None:
        shown = Text(plain(line.text))
        for style, findings in (
            ("yellow underline", result.notes),
            ("bold red underline", result.violations),
        ):
            for finding in findings:
                shown.stylize(style, finding.start, finding.end)
        shell.out.print(Text.assemble(_mark(result), shown), soft_wrap=True)
        _print_findings(shell, result)

    _filter(shell, texts, GateLine, {}, work)


@command("absolutize", more=SAID)
def absolutize(
    shell: Shell,
    texts: TextsArgument = None,
    item: Annotated[
        Literal["action", "fact"],
        Option(
            "--item", help="What the bot did (action), or what it learnt about the user (fact)."
        ),
    ] = "fact",
    **said: str | None,
) -> None:
    """Rewrite a text by rules so that it is true out of context: dates for 昨天, names for 我.

    With --json each line in is {"text", "timestamp", "timezone", "bot_name", "user_name", "user_id", "group_name",
    "group_id"} (all but text may be missing; optional too: "item", "language", "others", "glossary",
    "recent_speakers") and each line out {"text", "resolved": [{"text", "start", "end", "value", "until"}],
    "is_absolute", "violations"}; start and end of "resolved" are offsets in the text that came in.
    """

    def work(line: AbsolutizeLine) -> dict[str, Any]:
        done, verdict = _absolutized(line, shell)
        if not shell.json:
            show(line, done, verdict)
        resolved = _findings(done.resolved, "text", "start", "end", "value", "until")
        told = {"text": done.text, "resolved": resolved}
        return {**told, "is_absolute": verdict.passed, "violations": _findings(verdict.violations)}

    def show(line: AbsolutizeLine, done: Absolutized, verdict: Verdict) -> None:
        before, after = changes(line.text, done.text)
        shell.out.print(Text.assemble("  ", before), soft_wrap=True)
        shell.out.print(Text.assemble(_mark(verdict), after), soft_wrap=True)
        for one in done.resolved:
            span = one.value if one.until in (None, one.value) else f"{one.value} … {one.until}"
            shell.out.print(f"    {plain(one.text)} = {plain(span)}", style="dim")
        _print_findings(shell, verdict)

    _filter(shell, texts, AbsolutizeLine, {**said, "item": item}, work)


def _absolutized(line: AbsolutizeLine, shell: Shell) -> tuple[Absolutized, Verdict]:
    from ....text.checks.gate import check
    from ....text.rewriting.absolutize import absolutize as by_rules

    settings = shell.settings
    zone = line.timezone or told_timezone(settings.cognitive.timezone, line.timestamp)
    reference = (
        datetime.fromisoformat(line.timestamp)
        if line.timestamp
        else datetime.fromtimestamp(time.time(), ZoneInfo(zone))
    )
    names = line.names(default_bot=settings.cognitive.bot_name)
    done = by_rules(
        line.text,
        reference,
        zone,
        names,
        line.item,
        recent_speakers=line.recent_speakers,
        language=line.language,
    )
    pronouns = settings.historian.gate_pronouns
    verdict = check(
        done.sentence,
        source=line.text,
        names=names,
        item=line.item,
        pronouns=pronouns,
        language=line.language,
    )
    return done, verdict


def _filter(
    shell: Shell,
    texts: list[str] | None,
    kind: type[Line],
    given: Mapping[str, str | None],
    work: Callable[[Line], dict[str, Any]],
) -> None:
    """Call `work` for each text of the arguments, or else for each line of stdin.

    `given` are default values for all lines. `work` returns the result for `--json`; the output for
    people is printed by `work` itself.
    """
    lines: Iterator[Mapping[str, Any] | InvalidInput] = json_lines() if shell.json else text_lines()
    if texts:
        lines = iter([{"text": text} for text in texts])
    wrong = 0
    for line in lines:
        error = ""
        try:
            if isinstance(line, InvalidInput):
                raise line
            answer = work(validated_line(kind, {**given, **line}))
            if shell.json:
                emit(answer)
        except InvalidInput as found:
            error = str(found)
        except BrokenPipeError:
            raise
        except Exception as found:
            # An error of the rules in one text must not end the command.
            error = f"internal error: {type(found).__name__}: {found}"
            log.exception("a text could not be worked on")
        if error:
            wrong += 1
            if shell.json:
                emit({"error": error})
            else:
                shell.error(error)
    if wrong:
        raise typer.Exit(FAILED)


def _findings(findings: Iterable[Any], *names: str) -> list[dict[str, Any]]:
    return [
        {name: getattr(one, name) for name in names or ("kind", "text", "start", "end")}
        for one in findings
    ]


def _mark(result: Verdict) -> tuple[str, str]:
    return ("✓ ", "bold green") if result.passed else ("✗ ", "bold red")


def _print_findings(shell: Shell, result: Verdict) -> None:
    for sentence in result.reasons(language()):
        shell.out.print(Text.assemble(("    ✗ ", "red"), plain(sentence)), soft_wrap=True)
    for note in result.notes:
        said = say("{text}: has several possible meanings", text=plain(note.text))
        shell.out.print(Text.assemble(("    · ", "yellow"), (said, "dim")), soft_wrap=True)
