"""The quoted block of all memories: lines within a token budget, marked as reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...schema.event import Event
from ...schema.hit import Hit
from ...schema.job import without_list_mark
from ...schema.language import Language
from ...schema.profile import ProfileLine
from ...text.messages.unspoken import MEMORY_CLOSING as CLOSING
from ...text.messages.unspoken import MEMORY_OPENING as OPENING
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from ...text.tokens import estimate_tokens
from .quoting import quoted, quoted_name

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FIGURE = re.compile(r"\(?\d[\d.,:/-]*\d\)?", re.ASCII)
_CHARACTERS_A_TOKEN = 24
"""The maximum number of characters per token that is tried when a line is cut. Only runs of one
letter have more; they are cut earlier than necessary."""
SHORTEST_TOKENS = 12
"""A line is never cut to fewer tokens than this; it is left out instead."""


def day(timestamp: str) -> str:
    """Return the day of an ISO 8601 time; "?" if it has none."""
    return timestamp[:10] if _DAY.fullmatch(timestamp[:10]) else "?"


def minute(timestamp: str) -> str:
    """Return day and time of day, `2026-02-20 17:30`. Return only the day if there is no time of
    day, or if it is midnight.
    """
    time_of_day = timestamp[11:16]
    return (
        day(timestamp)
        if time_of_day in ("", "00:00")
        else f"{day(timestamp)} {quoted_name(time_of_day)}"
    )


class Block:
    """The lines of one block, within a budget of tokens."""

    def __init__(self, language: Language, max_tokens: int) -> None:
        self._opening = OPENING[language]
        self._max_tokens = max_tokens
        self._room = max_tokens - estimate_tokens(self._opening) - estimate_tokens(CLOSING) - 2
        self.lines: list[str] = []
        self.said: set[str] = set()
        """Texts that the block holds as a whole, in addition to its lines."""
        self.shown_of: dict[str, str] = {}
        """By event id: the text of the profile line that has this event as evidence."""

    @property
    def left(self) -> int:
        """The number of tokens left."""
        return max(self._room, 0)

    def note(self, line: ProfileLine) -> None:
        """Record that the block holds a profile line, so that neither its text nor its evidence is
        added again.
        """
        self.said.add(line.text)
        self.shown_of |= dict.fromkeys(line.evidence, bare(line.text))

    def add(self, lines: Iterable[str]) -> None:
        """Add lines. The caller has checked that they fit."""
        for line in lines:
            self.lines.append(line)
            self._room -= cost_of(line)

    def fits(self, lines: Sequence[str]) -> bool:
        """Return True if the block together with these lines is within the budget."""
        return estimate_tokens(self._joined(lines)) <= self._max_tokens

    def fill(self, lines: Iterable[str], share: float) -> None:
        """Add the lines that fit into `share` of the remaining budget. A line that is too long is
        cut. Stop when the rest is too small for any line.
        """
        room = int(self._room * share)
        for line in lines:
            cost = cost_of(line)
            if cost > room:
                line = cut(line, room - 1)
                cost = cost_of(line) if line else 0
            if not line and room < SHORTEST_TOKENS:
                break
            if not line:
                continue
            self.lines.append(line)
            room -= cost
            self._room -= cost

    def text(self) -> str:
        """Return the block; "" without lines. If rounding has put it over the budget, lines are cut
        or removed from the end.
        """
        while self.lines and estimate_tokens(self._joined()) > self._max_tokens:
            last = self.lines.pop()
            shorter = cut(last, estimate_tokens(last) - 2)
            self.lines += [shorter] if shorter else []
        return self._joined() if self.lines else ""

    def _joined(self, more: Sequence[str] = ()) -> str:
        return "\n".join([self._opening, *self.lines, *more, CLOSING])


def bare(text: str) -> str:
    """Return a text without quotation marks, full stops and exclamation marks at its ends."""
    return text.strip("“”\"'.。!！ \n")


def cost_of(line: str) -> int:
    """Return the number of tokens of a line with its line break."""
    return estimate_tokens(line) + 1


def cut(line: str, tokens: int) -> str:
    """Return the beginning of a line, at most `tokens` long, with an ellipsis; "" if nothing useful
    remains.

    A figure or date is never cut in two. A word of an alphabet is not cut either, unless half of
    the text would be lost without it.
    """
    if tokens < SHORTEST_TOKENS:
        return ""
    low, high = 0, min(len(line), _CHARACTERS_A_TOKEN * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(line[:middle] + "…") <= tokens:
            low = middle
        else:
            high = middle - 1
    low = _before_figure(line, low)
    head = line[:low].rstrip()
    if low < len(line) and _is_inside_word(line, low):
        whole = head.rpartition(" ")[0]
        head = whole if len(whole) > len(head) // 2 else head
    said = (
        head.partition("] ")[2]
        if head.startswith("- [")
        else head.partition(": ")[2] or head.removeprefix("- ")
    )
    return f"{head}…" if said.strip() else ""


def _before_figure(line: str, place: int) -> int:
    """Return the start of the figure or date around a place, including its bracket; return the
    place itself if it is not inside one.
    """
    figures = (found.span() for found in _FIGURE.finditer(line))
    return next((start for start, end in figures if start < place < end), place)


def _is_inside_word(line: str, place: int) -> bool:
    """Return True if there are letters or digits of an alphabet on both sides of a place."""
    return all(
        character.isalnum() and character < "\u2e80" for character in line[place - 1 : place + 1]
    )


LABELS = {
    "zh": {"user": "用户画像", "group": "群画像", "pinned": "置顶", "pending": "尚未归档"},
    "en": {"user": "user", "group": "group", "pinned": "pinned", "pending": "not filed yet"},
}
_UNTIL = {"zh": "（至{day}）", "en": " (until {day})"}
_IN_GROUP = {"zh": " 在群“{group}”里", "en": ' in group "{group}"'}
_COLONS = str.maketrans(dict.fromkeys(":：﹕︰꞉ː։׃∶", "·"))


def record_line(hit: Hit, names: ShownNames = AS_BORNE) -> str:
    """Return the line of the message or event of a hit.

    `names` apply to the conversation itself. In a hit from another group, people keep the names
    that they had when it was said.
    """
    names = AS_BORNE if hit.group else names
    if hit.event.is_message:
        return message_line(hit.event, names, hit.pending)
    return event_line(hit.event, names)


def message_line(event: Event, names: ShownNames = AS_BORNE, is_newest: bool = False) -> str:
    """Return `Ann: words`, with the days that the words refer to in brackets. A message of a tool
    is formatted as an event.

    A shown name has no colon and no dash at its beginning, which could make it look like another
    speaker or an event. If nothing is left of the name ("*"), the id is shown.
    """
    name = _head(names.speaker(event, is_newest=is_newest))
    if not name and event.role == "user":
        name = _head(event.teller)
    return quoted(f"{name}: {names.text(event)}") if name else event_line(event, names)


def _head(name: str) -> str:
    return quoted_name(name).translate(_COLONS).lstrip("-–—•* ")


def event_line(event: Event, names: ShownNames = AS_BORNE) -> str:
    """Return `- text`. A square bracket at its beginning becomes a round one, because it could pass
    for a label.
    """
    said = quoted(without_list_mark(_told(event, names.text(event)).lstrip()))
    if said.startswith("["):
        said = "(" + said[1:].replace("]", ")", 1)
    return f"- {said}"


def _told(event: Event, text: str) -> str:
    """Return the text of an event. The lines of a summary are joined by slashes, without the day if
    all of them begin with it, because the heading shows it.
    """
    if event.source != "summary":
        return text
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    of_day = f"{event.day} "
    if all(line.startswith(of_day) for line in lines):
        lines = [line.removeprefix(of_day) for line in lines]
    return " / ".join(lines)


def heading_of(hit: Hit, language: Language, when: str = "") -> str:
    """Return `[2026-02-20]`. Adds a mark if the hit is not filed yet, and the name of the group if
    it is from another group.
    """
    mark = f" {LABELS[language]['pending']}" if hit.pending else ""
    if hit.group:
        mark += _IN_GROUP[language].format(group=quoted_name(hit.group))
    return f"[{when or day(hit.event.timestamp_local)}{mark}]"


def until_mark(event: Event, language: Language) -> str:
    """Return the mark of a superseded record, ` (until 2026-05-10)`; "" for other records."""
    since = event.superseded_at
    if not event.superseded_by or since is None:
        return ""
    return _UNTIL[language].format(day=event.local_day(since))
