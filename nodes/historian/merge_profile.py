"""merge_profile: propose new profiles of the people in a run and of their group. Stores nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime

from ...prompts.asking import asked
from ...prompts.line_operations import LineMerge
from ...prompts.merging import (
    MOST_TOKENS,
    LineOperation,
    MergeQuestion,
    NewFact,
    Subject,
    UpdateProfiles,
    is_guarded,
)
from ...prompts.templates import owner_words, render
from ...schema.graph_states.historian import HistorianState, HistorianUpdate, ProposedProfile
from ...schema.payloads import OldFact
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...stores.historian_context import HistorianContext
from ...stores.tables.events.store import EventStore
from ...text.facts.learnt import people_of
from ...text.facts.superseding import Statement
from ...text.job_verdicts import language_among
from ...text.profiles.lines import with_expiry
from ...text.tokens import estimate_tokens
from .profile_rules import concerns, merged_by_rules
from .told_facts import ToldFacts, told_facts

log = logging.getLogger(__name__)

MOST_MERGES = 3
"""Maximum number of conflicts with other writers per run; after these, rules merge the profiles."""
ANSWERS = 2
"""Maximum number of answers to one question. Operations that no fact supports are sent back to the
model once."""


@dataclass(frozen=True, slots=True)
class _Merge:
    """A profile to merge, and the facts that may enter it.

    `over` maps the id of a line whose evidence is all superseded to the day on which this happened.
    """

    subject: Subject
    told: list[ToldFacts]
    over: dict[str, str]

    @property
    def facts(self) -> list[NewFact]:
        return [fact for one in self.told for fact in one.facts]


async def merge_profile(
    state: HistorianState, runtime: Runtime[HistorianContext]
) -> HistorianUpdate:
    """Ask a model, by one forced tool call, which lines the new facts add, change or end.

    Other lines are not changed. One question covers as many profiles of the run as fit; the next
    visit of this node asks about the others. Without a model or a usable answer, rules turn lasting
    facts into lines.
    """
    context = runtime.context
    chat = context.chat if state.get("merges", 0) < MOST_MERGES else None
    merges = await asyncio.to_thread(_merges, state, context, asks=chat is not None)
    batch = _first_batch(merges) if chat is not None else merges
    facts = _new_facts(batch)
    language = language_among([fact.text for fact in facts], context.settings)
    merge = None
    if chat is not None and batch:
        shown = {fact.event_id for fact in facts}
        former = {old.event_id: old for one in batch for told in one.told for old in told.former}
        question = MergeQuestion.of(
            language,
            [one.subject for one in batch],
            facts,
            [one for one in former.values() if shown.intersection(one.by)],
            context.settings.cognitive.profile.slots,
            frozenset(name for one in batch for name in one.over),
        )
        question = await asyncio.to_thread(_with_evidence, question, batch, context.events)
        merge = await _asked(question, context, state["job"]["job_id"])

    def merged(one: _Merge) -> Profile:
        key, profile = one.subject.key, one.subject.profile
        if merge is not None:
            job = one.told[-1].job
            name = job.user_name if key.entity_type == "user" else job.group_name
            new = _ended(merge.profiles[key], one)
            profile = (
                replace(new, name=name or profile.name) if new.lines != profile.lines else profile
            )
        else:
            for told in one.told:
                profile = merged_by_rules(told.facts, profile, told.people, told.names, language)
        expiry = {name: at for told in one.told for name, at in told.expiry.items()}
        return replace(profile, lines=with_expiry(profile.lines, expiry))

    profiles = await asyncio.to_thread(lambda: list(map(merged, batch)))
    proposed = [
        _proposal(new, one)
        for new, one in zip(profiles, batch, strict=True)
        if new != one.subject.profile
    ]
    same = [
        new.key.index_id
        for new, one in zip(profiles, batch, strict=True)
        if new == one.subject.profile
    ]
    return {
        "proposed_profiles": proposed,
        "conflict": False,
        "links": [] if merge is None else [(one.old, one.new) for one in merge.links],
        "based_on": [fact.event_id for fact in facts],
        "merged": [*state.get("merged", []), *same],
        "more": len(merges) > len(batch),
    }


def _merges(state: HistorianState, context: HistorianContext, *, asks: bool) -> list[_Merge]:
    """Return the profiles of a run that are still to be merged, those of people first.

    With a model (`asks`), a group's profile is merged with all facts that may enter it, and a
    profile is left out if no fact is lasting and no line is outdated. Without a model, a group's
    profile is merged only if a fact concerns the group.
    """
    done, rule = state.get("merged", []), context.settings.cognitive.profile.profile_layers
    found: dict[ProfileKey, list[ToldFacts]] = {}
    for part in people_of(state):
        told = told_facts(part, context)
        if told is None or not told.facts:
            continue
        for key in ProfileKey.of_job(told.job, rule):
            is_new = key.index_id not in done and not context.profiles.is_applied(
                key, told.job.job_id
            )
            may_ask = asks and key.entity_type == "group"
            if is_new and (may_ask or concerns(told.facts, key, told.people, told.names)):
                found.setdefault(key, []).append(told)
    merges = []
    for key in sorted(found, key=lambda key: key.entity_type == "group"):
        profile = context.profiles.read(key) or Profile(key)
        over = _over(profile, context.events) if asks else {}
        merge = _Merge(Subject(profile, found[key][-1].names), found[key], over)
        if not asks or over or any(fact.lasting for fact in merge.facts):
            merges.append(merge)
    return merges


def _over(profile: Profile, store: EventStore) -> dict[str, str]:
    """Return, by line id, the day (`YYYY-MM-DD`) on which a line's last evidence was superseded.

    Lines with current evidence, ended lines and pinned lines are left out.
    """
    held = {
        one.event_id: one
        for one in store.get([name for line in profile.lines for name in line.evidence])
    }
    found: dict[str, str] = {}
    for line in profile.lines:
        events = [held.get(name) for name in line.evidence]
        days = [
            one.local_day(one.superseded_at)
            for one in events
            if one is not None and one.superseded_at is not None
        ]
        if days and len(days) == len(events) and not (line.until or line.pinned):
            found[line.line_id] = max(days)
    return found


def _ended(profile: Profile, merge: _Merge) -> Profile:
    """Return a merged profile in which the lines of `merge.over` are marked as ended.

    Lines that are guarded (pinned, on health or on a boundary) or consist of several statements are
    left to the model, to which they were shown as outdated.
    """
    people = merge.subject.names.everybody

    def ended(line: ProfileLine) -> ProfileLine:
        is_over = line.line_id in merge.over and not (
            line.until or is_guarded(line) or Statement(line.text, people).is_compound
        )
        return replace(line, until=merge.over[line.line_id]) if is_over else line

    return replace(profile, lines=tuple(map(ended, profile.lines)))


def _with_evidence(
    question: MergeQuestion, batch: Sequence[_Merge], store: EventStore
) -> MergeQuestion:
    """Return the question with the evidence of its lines added to the former facts.

    These facts end together with their lines. They are added only if all facts of the batch and
    the evidence are of the same conversation.
    """
    known = {one.event_id for one in question.former}
    wanted = [name for _, line in question.lines for name in line.evidence if name not in known]
    scopes = {told.job.scope.key for one in batch for told in one.told}
    new = [fact.event_id for fact in question.facts]
    held = (
        one for one in store.get(list(dict.fromkeys(wanted))) if one.holds and not one.is_message
    )
    more = [
        OldFact(event_id=one.event_id, by=new, text=one.text)
        for one in held
        if scopes == {one.scope.key}
    ]
    return replace(question, former=[*question.former, *more])


def _first_batch(merges: Sequence[_Merge]) -> list[_Merge]:
    """Return as many of the first profiles as fit into one question, but at least one."""
    batch: list[_Merge] = []
    shown: set[str] = set()
    room = MOST_TOKENS
    for one in merges:
        new = [fact for fact in one.facts if fact.event_id not in shown]
        room -= sum(estimate_tokens(fact.text) for fact in new)
        if batch and room < 0:
            break
        shown.update(fact.event_id for fact in new)
        batch.append(one)
    return batch


def _new_facts(batch: Sequence[_Merge]) -> list[NewFact]:
    """Return the facts of a batch, each once, with the profiles of the batch that it may enter."""
    keys: dict[str, list[ProfileKey]] = {}
    known: dict[str, NewFact] = {}
    for one in batch:
        for fact in one.facts:
            known.setdefault(fact.event_id, fact)
            keys.setdefault(fact.event_id, []).append(one.subject.key)
    return [replace(fact, keys=tuple(keys[name])) for name, fact in known.items()]


async def _asked(
    question: MergeQuestion, context: HistorianContext, job_id: str
) -> LineMerge | None:
    """Return the merge with the model's answers applied.

    Operations of the first answer that their facts do not support are sent back once. Return None
    if there is no answer, or if operations were refused and none was applied.
    """
    assert context.chat is not None
    merge, refused = LineMerge(question), list[tuple[LineOperation, str]]()
    is_answered = False
    for _ in range(ANSWERS):
        answer = await asked(
            context.chat,
            UpdateProfiles,
            f"job {job_id}: the model gave no usable lines of profiles; the rules write them",
            purpose="merge_profile",
            system=render(
                "merge_system",
                question.language,
                owner=owner_words(context.settings.cognitive, question.language),
            ),
            user=question.prompt(refused),
        )
        if answer is None:
            break
        is_answered = True
        refused = await asyncio.to_thread(merge.take, answer)
        items = len(answer.add) + len(answer.change) + len(answer.end)
        context.judged("merge_profile", taken=max(items - len(refused), 0), refused=len(refused))
        if not refused:
            break
    if refused:
        log.info(
            "job %s: %d changes of profiles are left out because no fact supports them",
            job_id,
            len(refused),
        )
    return merge if is_answered and (merge.taken or not refused) else None


def _proposal(profile: Profile, merge: _Merge) -> ProposedProfile:
    return ProposedProfile(
        entity_type=profile.key.entity_type,
        entity_id=profile.key.entity_id,
        layer=profile.key.layer,
        base_revision=profile.revision,
        name=profile.name,
        tags=list(profile.tags),
        lines=[line.as_json() for line in profile.lines],
        cause=next((fact.event_id for fact in merge.facts), ""),
        jobs=[one.job.job_id for one in merge.told],
    )
