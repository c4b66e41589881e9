"""What an archive brings, redacted as if it had been handed over here: an archive may come from anywhere.

Ids, times and sources stay as they are. What was redacted before stays as it is too, so that the same archive again
changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...schema.event import OBSERVATION
from ...schema.job import Job
from ...schema.profile import Profile
from ...schema.summary import BufferedState, StoredArticle, Summary
from ...stores.sqlite.event_transfer import Carried
from ...stores.sqlite.state_buffer import spoken_tokens
from ...text.redaction import Level, redact, redact_value
from ..intake import redacted
from .article_transfer import CarriedLayers

_REPEATED = 4096
"""Names and reasons that stand in many events are looked through once."""
_KEPT = ("scope_key", "job_id", "user_id", "timestamp")


class CarriedRedaction:
    """Redacts at `level`; what was observed, and what was said for the assistant's own memory, at `all` as always."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._word = lru_cache(_REPEATED)(redact)

    def event(self, carried: Carried) -> Carried:
        event, level = carried.event, self._level
        if event.source == OBSERVATION:
            level = "all"
        return replace(
            carried,
            event=replace(
                event,
                text=redact(event.text, level),
                user_name=self._word(event.user_name, level),
                gate_reasons=tuple(self._word(reason, level) for reason in event.gate_reasons),
            ),
        )

    def job(self, job: Job) -> Job:
        return redacted(job, self._level)

    def plain_summary(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry of `end_summaries.json`."""
        return {key: value if key in _KEPT else redact_value(value, self._level) for key, value in entry.items()}

    def profile(self, profile: Profile) -> Profile:
        return replace(
            profile,
            name=self._word(profile.name, self._level),
            tags=tuple(self._word(tag, self._level) for tag in profile.tags),
            summary=redact(profile.summary, self._level),
        )

    def layers(self, carried: CarriedLayers) -> CarriedLayers:
        return CarriedLayers(
            articles={key: [self._article(one) for one in revisions] for key, revisions in carried.articles.items()},
            summaries={key: [self._summary(one) for one in summaries] for key, summaries in carried.summaries.items()},
            states={key: [self._state(one) for one in states] for key, states in carried.states.items()},
        )

    def _article(self, stored: StoredArticle) -> StoredArticle:
        chapters = stored.article
        return replace(
            stored,
            article=replace(
                chapters,
                bedrock=redact(chapters.bedrock, self._level),
                evolutionary=redact(chapters.evolutionary, self._level),
                dynamic=redact(chapters.dynamic, self._level),
            ),
        )

    def _summary(self, summary: Summary) -> Summary:
        reasons = tuple(self._word(reason, self._level) for reason in summary.gate_reasons)
        return replace(summary, text=redact(summary.text, self._level), gate_reasons=reasons)

    def _state(self, state: BufferedState) -> BufferedState:
        level: Level = self._level if state.spoken.role == "record" else "all"
        text, name = redact(state.spoken.text, level), self._word(state.spoken.name, level)
        if (text, name) == (state.spoken.text, state.spoken.name):
            return state
        spoken = replace(state.spoken, text=text, name=name)
        return replace(state, spoken=spoken, tokens=spoken_tokens(spoken))
