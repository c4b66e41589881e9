"""A hand-over that brings no messages is read with those of its conversation before it."""

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from historian.nodes.historian.conversation import BEFORE_SECONDS, recent_messages, with_messages
from historian.schema.event import MESSAGE, Event, EventFilter
from historian.schema.job import Job
from historian.service.intake import make_job
from historian.text.job_verdicts import SHOWN_MESSAGES
from historian.text.messages.records import message_events
from support.memory import AT, group_fields, settings_for

SETTINGS = settings_for(Path("/nowhere"))


def said(number: int, role: str = "user", group: str = "100") -> Event:
    payload = {"role": role, "text": f"message {number}", "message_id": str(number)}
    fields = group_fields(
        kind="talk", request_id=f"{group}-{number}", payload=payload, bot_id="b", group_id=group
    )
    (event,) = message_events(make_job(fields, SETTINGS, lambda: 0.0), 256)
    return event


def test_the_last_messages_of_the_conversation_stand_beside_a_hand_over() -> None:
    asked: list[EventFilter] = []
    talk = [said(n, "assistant" if n == 2 else "user") for n in range(SHOWN_MESSAGES + 3)]

    def find(where: EventFilter, limit: int) -> list[Event]:
        asked.append(where)
        return talk[::-1][:limit]

    job = make_job(group_fields(new_info=["yes, on Friday"], bot_id="b"), SETTINGS, lambda: 0.0)
    context: Any = SimpleNamespace(events=SimpleNamespace(find=find), clock=lambda: 0.0)
    found = recent_messages(job, context)
    assert [one.text for one in found] == [one.text for one in talk[-SHOWN_MESSAGES:]]
    assert (
        found[-1].sender_id == "42"
        and found[-1].sender_name == "阿明"
        and found[-1].at.startswith("2026-02-21T17:30:00")
    )
    (where,) = asked
    moment = datetime.fromisoformat(AT).timestamp()
    assert where.scope_key == job.scope.key and where.sources == (MESSAGE,)
    assert (where.time_from, where.time_to) == (moment - BEFORE_SECONDS, moment)
    state: Any = {"job": job.model_dump(), "beside": [one.model_dump() for one in found]}
    assert with_messages(state).recent_messages == found
    assert with_messages({"job": job.model_dump()}) == Job.model_validate(job.model_dump())
