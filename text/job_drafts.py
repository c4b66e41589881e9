"""Drafts of a job's texts, by rules."""

from __future__ import annotations

from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from ..schema.states import ItemState
from .absolutize import LONGEST_TEXT, absolutize
from .language import Language, detect_language
from .named_times import time_told
from .references.subjects import with_subject


def names_of(job: Job, settings: Settings) -> Names:
    """Return the names of a job's conversation."""
    return Names.of_job(job, settings.cognitive.bot_name)


def language_of(job: Job, settings: Settings) -> Language:
    """Return the language of a job's prompts: the configured one, else that of its texts."""
    configured = settings.cognitive.language
    return detect_language("\n".join([job.action_summary, *job.new_info])) if configured == "auto" else configured


def prepare(job: Job, settings: Settings) -> list[ItemState]:
    """Return every text of the job with its times resolved and the rules' draft as the first candidate."""
    names, speakers = names_of(job, settings), job.speakers
    items: list[ItemState] = []
    for kind, source in job.texts:
        done = absolutize(source, job.moment, job.timezone, names, kind, recent_speakers=speakers)
        draft = with_subject(done.text, names, kind, done.language)
        items.append(
            ItemState(
                kind=kind,
                source=source,
                resolved=done.resolved_text,
                draft=draft,
                candidate=draft,
                undecided=[reference.text for reference in done.drafted.undecided],
                dated=bool(done.resolved),
                rewritten_by="rules",
                passed=False,
                first_pass=False,
                violations=[],
                notes=[],
                occurs=list(time_told(source[:LONGEST_TEXT], job.moment) or ()),
            )
        )
    return items
