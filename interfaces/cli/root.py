"""The application that commands register themselves with."""

from __future__ import annotations

from .invocation import root
from .language import both

app = root(
    both(
        "给聊天机器人的长期记忆：机器人做了什么、得知了什么，变成离开上下文也读得懂的记录，并为人和群画像。"
        "先看看 `historian demo`。",
        "Long-term memory for chat bots: what a bot did and learnt becomes records that are still true out of context, and "
        "profiles of people and groups. Begin with `historian demo`.",
    )
)
