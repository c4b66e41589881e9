"""Observations: texts as tools returned them, in chunks, as events that expire."""

from __future__ import annotations

from datetime import datetime

from ..schema.event import OBSERVATION, Event
from ..schema.ids import digest_of
from ..schema.scope import Scope
from .chunks import chunk
from .language import detect_language

NOT_REWRITTEN = {"zh": "观察到的原话，没有改写。", "en": "observed as it was, not rewritten"}
"""Why an observation is not absolute, in its own language."""


def observation_events(scope: Scope, text: str, moment: datetime, timezone: str, *, max_tokens: int) -> list[Event]:
    """Return one event a chunk of a redacted text. Ids are made of scope and content: the same is stored once a scope."""
    if not text.strip():
        return []
    source = digest_of(scope.key, text)
    return [
        Event.in_scope(
            scope,
            moment,
            timezone,
            event_id=scope.request_id(f"{OBSERVATION}-{digest_of(scope.key, piece.text)}"),
            job_id=f"{OBSERVATION}-{source}",
            kind="action",
            text=piece.text,
            is_absolute=False,
            source=OBSERVATION,
            gate_reasons=(NOT_REWRITTEN[detect_language(piece.text)],),
            rewritten_by="none",
        )
        for piece in chunk(text, max_tokens)
    ]
