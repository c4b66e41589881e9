"""Labelled lines for redaction, and whether a secret of one is left. Used by the benchmark and by the tests."""

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
    """A text, the exact substrings that must not be left of it (none: it is harmless), and the level that they are of."""

    text: str
    secrets: list[str]
    level: Level
    label: str | None


def read_lines(path: Path) -> Iterator[Line]:
    """Lines of a file; where it keeps secrets in parts (so that no scanner takes them for real), they are joined here."""
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        text = row["text"]
        secrets = ["".join(parts) for parts in row["parts"]] if "parts" in row else row["secrets"]
        for place, secret in enumerate(secrets):
            text = text.replace(f"⟦{place}⟧", secret)
        yield Line(text, secrets, row["level"] or "all", row.get("label") or None)


def is_left(line: Line, redacted: str) -> bool:
    """Whether anything of its secrets is still there."""
    around = line.text
    for secret in line.secrets:
        around = around.replace(secret, "\0")  # `order` may stay where the password is `Dd2020!order` and the user `order`
    return any(remains(secret, redacted, around=around) for secret in line.secrets)


def remains(secret: str, text: str, length: int = 5, around: str = "") -> bool:
    """Whether any `length` neighbouring characters of the secret are still in the text, more often than `around` it."""
    text = _PLACEHOLDER.sub("", text)
    pieces = (secret[i : i + length] for i in range(max(1, len(secret) - length + 1)))
    return any(text.count(piece) > around.count(piece) for piece in pieces)
