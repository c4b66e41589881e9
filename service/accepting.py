"""Jobs made of what bots hand over: completed, checked and redacted before they lie on disk."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ..schema.errors import InvalidInput
from ..schema.job import Job, check_timezone, parse_job
from ..schema.settings import Settings
from ..text.redaction import redact
from .local_time import told_timezone


def make_job(data: Mapping[str, Any], settings: Settings, clock: Callable[[], float]) -> Job:
    """A job from what a bot gave, completed with what the settings know: time, time zone, bot name, a request id.

    Raises InvalidInput that names the field; the message is free of secrets, whatever stood in it.
    """
    timezone = data.get("timezone") or told_timezone(settings.cognitive.timezone, data.get("timestamp"))
    complete = {
        "request_id": uuid.uuid4().hex,
        "request_type": "group" if data.get("group_id") not in (None, "") else "private",
        "bot_name": settings.cognitive.bot_name,
        **{key: value for key, value in data.items() if value is not None},
        "timezone": timezone,
    }
    try:
        if not complete.get("timestamp"):
            complete["timestamp"] = datetime.fromtimestamp(clock(), ZoneInfo(check_timezone(str(timezone)))).isoformat()
        return parse_job(complete)
    except InvalidInput as error:
        raise InvalidInput(redact(str(error))) from None


def redacted(job: Job, level: Literal["secrets", "all", "none"]) -> Job:
    """The job without secrets (and, with `all`, without personal data): cleaned before it lies on disk."""
    if level == "none":
        return job
    messages = [m.model_copy(update={"text": redact(m.text, level)}) for m in job.recent_messages]
    return job.model_copy(
        update={
            "action_summary": redact(job.action_summary, level),
            "new_info": [redact(item, level) for item in job.new_info],
            "recent_messages": messages,
        }
    )
