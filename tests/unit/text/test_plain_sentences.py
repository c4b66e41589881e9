"""Plain sentences of both languages (tests/data/plain_sentences.tsv), as they are filed without a model."""

from __future__ import annotations

from typing import Any

import pytest
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from support.jobs import make_job
from support.tables import cases

NAMES = {"en": ("Ann", "Clio"), "zh": ("小李", "诺娃")}
UNSEEN = ["", "  ", "\u3000\u200b", "\u3164", "\u2800\u2800"]
"""Nicknames in which nothing can be seen, those of the rows of a nameless user."""


@pytest.mark.parametrize("case", cases("plain_sentences"))
def test_a_sentence_is_filed_as_its_line_says(case: dict[str, str]) -> None:
    """It is handed over alone on 2026-02-21 (Saturday), at noon where the row has no time."""
    user, bot = NAMES[case["lang"]]
    kind, text = case["kind"], case["text"]
    for name in UNSEEN if case["user"] else [user]:
        fields: dict[str, Any] = {
            "action_summary": text if kind == "action" else "",
            "new_info": [] if kind == "action" else [text],
            "timestamp": f"2026-02-21T{case['time'] or '12:00'}:00+08:00",
            "group": None,
            "user_id": "1001",
            "user_name": name,
            "bot_name": bot,
        }
        (item,) = by_rules(make_job(**fields), Settings())
        assert (item["candidate"], item["passed"]) == (case["filed"], case["absolute"] == "yes")
