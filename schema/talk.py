"""The payloads of jobs of kind `talk` (one message of a conversation) and of kind `profile` (facts
learnt from messages).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SAID_BY_PEOPLE = "user"

TalkRole = Literal["user", "assistant", "tool"]


class TalkPayload(BaseModel):
    """One message, redacted. `role` is `user` (a person), `assistant` (the bot) or `tool` (what a tool returned).

    `message_id` is the id that its platform gives it, `reply_to` that of the message which it answers ("" if unknown).
    `worded_at` (seconds since the epoch) is when these words were handed over: of two jobs of one message the later one counts.
    The job's `user_id` and `user_name` are those of its sender; of a message of the bot or a tool, of the person it answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: TalkRole = "user"
    text: str = ""
    message_id: str = ""
    reply_to: str = ""
    worded_at: float = 0.0


class LearntFact(BaseModel):
    """A filed fact that a profile may take in. `dated`: a time was resolved in it.

    `is_open`: the gate is only unsure whom it means; `lasting`: it may hold for long.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str
    dated: bool = False
    is_open: bool = False
    lasting: bool = True


class OldFact(BaseModel):
    """A former fact, and the event ids (`by`) of the new facts that may have superseded it.

    A job stores its id only: the `text` is read from the event when profiles are merged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str
    by: list[str] = Field(default_factory=list)
    text: str = Field(default="", exclude=True)


class ProfilePayload(BaseModel):
    """What a person, or a hand-over, told: the events are read when the profiles are merged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: list[LearntFact] = Field(default_factory=list)
    former: list[OldFact] = Field(default_factory=list)
