"""The job of a reflection run, with values derived from the settings. Shared by the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ...schema.graph_states.reflection import ProposalState, ReflectionState
from ...schema.job import Job
from ...schema.names import Names
from ...schema.payloads import StatesPayload
from ...schema.settings import ShorttermSettings
from ...schema.summary import Article, ArticleKey, ChapterBounds
from ...stores.files.articles import chapters_as_json
from ...stores.historian_context import HistorianContext
from ...stores.tables.articles import ArticleStores
from ...text.articles import stored_lines
from ...text.job_verdicts import names_of
from ...text.language import Language, detect_language


@dataclass(frozen=True, slots=True)
class ReflectionJob:
    """A job of kind `states` with the stores and settings of its run."""

    job: Job
    payload: StatesPayload
    key: ArticleKey
    names: Names
    context: HistorianContext

    @property
    def stores(self) -> ArticleStores:
        return self.context.article_stores

    @property
    def shortterm(self) -> ShorttermSettings:
        return self.context.settings.cognitive.shortterm

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
        configured = self.context.settings.cognitive.language
        return None if configured == "auto" else configured

    def language(self, article: Article, lines: Sequence[str]) -> Language:
        """Return the configured language, else that of the article, else that of `lines`.

        So an article keeps its language.
        """
        written = [line.text for some in article.chapters.values() for line in some]
        return self.configured_language or detect_language("\n".join(written or lines))

    def is_forgotten(self) -> bool:
        """Return True if person or group was forgotten after the job was handed over. Blocking."""
        return self.context.events.is_forgotten(
            self.job.job_id, self.job.entities, self.job.moment.timestamp()
        )

    def now(self) -> str:
        """Return the clock's time in the job's time zone, ISO 8601."""
        moment = datetime.fromtimestamp(self.context.clock(), ZoneInfo(self.job.timezone))
        return moment.isoformat(timespec="seconds")

    def article(self) -> Article:
        """Return the stored article; an empty one of revision 0 if there is none. Blocking."""
        return self.stores.articles.read(self.key) or Article(self.key)


def reflection_job(state: ReflectionState, context: HistorianContext) -> ReflectionJob:
    """Return the job of a run. Raises pydantic's ValidationError if its payload is invalid."""
    job = Job.model_validate(state["job"])
    payload = StatesPayload.model_validate(job.payload)
    key, names = ArticleKey(job.user_id, job.group_id), names_of(job, context.settings)
    return ReflectionJob(job, payload, key, names, context)


def article_of(job: ReflectionJob, proposal: ProposalState) -> Article:
    """Return the article of a proposal in the state. Its revision is the one it was made from."""
    chapters = {name: stored_lines(told) for name, told in proposal["chapters"].items()}
    return Article(job.key, revision=proposal["base_revision"]).with_chapters(chapters)


def proposal_of(article: Article) -> ProposalState:
    """Return a proposal for the state."""
    return ProposalState(chapters=chapters_as_json(article), base_revision=article.revision)
