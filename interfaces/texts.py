"""Texts that the command line and the pages share.

Translation and formatting of messages, sizes for people, word differences of two texts, and the
names of the kinds of deleted data.
"""

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
    """Mark a literal message for the catalogue: it is translated later, through a variable."""
    return message


class MessageFormatter(string.Formatter):
    """A formatter of messages. `{n:job|jobs}` gives the first word if n is 1, else the second."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        return (
            (one if value == 1 else many) if bar else str(super().format_field(value, format_spec))
        )


_FOLDER = Path(__file__).parent
CATALOGUES = (_FOLDER / "cli" / "texts.zh.toml", _FOLDER / "web" / "pages" / "texts.zh.toml")
"""The files of Chinese texts: those of the command line, and those that only the pages use."""


@cache
def catalogue() -> dict[str, Any]:
    """Return the Chinese texts of the command line.

    `messages` maps English messages to Chinese ones, `reports` the keys of reports to their names.
    `usage` and `refusals` are regular expressions for texts of the parser, with replacements.
    """
    return tomllib.loads(CATALOGUES[0].read_text(encoding="utf-8"))


@cache
def messages() -> Mapping[str, str]:
    """Return the Chinese messages of the command line and the pages by their English texts."""
    pages = tomllib.loads(CATALOGUES[1].read_text(encoding="utf-8"))["messages"]
    return {**catalogue()["messages"], **pages}


def said(
    language: Language,
    message: str,
    values: Mapping[str, object],
    formatter: MessageFormatter = MessageFormatter(),  # noqa: B008 - it keeps nothing
) -> str:
    """Return a message in `language` with its placeholders filled.

    A message without a translation stays English.
    """
    text = messages().get(message, message) if language == "zh" else message
    return formatter.vformat(text, (), values) if values else text


def say_in(language: Language, message: str, /, **values: object) -> str:
    """Return the message as `said` does, with `values` as keyword arguments."""
    return said(language, message, values)


NAMES: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("names.toml").read_text(encoding="utf-8")
)
"""The English display names from `names.toml`, which the catalogues translate."""
FORGOTTEN: Mapping[str, str] = NAMES["forgotten"]
"""The texts that count deleted data, by the kinds of `ForgetReport.removed`."""

_TOKEN = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|\d+(?:[-:.]\d+)*|\s+|.", re.DOTALL)
"""The unit of a word difference: a Latin word, a number or date, white space, or one character."""

LONGEST = 4_000
"""Maximum number of characters of two texts together for a comparison by words. Longer texts that
differ are marked as changed as a whole."""

Piece = tuple[bool, str]
"""A pair of a flag and a part of a text. The flag is True if the other text lacks this part."""


def words(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces. The flag of a piece is True if the other text lacks it.

    >>> words("likes tea", "likes coffee")
    ([(False, 'likes '), (True, 'tea')], [(False, 'likes '), (True, 'coffee')])
    """
    if len(before) + len(after) > LONGEST:
        return [(before != after, before)], [(before != after, after)]
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        left += [(tag != "equal", "".join(old[i1:i2]))] if i2 > i1 else []
        right += [(tag != "equal", "".join(new[j1:j2]))] if j2 > j1 else []
    return left, right


def size(count: float) -> str:
    """Return a number of bytes as text with a decimal unit, such as 1.5 MB."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def shown(event: Event, names: ShownNames | None = None) -> str:
    """Return a message as `speaker: text`, and another event as its text.

    The dates of its time expressions are added in brackets. Without `names`, people have the names
    that they had at the time of the message.
    """
    from ..retrieval.passages import spoken  # imported here, so that commands start fast

    return spoken(event) if names is None else spoken(event, names)


def told_by(entry: Mapping[str, Any]) -> list[str]:
    """Return the texts of an entry of `job_entries`; [] for a file that is no valid job."""
    if entry.get("kind", "remember") == "remember":
        return [text for text in (entry.get("action_summary"), *entry.get("new_info", ())) if text]
    payload = entry["payload"]
    if entry["kind"] == "states":
        return [
            str(one.get("text", "")) for one in payload.get("states", []) if isinstance(one, dict)
        ]
    return [str(payload.get("text") or payload)]
