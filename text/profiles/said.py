"""The lines that a message brings to the profile of its sender, and the former line that it corrects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...schema.event import Event
from ...schema.profile import LineKind, ProfileLine, bounded_evidence, line_id_of
from ..asked_to_keep import asked_to_keep, quoted_line
from ..declared import correction_in, declared, line_kind

CERTAIN: frozenset[LineKind] = frozenset(("health", "boundary"))
"""Declarations that become lines where a model reads the talk too: what must not depend on a model."""
BETWEEN_QUOTES = " → "
"""What stands between the words of a line and those that correct them without saying the whole anew."""


def said_lines(message: Event, *, certain: bool = False) -> list[ProfileLine]:
    """Return what a message asks to have remembered and what its sender declares of themselves, quoted as said.

    With `certain` declarations of the kinds in CERTAIN alone.
    """
    day = message.day
    asked = [(words, line_kind(words)) for words in asked_to_keep(message.text, message.bot_name)]
    declarations = [one for one in declared(message.text) if not certain or one[1] in CERTAIN]
    whole = " ".join(words for words, _ in asked)
    told = [*asked, *(one for one in declarations if one[0] not in whole)]
    until, evidence = ProfileLine.until_moment(message.expires_at), (message.event_id,)
    found: list[ProfileLine] = []
    for words, kind in told:
        text = quoted_line(words)
        of = line_id_of(text, *evidence), text, kind
        found.append(ProfileLine(*of, 1, day, day, until=until, evidence=evidence))
    return found


def corrected_lines(
    lines: Sequence[ProfileLine], corrected: Sequence[str], message: Event, new: Sequence[ProfileLine]
) -> tuple[ProfileLine, ...]:
    """Return `lines` without what `message` takes back or corrects of them. `corrected` are the ids of the parts of the
    message to which it answers; lines that rest on more stay.

    A line that `message` says anew (one of `new`, of the same kind) goes. One that it corrects by a word or two gets its words
    behind its own, so that a reader sees both. Nothing changes where several lines could be meant.
    """
    correction = correction_in(message.text)
    known = (one for one in lines if one.evidence and not one.pinned)
    meant = [one for one in known if set(one.evidence) <= set(corrected)]
    if correction is None:
        return tuple(lines)

    def left(line: ProfileLine) -> ProfileLine | None:
        if line not in meant:
            return line
        if correction.takes_back or any(one.kind == line.kind for one in new):
            alike = [one for one in meant if correction.takes_back or one.kind == line.kind]
            return line if len(alike) > 1 else None
        is_named = correction.was.casefold() in line.text.casefold()
        if new or not (is_named if correction.was else len(meant) == 1):
            return line
        text = f"{line.text}{BETWEEN_QUOTES}{quoted_line(message.text)}"
        evidence = bounded_evidence((*line.evidence, message.event_id))
        return replace(line, text=text, last_day=message.day, evidence=evidence)

    return tuple(one for one in map(left, lines) if one is not None)
