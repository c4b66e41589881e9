"""The prompt that asks a model for the new profiles, and the limits of its answer."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from ..schema.job import Job
from ..schema.names import Names
from ..schema.profile import Profile, ProfileKey
from ..schema.states import ItemState
from ..text.absolutize import absolutize
from ..text.gate import find_invented
from ..text.language import Language
from ..text.profiles.cleaning import clean_profile
from .templates import one_line, render

log = logging.getLogger(__name__)


class ProfileAnswer(BaseModel):
    """A whole profile."""

    model_config = ConfigDict(title="profile")

    name: str = Field(default="", description="display name")
    tags: list[str] = Field(default_factory=list)
    summary: str = Field(description="Markdown")


class UpdateProfiles(BaseModel):
    """The complete new profiles; null where nothing changes."""

    model_config = ConfigDict(title="update_profiles")

    user: ProfileAnswer | None = None
    group: ProfileAnswer | None = None


def merge_prompt(
    facts: Sequence[ItemState], old: Mapping[ProfileKey, Profile], job: Job, names: Names, language: Language
) -> str:
    """Return the user message: time, names, old profiles, the new facts as bullets."""
    nothing = "（无）" if language == "zh" else "(none)"
    profiles = {key.entity_type: _profile_text(profile) or nothing for key, profile in old.items()}
    return render(
        "merge_user",
        language,
        time=f"{job.moment:%Y-%m-%d}",
        user=one_line(names.user(language)),
        group=one_line(names.group(language)) or nothing,
        user_profile=profiles.get("user", nothing),
        group_profile=profiles.get("group", nothing),
        facts="\n".join(f"- {one_line(item['candidate'])}" for item in facts),
    )


def _profile_text(profile: Profile) -> str:
    tags = f"[{', '.join(profile.tags)}]\n" if profile.tags else ""
    return f"{tags}{profile.summary}" if profile.summary else ""


def merged_by_model(answer: UpdateProfiles, facts: Sequence[ItemState], old: Profile, job: Job, names: Names) -> Profile:
    """Return the model's profile, cleaned; `old` if the model's is empty or would erase the old one."""
    is_user = old.key.entity_type == "user"
    given = answer.user if is_user else answer.group
    if given is None or not given.summary.strip():
        return old
    known_name = job.user_name if is_user else job.group_name
    cleaned = clean_profile(given.name, given.tags, given.summary, old=old, known_name=known_name)
    if cleaned is None:
        return old
    # A profile is read for years: what the model left relative is resolved at the job's time, by rules.
    summary = absolutize(cleaned.summary, job.moment, job.timezone, names, "fact").text
    learnt = [item["candidate"] for item in facts]
    summary = without_inventions(summary, "\n".join([old.summary, *learnt, f"{job.moment:%Y-%m-%d}"]), names)
    return replace(old, name=cleaned.name, tags=cleaned.tags, summary=summary) if summary else old


def without_inventions(summary: str, given: str, names: Names) -> str:
    """Return `summary` without lines that contain a number, date or title that was not in the model's input."""
    kept = []
    for line in summary.splitlines():
        invented = [finding.text for finding in find_invented(line, given, names) if finding.kind in {"number", "title"}]
        if invented:
            log.info("a line of a profile is left out: %d things in it stand nowhere in what was given", len(invented))
            log.debug("made up: %s", ", ".join(invented))
        else:
            kept.append(line)
    return "\n".join(kept).strip()
