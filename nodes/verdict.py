"""The gate's verdict on one text of a job, as the nodes ask for it."""

from __future__ import annotations

from ..schema.job import Job
from ..schema.settings import Settings
from ..schema.states import ItemState
from ..text.gate import GateResult, check
from .conversation import names_of


def judge(item: ItemState, candidate: str, job: Job, settings: Settings) -> GateResult:
    """What the gate says of one text of a job."""
    return check(
        candidate,
        source=item["source"],
        resolved=item["resolved"],
        draft=item["draft"],
        names=names_of(job, settings),
        item=item["kind"],
        pronouns=settings.historian.gate_pronouns,
    )
