"""The job of a reflection run, with values derived from the settings. Shared by the nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from zoneinfo import ZoneInfo

from ...schema.graph_states.reflection import ProposalState, ReflectionState
from ...schema.job import Job
from ...schema.names import Names
from ...schema.payloads import StatesPayload
from ...schema.settings import Settings, ShorttermSettings
from ...schema.summary import CHAPTER_NAMES, Article, ArticleKey, ChapterBounds, ChapterName
from ...stores.historian_context import HistorianContext
from ...text.job_verdicts import names_of
from ...text.language import Language, detect_language


@dataclass(frozen=True, slots=True)
class ReflectionJob:
    """A job of kind `states` with the settings."""

    job: Job
    payload: StatesPayload
    key: ArticleKey
    names: Names
    settings: Settings

    @property
    def shortterm(self) -> ShorttermSettings:
        return self.settings.cognitive.shortterm

    @property
    def threshold(self) -> int:
        """Number of buffered tokens from which on a summary is made."""
        return self.payload.threshold or self.shortterm.summary_token_threshold

    @property
    def bounds(self) -> ChapterBounds:
        limits = self.shortterm
        return {
            "Bedrock": limits.bedrock_max_tokens,
            "Evolutionary": limits.evolutionary_max_tokens,
            "Dynamic": limits.dynamic_max_tokens,
        }

    @property
    def configured_language(self) -> Language | None:
        """The language in the settings; None for "auto"."""
        configured = self.settings.cognitive.language
        return None if configured == "auto" else configured

    def language(self, article: Article, lines: Sequence[str]) -> Language:
        """Return the configured language, else that of the article, else that of `lines`.

        So an article keeps its language.
        """
        written = "\n".join(article.chapter(name) for name in CHAPTER_NAMES).strip()
        return self.configured_language or detect_language(written or "\n".join(lines))

    def is_forgotten(self, context: HistorianContext) -> bool:
        """Return True if person or group was forgotten after the job was handed over. Blocking."""
        return context.events.is_forgotten(
            self.job.job_id, self.job.entities, self.job.moment.timestamp()
        )

    def now(self, context: HistorianContext) -> str:
        """Return the clock's time in the job's time zone, ISO 8601."""
        return datetime.fromtimestamp(context.clock(), ZoneInfo(self.job.timezone)).isoformat(
            timespec="seconds"
        )


def reflection_job(state: ReflectionState, settings: Settings) -> ReflectionJob:
    """Return the job of a run. Raises pydantic's ValidationError if its payload is invalid."""
    job = Job.model_validate(state["job"])
    payload = StatesPayload.model_validate(job.payload)
    return ReflectionJob(
        job, payload, ArticleKey(job.user_id, job.group_id), names_of(job, settings), settings
    )


async def read_article(job: ReflectionJob, context: HistorianContext) -> tuple[Article, int]:
    """Return the stored article and its revision; an empty article and 0 if there is none."""
    stored = await asyncio.to_thread(context.article_stores.articles.read, job.key)
    return (Article(), 0) if stored is None else (stored.article, stored.revision)


def article_of(proposal: ProposalState) -> Article:
    """Return the article of a proposal in the state."""
    return Article().with_chapters(cast(dict[ChapterName, str], proposal["chapters"]))


def proposal_of(article: Article, base_revision: int) -> ProposalState:
    """Return a proposal for the state: an article and the revision that it was made from."""
    return ProposalState(
        chapters={name: article.chapter(name) for name in CHAPTER_NAMES},
        base_revision=base_revision,
    )
