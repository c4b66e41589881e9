"""Which language the command line speaks, and that everything it words is worded in both."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from historian.interfaces.cli import language as language_module
from historian.interfaces.cli.help_pages import in_chinese, wrapped
from historian.interfaces.cli.language import VARIABLES, both, either, language, language_for, speaking, spoken
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

SOURCES = sorted(Path(language_module.__file__).parent.rglob("*.py"))
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
def test_the_first_variable_that_is_set_decides(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], expected: str) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert language() == expected


@pytest.mark.parametrize(
    ("named", "expected"), [("zh_CN", "zh"), ("Chinese (Simplified)_China", "zh"), ("de_DE", "en"), (None, "en")]
)
def test_without_any_the_locale_of_the_system_decides(monkeypatch: pytest.MonkeyPatch, named: str | None, expected: str) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("locale.getlocale", lambda: (named, "UTF-8"))
    assert language() == expected


def test_a_language_is_settled_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HISTORIAN_LANGUAGE", "zh")
    help_text = both("茶", "tea for the test")
    assert (either("茶", "tea"), spoken(help_text), spoken("coffee")) == ("茶", "茶", "coffee")
    with speaking("en"):
        assert (either("茶", "tea"), spoken(help_text)) == ("tea", "tea for the test")
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
        monkeypatch.setattr(sys, name, None if encoding is None else SimpleNamespace(encoding=encoding))
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


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Calls of functions or methods of these names in the command line, with where they stand."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in names:
                yield f"{path.name}:{node.lineno}", node


def text_of(node: ast.expr) -> str:
    """The fixed parts of a wording."""
    return "".join(str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def values_of(node: ast.expr) -> set[str]:
    """The variables that a wording names; not what it calls, and not what decides between one and many."""
    walked = list(ast.walk(node))
    passed = [one.func for one in walked if isinstance(one, ast.Call)] + [
        one.test for one in walked if isinstance(one, ast.IfExp)
    ]
    passed_over = {id(below) for one in passed for below in ast.walk(one)}
    return {one.id for one in walked if isinstance(one, ast.Name) and id(one) not in passed_over}


def test_both_wordings_name_the_same_values_each_in_its_language() -> None:
    counted = 0
    for where, call in calls("either", "both"):
        if len(call.args) != 2 or not all(isinstance(one, ast.Constant | ast.JoinedStr) for one in call.args):
            continue
        chinese, english = call.args
        counted += 1
        assert not re.search("[\u4e00-\u9fff]", text_of(english)), where
        assert re.search("[\u4e00-\u9fff]", text_of(chinese)) or not re.search("[a-z]{4}", text_of(chinese)), where
        assert values_of(chinese) == values_of(english), where
    assert counted > 200


def test_a_help_text_means_one_thing_wherever_it_stands() -> None:
    known: dict[str, str] = {}
    for where, call in calls("both"):
        if all(isinstance(one, ast.Constant) for one in call.args):
            chinese, english = map(text_of, call.args)
            assert known.setdefault(english, chinese) == chinese, where
    assert known


def test_nothing_is_worded_in_one_language_only() -> None:
    worded = re.compile(r"[A-Za-z]{2,}.* [a-z]{2,}")
    for where, call in calls("CommandFailed", "InvalidInput", "say", "fail", "confirm", "Finding", "TextColumn", "print"):
        if where.partition(":")[0] in READ_BY_PROGRAMS:
            continue
        for argument in call.args:
            if isinstance(argument, ast.Constant | ast.JoinedStr):
                assert not worded.search(text_of(argument)), where
    for where, call in calls("Option", "Argument"):
        for keyword in call.keywords:
            assert keyword.arg != "help" or isinstance(keyword.value, ast.Call), where


@given(st.text(alphabet="茶喝了，。（）“”ab -x1\n", max_size=80), st.integers(10, 40))
def test_lines_are_as_wide_as_they_may_be_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    pieces = max((cell_len(piece) for piece in re.findall(r"[!-~，。（）“”]+|.", text)), default=0)
    assert all(cell_len(line) <= max(width, pieces + 2) for line in lines)


def test_a_line_of_chinese_never_begins_with_a_closing_mark() -> None:
    assert wrapped("一二三四五，六七八九十。", 10) == ["一二三四", "五，六七八", "九十。"]
    assert wrapped("用 `historian demo` 看", 12) == ["用", "`historian", "demo` 看"]


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
    assert shown == f"用法：historian [选项] 命令 [参数]...\n运行 `historian -h` 看说明。\n\n错误：{chinese}\n"
