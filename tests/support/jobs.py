"""Jobs for tests: complete, small, and different where a test says so."""

from __future__ import annotations

from typing import Any

from historian.schema.job import Job, parse_job


def make_job(request_id: str = "r1", end_seq: int = 1, **fields: Any) -> Job:
    """A job of user 42 in group 7; `group=None` makes it a private one."""
    group = fields.pop("group", "7")
    scope = {"request_type": "group", "group_id": group} if group else {"request_type": "private"}
    return parse_job(
        {
            "request_id": request_id,
            "end_seq": end_seq,
            "action_summary": "告诉用户明天下雨",
            "new_info": ["用户养了一只叫阿橘的猫"],
            "timestamp": "2026-02-21T17:30:00+08:00",
            "timezone": "Asia/Shanghai",
            "user_id": "42",
            "user_name": "小林",
            "bot_name": "Undefined",
            **scope,
            **fields,
        }
    )
