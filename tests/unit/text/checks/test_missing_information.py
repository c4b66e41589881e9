"""What a text leaves unsaid that only the talk tells (tests/data/text/unsaid.tsv)."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.text.checks.missing_information import missing_information
from historian.text.sentence import Sentence
from support.tables import cases

NAMES = Names(bot_name="小史", user_name="阿泰", user_id="42", others=("Nora", "Big Mike"))


@pytest.mark.parametrize("case", cases("text/unsaid"))
def test_what_a_text_leaves_unsaid_is_reported(case: dict[str, str]) -> None:
    text = case["text"]
    found = list(
        missing_information(Sentence(text, NAMES), "action" if case["kind"] == "action" else "fact")
    )
    assert " | ".join(one.why for one in found) == case["why"]
    undone = [one for one in found if one.why == "no_deed"]
    assert all(text in one.reason("zh") and text in one.reason("en") for one in undone)
