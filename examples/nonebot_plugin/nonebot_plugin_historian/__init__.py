"""Long-term memory for a NoneBot2 bot on OneBot v11.

The plugin recalls before a reply. After it, the messages are handed over unchanged (`remember`).
`/profile` shows the profile of the sender or the group, `/forgetme` deletes everything about the
sender. The reply comes from `models.chat` of Historian's settings, or from your own function:

    from nonebot import require
    require("nonebot_plugin_historian")
    from nonebot_plugin_historian import Turn, use_answer

    @use_answer
    async def answer(turn: Turn) -> str:
        return await my_model(turn.messages)     # system prompt, history, memory, messages: OpenAI's form
"""

from nonebot.plugin import PluginMetadata

from .config import Config
from .handlers import memory, use_answer
from .turns import Turn

__plugin_meta__ = PluginMetadata(
    name="Historian 长期记忆",
    description="让机器人记得以前的事：回复前召回，回复后归档",
    usage="@机器人 或私聊：聊天\n"
    "/profile（/画像）：看看记得你什么；/profile group（/画像 群）：看看记得本群什么\n"
    "/forgetme（/忘记我）：忘记你的一切",
    type="application",
    config=Config,
    supported_adapters={"~onebot.v11"},
)

__all__ = ["Turn", "memory", "use_answer"]
