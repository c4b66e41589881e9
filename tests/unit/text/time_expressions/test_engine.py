"""The engine of the languages, with a language of a few words."""

import re

import pytest
from historian.text.time_expressions.engine import (
    LONG_TEXT,
    FoldedText,
    Grammar,
    Tokens,
    candidates,
    find,
)
from historian.text.time_expressions.merging import merge
from historian.text.time_expressions.reading import TimeSpec, TimeToken

SHIFTS = {"today": 0, "tomorrow": 1}


def _shift(match: re.Match[str]) -> TimeSpec:
    return TimeSpec(shift=SHIFTS[match["day"]])


TOKENS = Tokens(
    {
        "name": "usa today",
        "day": "(?P<day>today|tomorrow)",
        "part": "(?P<part>morning|evening)",
        "maybe_day": "(?P<day>to)",
        "open": "someday",
    },
    {
        "day": lambda match: _shift(match) if match["day"] in SHIFTS else TimeSpec(shift=0),
        "part": lambda match: TimeSpec(part="morning" if match["part"] == "morning" else "evening"),
        "open": lambda _: TimeSpec(),
    },
    r"(?=[a-z])",
    begins=r"(?<![a-z])",
    ends=r"(?![a-z])",
)


def _gap(said: FoldedText, first: TimeToken, second: TimeToken) -> str:
    return said.low[first.end : second.start]


def _join(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    return merge(first.reading, second.reading) if _gap(said, first, second) == " " else None


def _through(said: FoldedText, first: TimeToken, second: TimeToken) -> TimeSpec | None:
    if _gap(said, first, second) != " - ":
        return None
    return TimeSpec(shift=first.reading.shift, through=second.reading)


def _judge(
    said: FoldedText, item: TimeToken, earlier: TimeToken | None, beside: object
) -> TimeToken | None:
    return None if item.reading.slots == {"part"} and earlier is None else item


GRAMMAR = Grammar(
    TOKENS,
    _join,
    _through,
    lambda said, first, second: _gap(said, first, second) == "-",
    lambda said, end, start: "." in said.low[end:start],
    _judge,
)


def _said(text: str) -> FoldedText:
    return FoldedText(text, text, text)


def _found(text: str) -> list[tuple[str, bool]]:
    return [
        (text[item.start : item.end], item.understood)
        for item in find(GRAMMAR, _said(text), lambda _: False)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("usa today came tomorrow", [("tomorrow", True)]),
        ("tomorrow morning", [("tomorrow morning", True)]),
        ("today - tomorrow", [("today - tomorrow", True)]),
        ("today-tomorrow", [("today-tomorrow", False)]),
        ("go to, someday", [("to", False), ("someday", False)]),
        ("to morning", [("to morning", False)]),
        ("todays", []),
        ("today, evening", [("today", True), ("evening", True)]),
        ("today. evening", [("today", True)]),
    ],
)
def test_words_are_scanned_joined_and_judged(text: str, expected: list[tuple[str, bool]]) -> None:
    assert _found(text) == expected


def test_the_ends_of_a_range_are_one_reading() -> None:
    (item,) = candidates(GRAMMAR, _said("today - tomorrow"))
    assert item.reading == TimeSpec(shift=0, through=TimeSpec(shift=1))


def test_what_is_content_is_no_expression_and_names_no_day() -> None:
    text = "today, evening"
    assert find(GRAMMAR, _said(text), lambda item: item.start == 0) == []


def test_a_long_text_is_read_like_a_short_one() -> None:
    text = "tomorrow morning, usa today. " * (LONG_TEXT // 20)
    assert len(text) > LONG_TEXT
    found = candidates(GRAMMAR, _said(text))
    assert {text[item.start : item.end] for item in found} == {"tomorrow morning"}
    assert len(found) == LONG_TEXT // 20
