"""Labelled lines for redaction, and the check whether a secret of a line is left. Used by the
benchmark and by the tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from historian.text.redaction import Level

DATA = Path(__file__).parents[2] / "tests" / "data"
LABELLED = DATA / "redaction_labelled.jsonl"
HELD_OUT = DATA / "redaction_held_out.jsonl"

_PLACEHOLDER = re.compile(r"\[[A-Z_]+\]")


@dataclass(frozen=True)
class Line:
    """A text, the exact substrings that must be removed from it (none if it is harmless), and the
    level at which they are.
    """

    text: str
    secrets: list[str]
    level: Level
    label: str | None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a file. Some files store secrets in parts, so that no scanner takes them
    for real; the parts are joined here.
    """
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        text = row["text"]
        secrets = ["".join(parts) for parts in row["parts"]] if "parts" in row else row["secrets"]
        for place, secret in enumerate(secrets):
            text = text.replace(f"⟦{place}⟧", secret)
        yield Line(text, secrets, row["level"] or "all", row.get("label") or None)


def is_left(line: Line, redacted: str) -> bool:
    """Return True if any part of the line's secrets is still in the redacted text."""
    around = line.text
    for secret in line.secrets:
        around = around.replace(
            secret, "\0"
        )  # `order` may remain if the password is `Dd2020!order` and the user `order`
    return any(remains(secret, redacted, around=around) for secret in line.secrets)


def remains(secret: str, text: str, length: int = 5, around: str = "") -> bool:
    """Return True if any `length` neighbouring characters of the secret are in `text` more often
    than in `around`.
    """
    text = _PLACEHOLDER.sub("", text)
    pieces = (secret[i : i + length] for i in range(max(1, len(secret) - length + 1)))
    return any(text.count(piece) > around.count(piece) for piece in pieces)
