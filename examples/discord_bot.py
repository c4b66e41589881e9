"""A Discord bot with long-term memory, on discord.py (`pip install discord.py`).

    DISCORD_BOT_TOKEN=… python examples/discord_bot.py

In private the bot answers every message. On a server it answers messages that mention it or reply
to it, and observes the others. `!profile` shows the profile of the sender or the channel,
`!forgetme` deletes everything about the sender. Each channel is a separate conversation: messages
of one channel are not read in another. An edited message replaces the earlier version in memory; a
deleted message is removed from memory. The bot needs the message content intent (Developer Portal,
Bot). The model is `models.chat`, or a stand-in.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from contextlib import suppress
from typing import Any

from configured_model import make_model
from historian import CognitiveService, HistorianError, Scope
from remembering_bot import (
    COMMANDS,
    INTERRUPTED,
    Heard,
    Language,
    RememberingBot,
    log_without,
    pieces,
)
from stand_in_model import StandInModel

log = logging.getLogger("discord_bot")

TOKEN = "DISCORD_BOT_TOKEN"
MARK = "!"
LONGEST_MESSAGE = 2_000


def heard_of(message: Any, me: Any, *, edited: bool = False) -> Heard | None:
    """Return a `discord.Message` as it is passed to the bot `me` (a `discord.ClientUser`); None for
    messages of bots and messages without text.
    """
    if message.author.bot or not message.content.strip():
        return None
    is_group = message.guild is not None
    replied_to = getattr(getattr(message.reference, "resolved", None), "author", None)
    mentioned = any(one.id == me.id for one in message.mentions)
    text = message.content
    for one in message.mentions:
        name = "" if one.id == me.id else f"@{one.display_name}"
        text = text.replace(f"<@{one.id}>", name).replace(f"<@!{one.id}>", name)
    said = text.strip() or message.content
    command, _, argument = (
        said[len(MARK) :].partition(" ") if said.startswith(MARK) else ("", "", "")
    )
    is_command = command.lower() in COMMANDS
    return Heard(
        text=argument.strip() if is_command else said,
        user_id=f"dc:{message.author.id}",
        user_name=message.author.display_name,
        request_id=id_of(message.id),
        at=message.created_at.isoformat(),
        group_id=f"dc:{message.channel.id}" if is_group else "",
        group_name=f"{message.guild.name} #{message.channel.name}" if is_group else "",
        to_bot=not is_group or mentioned or getattr(replied_to, "id", None) == me.id,
        command=command.lower() if is_command else "",
        reply_to=id_of(answered)
        if (answered := getattr(message.reference, "message_id", None))
        else "",
        edited=edited,
    )


def id_of(message_id: int) -> str:
    return f"discord:{message_id}"


async def on_message(bot: RememberingBot, message: Any, me: Any, *, edited: bool = False) -> None:
    """Handle one `discord.Message`, new or edited."""
    heard = heard_of(message, me, edited=edited)
    if heard is None:
        return

    async def say(text: str) -> None:
        for piece in pieces(text, LONGEST_MESSAGE):
            await message.channel.send(piece)

    await bot.hear(heard, say)


async def on_delete(bot: RememberingBot, payload: Any, channel: Any) -> None:
    """Withdraw the messages of a `RawMessageDeleteEvent` or `RawBulkMessageDeleteEvent`. `channel`
    is the channel of the messages, None if unknown.
    """
    user = getattr(channel, "recipient", None)
    if payload.guild_id is None and user is None:
        log.warning("a message of an unknown private chat was deleted; it stays in memory")
        return
    ids = [id_of(one) for one in getattr(payload, "message_ids", None) or (payload.message_id,)]
    scope = (
        Scope.private(f"dc:{user.id}")
        if payload.guild_id is None
        else Scope.group(f"dc:{payload.channel_id}")
    )
    await bot.withdraw(scope, ids)


async def serve(options: argparse.Namespace, token: str) -> None:
    """Listen until the task is cancelled."""
    import discord  # imported here because the handler does not need it

    intents = discord.Intents.default()
    intents.message_content = True
    async with CognitiveService.open(options.config) as memory:
        configured = memory.settings.cognitive.language
        language: Language = options.language or ("zh" if configured == "auto" else configured)
        model = make_model(memory.settings)
        if isinstance(model, StandInModel):
            log.warning("no model in models.chat: a stand-in with a few fixed rules answers")
        bot = RememberingBot(memory, model, "Discord", "", "", language, MARK)

        class Client(discord.Client):  # type: ignore[misc, unused-ignore]
            async def setup_hook(self) -> None:
                bot.name = memory.settings.cognitive.bot_name or self.user.display_name
                bot.bot_id = f"dc:{self.user.id}"

            async def on_ready(self) -> None:
                print(f"{self.user} is listening; Ctrl-C ends", file=sys.stderr, flush=True)

            async def on_message(self, message: Any) -> None:
                await on_message(bot, message, self.user)

            async def on_raw_message_edit(self, payload: Any) -> None:
                await on_message(bot, payload.message, self.user, edited=True)

            async def on_raw_message_delete(self, payload: Any) -> None:
                await on_delete(bot, payload, self.get_channel(payload.channel_id))

            async def on_raw_bulk_message_delete(self, payload: Any) -> None:
                await on_delete(bot, payload, self.get_channel(payload.channel_id))

        await memory.ready()
        # A reply may repeat a mention. That mention must not notify anybody.
        async with Client(
            intents=intents, allowed_mentions=discord.AllowedMentions.none()
        ) as client:
            try:
                await client.start(token)
            except discord.LoginFailure:
                raise SystemExit(f"error: Discord does not take the token of {TOKEN}") from None
            except discord.PrivilegedIntentsRequired:
                raise SystemExit(
                    "error: switch on the message content intent in the Developer Portal, under Bot"
                ) from None


def main() -> int:
    parser = argparse.ArgumentParser(
        description="A Discord bot with long-term memory.", epilog=f"The token stands in {TOKEN}."
    )
    parser.add_argument("--config", help="the settings (else HISTORIAN_CONFIG, else ./config.toml)")
    parser.add_argument(
        "--language", choices=["zh", "en"], help="of the prompts (else cognitive.language, else zh)"
    )
    parser.add_argument("--verbose", action="store_true", help="log more")
    options = parser.parse_args()
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        print(f"error: {TOKEN} holds no bot token; the Developer Portal gives one", file=sys.stderr)
        return 2
    log_without(token, verbose=options.verbose)
    try:
        with suppress(asyncio.CancelledError):
            asyncio.run(serve(options, token))
    except KeyboardInterrupt:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        print(f"error: {error}; pip install discord.py", file=sys.stderr)
        return 1
    except HistorianError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
