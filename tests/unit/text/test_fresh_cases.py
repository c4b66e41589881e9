"""Sentences as strangers write them, labelled before the code had seen them: times, the gate, the rewriter."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from historian.schema.names import Names
from historian.text.checks.gate import check
from historian.text.checks.relative_words import find_relative_words
from historian.text.rewriting.absolutize import absolutize
from historian.text.time_expressions import find_time_expressions

LINES = (
    (Path(__file__).parents[2] / "data" / "fresh_cases.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
)
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def cases(part: str) -> list[Any]:
    return [pytest.param(case, id=case["text"]) for case in CASES if case["part"] == part]


@pytest.mark.parametrize("case", cases("time"))
def test_times_are_found_where_they_stand_and_mean_the_right_days(case: dict[str, Any]) -> None:
    found = find_time_expressions(
        case["text"], datetime.fromisoformat(case["timestamp"]), case["timezone"]
    )
    assert [(one.text, one.start, one.end) for one in found] == [
        (one["text"], one["start"], one["end"]) for one in case["expected"]
    ]
    for one, expected in zip(found, case["expected"], strict=True):
        assert one.until == expected["until"]
        assert expected["value"] in (None, one.value)


@pytest.mark.parametrize("case", cases("gate"))
def test_the_gate_finds_what_is_relative_and_nothing_else(case: dict[str, Any]) -> None:
    found = find_relative_words(case["text"]).violations
    assert [
        {"kind": one.kind, "text": one.text, "start": one.start, "end": one.end} for one in found
    ] == case["violations"]


@pytest.mark.parametrize("case", cases("rewriting"))
def test_a_sentence_is_rewritten_so_that_it_stands_alone(case: dict[str, Any]) -> None:
    names, item = Names(**case["names"]), case["item"]
    done = absolutize(
        case["text"], datetime.fromisoformat(case["timestamp"]), case["timezone"], names, item
    )
    if case["expected"] is not None:
        assert done.text == case["expected"]
    assert all(words in done.text for words in case["contains"])
    assert not any(words in done.text for words in case["lacks"])
    verdict = check(done.text, source=case["text"], names=names, item=item)
    assert verdict.passed is case["absolute"]
