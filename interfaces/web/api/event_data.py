"""Messages and events as the API gives them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ....schema.event import EventKind, RewrittenBy
from ....schema.scope import RequestType


class EventData(BaseModel):
    """A message as it was said, or an event: a text that is true out of context."""

    model_config = ConfigDict(from_attributes=True)

    event_id: str
    job_id: str
    kind: EventKind = Field(description="`message`: what was said; `action`: what the bot did; `fact`: what it learnt.")
    text: str = Field(description="Of a message its words alone.")
    speaker: str = Field(description='How the sender of a message was called then; "" for an event.')
    role: str = Field(description='Of a message: `user`, `assistant` (the bot) or `tool`; "" for an event.')
    said_by: str = Field(description='The id of the sender, or of the person whose words they are; "" if unknown.')
    message_id: str = Field(description="The id that the platform gives the message.")
    reply_to: str = Field(description="The id of the message that it answers.")
    times: list[str] = Field(
        description="The days that a message names, each as `end:day`: `17:2026-12-04`, where `end` "
        "is the number of characters up to the end of the expression."
    )
    timestamp: float = Field(description="When it was said, in seconds since 1970.")
    timestamp_local: str
    timezone: str
    user_id: str
    user_name: str
    group_id: str
    group_name: str
    bot_name: str
    request_type: RequestType
    is_absolute: bool
    gate_reasons: list[str]
    rewritten_by: RewrittenBy
    source: str
    sources: list[str] = Field(description="The `job_id`s of the messages on which an event rests alone.")
    speakers: list[str] = Field(description="The ids of the people whose words it tells, if there are several.")
    people: list[str] = Field(description="Whom it names, each as `start:end:id`.")
    tags: list[str] = Field(description="In lower case.")
    metadata: dict[str, Any] = Field(description="As it was handed over.")
    expires_at: float | None = Field(description="From then on nothing finds it; seconds since 1970.")
    handed_over: str
    occurs_from: float | None
    occurs_until: float | None
    superseded_by: str
    superseded_at: float | None
    corrected_by: str
    version: str
    schema_version: int
