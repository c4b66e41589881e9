"""Services for tests: settings over a temporary directory, and short jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings

AT = "2026-02-21T17:30:00+08:00"
"""A Saturday afternoon in Shanghai."""


def settings_for(
    directory: Path, *, base_url: str = "", embedding: str = "none", **sections: Any
) -> Settings:
    """Settings over `directory`: a model at `base_url` if given, embeddings from the same server (`openai`) or none.

    A recall has time on a busy machine too, unless `query` says otherwise.
    """
    cognitive: dict[str, Any] = {
        "data_dir": str(directory),
        "timezone": "Asia/Shanghai",
        "bot_name": "小史",
        **sections,
    }
    cognitive["historian"] = {
        "poll_interval_seconds": 0.02,
        "rewrite_mode": "always",
        **sections.get("historian", {}),
    }
    cognitive["query"] = {"recall_timeout_seconds": 30, **sections.get("query", {})}
    models: dict[str, Any] = {"embedding": {"provider": embedding}}
    if base_url:
        models["chat"] = {
            "base_url": base_url,
            "model": "test",
            "api_key": "none",
            "timeout_seconds": 5,
        }
    if embedding == "openai":
        models["embedding"] |= {"base_url": base_url, "model": "test", "api_key": "none"}
    return parse_settings({"cognitive": cognitive, "models": models}, environ={}, base=directory)


def group_fields(**more: Any) -> dict[str, Any]:
    """A turn in the group 读书会 with 阿明."""
    return {
        "request_type": "group",
        "group_id": "100",
        "group_name": "读书会",
        "user_id": "42",
        "user_name": "阿明",
        "bot_name": "小史",
        "timestamp": AT,
        "timezone": "Asia/Shanghai",
        **more,
    }


def private_fields(**more: Any) -> dict[str, Any]:
    """A turn in a private chat with Ann, in English."""
    return {
        "request_type": "private",
        "user_id": "7",
        "user_name": "Ann",
        "bot_name": "Clio",
        "timestamp": AT,
        "timezone": "Asia/Shanghai",
        **more,
    }
