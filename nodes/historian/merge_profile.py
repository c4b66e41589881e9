"""merge_profile: propose the new profiles of the user and, in a group, of the group. Nothing is written here."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.line_operations import LineMerge
from ...prompts.merging import LineOperation, MergeQuestion, NewFact, UpdateProfiles, said_to_be_over
from ...prompts.templates import owner_words, render
from ...schema.event import Event
from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ItemState, ProposedProfile
from ...schema.job import Job
from ...schema.profile import Profile, ProfileKey
from ...text.job_drafts import language_of, names_of
from ...text.job_verdicts import is_no_fact
from ...text.profiles.lines import with_expiry
from ...text.speakers.named_people import NamedPeople
from ...text.time_expressions import tells_hours_alone
from .profile_rules import concerns, may_enter_profiles, merged_by_rules

log = logging.getLogger(__name__)

MOST_MERGES = 3
"""Merges of one job that a model is asked for; where a profile keeps changing meanwhile, the rules merge from then on."""
ANSWERS = 2
"""Answers that a model is asked for in one merge: what of the first one no fact carries is sent back once."""


async def merge_profile(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Ask a model, by one forced tool call, which lines the new facts add, change or end; every other line stays.

    Without a model, or a usable answer of it, and of facts for which its lines were refused twice, lasting facts about the person
    become lines by rules. A model is also asked which former facts are over; where the new ones concern no profile, that alone.
    """
    context = runtime.context
    job = Job.model_validate(state["job"])
    names, language = names_of(job, context.settings), language_of(job, context.settings)
    items = state["items"]
    based_on: list[str] = []
    filed_events: list[Event] = []
    days: dict[str, str] = {}
    if ids := state.get("event_ids", []):  # what the gate did not pass in talk, and what was withdrawn or corrected, is not filed
        filed_events = await asyncio.to_thread(context.events.get, ids)
        based_on = [event.event_id for event in filed_events]
        if job.kind == "talk":
            days = {event.event_id: event.day for event in filed_events}
        items = [item for event_id, item in zip(ids, items, strict=False) if event_id in based_on]
    told = [item for item in items if item["kind"] == "fact" and not is_no_fact(item)]
    people = NamedPeople.of_job(job)
    facts = [item for item in told if may_enter_profiles(item, people, names)]
    keys = ProfileKey.of_job(job, context.settings.cognitive.profile.profile_layers)
    former = state.get("former", [])
    near = [one for one in former if not one["ended"]]
    merges = state.get("merges", 0) + 1
    chat = context.chat if merges <= MOST_MERGES else None
    concerned = [key for key in keys if concerns(facts, key, people, names)]
    links_alone = chat is not None and not concerned and bool(told and near) and merges == 1
    kept: dict[ProfileKey, Profile] = {}
    if chat is not None and (concerned or (links_alone and facts == told)):  # a model may file something for the group
        concerned = [key for key in keys if key in concerned or key.entity_type == "group"]
    for key in concerned:
        if not await asyncio.to_thread(context.profiles.is_applied, key, job.job_id):
            stored = await asyncio.to_thread(context.profiles.read, key)
            kept[key] = Profile(key) if stored is None else stored
    if not kept and not links_alone:
        return {"proposed_profiles": [], "conflict": False, "links": []}
    shown = facts if kept else told
    event_of = {id(item): event_id for event_id, item in zip(ids, state["items"], strict=False)}
    sources = [event_of.get(id(item), "") for item in shown]
    day = f"{job.moment:%Y-%m-%d}"
    merge, links = None, []
    if chat is not None:
        new_facts = [
            _new_fact(item, source, days.get(source, day), job, names.user(language))
            for item, source in zip(shown, sources, strict=True)
        ]
        texts, slots = [one["text"] for one in near], context.settings.cognitive.profile.slots
        question = MergeQuestion.of(job, names, language, list(kept.values()), new_facts, texts, slots)
        merge, answer = await _asked(question, context)
        links = [] if answer is None else said_to_be_over(answer, near, sources)

    def merged_of(profile: Profile) -> Profile:
        by_rules, places = profile, list(range(len(facts)))
        if merge is not None:
            by_rules, places = merge.profiles[profile.key], merge.left(certain=not context.settings.cognitive.instructions)
            name = job.user_name if profile.key.entity_type == "user" else job.group_name
            if by_rules.lines != profile.lines:
                by_rules = replace(by_rules, name=name or profile.name)
        left = [facts[n] for n in places]
        return merged_by_rules(left, by_rules, people, names, language, day, [sources[n] for n in places])

    expiry = {event.event_id: event.expires_at for event in filed_events}
    merged = await asyncio.to_thread(lambda: [merged_of(profile) for profile in kept.values()])
    merged = [replace(one, lines=with_expiry(one.lines, expiry)) for one in merged]
    proposed = [_proposal(one) for one in merged if one != kept[one.key]]
    return {"proposed_profiles": proposed, "conflict": False, "merges": merges, "links": links, "based_on": based_on}


async def _asked(question: MergeQuestion, context: HistorianContext) -> tuple[LineMerge | None, UpdateProfiles | None]:
    """Return the profiles with the lines of the model's answers, and its first answer; (None, None) if it has none.

    What the first answer says that its facts do not carry is sent back once.
    """
    assert context.chat is not None
    merge, refused = LineMerge(question), list[tuple[LineOperation, str]]()
    first: UpdateProfiles | None = None
    for _ in range(ANSWERS):
        answer = await asked(
            context.chat,
            UpdateProfiles,
            f"job {question.job.job_id}: the model gave no usable lines of profiles; the rules write them",
            purpose="merge_profile",
            system=render("merge_system", question.language, owner=owner_words(context.settings.cognitive, question.language)),
            user=question.prompt(refused),
        )
        if answer is None:
            break
        first = first or answer
        refused = await asyncio.to_thread(merge.take, answer) if question.profiles else []
        items = len(answer.add) + len(answer.change) + len(answer.end)
        context.judged("merge_profile", taken=max(items - len(refused), 0), refused=len(refused))
        if not refused:
            break
    if refused:
        log.info("job %s: %d changes of profiles are left out that no fact carries", question.job.job_id, len(refused))
    return (None, None) if first is None else (merge, first)


def _new_fact(item: ItemState, event_id: str, day: str, job: Job, user: str) -> NewFact:
    said_by = item.get("said_by", "")
    is_user = said_by in ("", job.user_id)
    sender = next((one.sender_name for one in job.recent_messages if one.sender_id == said_by and one.sender_name), said_by)
    speaker = user if is_user else sender
    is_open = bool(item["undecided"]) and not item["passed"]
    words = item["source"] if item["dated"] and tells_hours_alone(item["source"]) else ""
    return NewFact(item["candidate"], event_id, day, speaker, said_by, is_open, words)


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
