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
    """Return `lines` without the line that `message` takes back or says anew. `corrected` are the ids of the parts of the message
    to which it answers.

    It is the one line that rests on nothing else. If `message` takes it back, or says it anew (one of `new` is of its kind), it
    goes; if it is only said to be wrong it gets the words of `message` behind its own, so that a reader sees both. Where several
    lines could be meant nothing changes.
    """
    how = correction_in(message.text)
    meant = [one for one in lines if one.evidence and not one.pinned and set(one.evidence) <= set(corrected)]
    if not how or len(meant) != 1:
        return tuple(lines)
    (wrong,) = meant
    if how == "taken back" or any(one.kind == wrong.kind for one in new):
        return tuple(one for one in lines if one is not wrong)
    text = f"{wrong.text}{BETWEEN_QUOTES}{quoted_line(message.text)}"
    evidence = bounded_evidence((*wrong.evidence, message.event_id))
    mended = wrong if new else replace(wrong, text=text, last_day=message.day, evidence=evidence)
    return tuple(mended if one is wrong else one for one in lines)
