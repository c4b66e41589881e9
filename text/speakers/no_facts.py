"""What is handed over as a fact and tells nothing that is so: suppositions, questions, tests, what memory itself recalled."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..questions.asking import tells_of_question
from ..word_lists import word_tables

_REASONS = {why: re.compile("|".join(pieces), re.IGNORECASE) for why, pieces in word_tables("speakers/no_facts.toml").items()}


def why_no_fact(text: str, names: Names) -> str:
    """Return why a statement tells no fact (recalled, test, supposed, question, asked, played), or "".

    What was "asked" tells that somebody asked something, which is so, but tells nothing of anybody.
    """
    if names.group_name:
        text = text.replace(names.group_name, " ")
    reason = next((why for why, pattern in _REASONS.items() if pattern.search(text.strip())), "")
    return reason or ("asked" if tells_of_question(text.strip()) else "")
