"""What people declare of themselves in plain sentences, and which statements last."""

from __future__ import annotations

import pytest
from historian.text.profiles.declared import (
    correction_in,
    declared,
    lasting_kind,
    line_kind,
    said_words,
)
from support.tables import cases


@pytest.mark.parametrize("case", cases("declared"))
def test_a_declaration_is_quoted_as_said_and_nothing_else_is(case: dict[str, str]) -> None:
    assert declared(case["text"]) == ([(case["line"], case["kind"])] if case["kind"] else [])


def test_a_message_declares_as_much_as_its_sentences_do() -> None:
    found = declared("I'm vegan. I live in Porto! And you?\n我对花生过敏")
    assert [kind for _, kind in found] == ["boundary", "home", "health"]
    assert declared("I'm vegan. " + "x" * 1_000) == [], "a document declares nothing"
    assert declared("") == declared("🐟") == []


@pytest.mark.parametrize("case", cases("text/kinds_of_lines"))
def test_the_kind_of_what_is_said_is_told_by_its_words(case: dict[str, str]) -> None:
    """A row has `lasting`, the kind of a fact without its subject ("-" if it passes), or `kind`, that of a line."""
    said = case["said"]
    if case["kind"]:
        assert line_kind(said) == case["kind"]
        return
    for before in ("", " "):
        kind = lasting_kind(
            f"{before}{said}" if said.isascii() else said, dated=case["dated"] == "yes"
        )
        assert (kind or "-") == case["lasting"]


def test_a_line_without_words_is_of_no_kind() -> None:
    assert line_kind("") == line_kind("?") == "other"


@pytest.mark.parametrize("case", cases("text/same_lines"))
def test_lines_say_the_same_where_their_words_do(case: dict[str, str]) -> None:
    assert (said_words(case["one"], "Ann") == said_words(case["other"], "Ann")) is (
        case["same"] == "yes"
    )


@pytest.mark.parametrize("case", cases("text/corrections"))
def test_only_words_that_say_so_correct_a_message(case: dict[str, str]) -> None:
    assert correction_in(case["message"]) == case["correction"]
