"""Logs as JSON lines: about which job a record is, and nothing of what was said."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from historian.service.cognitive import CognitiveService
from historian.service.telemetry.structured_logs import about_job, json_handler
from support.command import historian
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.servers.openai_server import OpenAIServer

SAID = ("向日葵", "sunflower", "三千五百四十一", "1974")


@contextmanager
def logged(level: int) -> Iterator[io.StringIO]:
    """What is logged meanwhile."""
    stream, root, own = io.StringIO(), logging.getLogger(), logging.getLogger("historian")
    handler, before = json_handler(stream), own.level
    root.addHandler(handler)
    own.setLevel(level)
    try:
        yield stream
    finally:
        root.removeHandler(handler)
        own.setLevel(before)


def records(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_records_are_json_and_carry_the_job_that_they_are_about() -> None:
    log = logging.getLogger("historian.test")
    with logged(logging.INFO) as stream:
        log.info('two\nlines and "quotes" and half of %s', "\ud83d")
        with about_job("r1-0"):
            log.warning("inside")
        try:
            raise ValueError("no")
        except ValueError:
            log.exception("failed")
    first, inside, failed = records(stream)
    assert (
        first["message"].startswith('two\nlines and "quotes"')
        and "job_id" not in first
        and first["level"] == "info"
    )
    assert (inside["job_id"], inside["level"], inside["logger"]) == (
        "r1-0",
        "warning",
        "historian.test",
    )
    assert "ValueError: no" in failed["traceback"] and failed["time"].endswith("+00:00")


@pytest.mark.parametrize("behaviour", ["proper", "garbage", "wrong_language", "400", "truncated"])
async def test_what_is_logged_of_jobs_names_them_and_says_nothing_of_what_was_said(
    tmp_path: Path, behaviour: str
) -> None:
    with OpenAIServer(behaviour=behaviour) as server, logged(logging.INFO) as stream:
        server.responder = lambda request: {
            "texts": ["The sunflower of 1974"],
            "add": [{"about": "user", "text": "1974 sunflower 三千五百四十一", "facts": ["N1"]}],
        }
        settings = settings_for(tmp_path, base_url=server.base_url, queue={"job_max_retries": 0})
        async with open_worker(settings) as (parts, worker):
            for n in range(3):
                put(
                    parts,
                    group_fields(
                        request_id=f"r{n}",
                        action_summary="他昨天说要种三千五百四十一棵向日葵",
                        new_info=["阿明喜欢1974年的sunflower"],
                    ),
                )
            assert await worker.run(drain=True)
    lines = records(stream)
    assert not [word for word in SAID if word in stream.getvalue()], stream.getvalue()
    about = [line for line in lines if line["message"].startswith("job r")]
    assert len(about) >= 3 or behaviour not in ("garbage", "400", "truncated")
    assert all(line["job_id"] == line["message"].split()[1].rstrip(":") for line in about)


async def test_observing_and_recalling_logs_nothing_of_what_was_said(tmp_path: Path) -> None:
    with logged(logging.INFO) as stream:
        settings = settings_for(tmp_path, query={"recall_timeout_seconds": 0.0001})
        async with CognitiveService.open(settings, worker=False) as memory:
            from historian.schema.scope import Scope

            scope = Scope.private("1")
            memory.feed_message("user", "一共三千五百四十一棵向日葵", "s", scope=scope, name="阿明")
            await memory.on_tool_executed(
                "count", {"flower": "sunflower"}, RuntimeError("1974"), scope=scope
            )
            await memory.build_context("向日葵 sunflower 1974", scope)
            await memory.forget_user("1")
            await asyncio.sleep(0)
    assert not [word for word in SAID if word in stream.getvalue()], stream.getvalue()
    assert any("fell back to the level" in line["message"] for line in records(stream))


def test_the_command_logs_json_where_it_is_asked_to(tmp_path: Path) -> None:
    line = '{"action_summary": "小史讲了故事", "user_id": "7", "request_id": "r1", "timestamp": "2026-02-21T17:30:00+08:00"}'
    historian("ingest", "-", "--data-dir", tmp_path, stdin=line)
    (tmp_path / "checkpoints.sqlite").write_bytes(b"no database" * 100)
    called = historian("worker", "--drain", "--json", "--log-json", "--data-dir", tmp_path)
    assert called.status == 0
    assert [json.loads(line)["level"] for line in called.err.splitlines() if "damaged" in line] == [
        "warning"
    ]
    assert (
        historian(
            "jobs", "list", "--data-dir", tmp_path, environ={"HISTORIAN_LOG_JSON": "1"}
        ).status
        == 0
    )
