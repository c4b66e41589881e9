"""The Discord bot's handler with plain objects in place of the library's: the same names, nothing else."""

import importlib
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from historian import CognitiveService, Scope
from support.memory import settings_for

EXAMPLES = Path(__file__).parents[3] / "examples"
ME = SimpleNamespace(id=900, display_name="小史")

discord_bot: Any = None


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples import each other by their plain names."""
    global discord_bot
    monkeypatch.syspath_prepend(str(EXAMPLES))
    discord_bot = importlib.import_module("discord_bot")


class Channel:
    """Where a message was sent; `sent` are the replies."""

    def __init__(self, channel_id: int) -> None:
        self.id, self.name, self.sent = channel_id, "综合", list[str]()

    async def send(self, content: str) -> None:
        assert 0 < len(content) <= 2_000
        self.sent.append(content)


def message(
    content: str,
    channel: Channel,
    *,
    user: int = 1001,
    name: str = "阿明",
    server: bool = False,
    **more: Any,
) -> Any:
    fields = {
        "id": len(content) * 1_000 + user,
        "content": content,
        "author": SimpleNamespace(id=user, display_name=name, bot=False),
        "guild": SimpleNamespace(name="读书会") if server else None,
        "channel": channel,
        "mentions": [ME] if f"<@{ME.id}>" in content else [],
        "reference": None,
        "created_at": datetime(2026, 2, 21, 9, 30, tzinfo=UTC),
    }
    return SimpleNamespace(**{**fields, **more})


def test_a_message_becomes_what_was_heard() -> None:
    heard = discord_bot.heard_of(message("hello", Channel(5)), ME)
    assert (heard.scope, heard.user_name, heard.to_bot) == (Scope.private("dc:1001"), "阿明", True)
    assert (heard.request_id, heard.at) == ("discord:6001", "2026-02-21T09:30:00+00:00")
    heard = discord_bot.heard_of(message("hello", Channel(5), server=True), ME)
    assert (heard.scope, heard.group_name, heard.to_bot) == (
        Scope.group("dc:5", "dc:1001"),
        "读书会 #综合",
        False,
    )


def test_mentions_become_names_and_the_bot_s_own_goes() -> None:
    ann = SimpleNamespace(id=1002, display_name="Ann")
    heard = discord_bot.heard_of(
        message("<@900> ask <@!1002>", Channel(5), server=True, mentions=[ME, ann]), ME
    )
    assert (heard.text, heard.to_bot) == ("ask @Ann", True)
    assert not discord_bot.heard_of(
        message("ask <@1002>", Channel(5), server=True, mentions=[ann]), ME
    ).to_bot


def test_a_reply_to_the_bot_is_for_the_bot_and_other_bots_are_not_heard() -> None:
    reply = SimpleNamespace(resolved=SimpleNamespace(author=ME), message_id=6)
    heard = discord_bot.heard_of(message("yes", Channel(5), server=True, reference=reply), ME)
    assert heard.to_bot and heard.reply_to == "discord:6"
    deleted = SimpleNamespace(resolved=None, message_id=None)
    assert not discord_bot.heard_of(
        message("yes", Channel(5), server=True, reference=deleted), ME
    ).to_bot
    bot = SimpleNamespace(id=2, display_name="x", bot=True)
    assert discord_bot.heard_of(message("hi", Channel(5), author=bot), ME) is None
    assert discord_bot.heard_of(message("", Channel(5)), ME) is None


@pytest.mark.slow
async def test_it_remembers_observes_and_forgets(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    private, general, other = Channel(1), Channel(2), Channel(3)
    async with CognitiveService.open(settings) as memory:
        model = importlib.import_module("stand_in_model").StandInModel()
        bot = importlib.import_module("remembering_bot").RememberingBot(
            memory, model, "Discord", "小史", "dc:900", "zh", "!"
        )

        async def said(content: str, channel: Channel, **more: Any) -> str:
            await discord_bot.on_message(bot, message(content, channel, **more), ME)
            return channel.sent[-1] if channel.sent else ""

        assert "交给记忆" in await said("我最喜欢的茶是龙井", private)
        assert "龙井" in await said("我最喜欢什么茶？", private)
        assert await said("周五一起去爬香山", general, server=True) == ""
        assert "香山" in await said(
            "<@900> 周五去哪儿？", general, server=True, user=1002, name="小林"
        )
        assert "香山" not in await said(
            "<@900> 周五去哪儿？", other, server=True, user=1002, name="小林"
        )
        await memory.flush()
        assert await memory.settled(30)
        await memory.enqueue_job(new_info=["他喜欢龙井茶"], user_id="dc:1001", user_name="阿明")
        assert await memory.settled(30)
        assert "龙井" in await said("!profile", private)
        assert "请发送：!forgetme 确认" in await said("!forgetme", private)
        assert await said("!forgetme 确认", private) == "已经忘记了。"
        assert await said("!profile", private) == "我还没有记下什么。"
        found = [hit.event.said for hit in await memory.search_events("香山", Scope.group("dc:2"))]
        assert found == ["小林: 周五去哪儿？"], (
            "neither what 阿明 said nor what the bot repeated of it"
        )


@pytest.mark.slow
async def test_edited_messages_are_replaced_and_deleted_ones_withdrawn(tmp_path: Path) -> None:
    general, private = Channel(2), Channel(1)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        model = importlib.import_module("stand_in_model").StandInModel()
        bot = importlib.import_module("remembering_bot").RememberingBot(
            memory, model, "Discord", "小史", "dc:900", "zh", "!"
        )

        async def said(
            content: str,
            message_id: int,
            channel: Channel,
            *,
            edited: bool = False,
            server: bool = True,
        ) -> None:
            sent = message(content, channel, server=server, id=message_id)
            await discord_bot.on_message(bot, sent, ME, edited=edited)

        async def kept(scope: Scope) -> list[str]:
            await memory.flush()
            assert await memory.settled(30)
            return [
                one.text for one in reversed(await memory.list_events(scope)) if one.role == "user"
            ]

        for number, text in enumerate(("周五爬香山", "带上水", "早上七点", "在校门口")):
            await said(text, number, general)
        await said("周六爬香山", 0, general, edited=True)
        assert (
            await kept(Scope.group("dc:2")) == ["周六爬香山", "带上水", "早上七点", "在校门口"]
            and general.sent == []
        )
        one = SimpleNamespace(guild_id=3, channel_id=2, message_id=1)
        several = SimpleNamespace(guild_id=3, channel_id=2, message_ids={2, 3})
        for payload in (one, several):
            await discord_bot.on_delete(bot, payload, None)
        assert await kept(Scope.group("dc:2")) == ["周六爬香山"]
        assert [one.text for one in bot.history.of(Scope.group("dc:2"))] == ["周六爬香山"]

        await said("我最喜欢的茶是龙井", 7, private, server=False)
        gone = SimpleNamespace(guild_id=None, channel_id=1, message_id=7)
        await discord_bot.on_delete(bot, gone, None)
        assert await kept(Scope.private("dc:1001")) == ["我最喜欢的茶是龙井"], (
            "nobody knows whose private chat it is"
        )
        await discord_bot.on_delete(bot, gone, SimpleNamespace(recipient=SimpleNamespace(id=1001)))
        assert await kept(Scope.private("dc:1001")) == []


@pytest.mark.slow
def test_without_a_token_or_without_the_library_it_says_so(tmp_path: Path) -> None:
    def start(token: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "discord.py").write_text(
            "raise ModuleNotFoundError(\"No module named 'discord'\")\n"
        )
        environ = {**os.environ, "DISCORD_BOT_TOKEN": token, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, str(EXAMPLES / "discord_bot.py")]
        return subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8", timeout=60
        )

    assert start("").returncode == 2
    assert start("x").stderr == "error: No module named 'discord'; pip install discord.py\n"
