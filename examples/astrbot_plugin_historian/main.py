"""Long-term memory for AstrBot: recall before the model, remember after it, withdraw recalled
messages, `/forgetme`.

The memory runs beside the bot as `historian serve`. The plugin uses HTTP because AstrBot pins older
versions of some libraries. Failures of the memory are logged; the bot answers without it.
"""

from typing import Any
from urllib.parse import quote

import httpx
from astrbot.api import AstrBotConfig, logger
from astrbot.api.event import AstrMessageEvent, filter
from astrbot.api.message_components import Reply
from astrbot.api.provider import LLMResponse, ProviderRequest
from astrbot.api.star import Context, Star

SECONDS = 5.0
BLOCK = "<memory>"
YES = {"确认", "确定", "是", "yes", "y"}
RECALLS = ("group_recall", "friend_recall")
"""The notices of OneBot for a recalled message."""


def user_of(event: AstrMessageEvent) -> str:
    return f"{event.get_platform_name()}:{event.get_sender_id()}"


def conversation_of(event: AstrMessageEvent) -> dict[str, str]:
    """Return the conversation as the API expects it; ids have the name of the platform as
    prefix.
    """
    group = event.get_group_id()
    scope = f"group:{event.get_platform_name()}:{group}" if group else f"user:{user_of(event)}"
    return {"scope": scope, "user_id": user_of(event)}


def id_of(event: AstrMessageEvent, message_id: object) -> str:
    return f"{event.get_platform_name()}:{message_id}"


def replied_to(event: AstrMessageEvent) -> str:
    """Return the id of the message that a message answers; "" if it answers none."""
    replies = (one for one in event.message_obj.message if isinstance(one, Reply))
    return next((id_of(event, one.id) for one in replies), "")


class HistorianPlugin(Star):
    def __init__(self, context: Context, config: AstrBotConfig) -> None:
        super().__init__(context)
        headers = {"Authorization": f"Bearer {config['token']}"}
        self.client = httpx.AsyncClient(
            base_url=f"{config['address']}/api/v1", headers=headers, timeout=SECONDS
        )

    async def terminate(self) -> None:
        await self.client.aclose()

    async def ask(self, path: str, **asked: Any) -> dict[str, Any]:
        """Return the answer of the API to a POST; {} if there is none."""
        return await self.call("POST", path, json=asked)

    async def call(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        """Return the answer of the API; {} if there is none."""
        try:
            answer = await self.client.request(method, path, **sent)
            answer.raise_for_status()
            return dict(answer.json())
        except (httpx.HTTPError, ValueError) as error:
            logger.error(f"Historian: {path}: {error}")
            return {}

    @filter.on_llm_request()
    async def recall(self, event: AstrMessageEvent, request: ProviderRequest) -> None:
        """Put the recalled block before the message. Blocks of earlier turns, which AstrBot keeps
        in its history, are removed.
        """
        found = await self.ask("/context", **conversation_of(event), query=event.message_str)
        request.contexts = [
            one for one in request.contexts if not str(one.get("content")).startswith(BLOCK)
        ]
        if block := found.get("context"):
            request.contexts.append({"role": "user", "content": block})

    @filter.on_llm_response()
    async def remember(self, event: AstrMessageEvent, response: LLMResponse) -> None:
        """Hand the messages of the turn over unchanged."""
        message_id = id_of(event, event.message_obj.message_id)
        who = {
            "sender_id": user_of(event),
            "name": event.get_sender_name(),
            "at": event.message_obj.timestamp,
        }
        talk: list[dict[str, Any]] = [
            {"role": "user", "content": event.message_str, "id": message_id, **who}
        ]
        talk[0]["reply_to"] = replied_to(event)
        if response.completion_text:
            own = {"id": f"{message_id}:reply", "reply_to": message_id}
            talk.append({"role": "assistant", "content": response.completion_text, **own})
        await self.ask("/remember", **conversation_of(event), messages=talk)

    @filter.event_message_type(filter.EventMessageType.ALL)
    async def withdraw(self, event: AstrMessageEvent) -> None:
        """Withdraw a recalled message from memory (OneBot reports it by a notice)."""
        notice = event.message_obj.raw_message
        if isinstance(notice, dict) and notice.get("notice_type") in RECALLS:
            path = f"/messages/{quote(id_of(event, notice['message_id']), safe='')}"
            await self.call("DELETE", path, params={"scope": conversation_of(event)["scope"]})

    @filter.command("forgetme", alias={"忘记我"})
    async def forget(self, event: AstrMessageEvent, sure: str = "") -> Any:
        """Forget everything of the sender, in every conversation, and what was said of them by name."""
        if sure.lower() not in YES:
            yield event.plain_result(
                "将删除我记得的关于你的一切，无法恢复。确定的话，请发送：/forgetme 确认"
            )
            return
        report = await self.ask("/forget", entity=f"user:{user_of(event)}", mentions=True)
        yield event.plain_result(
            "已经忘记了。" if report.get("clean") else "没能全部删掉，请联系管理员。"
        )
