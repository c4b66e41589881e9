"""Drafts of a job's texts, by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..schema.event import WrittenKind
from ..schema.graph_states.historian import ItemState
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from .absolutize import LONGEST_TEXT, Absolutized, absolutize
from .language import Language, detect_language
from .questions.named_times import time_told
from .references.subjects import with_subject
from .speakers.whose import Whose, whose


def names_of(job: Job, settings: Settings) -> Names:
    """Return the names of a job's conversation."""
    return Names.of_job(job, settings.cognitive.bot_name)


def language_of(job: Job, settings: Settings) -> Language:
    """Return the language of a job's prompts: the configured one, else that of its texts."""
    return language_among([job.action_summary, *job.new_info], settings)


def language_among(texts: Sequence[str], settings: Settings) -> Language:
    """Return the configured language, else that of the texts together."""
    configured = settings.cognitive.language
    return detect_language("\n".join(texts)) if configured == "auto" else configured


def prepare(job: Job, settings: Settings) -> list[ItemState]:
    """Return every text of the job with its times resolved and the rules' draft as the first candidate."""
    names = names_of(job, settings)
    items: list[ItemState] = []
    for kind, source in job.texts:
        told = _whose(source, kind, job, names)
        done, draft = _written(told, kind, job, names)
        items.append(
            ItemState(
                kind=kind,
                source=source,
                resolved=done.resolved_text,
                draft=draft,
                candidate=draft,
                undecided=[*(reference.text for reference in done.undecided), *(one[2] for one in told.reasons)],
                dated=bool(done.resolved),
                rewritten_by="rules",
                passed=False,
                first_pass=False,
                violations=[],
                occurs=list(time_told(_without_day_names(source[:LONGEST_TEXT], names, job), job.moment) or ()),
                said_by=told.said_by,
                open=[list(one) for one in told.reasons],
                asks=told.asks,
            )
        )
    return items


def _without_day_names(text: str, names: Names, job: Job) -> str:
    """Return a text without the names of people that are words of time (Monday), unless a word before tells of the day."""
    for name in names.people:
        if name in text and time_told(name, job.moment):
            text = re.sub(rf"(?<!\bon )(?<!\bby )(?<!\bnext )(?<!\blast )(?<!\bthis )(?<![下上每到]){re.escape(name)}", "", text)
    return text


def draft_of(job: Job, kind: WrittenKind, source: str, names: Names) -> str:
    """Return one text of the job as the rules alone would write it."""
    return _written(_whose(source, kind, job, names), kind, job, names)[1]


def _whose(source: str, kind: WrittenKind, job: Job, names: Names) -> Whose:
    """Return whose words a text is; of one longer than LONGEST_TEXT characters its beginning tells."""
    told = whose(source[:LONGEST_TEXT], kind, job, names)
    return replace(told, text=told.text + source[LONGEST_TEXT:])


def _written(told: Whose, kind: WrittenKind, job: Job, names: Names) -> tuple[Absolutized, str]:
    done = absolutize(told.text, job.moment, job.timezone, names, kind, recent_speakers=job.speakers, cast=told.cast)
    if not told.subject:
        return done, done.text
    return done, with_subject(done.text, names, kind, done.sentence.language, told.subject, told.text)
