"""What the command line and the pages say alike: how a message is filled, and the words for what a person is forgotten in."""

from __future__ import annotations

import string
from typing import Any


def later(message: str) -> str:
    """Mark a message that is translated later, where it is not a literal any more."""
    return message


class MessageFormatter(string.Formatter):
    """Fills the placeholders of a message. `{n:job|jobs}` picks the first word for 1, the second otherwise."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        return (one if value == 1 else many) if bar else str(super().format_field(value, format_spec))


FORGOTTEN = {
    "events": later("{n} {n:event|events}"),
    "profiles": later("{n} {n:profile|profiles}"),
    "articles and summaries": later("{n} {n:article or summary|articles and summaries}"),
    "jobs": later("{n} {n:job|jobs}"),
    "plain summaries": later("{n} {n:plain summary|plain summaries}"),
    "lines of MEMORY.md": later("{n} {n:line|lines} of MEMORY.md"),
    "note files": later("{n} {n:note file|note files}"),
    "checkpoint and damaged files": later("{n} {n:checkpoint or damaged file|checkpoint and damaged files}"),
}
"""What goes when somebody is forgotten, by the kinds of a `ForgetReport`."""
