"""The `payload` of a job of kind `talk`: one message of a conversation."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

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
