"""AstrBot runs `examples/astrbot_plugin_historian` against `historian serve`, its model scripted.

AstrBot and Historian want different versions of pydantic: AstrBot has an environment of its own, `.venv-astrbot` or that of the
interpreter named by HISTORIAN_ASTRBOT_PYTHON.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.servers.serving import TOKEN, serving
from support.waiting import eventually_now

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "astrbot_plugin_historian"
PYTHON = Path(
    os.environ.get("HISTORIAN_ASTRBOT_PYTHON") or ROOT / ".venv-astrbot" / "bin" / "python"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON.exists(), reason="AstrBot is not installed: .ci/run does so in .venv-astrbot"
    ),
]


class Bot:
    """AstrBot in a process."""

    def __init__(self, root: Path, address: str) -> None:
        shutil.copytree(PLUGIN, root / "data" / "plugins" / PLUGIN.name)
        (root / "data" / "config").mkdir()
        configured = {"address": address, "token": TOKEN}
        (root / "data" / "config" / f"{PLUGIN.name}_config.json").write_text(json.dumps(configured))
        environ = {**os.environ, "ASTRBOT_ROOT": str(root), "ASTRBOT_DISABLE_METRICS": "1"}
        command = [str(PYTHON), str(Path(__file__).with_name("astrbot_child.py"))]
        self.log = (root / "bot.log").open("w")
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log}
        self.process = subprocess.Popen(command, cwd=root, env=environ, encoding="utf-8", **pipes)

    def say(self, text: str, answer: str, **who: str) -> tuple[list[str], list[dict[str, Any]]]:
        """What the bot sent, and what its model was given."""
        said = {"text": text, "answer": answer, "user": "1001", "name": "阿明", **who}
        self.process.stdin.write(json.dumps(said) + "\n")
        self.process.stdin.flush()
        answered = json.loads(self.process.stdout.readline())
        return answered["sent"], answered["saw"]

    def __enter__(self) -> "Bot":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.stdin.close()
        self.process.wait(60)
        self.log.close()


def blocks(saw: list[dict[str, Any]]) -> list[str]:
    """What of the model's input memory wrote."""
    return [
        text
        for message in saw
        if (text := str(message["content"])).startswith("<memory>") and message["role"] == "user"
    ]


def test_what_was_said_is_recalled_in_the_same_conversation_only_and_forgotten_on_request(
    tmp_path: Path,
) -> None:
    with serving(tmp_path / "memory") as address, Bot(tmp_path, address) as bot:
        assert bot.say("我对花生过敏", "记住了。")[0] == ["记住了。"]

        def filed() -> bool:
            asked = {"scope": "user:qq:1001", "query": "花生"}
            answer = httpx.post(
                f"{address}/api/v1/search", json=asked, headers={"Authorization": f"Bearer {TOKEN}"}
            )
            said = [
                hit["event"]
                for hit in answer.json()["hits"]
                if not hit["pending"] and hit["event"]["role"] == "user"
            ]
            return any("花生" in event["text"] for event in said)

        eventually_now(filed, every=0.2)
        sent, saw = bot.say("我对什么过敏？", "花生。")
        assert sent == ["花生。"] and "我对花生过敏" in blocks(saw)[0]
        assert len(blocks(bot.say("还有呢？", "没有了。")[1])) == 1, (
            "the block of the last turn is not sent again"
        )
        assert "花生" not in "".join(
            blocks(bot.say("他对什么过敏？", "不知道。", user="1002", name="小林", group="7001")[1])
        )
        assert "无法恢复" in bot.say("/forgetme", "")[0][0]
        assert bot.say("/forgetme 确认", "")[0] == ["已经忘记了。"]
        assert not filed()

        assert bot.say("我对花生过敏", "记住了。", id="9", user="1003")[0] == ["记住了。"]
        asked = {"scope": "user:qq:1003", "kind": "message"}

        def said() -> list[str]:
            answer = httpx.get(
                f"{address}/api/v1/events",
                params=asked,
                headers={"Authorization": f"Bearer {TOKEN}"},
            )
            return [one["text"] for one in answer.json()["events"]]

        eventually_now(lambda: len(said()) == 2, every=0.2)
        bot.say("", "", user="1003", recalled="9")
        assert said() == ["记住了。"], "a recalled message is withdrawn"
    assert "载入失败" not in (tmp_path / "bot.log").read_text(encoding="utf-8")


def test_without_memory_the_bot_answers_all_the_same(tmp_path: Path) -> None:
    with Bot(tmp_path, "http://127.0.0.1:9") as bot:
        assert bot.say("我对花生过敏", "好的。")[0] == ["好的。"]
    assert "Historian: /remember" in (tmp_path / "bot.log").read_text(encoding="utf-8")
