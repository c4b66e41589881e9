"""Tables of cases: tab-separated files under tests/data, read by the tests of a subject."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[dict[str, str]]:
    r"""Return the rows of `tests/data/NAME.tsv` by column. The first line names the columns.

    Empty lines and lines that begin with "# " are skipped, `\n` is a line break, and fields that a line lacks are "".
    """
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if line and not line.startswith("# ")]
    read = csv.DictReader(told, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    return [{column: field.replace("\\n", "\n") for column, field in row.items()} for row in read]


def cases(*names: str) -> list[Any]:
    """Return the rows of these tables for `pytest.mark.parametrize("case", …)`. The id is the table and the number of the row."""
    return [
        pytest.param(row, id=f"{name.rpartition('/')[2]}-{at}")
        for name in names
        for at, row in enumerate(rows(name), start=1)
    ]
