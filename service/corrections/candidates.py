"""Search for the statement that a correction is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...schema.correction import Candidate, CandidateKind
from ...schema.errors import InvalidInput
from ...schema.event import EventFilter
from ...schema.ids import told
from ...schema.scope import Scope
from ...text.content_words import is_negative
from ...text.profiles.declared import is_of_kin
from ...text.profiles.lines import plain_words
from ...text.search_words import search_tokens
from ..timezones import iso_of
from .plan import lines_in, profile_keys

if TYPE_CHECKING:
    from ..components import Parts

_FIGURE = re.compile(
    r"[\d一二两三四五六七八九十]+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
MOST_CANDIDATES = 10
CANDIDATES_LOOKED_AT = 50
CLEAR, CLEARLY_BEFORE = 0.7, 0.3
"""A candidate is chosen if its score (the share of the query's words in it) is at least CLEAR, and
exceeds the next score by at least CLEARLY_BEFORE."""


def candidates(parts: Parts, wrong: str, scope: Scope) -> list[Candidate]:
    """Return the lines, events and messages of a conversation that share words with `wrong`, best
    first.

    The evidence of a line in the result and the source messages of an event in the result are left
    out. So are superseded, corrected and expired statements.
    """
    asked, now = set(search_tokens(wrong)) or {wrong.strip()}, iso_of(parts.clock())
    found: list[Candidate] = []
    covered: set[str] = set()
    said: set[str] = set()

    def add(target_id: str, kind: CandidateKind, text: str, day: str) -> bool:
        share = len(asked & words_of(text)) / len(asked)
        if share and plain_words(text) not in said:
            said.add(plain_words(text))
            found.append(Candidate(target_id, kind, text, day, round(share, 3)))
        return bool(share)

    for _, line in lines_in(parts, profile_keys(parts, scope)):
        if line.holds_at(now) and add(line.line_id, "line", line.text, line.last_day):
            covered.update(line.evidence)
    ids = [
        one
        for one, _ in parts.events.search_keywords(
            wrong, EventFilter(scope.key, holds=True, now=parts.clock()), CANDIDATES_LOOKED_AT
        )
    ]
    events = parts.events.get(ids)
    covered |= {f"{name}:0" for one in events if one.event_id in covered for name in one.sources}
    for is_message in (False, True):
        for one in events:
            if one.is_message != is_message or one.event_id in covered:
                continue
            if add(one.event_id, "message" if is_message else "event", one.text, one.day):
                covered |= {f"{name}:0" for name in one.sources}
    return sorted(found, key=lambda one: -one.score)[:MOST_CANDIDATES]


def words_of(text: str) -> set[str]:
    """Return the search words of a text, and its single characters."""
    return {*search_tokens(text), *text}


def clear_one(found: Sequence[Candidate], wrong: str) -> Candidate | None:
    """Return the candidate that is clearly meant by `wrong`, else None.

    None is returned if several candidates have similar scores, or if the best one has a low score,
    differs from `wrong` in negation, lacks a number of `wrong`, or is about a relative or pet
    although `wrong` names none.
    """
    if (
        not found
        or found[0].score < CLEAR
        or (len(found) > 1 and found[0].score - found[1].score < CLEARLY_BEFORE)
    ):
        return None
    text = found[0].text
    if is_negative(text) != is_negative(wrong) or not set(_FIGURE.findall(wrong)) <= set(
        _FIGURE.findall(text)
    ):
        return None
    return None if is_of_kin(text) and not is_of_kin(wrong) else found[0]


def kind_of(parts: Parts, target_id: str, scope: Scope) -> CandidateKind:
    """Return the kind of a target. Raises InvalidInput if no line, event or message of the
    conversation has this id."""
    if any(line.line_id == target_id for _, line in lines_in(parts, profile_keys(parts, scope))):
        return "line"
    found = parts.events.get([target_id]) if isinstance(target_id, str) else []
    if not found or found[0].scope.key != scope.key:
        raise InvalidInput(
            f"target_id: there is no line or event {told(target_id)} here; pass the target_id of a "
            "candidate"
        )
    return "message" if found[0].is_message else "event"
