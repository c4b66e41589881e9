"""What is handed over as a fact and tells nothing that is so: suppositions, questions, tests, what memory itself recalled."""

from __future__ import annotations

import re

from ...schema.names import Names
from ..word_lists import word_tables

_REASONS = {why: re.compile("|".join(pieces), re.IGNORECASE) for why, pieces in word_tables("speakers/no_facts.toml").items()}


def why_no_fact(text: str, names: Names) -> str:
    """Return why a statement tells no fact (recalled, test, supposed, question, played), or "" if nothing speaks against it."""
    if names.group_name:
        text = text.replace(names.group_name, " ")
    return next((why for why, pattern in _REASONS.items() if pattern.search(text.strip())), "")
