"""Removal of single events, asked for here and by commands alike; imports nothing heavy."""

from __future__ import annotations

from collections.abc import Sequence

from ..schema.protocols import EventStore

MESSAGE_STANDS = (
    "event_id: this is a message, and a message stands as it was said; hand the same message id over again with other words, "
    "or withdraw it (`forget_message`, `historian events withdraw`)"
)
"""The answer to an edit of a message."""


def remove_events(events: EventStore, event_ids: Sequence[str]) -> None:
    """Remove events for good. A message goes as a whole, with what rests on it alone."""
    found = events.get(event_ids)
    if others := [event.event_id for event in found if not event.is_message]:
        events.forget(others)
    if messages := {event.job_id: None for event in found if event.is_message}:
        events.withdraw(list(messages))
