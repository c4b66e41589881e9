"""Koishi runs `examples/koishi_plugin` against `historian serve`.

Koishi lies in `.venv-koishi/node_modules`, or in the folder named by HISTORIAN_KOISHI.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.servers.serving import TOKEN, serving
from support.waiting import eventually_now

ROOT = Path(__file__).parents[2]
MODULES = Path(os.environ.get("HISTORIAN_KOISHI") or ROOT / ".venv-koishi") / "node_modules"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (MODULES / "koishi").exists(),
        reason="Koishi is not installed: .ci/run does so in .venv-koishi",
    ),
]


@contextmanager
def bot(directory: Path, address: str) -> Iterator[Any]:
    """Koishi in a process; a function that says something and returns the replies."""
    plugin = ROOT / "examples" / "koishi_plugin" / "index.js"
    command = [
        "node",
        str(Path(__file__).with_name("koishi_child.js")),
        str(plugin),
        address,
        TOKEN,
    ]
    environ = {**os.environ, "NODE_PATH": str(MODULES)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(
        command, cwd=directory, env=environ, encoding="utf-8", **pipes
    ) as process:

        def say(text: str, user: str = "1001", group: str = "", **event: str) -> str:
            process.stdin.write(
                json.dumps({"text": text, "user": user, "group": group, **event}) + "\n"
            )
            process.stdin.flush()
            while not (line := process.stdout.readline()).startswith('["'):  # else Koishi's log
                assert line, process.wait(10)
                say.logged += line  # type: ignore[attr-defined]
            return "\n".join(json.loads(line))

        say.logged = ""  # type: ignore[attr-defined]
        try:
            yield say
        finally:
            process.stdin.close()
            process.wait(30)


def test_what_was_said_is_recalled_in_the_same_conversation_only_and_forgotten_on_request(
    tmp_path: Path,
) -> None:
    with serving(tmp_path / "memory") as address, bot(tmp_path, address) as say:

        def said() -> list[str]:
            asked = {"scope": "user:mock:1001", "kind": "message"}
            answer = httpx.get(
                f"{address}/api/v1/events",
                params=asked,
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            return [one["text"] for one in answer.json()["events"] if one["role"] == "user"]

        assert say("我对花生过敏") == "不知道"
        eventually_now(lambda: said() == ["我对花生过敏"], every=0.2)
        assert "对花生过敏" in say("我对什么过敏？")
        assert "花生" not in say("他对什么过敏？", user="1002", group="7001")
        assert "无法恢复" in say("forgetme")
        assert say("forgetme 确认") == "已经忘记了。"
        assert said() == []


def test_an_edited_message_replaces_the_former_one_and_a_deleted_one_is_withdrawn(
    tmp_path: Path,
) -> None:
    with serving(tmp_path / "memory") as address, bot(tmp_path, address) as say:

        def said() -> list[str]:
            asked = {"scope": "group:mock:7001", "kind": "message"}
            answer = httpx.get(
                f"{address}/api/v1/events",
                params=asked,
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            return sorted(one["text"] for one in answer.json()["events"] if one["role"] == "user")

        here = {"user": "1001", "group": "7001"}
        for text in ("我周五搬家", "别告诉别人"):
            say(text, **here)
        eventually_now(lambda: said() == ["别告诉别人", "我周五搬家"], every=0.2)
        say("我周六搬家", event="message-updated", id="1", **here)
        eventually_now(lambda: said() == ["别告诉别人", "我周六搬家"], every=0.2)
        say("", event="message-deleted", id="2", **here)
        eventually_now(lambda: said() == ["我周六搬家"], every=0.2)


def test_without_memory_the_bot_answers_all_the_same(tmp_path: Path) -> None:
    with bot(tmp_path, "http://127.0.0.1:9") as say:
        assert say("我对花生过敏") == "不知道"
        assert "/context: fetch failed" in say.logged
