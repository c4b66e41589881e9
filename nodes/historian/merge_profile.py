"""merge_profile: propose the new profiles of the user and, in a group, of the group. Nothing is written here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.merging import UpdateProfiles, merge_prompt, merged_by_model, said_to_be_over
from ...prompts.templates import render
from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ItemState, ProposedProfile
from ...schema.job import Job
from ...schema.names import Names
from ...schema.profile import Profile, ProfileKey
from ...text.edits import edited
from ...text.fact_owners import teller_of
from ...text.job_drafts import language_of, names_of
from ...text.job_verdicts import is_no_fact
from ...text.language import Language
from ...text.profiles.over import without_over
from ...text.profiles.rules import has_lasting_topic, is_about_group, merge_facts, subject_of
from ...text.speakers.claims import is_claim, without_speaker
from ...text.speakers.named_people import NamedPeople

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
    if job.kind == "talk":  # what the gate did not pass, or whose message was withdrawn meanwhile, is not filed
        filed_events = await asyncio.to_thread(context.events.get, state.get("event_ids", []))
        based_on = [event.event_id for event in filed_events]
        filed = set(based_on)
        pairs = zip(state.get("event_ids", []), items, strict=False)
        items = [item for event_id, item in pairs if event_id in filed]
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
    over = [one["text"] for one in former if one["ended"]]
    new = [item["candidate"] for item in facts if teller_of(job, item.get("said_by", "")) == job.user_id]
    former_names = {key: [one.name] if key.entity_type == "user" else [] for key, one in kept.items()}
    old = {key: replace(one, summary=without_over(one.summary, over, names, new, former_names[key])) for key, one in kept.items()}
    merges = state.get("merges", 0) + 1
    answer = None
    if context.chat is not None and merges <= MOST_MERGES:
        answer = await asked(
            context.chat,
            UpdateProfiles,
            f"job {job.job_id}: the model gave no usable profile; the rules write it",
            purpose="merge_profile",
            system=render("merge_system", language),
            user=merge_prompt(shown, old, job, names, language, [one["text"] for one in near]),
        )

    def merged_of(profile: Profile) -> Profile:
        by_model = None if answer is None else merged_by_model(answer, facts, profile, job, names)
        return merged_by_rules(facts, profile, people, names, language) if by_model is None else by_model

    merged = await asyncio.to_thread(lambda: [merged_of(profile) for profile in old.values()])
    proposed = [_proposal(one) for one in merged if one != kept[one.key]]
    new_ids = [event_id for event_id, item in zip(state.get("event_ids", []), state["items"], strict=False) if item in shown]
    links = [] if answer is None else said_to_be_over(answer, near, new_ids)
    return {"proposed_profiles": proposed, "conflict": False, "merges": merges, "links": links, "based_on": based_on}


def may_enter_profiles(item: ItemState, people: NamedPeople, names: Names) -> bool:
    """Return False for what is no fact, and for a fact about another member of the group, which is no part of these profiles."""
    if is_no_fact(item):
        return False
    text = item["candidate"]
    named = {one.user_id for one in people.named(text)}
    if names.user_id in named or (names.group_name and names.group_name.casefold() in text.casefold()):
        return True
    return item.get("said_by", "") in ("", names.user_id) and people.subject(text) is None


def concerns(facts: Sequence[ItemState], key: ProfileKey, people: NamedPeople, names: Names) -> bool:
    """Return True if any fact names the entity, or has everybody in the group for its subject.

    What names only others is no part of its profile, and no model is asked. A fact that did not become absolute may mean the
    user without naming them.
    """
    if key.entity_type == "user":
        return any(not item["passed"] or key.entity_id in _named(_told(item["candidate"], names), people) for item in facts)
    return any(_names_group(item["candidate"], people, names) for item in facts)


def _named(text: str, people: NamedPeople) -> set[str]:
    return {one.user_id for one in people.named(text)}


def _told(fact: str, names: Names) -> str:
    """Return a fact without the user as the one who claims it about others; they are no part of it."""
    body = without_speaker(fact, subject_of(fact, names))
    return body if is_claim(body, names) else fact


def _names_group(fact: str, people: NamedPeople, names: Names) -> bool:
    """Return True if a fact names the group, or is about everybody in it; a nickname that holds its name does not."""
    bare = edited(fact, ((one.start, one.end, "") for one in people.named(fact) if one.user_id)).casefold()
    return any(names.group(language).casefold() in bare for language in ("zh", "en")) or is_about_group(fact, names)


def merged_by_rules(facts: Sequence[ItemState], old: Profile, people: NamedPeople, names: Names, language: Language) -> Profile:
    """Return the profile with the absolute facts about its entity as bullets; dated facts only if their topic is lasting."""
    is_user = old.key.entity_type == "user"
    texts = [
        item["candidate"] for item in facts if item["passed"] and (not item["dated"] or has_lasting_topic(item["candidate"]))
    ]
    told = [text for text in texts if _told(text, names) == text]
    about = [text for text in told if (people.subject(text) == old.key.entity_id if is_user else is_about_group(text, names))]
    summary = merge_facts(old.summary, about)
    name = names.user(language) if is_user else names.group(language)
    return replace(old, name=name, summary=summary) if about and summary != old.summary else old


def _proposal(profile: Profile) -> ProposedProfile:
    return ProposedProfile(
        entity_type=profile.key.entity_type,
        entity_id=profile.key.entity_id,
        layer=profile.key.layer,
        base_revision=profile.revision,
        name=profile.name,
        tags=list(profile.tags),
        summary=profile.summary,
    )
