"""The plugin's own messages in Chinese and English."""

from __future__ import annotations

from historian import Profile

from .turns import Language

WORDS = {
    "no_profile": {"zh": "我还没有记下什么。", "en": "I have no notes yet."},
    "not_in_group": {"zh": "这里不是群聊。", "en": "This is no group."},
    "really": {
        "zh": "将删除我记得的关于你的一切，无法恢复。确定的话，请发送：/forgetme 确认",
        "en": "I will delete everything I remember of you, for good. If you are sure, send: /forgetme yes",
    },
    "forgotten": {"zh": "已经忘记了。", "en": "Forgotten."},
    "being_forgotten": {
        "zh": "已开始删除，稍后完成。",
        "en": "It is being deleted; that takes a while yet.",
    },
    "not_forgotten": {
        "zh": "没能全部删掉，请联系管理员。",
        "en": "Not everything could be deleted; please ask the operator.",
    },
    "no_answer": {
        "zh": "现在回答不了，请稍后再试。",
        "en": "I cannot answer at the moment; please try again later.",
    },
}

YES = {"确认", "确定", "是", "yes", "y"}


def say(what: str, language: Language) -> str:
    return WORDS[what][language]


def shown(profile: Profile, language: Language) -> str:
    """Return a profile as a chat message."""
    tags = ("、" if language == "zh" else ", ").join(profile.tags)
    head = profile.name or profile.key.entity_id
    return "\n".join(
        line
        for line in (f"【{head}】" if language == "zh" else f"[{head}]", tags, profile.summary)
        if line
    )
