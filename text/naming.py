"""Names in the place of "he" and "the user" in what the assistant writes about one person; its own "I" stays."""

from __future__ import annotations

import re

from ..schema.names import Names
from .rewriting import draft

_FIRST = re.compile(r"^(?:我|咱|俺|I\b|me\b|my\b|mine\b|we\b|us\b|our)", re.IGNORECASE)
_SAME_NAME = re.compile(r"用户|the user|user", re.IGNORECASE)


def with_names(text: str, names: Names) -> str:
    """`text` with what the rules can resolve of "he", "you" and "the user" as names. In a group only "the user" is.

    There "he" may be anybody.
    """
    parts: list[str] = []
    position = 0
    for change in draft(text, names, "fact").replaced:
        if _FIRST.match(change.old) or (names.group_id and not _SAME_NAME.search(change.old)):
            continue
        parts += [text[position : change.start], change.new]
        position = change.end
    return "".join([*parts, text[position:]])
