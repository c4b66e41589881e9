"""Pinned lines: standing instructions of a conversation, stored as lines of the group's profile or
of the private layer of the user's profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...schema.errors import InvalidInput
from ...schema.ids import told
from ...schema.profile import ProfileKey, ProfileLine, line_id_of
from ...schema.scope import PRIVATE_LAYER, PUBLIC_LAYER, Scope
from ...schema.times import check_expiry
from ...text.profiles.lines import plain_words
from ..timezones import iso_of
from .plan import Line, lines_in, profile_keys, rewritten

if TYPE_CHECKING:
    from ..components import Parts

MOST_PINS = 50
"""Maximum number of pins per profile."""
LONGEST_LINE = 500
"""Maximum number of characters of a pin, or of an edited line."""
DAY_SECONDS = 86_400.0
EXPIRED_PIN_DAYS = 7
"""Number of days after which an expired pin is removed. It is removed when another pin is added to
the same profile."""

Expiry = datetime | str | float | int | None
"""The time until which a profile line is valid: an aware datetime, ISO 8601 with an offset, a day
(`2026-03-02`, until its last moment in UTC), or seconds since the epoch. None means no end."""


def checked_text(text: object) -> str:
    """Return the text of a profile line with line breaks and repeated spaces replaced by one space.

    Raises InvalidInput for an empty text, or one of more than LONGEST_LINE characters.
    """
    if not isinstance(text, str) or not (line := " ".join(text.replace("\0", " ").split())):
        raise InvalidInput("text: empty; give the words of the line")
    if len(line) > LONGEST_LINE:
        raise InvalidInput(
            f"text: {len(line)} characters, at most {LONGEST_LINE} are allowed; shorten it"
        )
    return line


def checked_expiry(expires_at: object, now: float) -> str:
    """Return an `Expiry` as ISO 8601 in UTC; a day is returned unchanged, None as "".

    Raises InvalidInput for a time in the past, or for a value that is not a time.
    """
    try:
        moment = check_expiry(expires_at, "UTC")
    except InvalidInput:
        raise InvalidInput(
            "expires_at: expected a day (2026-03-02), an aware datetime, ISO 8601 with an offset "
            f"(2026-03-02T18:00:00+08:00), or seconds since 1970, got {told(expires_at)}"
        ) from None
    if moment is None:
        return ""
    until = iso_of(moment)
    if moment <= now:
        raise InvalidInput(
            f"expires_at: {until} is in the past; give a future time, or leave it out"
        )
    is_day = isinstance(expires_at, str) and len(expires_at.strip()) == len("2026-03-02")
    return str(expires_at).strip() if is_day else until


def pin_key(scope: Scope) -> ProfileKey:
    """Return the key of the profile that holds the pins of a conversation."""
    if scope.request_type == "group":
        return ProfileKey("group", scope.group_id, PUBLIC_LAYER)
    return ProfileKey("user", scope.user_id, PRIVATE_LAYER)


def pin(parts: Parts, scope: Scope, text: str, until: str) -> ProfileLine:
    """Pin a line. See `CognitiveService.pin`. `text` and `until` must be checked, and `text`
    redacted, before the call."""
    key, day = pin_key(scope), datetime.fromtimestamp(parts.clock(), UTC).date().isoformat()
    before = iso_of(parts.clock() - EXPIRED_PIN_DAYS * DAY_SECONDS)

    def pinned(lines: Sequence[ProfileLine]) -> tuple[ProfileLine, ...]:
        same = next((one for one in lines if plain_words(one.text) == plain_words(text)), None)
        if same is not None:
            return tuple(
                replace(one, pinned=True, until=until) if one is same else one for one in lines
            )
        lines = [one for one in lines if one.holds_at(before) or not one.pinned]
        check_room(lines)
        new = ProfileLine(
            line_id_of(text, "pin"), text, "boundary", 0, day, day, until, pinned=True
        )
        return (*lines, new)

    profile = rewritten(parts, key, pinned, "pin")
    return next(one for one in profile.lines if plain_words(one.text) == plain_words(text))


def check_room(lines: Sequence[ProfileLine]) -> None:
    """Raise InvalidInput if `lines` contain the maximum number of pins already."""
    if sum(one.pinned for one in lines) >= MOST_PINS:
        raise InvalidInput(
            f"text: {MOST_PINS} pins are there already; `list_pins` shows them, `unpin` removes one"
        )


def unpin(parts: Parts, scope: Scope, line_id: str) -> bool:
    """Remove a pin. See `CognitiveService.unpin`."""
    found = [key for key, line in pins(parts, scope) if line.line_id == line_id]
    for key in found:
        rewritten(
            parts,
            key,
            lambda lines: tuple(one for line in lines for one in _unpinned(line, line_id)),
            "unpin",
        )
    return bool(found)


def _unpinned(line: ProfileLine, line_id: str) -> list[ProfileLine]:
    """Return the line without its pin if its id is `line_id`; [] if the line was pinned only, and
    never said in a conversation. Other lines are returned unchanged.
    """
    if line.line_id != line_id:
        return [line]
    return [replace(line, pinned=False, until="")] if line.told else []  # pinned only


def pins(parts: Parts, scope: Scope) -> list[Line]:
    """Return the pinned lines that are read in a conversation, including expired pins."""
    return [(key, line) for key, line in lines_in(parts, profile_keys(parts, scope)) if line.pinned]
