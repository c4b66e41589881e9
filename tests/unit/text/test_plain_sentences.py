"""The commonest plain sentences of both languages (tests/data/plain_sentences.tsv), as they are filed without a model."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from support.jobs import make_job

SENTENCES = Path(__file__).parents[2] / "data" / "plain_sentences.tsv"
NAMES = {"en": ("Ann", "Clio"), "zh": ("小李", "诺娃")}
with SENTENCES.open(encoding="utf-8", newline="") as file:
    ROWS = [tuple(row) for row in csv.reader(file, delimiter="\t")][1:]


def filed(language: str, kind: str, text: str, **given: Any) -> tuple[str, bool]:
    """Return the text filed of one handed over alone on 2026-02-21 (Saturday), and whether it is absolute."""
    user, bot = NAMES[language]
    fields: dict[str, Any] = {
        "action_summary": text if kind == "action" else "",
        "new_info": [] if kind == "action" else [text],
        "timestamp": "2026-02-21T12:00:00+08:00",
        "group": None,
        "user_name": user,
        "bot_name": bot,
    }
    (item,) = by_rules(make_job(**{**fields, **given}), Settings())
    return item["candidate"], item["passed"]


@pytest.mark.parametrize(("language", "kind", "absolute", "text", "expected"), ROWS)
def test_a_plain_sentence_is_filed_as_its_line_says(language: str, kind: str, absolute: str, text: str, expected: str) -> None:
    assert filed(language, kind, text) == (expected, absolute == "yes")
