"""discord.py parses what Discord's gateway sends and hands its own objects to `examples/discord_bot.py`."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, Scope
from support.memory import settings_for

discord = pytest.importorskip(
    "discord", reason='discord.py is not installed: pip install -e ".[frameworks]"'
)

ME = {"id": "900", "username": "clio", "discriminator": "0", "avatar": None}
ANN = {"id": "7", "username": "Ann", "discriminator": "0", "avatar": None}
CHANNEL = {
    "id": "5",
    "name": "general",
    "type": 0,
    "position": 0,
    "permission_overwrites": [],
    "nsfw": False,
    "parent_id": None,
}


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))


class Client(discord.Client):  # type: ignore[name-defined, misc]
    """A client that is not connected: `receive` is the gateway, and what is sent goes to `sent`."""

    def __init__(self, bot: Any) -> None:
        super().__init__(intents=discord.Intents.all(), max_messages=None)
        self.bot, self.sent, self.numbers = bot, list[str](), iter(range(100, 200))
        self._connection.user = discord.ClientUser(state=self._connection, data=ME)
        guild = {
            "id": "3",
            "name": "Book Club",
            "channels": [CHANNEL],
            "members": [],
            "roles": [],
            "emojis": [],
        }
        self._connection._add_guild_from_data({**guild, "member_count": 2})
        self.http.send_message = self.send  # type: ignore[method-assign]

    async def send(self, channel_id: int, *, params: Any) -> dict[str, Any]:
        self.sent.append(params.payload["content"])
        return self.message(params.payload["content"], ME, channel_id=str(channel_id))

    def message(self, text: str, author: dict[str, Any], **more: Any) -> dict[str, Any]:
        empty: dict[str, Any] = {
            name: []
            for name in ("embeds", "attachments", "mentions", "mention_roles", "components")
        }
        flags = {
            "tts": False,
            "mention_everyone": False,
            "pinned": False,
            "type": 0,
            "edited_timestamp": None,
        }
        said = {
            "id": str(next(self.numbers)),
            "content": text,
            "author": author,
            "timestamp": "2026-02-21T09:30:00+00:00",
        }
        return {**empty, **flags, **said, **more}

    def told(self, parse: str, data: dict[str, Any]) -> Any:
        """What discord.py makes of a raw event of the gateway."""
        heard: list[Any] = []
        self.dispatch = lambda event, *parts: heard.extend(
            parts if event.startswith("raw_") else ()
        )  # type: ignore[method-assign]
        self._connection.dispatch = self.dispatch
        getattr(self._connection, parse)(data)
        (payload,) = heard
        return payload

    async def receive(self, text: str, **more: Any) -> list[str]:
        """What the bot sends to a message, in the guild's channel or (without `guild_id`) in private."""
        heard: list[Any] = []
        self.dispatch = lambda event, *parts: heard.extend(parts if event == "message" else ())  # type: ignore[method-assign]
        self._connection.dispatch = self.dispatch
        if "guild_id" not in more:
            self._connection.add_dm_channel({"id": "6", "type": 1, "recipients": [ANN]})
        self._connection.parse_message_create(
            self.message(text, ANN, **{"channel_id": "6", **more})
        )
        self.sent.clear()
        (message,) = heard
        assert isinstance(message, discord.Message)
        await importlib.import_module("discord_bot").on_message(self.bot, message, self.user)
        return list(self.sent)


async def test_it_answers_in_private_and_where_it_is_mentioned_and_overhears_the_rest(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path)
    async with CognitiveService.open(settings) as memory:
        model = importlib.import_module("stand_in_model").StandInModel()
        bot = importlib.import_module("remembering_bot").RememberingBot(
            memory, model, "Discord", "Clio", "dc:900", "en", "!"
        )
        client = Client(bot)
        assert "Noted" in (await client.receive("I'm allergic to peanuts"))[0]
        assert "peanuts" in (await client.receive("What am I allergic to?"))[0]
        in_guild = {
            "guild_id": "3",
            "channel_id": "5",
            "member": {"roles": [], "joined_at": None, "deaf": False, "mute": False},
        }
        assert await client.receive("We climb Scafell Pike on Friday", **in_guild) == []
        asked = await client.receive(
            "<@900> Where do we climb on Friday?", mentions=[ME], **in_guild
        )
        assert "Scafell" in asked[0] and "<@900>" not in asked[0]
        assert (
            "peanuts"
            not in (
                await client.receive("<@900> What am I allergic to?", mentions=[ME], **in_guild)
            )[0]
        )
        assert await memory.search_events("Scafell", Scope.group("dc:5"))
        assert "!forgetme yes" in (await client.receive("!forgetme"))[0]
        assert await client.receive("!forgetme yes") == ["Forgotten."]


async def test_edits_replace_a_message_and_deletions_withdraw_it_though_nothing_is_cached(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        model = importlib.import_module("stand_in_model").StandInModel()
        bot = importlib.import_module("remembering_bot").RememberingBot(
            memory, model, "Discord", "Clio", "dc:900", "en", "!"
        )
        client, discord_bot = Client(bot), importlib.import_module("discord_bot")
        place = {"guild_id": "3", "channel_id": "5"}
        in_guild = {
            **place,
            "member": {"roles": [], "joined_at": None, "deaf": False, "mute": False},
        }

        async def kept() -> list[str]:
            await memory.flush()
            assert await memory.settled(20)
            return sorted(event.text for event in await memory.list_events(Scope.group("dc:5")))

        for text in ("We climb Scafell Pike on Friday", "Bring water"):  # messages 100 and 101
            assert await client.receive(text, **in_guild) == []
        assert await kept() == ["Bring water", "We climb Scafell Pike on Friday"]
        edited = client.told(
            "parse_message_update",
            client.message("We climb Ben Nevis", ANN, **{**in_guild, "id": "100"}),
        )
        await discord_bot.on_message(bot, edited.message, client.user, edited=True)
        assert await kept() == ["Bring water", "We climb Ben Nevis"]
        deleted = client.told("parse_message_delete", {**place, "id": "101"})
        await discord_bot.on_delete(bot, deleted, client.get_channel(deleted.channel_id))
        assert await kept() == ["We climb Ben Nevis"]
        deleted = client.told("parse_message_delete_bulk", {**place, "ids": ["100", "101"]})
        await discord_bot.on_delete(bot, deleted, client.get_channel(deleted.channel_id))
        assert await kept() == []
