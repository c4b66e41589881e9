"""The lines that messages bring to profiles, and the former line that a message corrects."""

from __future__ import annotations

import pytest
from historian.schema.profile import ProfileLine
from historian.text.profiles.lines import corrected_lines, said_lines
from support.events import make_event


def message(text: str, n: int = 1, **fields: object) -> object:
    return make_event(f"m{n}", 0, kind="message", source="message", text=text, **fields)


def test_a_line_is_the_words_as_said_with_day_kind_and_message() -> None:
    (line,) = said_lines(message("hi, I'm allergic to peanuts"))
    assert line.text == '"I\'m allergic to peanuts"' and line.kind == "health"
    assert (line.first_day, line.last_day, line.evidence, line.told) == (
        "2026-02-02",
        "2026-02-02",
        ("m1:0",),
        1,
    )


@pytest.mark.parametrize(
    ("text", "lines", "certain"),
    [
        ("记住我住在苏州", ["“我住在苏州”"], ["“我住在苏州”"]),
        ("我住在苏州", ["“我住在苏州”"], []),
        ("我不吃香菜", ["“我不吃香菜”"], ["“我不吃香菜”"]),
        (
            "I have two kids. I'm diabetic.",
            ['"I have two kids"', '"I\'m diabetic"'],
            ['"I\'m diabetic"'],
        ),
        ("hello", [], []),
    ],
)
def test_beside_a_model_messages_bring_what_is_certain_alone(
    text: str, lines: list[str], certain: list[str]
) -> None:
    assert [one.text for one in said_lines(message(text))] == lines
    assert [one.text for one in said_lines(message(text), certain=True)] == certain


@pytest.mark.parametrize(
    ("before", "correction", "after"),
    [
        ("我对花生过敏", "说错了，是榛子", ["“我对花生过敏” → “说错了，是榛子”"]),
        ("我对花生过敏", "不是苹果，是榛子", ["“我对花生过敏”"]),
        (
            "I live in Porto",
            "correction: I live in Lisbon",
            ['"I live in Porto" → "correction: I live in Lisbon"'],
        ),
        ("I live in Porto", "no, I meant Lisbon", ['"I live in Porto" → "no, I meant Lisbon"']),
        ("我住在苏州", "说错了，我住在无锡", []),
        ("I'm vegan", "just kidding", []),
        ("我养了一只橘猫", "骗你们的", []),
        ("I'm vegan", "I live in Porto", ['"I\'m vegan"']),
        ("I'm vegan. I live in Porto.", "just kidding", ['"I\'m vegan"', '"I live in Porto"']),
        (
            "I'm vegan. I live in Porto.",
            "no, I meant Lisbon",
            ['"I\'m vegan"', '"I live in Porto"'],
        ),
    ],
)
def test_a_correction_changes_the_line_before_it_or_nothing(
    before: str, correction: str, after: list[str]
) -> None:
    lines, told = said_lines(message(before)), message(correction, 2)
    left = corrected_lines(lines, ["m1:0"], told, said_lines(told))
    assert [one.text for one in left] == after
    assert corrected_lines(lines, [], told, []) == tuple(lines), "of an unknown message"


def test_a_line_that_rests_on_more_than_the_corrected_message_or_is_pinned_stays() -> None:
    told = message("just kidding", 2)
    known = ProfileLine("1", "vegan", "boundary", evidence=("m1:0", "m0:0"))
    pinned = ProfileLine("2", "vegan", "boundary", pinned=True, evidence=("m1:0",))
    by_hand = ProfileLine("3", "vegan", "boundary")
    assert corrected_lines([known, pinned, by_hand], ["m1:0"], told, []) == (known, pinned, by_hand)
