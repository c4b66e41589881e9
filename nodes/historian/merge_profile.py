"""merge_profile: propose the new profiles of the user and, in a group, of the group. Nothing is written here."""

from __future__ import annotations

import asyncio
import logging

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from ...prompts import Language, render
from ...schema.job import Job
from ...schema.names import Names
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import layer_written
from ...schema.settings import Settings
from ...schema.states import HistorianContext, HistorianState, HistorianUpdate, ItemState, ProposedProfile
from ...text.absolutize import absolutize
from ...text.gate import find_invented
from ...text.profiles.cleaning import clean_profile
from ...text.profiles.rules import has_lasting_topic, is_about, merge_facts
from .conversation import job_of, language_of, names_of
from .rewrite import one_line

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


async def merge_profile(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """One forced tool call; without a model, lasting facts about the person become bullets."""
    context = runtime.context
    job = job_of(state)
    names = names_of(job, context.settings)
    language = language_of(job, context.settings)
    facts = [item for item in state["items"] if item["kind"] == "fact"]
    keys = profile_keys(job, context.settings)
    concerned = [key for key in keys if concerns(facts, key, names, language)]
    pending = [key for key in concerned if not await asyncio.to_thread(context.profiles.is_applied, key, job.job_id)]
    old: dict[ProfileKey, Profile] = {}
    for key in pending:
        stored = await asyncio.to_thread(context.profiles.read, key)
        old[key] = stored if stored is not None else Profile(key)
    if not pending:
        return {"proposed_profiles": [], "conflict": False}
    if context.chat is None:
        proposed = merged_by_rules(facts, old, names, language)
    else:
        answer = await context.chat.structured(
            UpdateProfiles,
            purpose="merge_profile",
            system=render("merge_system", language),
            user=merge_prompt(facts, old, job, names, language),
        )
        proposed = merged_by_model(answer, facts, old, job, names)
    return {"proposed_profiles": proposed, "conflict": False}


def profile_keys(job: Job, settings: Settings) -> list[ProfileKey]:
    """Whose profiles a job may change, and in which layer."""
    rule = settings.cognitive.profile.profile_layers
    keys = [ProfileKey("user", job.user_id, layer_written(job.scope, "user", rule))]
    if job.request_type == "group":
        keys.append(ProfileKey("group", job.group_id, layer_written(job.scope, "group", rule)))
    return keys


def concerns(facts: list[ItemState], key: ProfileKey, names: Names, language: Language) -> bool:
    """Whether any fact names the entity: what names only others is no part of its profile, and no model is asked.

    A fact that did not become absolute may mean the user without naming them.
    """
    if key.entity_type == "group":
        name = names.group(language)
        return any(name.casefold() in item["candidate"].casefold() for item in facts)
    name = names.user(language)
    return any(name.casefold() in item["candidate"].casefold() or not item["passed"] for item in facts)


def merged_by_rules(
    facts: list[ItemState], old: dict[ProfileKey, Profile], names: Names, language: Language
) -> list[ProposedProfile]:
    """Facts that are absolute and whose subject is the entity, as bullets; dated ones only where they last all the same."""
    lasting = [
        item["candidate"] for item in facts if item["passed"] and (not item["dated"] or has_lasting_topic(item["candidate"]))
    ]
    proposed: list[ProposedProfile] = []
    for key, profile in old.items():
        name = names.user(language) if key.entity_type == "user" else names.group(language)
        about = [fact for fact in lasting if is_about(fact, name)]
        summary = merge_facts(profile.summary, about)
        if about and summary != profile.summary:
            proposed.append(_proposal(profile, name=name, tags=profile.tags, summary=summary))
    return proposed


def merged_by_model(
    answer: UpdateProfiles, facts: list[ItemState], old: dict[ProfileKey, Profile], job: Job, names: Names
) -> list[ProposedProfile]:
    """The model's profiles, cleaned; one that says nothing new, or would wipe an old one out, is left out."""
    learnt = [item["candidate"] for item in facts]
    proposed: list[ProposedProfile] = []
    for key, profile in old.items():
        given = answer.user if key.entity_type == "user" else answer.group
        if given is None or not given.summary.strip():
            continue
        known_name = job.user_name if key.entity_type == "user" else job.group_name
        cleaned = clean_profile(given.name, given.tags, given.summary, old=profile, known_name=known_name)
        if cleaned is None:
            continue
        # A profile is read for years: what the model left relative is resolved at the job's time, by rules.
        summary = absolutize(cleaned.summary, job.moment, job.timezone, names, "fact").text
        summary = without_inventions(summary, "\n".join([profile.summary, *learnt, f"{job.moment:%Y-%m-%d}"]), names)
        if summary and (cleaned.name, cleaned.tags, summary) != (profile.name, profile.tags, profile.summary):
            proposed.append(_proposal(profile, name=cleaned.name, tags=cleaned.tags, summary=summary))
    return proposed


def without_inventions(summary: str, given: str, names: Names) -> str:
    """`summary` without the lines that hold a number, date or title that stands nowhere in what the model was given."""
    kept = []
    for line in summary.splitlines():
        invented = [finding.text for finding in find_invented(line, given, names) if finding.kind in {"number", "title"}]
        if invented:
            log.info("a line of a profile is left out: %d things in it stand nowhere in what was given", len(invented))
            log.debug("made up: %s", ", ".join(invented))
        else:
            kept.append(line)
    return "\n".join(kept).strip()


def _proposal(old: Profile, *, name: str, tags: tuple[str, ...], summary: str) -> ProposedProfile:
    return ProposedProfile(
        entity_type=old.key.entity_type,
        entity_id=old.key.entity_id,
        layer=old.key.layer,
        base_revision=old.revision,
        name=name,
        tags=list(tags),
        summary=summary,
    )


def merge_prompt(facts: list[ItemState], old: dict[ProfileKey, Profile], job: Job, names: Names, language: Language) -> str:
    """The user message of the merge: time, names, old profiles, the new facts as bullets."""
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
