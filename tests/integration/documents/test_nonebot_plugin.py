"""The NoneBot plugin in a bot's own process: a OneBot client on loopback sends real events and gets real replies."""

import asyncio
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.command import NO_MODELS, historian
from support.servers.onebot_client import SELF_ID, running_bot
from support.servers.openai_server import OpenAIServer

PLUGIN = Path(__file__).parents[3] / "examples" / "nonebot_plugin"

pytestmark = pytest.mark.slow

OWN_ANSWER = """
import nonebot
from nonebot.adapters.onebot.v11 import Adapter

nonebot.init()
nonebot.get_driver().register_adapter(Adapter)
nonebot.load_plugin("nonebot_plugin_historian")

{snippet_of_the_readme}

@use_answer
async def answer(turn: Turn) -> str:
    if "喜欢" in turn.text:
        return "记住了。"
    if "别回" in turn.text:
        return ""
    if "坏" in turn.text:
        raise RuntimeError("the author's function fails")
    return "\\n".join(message["content"] for message in turn.messages if "<memory>" in message["content"]) or "不知道"

nonebot.run()
"""


def environment(directory: Path, **more: str) -> dict[str, str]:
    settings = {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(directory / "data"),
        "HISTORIAN__COGNITIVE__BOT_NAME": "小史",
    }
    patience = {
        "HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "10",
        "HISTORIAN_LANGUAGE": "zh_CN.UTF-8",
    }
    patience["HISTORIAN__COGNITIVE__TALK__SILENCE_SECONDS"] = "0.2"
    return {
        **NO_MODELS,
        **settings,
        **patience,
        "PYTHONPATH": str(PLUGIN),
        "PYTHONIOENCODING": "utf-8",
        **more,
    }


def records(directory: Path, *scope: str) -> list[str]:
    """What was said, newest first, after the queue is worked off."""
    drained = historian(
        "worker", "--drain", "--json", "--data-dir", directory / "data", environ=clean()
    )
    assert drained.status == 0, drained.err
    listed = historian(
        "events", "list", *scope, "--json", "--data-dir", directory / "data", environ=clean()
    )
    return [
        f"{line['speaker']}: {line['text']}" for line in listed.lines if line["kind"] == "message"
    ]


def clean() -> Mapping[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("HISTORIAN")}


def test_the_configured_model_answers_with_what_memory_recalls_and_the_turn_is_filed(
    tmp_path: Path,
) -> None:
    who = {"user": 1001, "group": 7001, "name": "阿明"}

    def prompts(server: OpenAIServer) -> list[str]:
        """What the model was given for each reply."""
        asked = [
            seen.body["messages"]
            for seen in server.requests()
            if len(seen.body.get("tools", ())) > 1
        ]
        return ["\n".join(str(message["content"]) for message in messages) for messages in asked]

    async def converse(server: OpenAIServer) -> list[dict[str, Any]]:
        endpoint = {
            "HISTORIAN__MODELS__CHAT__BASE_URL": server.base_url,
            "HISTORIAN__MODELS__CHAT__MODEL": "test",
        }
        endpoint["HISTORIAN__COGNITIVE__PROFILE__PROFILE_LAYERS"] = (
            "per_group"  # else the profile may be merged by then
        )
        async with running_bot(
            PLUGIN / "bot.py", tmp_path, environment(tmp_path, **endpoint)
        ) as client:
            await client.say("这句话不是对机器人说的", **{**who, "to_bot": False})
            assert await client.ask("我最喜欢的茶是龙井", **who) == "好的，我知道了。"
            for _ in range(100):  # the message is handed over after its reply
                assert await client.ask("我喜欢什么茶？", **who) == "好的，我知道了。"
                if "<memory>" in prompts(server)[-1]:
                    break
            assert "龙井" in prompts(server)[-1].partition("<memory>")[2]
            assert await client.ask("我养了一只叫阿橘的猫", **who) == "好的，我知道了。"
            assert (
                await client.ask("别的群知道我喜欢什么茶吗？", **{**who, "group": 7002})
                == "好的，我知道了。"
            )
            assert "龙井" not in prompts(server)[-1]
            return client.calls

    with OpenAIServer(behaviour="converses_and_forgets_end") as server:
        calls = asyncio.run(converse(server))
        assert "不是对机器人说的" not in "".join(prompts(server))
    assert [call["action"] for call in calls][:2] == ["get_group_info", "send_msg"]
    assert calls[1]["params"]["group_id"] == 7001
    told = records(tmp_path, "--group", "7001")
    assert "阿明: 我最喜欢的茶是龙井" in told and "阿明: 我养了一只叫阿橘的猫" in told


def test_an_author_s_function_answers_and_profile_and_forgetme_work(tmp_path: Path) -> None:
    script = tmp_path / "own_bot.py"
    (snippet,) = re.findall(
        r"^```python\n(.*?)^```$", (PLUGIN / "README.md").read_text(encoding="utf-8"), re.M | re.S
    )
    script.write_text(OWN_ANSWER.replace("{snippet_of_the_readme}", snippet), encoding="utf-8")
    ann = {"user": 1001, "name": "阿明"}

    async def converse() -> None:
        async with running_bot(script, tmp_path, environment(tmp_path)) as client:
            assert await client.ask("/profile", **ann) == "我还没有记下什么。"
            assert await client.ask("我喜欢龙井茶", **ann) == "记住了。"
            await client.say("别回我", user=1002, name="小林")
            assert await client.ask("我喜欢普洱", user=1002, name="小林") == "记住了。"
            assert await client.ask("随便聊聊", user=1003, name="小方") == "不知道"
            assert "龙井" in await client.ask("说说龙井茶", **ann)
            assert await client.ask("来个坏的", **ann) == "现在回答不了，请稍后再试。"
            told = {
                "new_info": ["他喜欢龙井茶"],
                "user_id": "1001",
                "user_name": "阿明",
                "bot_name": "小史",
                "request_id": "t",
            }
            line = json.dumps(told, ensure_ascii=False)
            assert (
                historian(
                    "ingest", "-", "--data-dir", tmp_path / "data", environ=clean(), stdin=line
                ).status
                == 0
            )
            for _ in range(600):  # the historian works in the background
                profile = await client.ask("/画像", **ann)
                if "龙井" in profile:
                    break
            assert profile.startswith("【阿明】")
            assert await client.ask("/profile group", **ann) == "这里不是群聊。"
            assert "无法恢复" in await client.ask("/forgetme", **ann)
            assert "龙井" in await client.ask("/profile", **ann)
            assert await client.ask("/forgetme 确认", **ann) == "已经忘记了。"
            assert await client.ask("/profile", **ann) == "我还没有记下什么。"
            assert await client.ask("说说龙井茶", **ann) == "不知道"
            assert all(
                call["params"].get("user_id") in (1001, 1002, 1003) for call in client.calls
            ), SELF_ID
            assert await client.ask("我喜欢乌龙", user=1003, group=7001, name="小方") == "记住了。"
            assert await client.ask("我喜欢普洱", user=1002, group=7001, name="小林") == "记住了。"
            assert await client.ask("我喜欢白茶", user=1002, group=7001, name="小林") == "记住了。"
            await client.recall(client.said_last, user=1002, group=7001)
            assert await client.ask("随便聊聊", user=1004, name="小王") == "不知道"

    asyncio.run(converse())
    assert records(tmp_path, "--user", "1001") == []
    assert records(tmp_path, "--user", "1002") == [
        "小史: 记住了。",
        "小林: 我喜欢普洱",
        "小林: 别回我",
    ]
    in_group = [
        text for text in records(tmp_path, "--group", "7001") if not text.startswith("小史")
    ]
    assert in_group == ["小林: 我喜欢普洱", "小方: 我喜欢乌龙"], "a recalled message is withdrawn"
    assert records(tmp_path, "--user", "1003") == ["小史: 不知道", "小方: 随便聊聊"]
