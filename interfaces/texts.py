"""What the command line and the pages say alike: messages filled, sizes, in which words two texts differ, in what somebody is
forgotten."""

from __future__ import annotations

import difflib
import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schema.event import Event
    from ..schema.language import Language
    from ..text.speakers.shown_names import ShownNames


def later(message: str) -> str:
    """Mark a message that is translated later, where it is not a literal any more."""
    return message


class MessageFormatter(string.Formatter):
    """Fills the placeholders of a message. `{n:job|jobs}` picks the first word for 1, the second otherwise."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        return (one if value == 1 else many) if bar else str(super().format_field(value, format_spec))


_FOLDER = Path(__file__).parent
CATALOGUES = (_FOLDER / "cli" / "texts.zh.toml", _FOLDER / "web" / "pages" / "texts.zh.toml")
"""The Chinese texts of the command line, and those that only the pages have."""


@cache
def catalogue() -> dict[str, Any]:
    """Return the Chinese texts of the command line: `messages` by the English ones, the keys of
    `reports`, and what the parser says as `usage` and `refusals`."""
    return tomllib.loads(CATALOGUES[0].read_text(encoding="utf-8"))


@cache
def messages() -> Mapping[str, str]:
    """Return the Chinese messages of the command line and the pages by the English ones."""
    pages = tomllib.loads(CATALOGUES[1].read_text(encoding="utf-8"))["messages"]
    return {**catalogue()["messages"], **pages}


def said(
    language: Language,
    message: str,
    values: Mapping[str, object],
    formatter: MessageFormatter = MessageFormatter(),  # noqa: B008 - it keeps nothing
) -> str:
    """Return a message in a language with its placeholders filled."""
    text = messages().get(message, message) if language == "zh" else message
    return formatter.vformat(text, (), values) if values else text


def say_in(language: Language, message: str, /, **values: object) -> str:
    """Return `said`."""
    return said(language, message, values)


NAMES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
"""What things are called, to be translated; see the file."""
FORGOTTEN: Mapping[str, str] = NAMES["forgotten"]
"""What goes when somebody is forgotten, by the kinds of a `ForgetReport`."""

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|\d+(?:[-:.]\d+)*|\s+|.", re.DOTALL)
"""The unit of a difference: a Latin word, a number or date, white space, or one character."""

LONGEST = 4_000
"""Characters up to which words are compared; longer lines are shown as changed altogether."""

Piece = tuple[bool, str]
"""(True if only this text has it, the words)."""


def words(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces, each marked if the other text does not have it.

    >>> words("likes tea", "likes coffee")
    ([(False, 'likes '), (True, 'tea')], [(False, 'likes '), (True, 'coffee')])
    """
    if len(before) + len(after) > LONGEST:
        return [(before != after, before)], [(before != after, after)]
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left += [(tag != "equal", "".join(old[i1:i2]))] if i2 > i1 else []
        right += [(tag != "equal", "".join(new[j1:j2]))] if j2 > j1 else []
    return left, right


def size(count: float) -> str:
    """Return a number of bytes for people."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def shown(event: Event, names: ShownNames | None = None) -> str:
    """Return a message as `speaker: words`, an event as its text; both with the days that they name in brackets.

    Without `names` everybody is shown as they were called then.
    """
    from ..retrieval.passages import spoken  # here, since commands begin without it

    return spoken(event) if names is None else spoken(event, names)


def told_by(entry: Mapping[str, Any]) -> list[str]:
    """Return what a job carries in words, of an entry of `job_entries`; nothing of a file that is no valid job."""
    if entry.get("kind", "remember") == "remember":
        return [text for text in (entry.get("action_summary"), *entry.get("new_info", ())) if text]
    payload = entry["payload"]
    if entry["kind"] == "states":
        return [str(one.get("text", "")) for one in payload.get("states", []) if isinstance(one, dict)]
    return [str(payload.get("text") or payload)]
