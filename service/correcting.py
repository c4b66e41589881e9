"""Corrections of lines of profiles and of events: editing, deleting and undoing, everywhere in the
memory. Also pins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal

from ..schema.correction import Candidate, Correction
from ..schema.errors import InvalidInput
from ..schema.event import MESSAGE_NOT_EDITABLE, Event
from ..schema.ids import told
from ..schema.job import check_size
from ..schema.profile import LINE_KINDS, LineKind, ProfileLine
from ..schema.protocols import Vector
from ..schema.scope import Scope, checked_scope
from ..text.redaction import redact
from .corrections.candidates import candidates, clear_one, kind_of
from .corrections.deleting import delete_event, delete_line
from .corrections.new_words import edit_event, edit_line
from .corrections.pins import Expiry, checked_expiry, checked_text, pin, pins, unpin
from .corrections.plan import MessagesOf, Plan, existing
from .corrections.undoing import undo
from .running.lifecycle import Lifecycle
from .timezones import configured_timezone, iso_of

UNSET: Final = "unset"
"""The default of `expires_at` in `edit_line`: the expiry of the line is unchanged."""
MOST_CORRECTIONS = 200
MOST_TAGS, LONGEST_TAG = 20, 60
"""Maximum number of tags of a line, and of characters of a tag."""


class Correcting:
    """The methods that edit and delete lines and events with everything that says the same, undo
    corrections, and pin lines.

    `scope` limits what may be changed: the profile of its user, as far as it is readable there, the
    profile of its group, the events of that conversation, and the events elsewhere that its user
    said. None stands for the owner, who may change everything: give a scope wherever users or
    models choose ids. All methods raise InvalidInput that names the argument, StorageError, and
    HistorianError if memory is off or not open.
    """

    lifecycle: Lifecycle

    async def edit_line(
        self,
        line_id: str,
        text: str | None = None,
        *,
        scope: Scope | None,
        kind: LineKind | None = None,
        tags: Collection[str] | None = None,
        pinned: bool | None = None,
        expires_at: Expiry | Literal["unset"] = UNSET,
    ) -> Correction:
        """Replace the text of a line in the profile and in the events that are its evidence. The
        text is redacted first.

        The newest of these events that supports no other line gets the new text, and the other
        events are deleted; if there is no such event, one is filed. Source messages are unchanged,
        but are marked as corrected and no longer recalled. Waiting jobs do not bring the old text
        back. `kind`, `tags`, `pinned` and `expires_at` (see `pin`; None: no end) change only the
        line.
        """
        parts, scope = self.lifecycle.in_use().parts, _checked(scope)
        changes = _changes(kind, tags, pinned, expires_at, parts.clock())
        if text is None and not changes:
            raise InvalidInput(
                "text: nothing to change; give text, kind, tags, pinned or expires_at"
            )
        written = None if text is None else checked_text(await self._redacted(checked_text(text)))
        vector = None if written is None else await self._vector(written)
        return await self._carried_out(
            scope, edit_line, line_id, written, vector, scope, changes, self._timezone
        )

    async def delete_line(
        self, line_id: str, *, scope: Scope | None, messages: bool = False, dry_run: bool = False
    ) -> Correction:
        """Delete a line, the events that are its evidence, and the events of the conversation that
        say the same.

        Other lines with the same evidence lose this evidence, but are not deleted. With `messages`,
        the source messages are deleted too, with everything that only they support. Without it,
        the messages are unchanged and are listed in `Correction.still_told`. With `dry_run` nothing
        changes, and the result lists what would be deleted.
        """
        how: MessagesOf = "remove" if messages else "stay"
        scope = _checked(scope)
        return await self._carried_out(scope, delete_line, line_id, scope, how, dry_run)

    async def delete_event(
        self, event_id: str, *, scope: Scope | None = None, dry_run: bool = False
    ) -> Correction:
        """Delete an event and the lines of profiles that have no other evidence. For a message,
        delete all its parts and everything that only this message supports.

        Lines with other evidence are not deleted, but lose this evidence. With `dry_run` nothing
        changes, and the result lists what would be deleted.
        """
        scope = _checked(scope)
        return await self._carried_out(scope, delete_event, event_id, scope, "stay", dry_run)

    async def edit_event(self, event_id: str, text: str, *, scope: Scope | None = None) -> Event:
        """Replace the text of an event and return the event. The text is redacted first. Searches
        find the event by its new text at once.

        Lines of profiles with the same text get the new text too. If such a line has other events
        as evidence, it keeps its text, and a line with the new text is added. Raises InvalidInput
        for a message, which cannot be edited: hand it over again with the same `id` and other words
        instead.
        """
        parts, scope = self.lifecycle.in_use().parts, _checked(scope)
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput("text: empty; `delete_event` removes an event")
        check_size((text,), "text")
        event = await asyncio.to_thread(existing, parts, event_id, scope)
        if event.is_message:
            raise InvalidInput(MESSAGE_NOT_EDITABLE)
        await self._edit_event(event, await self._redacted(text.strip()), scope, "stay")
        return await asyncio.to_thread(existing, parts, event_id, scope)

    async def undo(self, correction_id: str, *, scope: Scope | None) -> Correction:
        """Undo a correction that was made in this conversation less than `cognitive.undo_hours`
        ago, and return it. If `scope` is None, it may be from any conversation.

        Events and messages are restored with their ids, but without their revisions; they get
        vectors when a worker is idle. Lines are restored unless they exist again. Events and lines
        that were changed after the correction are left unchanged. Data of a person or group that
        was forgotten since then is not restored.
        """
        parts, scope = self.lifecycle.in_use().parts, _checked(scope)
        done = await asyncio.to_thread(undo, parts, correction_id, scope)
        self.lifecycle.in_use().recall.clear()
        return done

    async def list_corrections(self, *, scope: Scope | None, limit: int = 20) -> list[Correction]:
        """Return the corrections of a conversation that can be undone or were undone, newest first,
        at most `limit`. If `scope` is None, return those of all conversations."""
        if (
            not isinstance(limit, int)
            or isinstance(limit, bool)
            or not 1 <= limit <= MOST_CORRECTIONS
        ):
            raise InvalidInput(
                f"limit: expected a number from 1 to {MOST_CORRECTIONS}, got {told(limit)}"
            )
        parts, scope = self.lifecycle.in_use().parts, _checked(scope)
        key = None if scope is None else scope.key
        found = await asyncio.to_thread(parts.backend.corrections.latest, key, parts.clock(), limit)
        return [one.correction if key is None else one.correction.seen_in(key) for one in found]

    async def correct(
        self, wrong: str, right: str = "", *, scope: Scope, target_id: str = ""
    ) -> Correction | list[Candidate]:
        """Correct the line or event that says `wrong`: replace its text by `right`, or delete it if
        `right` is empty. Its source messages are hidden.

        If it is not clear which line or event is meant, nothing changes, and the candidates are
        returned, best first ([] if there are none). Call the method again with the `target_id` of
        one of them. For a bot's model: "that's wrong, I'm not vegetarian" is
        `correct("vegetarian")`.
        """
        parts, scope = self.lifecycle.in_use().parts, checked_scope(scope)
        if not target_id and (not isinstance(wrong, str) or not wrong.strip()):
            raise InvalidInput(
                "wrong: empty; give the words that are wrong, or the target_id of a candidate"
            )
        if not isinstance(right, str):
            raise InvalidInput(f"right: expected text, got {told(right)}")
        check_size((str(wrong), right), "wrong")
        written = checked_text(await self._redacted(checked_text(right))) if right.strip() else ""
        found = await asyncio.to_thread(candidates, parts, str(wrong), scope)
        if target_id:
            kinds = await asyncio.to_thread(kind_of, parts, target_id, scope)
        elif clear := clear_one(found, wrong):
            kinds, target_id = clear.kind, clear.target_id
        else:
            return found
        if kinds == "line":
            if written:
                return await self.edit_line(target_id, written, scope=scope)
            return await self._carried_out(scope, delete_line, target_id, scope, "hide", False)
        event = await asyncio.to_thread(existing, parts, target_id, scope)
        if written:
            return await self._edit_event(event, written, scope, "hide")
        return await self._carried_out(scope, delete_event, target_id, scope, "hide", False)

    async def pin(self, text: str, scope: Scope, *, expires_at: Expiry = None) -> ProfileLine:
        """Pin a text, which is redacted first, and return its line. The line comes first in every
        block of the conversation, until `expires_at` if that is given.

        `expires_at` is an aware datetime, ISO 8601 with offset, a day, or seconds since 1970. At
        most 50 pins of 500 characters each. If a line of the profile has the same words, that line
        is pinned.
        """
        parts, scope = self.lifecycle.in_use().parts, checked_scope(scope)
        until = checked_expiry(expires_at, parts.clock())
        written = checked_text(await self._redacted(checked_text(text)))
        line = await asyncio.to_thread(pin, parts, scope, written, until)
        self.lifecycle.in_use().recall.clear()
        return line

    async def unpin(self, line_id: str, scope: Scope) -> bool:
        """Remove a pin. Return False if there is no such pin. A line that was in the profile before
        it was pinned is not deleted."""
        parts, scope = self.lifecycle.in_use().parts, checked_scope(scope)
        done = await asyncio.to_thread(unpin, parts, scope, line_id)
        self.lifecycle.in_use().recall.clear()
        return done

    async def list_pins(self, scope: Scope) -> list[ProfileLine]:
        """Return the pinned lines of a conversation that have not expired, in the order of the
        profile."""
        parts, scope = self.lifecycle.in_use().parts, checked_scope(scope)
        found = await asyncio.to_thread(pins, parts, scope)
        return [line for _, line in found if line.holds_at(iso_of(parts.clock()))]

    async def _edit_event(
        self, event: Event, text: str, scope: Scope | None, how: MessagesOf
    ) -> Correction:
        vector = await self._vector(text)
        return await self._carried_out(
            scope, edit_event, event, text, vector, scope, how, self._timezone
        )

    async def _carried_out(
        self, scope: Scope | None, work: Callable[..., tuple[Plan, Correction]], *arguments: object
    ) -> Correction:
        """Call `work(parts, *arguments)`, which carries out a correction, in a thread. Then remove
        the texts of its messages from MEMORY.md, and empty the caches of recall."""
        opened = self.lifecycle.in_use()
        plan, correction = await asyncio.to_thread(work, opened.parts, *arguments)
        if correction.correction_id:
            for key, words in plan.unspoken().items():
                await asyncio.to_thread(self.lifecycle.plain.forget_words, key, words)
            opened.recall.clear()
        return correction if scope is None else correction.seen_in(scope.key)

    @property
    def _timezone(self) -> str:
        return configured_timezone(self.lifecycle.settings.cognitive.timezone)

    async def _redacted(self, text: str) -> str:
        level = self.lifecycle.settings.historian.redact_jobs
        return await self.lifecycle.acceptance.in_thread(redact, text, level, long=True)

    async def _vector(self, text: str) -> Vector | None:
        from ..models.embeddings.recorded import vectors_for

        parts = self.lifecycle.in_use().parts
        (vector,) = await vectors_for([text], parts.embedder, parts.events)
        return vector


def _checked(scope: Scope | None) -> Scope | None:
    return None if scope is None else checked_scope(scope)


def _changes(
    kind: object, tags: object, pinned: object, expires_at: object, now: float
) -> dict[str, Any]:
    """Return the fields of a line that change. Raises InvalidInput."""
    changes: dict[str, Any] = {}
    if kind is not None:
        if kind not in LINE_KINDS:
            raise InvalidInput(f"kind: expected one of {', '.join(LINE_KINDS)}, got {told(kind)}")
        changes["kind"] = kind
    if tags is not None:
        several = isinstance(tags, Collection) and not isinstance(tags, str | bytes | Mapping)
        given = list(tags) if several else []  # type: ignore[call-overload]  # is a collection
        fits = all(isinstance(one, str) and 0 < len(one) <= LONGEST_TAG for one in given)
        if not several or len(given) > MOST_TAGS or not fits:
            raise InvalidInput(
                f"tags: expected at most {MOST_TAGS} strings of 1 to {LONGEST_TAG} characters, got {told(tags)}"
            )
        changes["tags"] = tuple(dict.fromkeys(" ".join(one.split()) for one in given))
    if pinned is not None:
        if not isinstance(pinned, bool):
            raise InvalidInput(f"pinned: expected True or False, got {told(pinned)}")
        changes["pinned"] = pinned
    if expires_at != UNSET:
        changes["until"] = checked_expiry(expires_at, now)
    return changes
