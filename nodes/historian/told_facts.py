"""The facts of one person or hand-over as they are stored when profiles are merged."""

from __future__ import annotations

from dataclasses import dataclass

from ...prompts.merging import NewFact
from ...schema.event import Event
from ...schema.graph_states.historian import HistorianPart
from ...schema.job import Job
from ...schema.names import Names
from ...schema.payloads import LearntFact, OldFact, ProfilePayload
from ...stores.historian_context import HistorianContext
from ...text.facts.learnt import former_in, learnt_in
from ...text.job_verdicts import names_of
from ...text.speakers.borne_names import NamedPeople
from ...text.time_expressions import tells_hours_alone
from .profile_rules import may_enter_profiles

MOST_FORMER = 6
"""Maximum number of former facts shown per hand-over; facts on the same matter come first."""


@dataclass(frozen=True, slots=True)
class ToldFacts:
    """The new facts of one person or one hand-over, and the former facts that are shown with them.

    `expiry` maps event ids to the times at which the events expire (None: never).
    """

    job: Job
    names: Names
    people: NamedPeople
    facts: list[NewFact]
    former: list[OldFact]
    expiry: dict[str, float | None]


def told_facts(part: HistorianPart, context: HistorianContext) -> ToldFacts | None:
    """Return the facts of a part as they are stored now; None if person or group was forgotten."""
    job, store = Job.model_validate(part["job"]), context.events
    if store.is_forgotten(job.job_id, job.entities, job.moment.timestamp()):
        return None
    if job.kind == "profile":
        payload = ProfilePayload.model_validate(job.payload)
        learnt, near = payload.facts, payload.former
    else:
        learnt, near = learnt_in(part), former_in(part)
    near = near[:MOST_FORMER]
    ids = [one.event_id for one in learnt] + [one.event_id for one in near]
    # Facts that were withdrawn, corrected or superseded meanwhile are not merged.
    found = (one for one in store.get(ids) if one.holds and one.scope.key == job.scope.key)
    held = {one.event_id: one for one in found}
    people, names = NamedPeople.of_job(job), names_of(job, context.settings)
    facts = [
        _new_fact(held[one.event_id], one, job, names) for one in learnt if one.event_id in held
    ]
    return ToldFacts(
        job,
        names,
        people,
        [one for one in facts if may_enter_profiles(one, people, names)],
        [
            one.model_copy(update={"text": held[one.event_id].text})
            for one in near
            if one.event_id in held
        ],
        {name: one.expires_at for name, one in held.items()},
    )


def _new_fact(event: Event, learnt: LearntFact, job: Job, names: Names) -> NewFact:
    senders = (one.sender_name for one in job.recent_messages if one.sender_id == event.said_by)
    is_user = event.said_by in ("", job.user_id)
    words = event.handed_over or event.text
    return NewFact(
        event.text,
        event.event_id,
        event.day,
        names.user() if is_user else next(filter(None, senders), event.said_by),
        event.said_by,
        words if learnt.dated and tells_hours_alone(words) else "",
        passed=event.is_absolute,
        dated=learnt.dated,
        is_open=learnt.is_open,
        lasting=learnt.lasting,
    )
