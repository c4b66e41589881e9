"""A check that refuses every text, to see that a text goes through the gate."""

from __future__ import annotations

import pytest
from historian.text.checks import gate
from historian.text.checks.findings import Finding, Verdict

REFUSED = "nothing but a test"


def refuse_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gate find one fault, with REFUSED as its wording, in every text that it reads."""
    verdict = Verdict((Finding("claim", REFUSED, why="test"),))
    monkeypatch.setattr(gate, "find_relative_words", lambda *_, **__: verdict)
