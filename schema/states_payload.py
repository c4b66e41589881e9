"""The `payload` of a job of kind `states`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .job import Job
from .summary import Spoken


class SpokenPayload(BaseModel):
    """One state of a conversation, redacted. `at` is ISO 8601 with offset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["user", "assistant", "tool"]
    text: str
    name: str = ""
    at: str = ""


class StatesPayload(BaseModel):
    """The states in the order in which they were said; empty if the states already buffered have passed the threshold.

    `threshold` is in tokens, None is the configured one. `reflect`: rewrite the article if these states are significant.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    states: list[SpokenPayload] = Field(default_factory=list)
    threshold: int | None = Field(default=None, ge=1)
    reflect: bool = False

    def entries(self, job: Job) -> list[tuple[str, Spoken]]:
        """Return the states as (entry id, state), each with its own time or the job's."""
        return [
            (f"{job.job_id}:{n}", Spoken(one.role, one.text, one.name, one.at or job.timestamp))
            for n, one in enumerate(self.states)
        ]
