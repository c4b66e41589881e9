"""Take out of a profile what is no longer true."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.job import without_list_mark
from ...schema.names import Names
from ..support import content_terms, is_negative

_LINE_HEAD = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s")


def without_over(summary: str, over: Sequence[str], names: Names) -> str:
    """Return `summary` without the bullets that say nothing but what one of the texts `over` says. Prose stays.

    A bullet that says more than that ("likes coffee and jazz") stays too: whoever merges decides what is left of it.
    """
    gone = [(content_terms(text, names), is_negative(text)) for text in over]
    lines: list[str] = []
    for line in summary.splitlines():
        terms = content_terms(without_list_mark(line.strip()), names)
        said = bool(_LINE_HEAD.match(line)) and bool(terms)
        if not said or not any(terms <= held and is_negative(line) == denies for held, denies in gone):
            lines.append(line)
    return "\n".join(lines)
