"""What the nodes of the write graph read out of a job."""

from __future__ import annotations

from typing import Literal

from ...schema.job import Job
from ...schema.names import Names
from ...schema.settings import Settings
from ...schema.states import HistorianState
from ...text.language import detect_language


def job_of(state: HistorianState) -> Job:
    return Job.model_validate(state["job"])


def names_of(job: Job, settings: Settings) -> Names:
    """Who is who in a job. People who spoke shortly before are `others`."""
    bot_name = job.bot_name or settings.cognitive.bot_name
    known = {bot_name, job.user_name, ""}
    others = dict.fromkeys(m.sender_name for m in job.recent_messages if m.sender_name not in known)
    return Names(
        bot_name=bot_name,
        user_name=job.user_name,
        user_id=job.user_id,
        group_name=job.group_name,
        group_id=job.group_id,
        others=tuple(others),
    )


def speakers_of(job: Job) -> list[str]:
    """The names of those who spoke shortly before, oldest first."""
    return [message.sender_name for message in job.recent_messages if message.sender_name]


def language_of(job: Job, settings: Settings) -> Literal["zh", "en"]:
    """The language of a job's prompts: the configured one, else that of its texts."""
    if settings.cognitive.language != "auto":
        return settings.cognitive.language
    return detect_language("\n".join([job.action_summary, *job.new_info]))
