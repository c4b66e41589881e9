"""Drafts of a job's texts, by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..schema.event import WrittenKind
from ..schema.graph_states.historian import ItemState
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from .absolutize import LONGEST_TEXT, Absolutized, absolutize
from .gate import unsaid
from .language import Language, detect_language
from .questions.named_times import time_told
from .rewriting.subjects import with_speaker
from .sentence import Sentence
from .speakers.whose import Talk, Whose, whose


class Drafted(NamedTuple):
    """One text of a job: what the rules made of it, the text as it was handed over, and as they write it."""

    item: ItemState
    source: Sentence
    draft: Sentence


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
    return [one.item for one in drafts(job, settings)]


def drafts(job: Job, settings: Settings) -> list[Drafted]:
    """Return every text of the job as the rules alone write it."""
    talk = Talk(job, names_of(job, settings))
    return [_drafted(source, kind, talk) for (kind, _), source in zip(job.texts, talk.texts, strict=True)]


def draft_of(job: Job, kind: WrittenKind, source: str, names: Names) -> str:
    """Return one text of the job as the rules alone would write it."""
    return _drafted(Sentence(source, names), kind, Talk(job, names)).draft.text


def _drafted(source: Sentence, kind: WrittenKind, talk: Talk) -> Drafted:
    told = _whose(source, kind, talk)
    said, job = told.sentence, talk.job
    done = absolutize(said, job.moment, job.timezone, source.names, kind, recent_speakers=job.speakers, cast=told.cast)
    draft, is_deed = done.sentence, kind == "action"
    stays = any(one.kind != "place" for one in done.undecided) and not is_deed
    if not stays and not any(reason[0] == "claim" for reason in told.reasons):
        replaced = {one.start for one in done.replaced}
        draft, is_open = with_speaker(draft, said, told.speaker, replaced, is_deed=is_deed)
        if is_open and not any(one.why == "subject" for one in unsaid(draft)):
            told = replace(told, reasons=(*told.reasons, ("reference", "subject", said.text)))
    return Drafted(_item(kind, source, told, done, draft, job), source, draft)


def _whose(source: Sentence, kind: WrittenKind, talk: Talk) -> Whose:
    """Return whose words a text is; of one longer than LONGEST_TEXT characters its beginning tells."""
    told = whose(source.beside(source.text[:LONGEST_TEXT]), kind, talk)
    rest = source.text[LONGEST_TEXT:]
    return replace(told, sentence=told.sentence.beside(told.sentence.text + rest)) if rest else told


def _item(kind: WrittenKind, source: Sentence, told: Whose, done: Absolutized, draft: Sentence, job: Job) -> ItemState:
    return ItemState(
        kind=kind,
        source=source.text,
        resolved=done.resolved_text,
        draft=draft.text,
        candidate=draft.text,
        undecided=[*(one.text for one in done.undecided), *(one[2] for one in told.reasons)],
        dated=bool(done.resolved),
        rewritten_by="rules",
        passed=False,
        first_pass=False,
        violations=[],
        occurs=list(time_told(source.text[:LONGEST_TEXT], job.moment, done.resolved) or ()),
        said_by=told.said_by,
        open=[list(one) for one in told.reasons],
        asks=told.asks,
    )
