"""merge_profile: propose the new profiles of the user and, in a group, of the group. Nothing is written here."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.merging import UpdateProfiles, merge_prompt, merged_by_model, said_to_be_over
from ...prompts.templates import render
from ...schema.event import Event
from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ProposedProfile
from ...schema.job import Job
from ...schema.profile import Profile, ProfileKey
from ...text.job_drafts import language_of, names_of
from ...text.job_verdicts import is_no_fact
from ...text.profiles.lines import with_expiry
from ...text.speakers.named_people import NamedPeople
from .profile_rules import concerns, may_enter_profiles, merged_by_rules

MOST_MERGES = 3
"""Merges of one job that a model is asked for, each in at most four answers; where a profile keeps changing meanwhile, the rules
merge from then on."""


async def merge_profile(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Merge by one forced tool call. Without a model, or a usable answer of it, lasting facts about the person become bullets.

    An answer is not usable that would replace what is known by something else (`text/profiles/carried.py`). A model is also asked
    which former facts are over; where the new ones concern no profile, that alone.
    """
    context = runtime.context
    job = Job.model_validate(state["job"])
    names, language = names_of(job, context.settings), language_of(job, context.settings)
    items = state["items"]
    based_on: list[str] = []
    filed_events: list[Event] = []
    if ids := state.get("event_ids", []):  # what the gate did not pass in talk, and what was withdrawn or corrected, is not filed
        filed_events = await asyncio.to_thread(context.events.get, ids)
        based_on = [event.event_id for event in filed_events]
        items = [item for event_id, item in zip(ids, items, strict=False) if event_id in based_on]
    told = [item for item in items if item["kind"] == "fact" and not is_no_fact(item)]
    people = NamedPeople.of_job(job)
    facts = [item for item in told if may_enter_profiles(item, people, names)]
    keys = ProfileKey.of_job(job, context.settings.cognitive.profile.profile_layers)
    concerned = [key for key in keys if concerns(facts, key, people, names)]
    kept: dict[ProfileKey, Profile] = {}
    for key in concerned:
        if not await asyncio.to_thread(context.profiles.is_applied, key, job.job_id):
            stored = await asyncio.to_thread(context.profiles.read, key)
            kept[key] = Profile(key) if stored is None else stored
    former = state.get("former", [])
    near = [one for one in former if not one["ended"]]
    links_alone = context.chat is not None and not concerned and bool(told and near) and not state.get("merges")
    if not kept and not links_alone:
        return {"proposed_profiles": [], "conflict": False, "links": []}
    shown = facts if kept else told
    merges = state.get("merges", 0) + 1
    answer = None
    if context.chat is not None and merges <= MOST_MERGES:
        answer = await asked(
            context.chat,
            UpdateProfiles,
            f"job {job.job_id}: the model gave no usable profile; the rules write it",
            purpose="merge_profile",
            system=render("merge_system", language),
            user=merge_prompt(shown, kept, job, names, language, [one["text"] for one in near]),
        )

    day = f"{job.moment:%Y-%m-%d}"
    event_of = {id(item): ids[n] for n, item in enumerate(state["items"]) if n < len(ids)}
    sources = [event_of.get(id(item), "") for item in facts]

    def merged_of(profile: Profile) -> Profile:
        by_model = None if answer is None else merged_by_model(answer, facts, profile, job, names)
        return merged_by_rules(facts, profile, people, names, language, day, sources) if by_model is None else by_model

    expiry = {event.event_id: event.expires_at for event in filed_events}
    merged = await asyncio.to_thread(lambda: [merged_of(profile) for profile in kept.values()])
    merged = [replace(one, lines=with_expiry(one.lines, expiry)) for one in merged]
    proposed = [_proposal(one) for one in merged if one != kept[one.key]]
    new_ids = [event_id for event_id, item in zip(state.get("event_ids", []), state["items"], strict=False) if item in shown]
    links = [] if answer is None else said_to_be_over(answer, near, new_ids)
    return {"proposed_profiles": proposed, "conflict": False, "merges": merges, "links": links, "based_on": based_on}


def _proposal(profile: Profile) -> ProposedProfile:
    return ProposedProfile(
        entity_type=profile.key.entity_type,
        entity_id=profile.key.entity_id,
        layer=profile.key.layer,
        base_revision=profile.revision,
        name=profile.name,
        tags=list(profile.tags),
        lines=[line.as_json() for line in profile.lines],
    )
