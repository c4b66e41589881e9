"""A Telegram bot with long-term memory, on the plain HTTP Bot API: long polling, no webhook, no
further library.

    TELEGRAM_BOT_TOKEN=123:abc python examples/telegram_bot.py

In private the bot answers every message. In a group it answers messages that mention it or reply to
it, and observes the others (as far as Telegram delivers them, see /setprivacy of @BotFather).
`/profile` shows the profile of the sender or the group, `/forgetme` deletes everything about the
sender. An edited message replaces the earlier version in memory; Telegram does not report deleted
messages to bots. The model is `models.chat`, or a stand-in with a few fixed rules. Without the
token no call is made.

An update is confirmed after its turn was handed over. An update that is delivered again is handled
only once. If the bot crashes between handing over and confirming, the reply may be sent twice, but
it is filed once. If sending a message times out, it is sent again.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import random
import re
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx
from configured_model import make_model
from historian import CognitiveService, HistorianError
from remembering_bot import (
    INTERRUPTED,
    Language,
    RememberingBot,
    log_without,
    pieces,
)
from stand_in_model import StandInModel
from telegram_messages import heard_of, message_in

log = logging.getLogger("telegram_bot")

API = "https://api.telegram.org"
TOKEN = "TELEGRAM_BOT_TOKEN"
POLL_SECONDS = 25
CALL_SECONDS = 20.0
SEND_ATTEMPTS = 6
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
CONFIRM_SECONDS = 3.0
CHATS_AT_ONCE = 4
UPDATES_KNOWN = 1_000
LONGEST_MESSAGE = 4_096
HEARD = ["message", "edited_message"]
"""The kinds of updates that are fetched."""


class TelegramError(Exception):
    """An error of the Bot API, with its description."""


class TokenRefused(TelegramError):
    """The token is invalid or was revoked."""


class BotApi:
    """Calls of the Bot API. `sleep` waits between attempts."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        token: str,
        base: str = API,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._address = f"{base.rstrip('/')}/bot{token}"
        self._sleep = sleep

    async def call(
        self,
        method: str,
        *,
        attempts: int | None = SEND_ATTEMPTS,
        longer: float = 0.0,
        **arguments: Any,
    ) -> Any:
        """Return the `result` of a call. Raises TelegramError.

        After too many requests, or an error of the server or the network, it pauses and tries
        again: `attempts` times in total, or without limit (None). `longer` seconds are added to the
        time limit.
        """
        tries = 0
        while True:
            tries += 1
            problem, wait = (
                "",
                min(FIRST_WAIT * 2 ** (tries - 1), LONGEST_WAIT) * random.uniform(0.8, 1.2),
            )
            try:
                answer = await self._client.post(
                    f"{self._address}/{method}", json=arguments, timeout=CALL_SECONDS + longer
                )
                body = body_of(answer)
            except httpx.RequestError as error:
                problem = type(
                    error
                ).__name__  # its text may contain the address, which contains the token
            else:
                if body.get("ok"):
                    return body.get("result")
                problem = f"{answer.status_code} {body.get('description', '')}".strip()
                if answer.status_code in (401, 404):
                    raise TokenRefused(problem)
                if answer.status_code == 429:
                    wait = float((body.get("parameters") or {}).get("retry_after") or wait)
                elif answer.status_code < 500 and answer.status_code not in (200, 409):
                    raise TelegramError(f"{method}: {problem}")
            if attempts is not None and tries >= attempts:
                raise TelegramError(f"{method}: {problem}, {tries} times")
            log.warning("%s: %s; next try in %.1f s", method, problem, wait)
            await self._sleep(wait)


def body_of(answer: httpx.Response) -> Mapping[str, Any]:
    """Return the JSON object of an answer; an empty one if a proxy or a broken server sent
    something else.
    """
    with suppress(ValueError):
        body = answer.json()
        if isinstance(body, dict):
            return body
    return {}


class Polling:
    """Fetches updates, passes them to the bot, and confirms the handled ones."""

    def __init__(self, api: BotApi, bot: RememberingBot, me: Mapping[str, Any]) -> None:
        self._api, self._bot, self._me = api, bot, me
        self._offset: int | None = None
        self._open: set[int] = set()
        self._known: deque[int] = deque(maxlen=UPDATES_KNOWN)
        self._slots = asyncio.Semaphore(CHATS_AT_ONCE)

    async def round(self) -> None:
        """Fetch and handle one batch. Chats are handled concurrently, each in its order. The next
        call of getUpdates confirms the batch.
        """
        asked: dict[str, Any] = {"timeout": POLL_SECONDS, "allowed_updates": HEARD}
        if self._offset is not None:
            asked["offset"] = self._offset
        updates = await self._api.call("getUpdates", attempts=None, longer=POLL_SECONDS, **asked)
        fresh = [update for update in updates if update["update_id"] not in self._known]
        self._open = {update["update_id"] for update in fresh}
        chats: dict[int, list[Mapping[str, Any]]] = {}
        for update in fresh:
            if message := message_in(update):
                chats.setdefault(message["chat"]["id"], []).append(update)
            else:
                self._done(update)
        if updates:
            self._offset = updates[-1]["update_id"] + 1
        async with asyncio.TaskGroup() as group:
            for waiting in chats.values():
                group.create_task(self._in_order(waiting))

    async def confirm(self) -> None:
        """Confirm handled updates before the process ends: all updates before the first one that is
        not handled.
        """
        offset = min(self._open, default=self._offset)
        if offset is None:
            return
        with suppress(TelegramError, TimeoutError):
            async with asyncio.timeout(CONFIRM_SECONDS):
                await self._api.call(
                    "getUpdates",
                    attempts=1,
                    offset=offset,
                    limit=1,
                    timeout=0,
                    allowed_updates=HEARD,
                )

    async def _in_order(self, updates: Sequence[Mapping[str, Any]]) -> None:
        async with self._slots:
            for update in updates:
                try:
                    await self._handle(update)
                except Exception:
                    # A failed update is confirmed too: fetching it again would block all later
                    # ones.
                    log.exception("update %s could not be dealt with", update["update_id"])
                self._done(update)

    async def _handle(self, update: Mapping[str, Any]) -> None:
        message = message_in(update)
        heard = heard_of(message, self._me, edited="edited_message" in update)
        if heard is None:
            return
        place: dict[str, Any] = {"chat_id": message["chat"]["id"]}
        if heard.group_id:
            place["reply_parameters"] = {
                "message_id": message["message_id"],
                "allow_sending_without_reply": True,
            }
        if message.get("is_topic_message"):
            place["message_thread_id"] = message["message_thread_id"]

        async def say(text: str) -> None:
            for piece in pieces(text, LONGEST_MESSAGE):
                await self._api.call("sendMessage", **place, text=piece)

        await self._bot.hear(heard, say)

    def _done(self, update: Mapping[str, Any]) -> None:
        self._open.discard(update["update_id"])
        self._known.append(update["update_id"])


async def serve(options: argparse.Namespace, token: str) -> None:
    """Poll until the task is cancelled."""
    with suppress(NotImplementedError):  # Windows has no such handlers; Ctrl-C works there too
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with CognitiveService.open(options.config) as memory, httpx.AsyncClient() as client:
        api = BotApi(client, token, options.api_base)
        me = await api.call("getMe", attempts=None)
        configured = memory.settings.cognitive.language
        language: Language = options.language or ("zh" if configured == "auto" else configured)
        name = memory.settings.cognitive.bot_name or me["first_name"]
        model = make_model(memory.settings)
        if isinstance(model, StandInModel):
            log.warning("no model in models.chat: a stand-in with a few fixed rules answers")
        bot = RememberingBot(memory, model, "Telegram", name, f"tg:{me['id']}", language)
        await memory.ready()
        print(f"@{me.get('username', name)} is listening; Ctrl-C ends", file=sys.stderr, flush=True)
        polling = Polling(api, bot, me)
        try:
            while True:
                await polling.round()
        finally:
            await polling.confirm()


def main() -> int:
    parser = argparse.ArgumentParser(
        description="A Telegram bot with long-term memory.", epilog=f"The token stands in {TOKEN}."
    )
    parser.add_argument("--config", help="the settings (else HISTORIAN_CONFIG, else ./config.toml)")
    parser.add_argument(
        "--api-base", default=API, help="where the Bot API is (default: %(default)s)"
    )
    parser.add_argument(
        "--language", choices=["zh", "en"], help="of the prompts (else cognitive.language, else zh)"
    )
    parser.add_argument("--verbose", action="store_true", help="log more")
    options = parser.parse_args()
    token = os.environ.get(TOKEN, "").strip()
    if not re.fullmatch(r"\d+:[\w-]+", token, re.ASCII):
        print(
            f"error: {TOKEN} holds no bot token; @BotFather gives one, of the form 123456:ABC-def",
            file=sys.stderr,
        )
        return 2
    if not re.match(r"https?://[^/]", options.api_base):
        print(
            f"error: --api-base {options.api_base}: expected an address such as {API}",
            file=sys.stderr,
        )
        return 2
    log_without(token, verbose=options.verbose)
    try:
        asyncio.run(serve(options, token))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except TokenRefused as error:
        print(f"error: Telegram does not take the token of {TOKEN}: {error}", file=sys.stderr)
        return 1
    except (HistorianError, TelegramError, httpx.InvalidURL) as error:
        print(f"error: {str(error).replace(token, '***')}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
