"""The language that the command line speaks, and that every message has a text in both languages."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer.main
from historian.interfaces import lookups, revisions, texts
from historian.interfaces.cli import language as language_module
from historian.interfaces.cli.app import app
from historian.interfaces.cli.demo_conversation import conversation
from historian.interfaces.cli.help_pages import in_chinese
from historian.interfaces.cli.language import (
    VARIABLES,
    catalogue,
    language,
    language_for,
    say,
    say_help,
    speaking,
)
from historian.service import diagnosis
from historian.service.diagnosis import CHECKS
from historian.service.outages import model_record
from historian.service.recall.late_embedder import SLOW, SPINNING
from historian.service.upkeep import reembedding
from historian.stores import local_diagnosis, opening

SOURCES = [
    *sorted(Path(language_module.__file__).parent.rglob("*.py")),
    *(
        Path(str(one.__file__))
        for one in (
            texts,
            lookups,
            revisions,
            diagnosis,
            model_record,
            local_diagnosis,
            opening,
            reembedding,
        )
    ),
]
READ_BY_PROGRAMS = {"filter_lines.py", "filters.py"}
"""Where a wrong line is answered with a JSON line, which has one language."""


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "Chinese (Simplified)_China.936"}, "zh"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LC_MESSAGES": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"HISTORIAN_LANGUAGE": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"HISTORIAN_LANGUAGE": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"HISTORIAN_LANGUAGE": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"HISTORIAN_LANGUAGE": "ZH-Hans"}, "zh"),
        ({"HISTORIAN_LANGUAGE": "fr", "LANG": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_decides(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], expected: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert language() == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [("zh_CN", "zh"), ("Chinese (Simplified)_China", "zh"), ("de_DE", "en"), (None, "en")],
)
def test_without_any_the_locale_of_the_system_decides(
    monkeypatch: pytest.MonkeyPatch, named: str | None, expected: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("locale.getlocale", lambda: (named, "UTF-8"))
    assert language() == expected


def test_a_language_is_settled_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HISTORIAN_LANGUAGE", "zh")
    assert (say("no events"), say_help("Show an article."), say("coffee")) == (
        "没有事件",
        "查看一个人的文章。",
        "coffee",
    )
    with speaking("en"):
        assert (say("no events"), say_help("Show an article.")) == ("no events", "Show an article.")
    with speaking(None):
        assert language() == "zh"


@pytest.mark.parametrize(
    ("out", "err", "expected"),
    [
        ("utf-8", "utf-8", "zh"),
        ("gb2312", "gb18030", "zh"),
        ("ascii", "utf-8", "en"),
        ("utf-8", "latin-1", "en"),
        ("big5", "big5", "en"),
        ("no such encoding", "utf-8", "en"),
        (None, "utf-8", "zh"),
        (None, None, "zh"),
    ],
)
def test_chinese_is_for_outputs_that_can_show_it(
    monkeypatch: pytest.MonkeyPatch, out: str | None, err: str | None, expected: str
) -> None:
    """None: a stream that is closed."""
    monkeypatch.setenv("HISTORIAN_LANGUAGE", "zh")
    for name, encoding in (("stdout", out), ("stderr", err)):
        monkeypatch.setattr(
            sys, name, None if encoding is None else SimpleNamespace(encoding=encoding)
        )
    assert language() == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("search tea --json", "en"),
        ("--json search tea", "en"),
        ("search tea", None),
        ("search -- --json", None),
        ("search --log-json", None),
        ("", None),
    ],
)
def test_a_line_for_programs_settles_english(line: str, expected: str | None) -> None:
    assert language_for(line.split()) == expected


MESSAGES = {
    "say": (0,),
    "later": (0,),
    "tell": (0,),
    "note": (0,),
    "result": (1,),
    "rows": (2,),
    "table": (0,),
    "progress": (0,),
    "confirm": (0,),
    "ask": (0,),
    "send_command": (3,),
    "CommandFailed": (0,),
    "WrongUse": (0,),
    "ReembeddingStopped": (0,),
    "finding": (1, 2),
}
"""Functions that take messages, and where in their arguments."""


def literals(node: ast.expr) -> Iterator[str]:
    """The text that an expression is, or the texts between which it decides."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))


def keys(node: ast.expr) -> Iterator[str]:
    """The literal keys of a dictionary, of those that are unpacked into it too."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            yield from literals(key) if key is not None else keys(value)
    elif isinstance(node, ast.IfExp):
        yield from (*keys(node.body), *keys(node.orelse))


def worded() -> Iterator[tuple[str, str]]:
    """Every message in the source of the command line and of the services that it speaks for, with where it stands."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found: list[str] = []
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                found += [
                    text
                    for n in MESSAGES.get(name, ())
                    for one in node.args[n : n + 1]
                    for text in literals(one)
                ]
                found += [
                    text
                    for one in node.keywords
                    if (name, one.arg) == ("rows", "empty")
                    for text in literals(one.value)
                ]
                found += [text for one in node.args if name == "fields" for text in keys(one)]
                found += [text for one in node.args[1:] if name == "answer" for text in keys(one)]
            elif isinstance(node, ast.Assign) and path.name in (
                "diagnosis.py",
                "local_diagnosis.py",
            ):
                found += (
                    literals(node.value)
                    if getattr(node.targets[0], "id", "") in ("detail", "remedy")
                    else []
                )
            yield from ((f"{path.name}:{getattr(node, 'lineno', 0)}", text) for text in found)


def helps(command: Any) -> Iterator[str]:
    """The help texts of a command, of its parameters, and of the commands below it."""
    yield from (" ".join(paragraph.split()) for paragraph in (command.help or "").split("\n\n"))
    yield from (parameter.help for parameter in command.params if getattr(parameter, "help", None))
    for below in getattr(command, "commands", {}).values():
        yield from helps(below)


def messages() -> set[str]:
    """Every English message that people may read."""
    turns, questions = conversation()
    found = {text for _, text in worded()} | set(helps(typer.main.get_command(app)))
    found |= {
        SPINNING,
        SLOW,
        *CHECKS,
        *texts.FORGOTTEN.values(),
        *(text for table in texts.NAMES["command_line"].values() for text in table.values()),
        *(remedy for _, remedy in CHECKS.values()),
        *(one.remark for one in (*turns, *questions)),
    }
    return {
        text
        for text in found | {"Show this message and exit."}
        if text and not re.fullmatch(r"\{[a-z]+\}", text)
    }


PLACEHOLDER = re.compile(r"\{([a-z_]+)(?:![a-z])?(?::[^{}]*)?\}")


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def test_every_message_has_a_chinese_text_and_none_is_left_over() -> None:
    chinese = catalogue()["messages"]
    assert sorted(messages() - set(chinese)) == []
    assert sorted(set(chinese) - messages()) == []


def test_both_texts_of_a_message_have_the_same_placeholders_and_columns() -> None:
    for english, chinese in catalogue()["messages"].items():
        assert placeholders(english) == placeholders(chinese), english
        if "{" not in english:
            assert english.count("|") == chinese.count("|"), english


def test_each_text_is_in_its_language() -> None:
    for english, chinese in catalogue()["messages"].items():
        assert re.search("[\u4e00-\u9fff]", chinese) or not re.search(
            "[a-z]{4}", PLACEHOLDER.sub("", chinese)
        ), english
    for where, text in worded():
        assert not re.search("[\u4e00-\u9fff]", text), where


def test_nothing_is_worded_past_the_catalogue() -> None:
    english = re.compile(r"[A-Za-z]{2,}.* [a-z]{2,}")
    for path in SOURCES:
        if path.name in READ_BY_PROGRAMS or "service" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) in BARE
            ):
                for one in node.args[:1]:
                    text = (
                        "".join(literals(one))
                        if not isinstance(one, ast.JoinedStr)
                        else ast.unparse(one)
                    )
                    assert not english.search(re.sub(r"\{[^}]*\}", "", text)), (
                        f"{path.name}:{node.lineno}"
                    )


BARE = ("InvalidInput", "print", "Text", "assemble", "echo", "write")
"""What takes texts as they are."""


def test_a_message_is_filled_in_both_languages() -> None:
    message = "{n} {n:job|jobs} accepted"
    with speaking("en"):
        assert [say(message, n=n) for n in (0, 1, 2)] == [
            "0 jobs accepted",
            "1 job accepted",
            "2 jobs accepted",
        ]
        assert (
            say("{x:percent} {t:duration} {text!r}", x=None, t=90, text="{n}") == "- 1.5 min '{n}'"
        )
    with speaking("zh"):
        assert say(message, n=1) == "收下 1 个任务"
        assert say('what nobody knows: {"text": …}') == 'what nobody knows: {"text": …}'


def test_the_chinese_texts_are_read_when_chinese_is_spoken() -> None:
    code = (
        "from historian.interfaces.cli import app, language\n"
        "language.say('none'); before = language.catalogue.cache_info().currsize\n"
        "with language.speaking('zh'): language.say('none')\n"
        "print(before, language.catalogue.cache_info().currsize)"
    )
    environ = {**os.environ, "HISTORIAN_LANGUAGE": "en"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, encoding="utf-8", check=True
    )
    assert ended.stdout.split() == ["0", "1"]


def test_what_the_parser_says_beyond_what_is_known_stays_english() -> None:
    assert in_chinese("Error: Something new.") == "错误：Something new."


@pytest.mark.parametrize(
    ("said", "chinese"),
    [
        ("No such command 'Error: [OPTIONS]'.", "没有命令 'Error: [OPTIONS]'"),
        ("No such command 'Missing command.'.", "没有命令 'Missing command.'"),
        ("No such command 'a\nError: b'.", "没有命令 'a\nError: b'"),
        ("No such option: --[OPTIONS]", "没有选项 --[OPTIONS]"),
        ("Got unexpected extra argument(s) (<path> [required])", "多出来的参数：<path> [required]"),
        (
            "Invalid value for '--state': Value error, 'Missing command.' is not one of 'all', 'failed'.",
            "--state 的值不对：'Missing command.' 不在 'all', 'failed' 之中",
        ),
    ],
)
def test_what_somebody_typed_stays_as_it_is(said: str, chinese: str) -> None:
    before = "Usage: historian [OPTIONS] COMMAND [ARGS]...\nTry 'historian -h' for help.\n\n"
    shown = in_chinese(f"{before}Error: {said}\n")
    assert (
        shown
        == f"用法：historian [选项] 命令 [参数]...\n运行 `historian -h` 看说明。\n\n错误：{chinese}\n"
    )
