"""The language of the pages, and that every text of theirs stands in both languages."""

import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.revisions import side_by_side
from historian.interfaces.texts import CATALOGUES, FORGOTTEN, NAMES, messages, say_in, words
from historian.interfaces.web.pages import rendering
from historian.interfaces.web.pages.rendering import language_of
from historian.schema.language import Language
from historian.service.diagnosis import CHECKS
from hypothesis import given
from hypothesis import strategies as st

PAGES = Path(rendering.__file__).parent
OWN = tomllib.loads(CATALOGUES[1].read_text(encoding="utf-8"))["messages"]
_TEXT = r'\s*"((?:[^"\\]|\\.)*)"'
_MARKED = {
    ".html": re.compile(r"\bt\(" + _TEXT + r"|\bt\(\s*'((?:[^'\\]|\\.)*)'"),
    ".py": re.compile(r"\blater\(" + _TEXT),
}


def texts() -> set[str]:
    """Every text in the templates and the code of the pages."""
    files = [*PAGES.glob("templates/*.html"), *PAGES.glob("*.py"), PAGES.parents[1] / "texts.py"]
    found = [
        one
        for file in files
        for one in _MARKED[file.suffix].findall(file.read_text(encoding="utf-8"))
    ]
    return {"".join(one) for one in found} | set(named(NAMES["pages"])) | set(FORGOTTEN.values())


def named(names: Mapping[str, Any]) -> Iterator[str]:
    """What a table of names, or one of its tables, calls things."""
    for one in names.values():
        yield from [one] if isinstance(one, str) else named(one)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_has_a_chinese_one_and_none_is_left_over() -> None:
    assert len(texts()) > 200
    assert sorted(texts() - messages().keys()) == []
    assert sorted(OWN.keys() - texts()) == []


def test_no_text_stands_in_both_catalogues() -> None:
    command_line = tomllib.loads(CATALOGUES[0].read_text(encoding="utf-8"))["messages"]
    assert sorted(command_line.keys() & OWN.keys()) == []


def test_a_chinese_text_fills_the_same_placeholders() -> None:
    assert [one for one in texts() if not fields(messages()[one]) <= fields(one)] == []


def test_what_doctor_examines_has_names_in_both_languages() -> None:
    assert [part for part in CHECKS if say_in("zh", part) == part and part != "rerank"] == []


@pytest.mark.parametrize(
    ("chosen", "accepted", "expected"),
    [
        (None, "", "en"),
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "en-GB,en;q=0.9,zh;q=0.8", "en"),
        (None, "fr-FR, zh;q=0.2", "zh"),
        (None, "de", "en"),
        (None, "zh;q=much, en;q=0.1", "en"),
        (None, "ZH-TW", "zh"),
        ("en", "zh", "en"),
        ("zh", "en", "zh"),
        ("klingon", "zh", "zh"),
    ],
)
def test_the_switch_decides_and_then_the_browser(
    chosen: str | None, accepted: str, expected: Language
) -> None:
    assert language_of(chosen, accepted) == expected


def test_words_are_counted_in_english() -> None:
    assert say_in("en", "{n:,} {n:event|events}", n=1) == "1 event"
    assert say_in("en", "{n:,} {n:event|events}", n=1200) == "1,200 events"
    assert say_in("zh", "{n:,} {n:event|events}", n=1200) == "1,200 条事件"


def test_braces_in_a_value_are_not_filled() -> None:
    assert say_in("en", "written by {writer}", writer="{n}") == "written by {n}"


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_of_a_difference_are_the_texts(before: str, after: str) -> None:
    left, right = words(before, after)
    assert ("".join(text for _, text in left), "".join(text for _, text in right)) == (
        before,
        after,
    )
    assert before != after or not any(changed for changed, _ in left + right)


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_each_line_of_two_revisions_stands_in_one_row(older: list[str], newer: list[str]) -> None:
    rows = side_by_side(older, newer)
    assert ["".join(text for _, text in row.left) for row in rows if row.left is not None] == older
    assert [
        "".join(text for _, text in row.right) for row in rows if row.right is not None
    ] == newer
    assert all(row.left == row.right for row in rows if row.same)
