"""What the people of one run told, as the merge of their profiles and the jobs that wait for it see it."""

from __future__ import annotations

from typing import cast

from ..schema.graph_states.historian import HistorianPart, HistorianProgress, HistorianState
from ..schema.job import Job
from ..schema.talk import FormerId, LearntFact
from .job_verdicts import is_no_fact


def learnt_in(part: HistorianProgress) -> list[LearntFact]:
    """Return the facts of a hand-over, or of what a person told, that profiles may take in."""
    told = zip(part.get("event_ids", []), part.get("items", []), strict=False)
    return [
        LearntFact(
            event_id=event_id,
            dated=item["dated"],
            is_open=all(one["kind"] == "reference" for one in item["violations"]),
            lasting=item.get("lasting", True),
        )
        for event_id, item in told
        if item["kind"] == "fact" and not is_no_fact(item)
    ]


def former_in(part: HistorianProgress) -> list[FormerId]:
    """Return the former facts near to what a part tells that have not ended, each with the new ones that may end it."""
    near = (one for one in part.get("former", []) if not one["ended"])
    return [FormerId(event_id=one["event_id"], by=one.get("by_any", [one["by"]])) for one in near]


def people_of(state: HistorianState) -> list[HistorianPart]:
    """Return one part a person: of a talk their last job, and the facts of all their messages that were not forgotten.

    A hand-over is one part; those gathered for their profiles are one each.
    Whom a token's requests alone call so is a person apart: what they tell enters another layer.
    """
    if state["job"].get("kind") == "profile":
        return [HistorianPart(job=one) for one in state.get("talk", [state["job"]])]
    if "parts" not in state:
        return [cast(HistorianPart, state)]
    if people := state.get("people"):
        return people
    found: dict[tuple[str, bool], HistorianPart] = {}
    for one in state["parts"]:
        kinds = {item["kind"] for item in one.get("items", [])}
        if one.get("filed") == "forgotten" or "fact" not in kinds:
            continue
        job = Job.model_validate(one["job"])
        user = job.user_id, job.scope.asserted
        before = found.get(user)
        found[user] = {
            "job": one["job"],
            "items": [*(before["items"] if before else []), *one["items"]],
            "event_ids": [*(before["event_ids"] if before else []), *one.get("event_ids", [])],
        }
    return list(found.values())
