"""Facts learnt in one run, per person, for the merge of profiles and the jobs that wait for it."""

from __future__ import annotations

from typing import cast

from ...schema.graph_states.historian import HistorianPart, HistorianProgress, HistorianState
from ...schema.job import Job
from ...schema.payloads import LearntFact, OldFact
from ..job_verdicts import is_no_fact


def learnt_in(part: HistorianProgress) -> list[LearntFact]:
    """Return the facts of one part of a run that profiles may include."""
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


def former_in(part: HistorianProgress) -> list[OldFact]:
    """Return the similar earlier facts that are not superseded, each with the ids of new facts.

    The new facts are those that may supersede the earlier one.
    """
    near = (one for one in part.get("former", []) if not one["ended"])
    return [OldFact(event_id=one["event_id"], by=one.get("by_any", [one["by"]])) for one in near]


def people_of(state: HistorianState) -> list[HistorianPart]:
    """Return one part per person.

    In a talk, a part has the person's last job and the facts of all their messages, without
    forgotten ones. A hand-over is one part; a job of kind "profile" has one part per gathered job.
    A user id that is only asserted by a token is a person of its own, because their facts belong
    to another layer.
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
