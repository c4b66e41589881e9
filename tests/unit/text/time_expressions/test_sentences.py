"""Sentences with their times resolved (tests/data/times/*.tsv).

Where `resolved` is empty the sentence stays. `reported` are the times that the gate still finds afterwards, separated by |.
"""

from __future__ import annotations

from datetime import datetime

import pytest
from historian.text.checks.relative_words import find_relative_words
from historian.text.time_expressions import find_relative, find_time_expressions, resolve_times
from support.tables import cases

TABLES = [
    f"times/{kind}_{language}" for kind in ("resolved", "unresolved") for language in ("zh", "en")
]


@pytest.mark.parametrize("case", cases(*TABLES))
def test_a_sentence_is_resolved_or_its_times_are_reported(case: dict[str, str]) -> None:
    at, text = datetime.fromisoformat(case["now"]), case["text"]
    resolved, _ = resolve_times(text, at, case["zone"])
    reported = [
        finding.text
        for finding in find_relative_words(resolved).violations
        if finding.kind == "time"
    ]
    assert (resolved, " | ".join(reported)) == (case["resolved"] or text, case["reported"])
    assert [words for *_, words in find_relative(resolved)] == reported
    assert resolve_times(resolved, at, case["zone"])[0] == resolved, (
        "resolving again changes nothing"
    )


@pytest.mark.parametrize("case", cases("times/found"))
def test_an_expression_is_found_with_its_span_and_its_days(case: dict[str, str]) -> None:
    text = case["text"]
    found = find_time_expressions(text, datetime.fromisoformat(case["now"]), case["zone"])
    assert " | ".join(one.text for one in found) == case["words"]
    assert all(text[one.start : one.end] == one.text for one in found)
    assert (found[0].value, "~" if found[0].vague else found[0].until) == (
        case["first"],
        case["last"],
    )
    assert not found[0].vague or found[0].until == found[0].value
