"""The words of the log that docs/operations tells of are those that the program writes."""

from __future__ import annotations

import re
from pathlib import Path

import historian
import pytest

ROOT = Path(historian.__file__).resolve().parent
DOCS = Path(__file__).parents[3] / "docs"


def lines_of(document: str) -> list[tuple[str, str]]:
    """Return line and level of the rows of the table."""
    text = (DOCS / document).read_text(encoding="utf-8")
    return re.findall(r"^\| `([^`]+)` \| (debug|info|warning|error) \|", text, re.MULTILINE)


@pytest.mark.parametrize("document", ["operations.md", "operations.zh-CN.md"])
def test_the_log_says_what_the_table_says(document: str) -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for path in ROOT.glob("[a-z]*/**/*.py")
        if "tests" not in path.parts
    )
    rows = lines_of(document)
    assert len(rows) >= 10 and rows == lines_of("operations.md")
    for line, _ in rows:
        pieces = [piece.strip(" :") for piece in re.split(r"…|\d+|'\w+'", line)]
        assert [piece for piece in pieces if len(piece) > 2 and piece not in source] == [], line
