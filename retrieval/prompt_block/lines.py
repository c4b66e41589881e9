"""A message, an event and a day as lines of the quoted block."""

from __future__ import annotations

from ...schema.event import Event
from ...schema.hit import Hit
from ...schema.job import without_list_mark
from ...schema.language import Language
from ...text.speakers.shown_names import AS_BORNE, ShownNames
from .block import day
from .quoting import quoted, quoted_name

LABELS = {
    "zh": {"user": "用户画像", "group": "群画像", "pinned": "置顶", "pending": "尚未归档"},
    "en": {"user": "user", "group": "group", "pinned": "pinned", "pending": "not filed yet"},
}
_UNTIL = {"zh": "（至{day}）", "en": " (until {day})"}
_IN_GROUP = {"zh": " 在群“{group}”里", "en": ' in group "{group}"'}
_COLONS = str.maketrans(dict.fromkeys(":：﹕︰꞉ː։׃∶", "·"))


def record_line(hit: Hit, names: ShownNames = AS_BORNE) -> str:
    """Return the line of the message or event of a hit.

    `names` hold for the conversation itself: in what comes from another group people are shown as they were called then.
    """
    names = AS_BORNE if hit.group else names
    return (message_line if hit.event.is_message else event_line)(hit.event, names, hit.pending)


def message_line(event: Event, names: ShownNames = AS_BORNE, is_newest: bool = False) -> str:
    """Return `Ann: words`, with the days that they name in brackets; of a tool's message, that of an event.

    A name holds no colon and begins with no dash: it could pass for another speaker, or for an event. Where nothing is left of
    it ("*"), the id stands for it.
    """
    name = _head(names.speaker(event, is_newest=is_newest))
    if not name and event.role == "user":
        name = _head(event.teller)
    return quoted(f"{name}: {names.text(event)}") if name else event_line(event, names)


def _head(name: str) -> str:
    return quoted_name(name).translate(_COLONS).lstrip("-–—•* ")


def event_line(event: Event, names: ShownNames = AS_BORNE, is_newest: bool = False) -> str:
    """Return `- text`. A bracket that it begins with becomes a round one: it could pass for a label."""
    said = quoted(without_list_mark(_told(event, names.text(event)).lstrip()))
    if said.startswith("["):
        said = "(" + said[1:].replace("]", ")", 1)
    return f"- {said}"


def _told(event: Event, text: str) -> str:
    """Return the text of an event; of a summary its lines behind one another, without the day if the heading shows it."""
    if event.source != "summary":
        return text
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    of_day = f"{event.day} "
    if all(line.startswith(of_day) for line in lines):
        lines = [line.removeprefix(of_day) for line in lines]
    return " / ".join(lines)


def heading_of(hit: Hit, language: Language, when: str = "") -> str:
    """Return `[2026-02-20]`; of what waits to be filed with a mark, of what was said in another group with its name."""
    mark = f" {LABELS[language]['pending']}" if hit.pending else ""
    if hit.group:
        mark += _IN_GROUP[language].format(group=quoted_name(hit.group))
    return f"[{when or day(hit.event.timestamp_local)}{mark}]"


def until_mark(event: Event, language: Language) -> str:
    """Return the mark of a record that a later one has superseded: ` (until 2026-05-10)`."""
    since = event.superseded_at
    if not event.superseded_by or since is None:
        return ""
    return _UNTIL[language].format(day=event.local_day(since))
