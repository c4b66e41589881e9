"""The input forms of the graphs in LangGraph Studio, with Chinese and English descriptions.

Every field has a default, so that an unchanged form can be run. The defaults of the input forms are
an example. The context forms are sections of the settings: a field with its default value leaves
the configured value unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ...schema.settings import (
    HistorianSettings,
    QuerySettings,
    Section,
    Settings,
    ShorttermSettings,
)
from ...schema.settings.tables import meaning_of

Options = TypeVar("Options", bound=Section)


class Form(BaseModel):
    """A form whose fields are described by their docstrings."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Put each description on one line, as forms show it."""
        for field in cls.model_fields.values():
            field.description = " ".join((field.description or "").split())
        cls.model_rebuild(force=True)


class HistorianForm(Form):
    """一次对话之后机器人交来的内容。 What a bot hands over after a turn."""

    model_config = ConfigDict(title="HistorianInput")

    action_summary: str = Field(
        default="我答应他明早把《三体》的书单发到本群",
        examples=['I played "Yesterday" for her and promised to bring Catan tomorrow at 7pm'],
    )
    """机器人做了什么，以“我”的口吻；可留空。 What the bot did, in its own words ("I …"); may stay empty."""
    new_info: list[str] = Field(
        default=["他上周开始学吉他", "他养了一只叫年糕的猫"],
        examples=[["She moved to Lisbon last month", "She is allergic to peanuts"]],
    )
    """学到了什么，每条一句；可留空。 What was learnt, one statement each; may stay empty."""
    user_id: str = "1001"
    """对方在平台上的 id（群里是发言人）。 The platform's id of whom the bot talked with; in a group, the sender."""
    user_name: str = "阿明"
    """对方的名字，会写进事件。 Their name, as it goes into the events."""
    group_id: str = "7001"
    """群 id；私聊留空。 The group's id; empty for a private chat."""
    group_name: str = "读书会"
    """群名，“本群”会换成它。 The group's name, put where the text says "this group"."""
    bot_name: str = "小史"
    """机器人的名字，“我”会换成它。 The bot's name, put where the text says "I"."""
    timestamp: str = "2026-02-25T21:00:00+08:00"
    """说话的时间，ISO 8601 带时区偏移；留空为现在。“昨天”“明晚”由它算出。
    When it was said, ISO 8601 with offset; empty: now. "Yesterday" and "tomorrow" are counted from it.
    """
    timezone: str = Field(default="Asia/Shanghai", examples=["Europe/Lisbon"])
    """IANA 时区；留空用设置里的。 An IANA time zone; empty: the configured one."""
    request_id: str = ""
    """请求的 id：同一个 id 只归档一次；留空每次都算新的。
    The request's id: one id is filed once; empty: every run is a new one.
    """


class Said(Form):
    """谁说了什么。 Who said what."""

    role: Literal["user", "assistant", "tool"] = "user"
    """谁在说：人、机器人，还是工具返回的。 Who speaks: a person, the bot, or a tool's result."""
    content: str = Field()
    """说了什么。 What was said."""


class Heard(Said):
    """一条消息。 One message."""

    sender_id: str = ""
    """发送者在平台上的 id；群里每个人的消息都要有。 The platform's id of its sender; needed of people in a group."""
    name: str = ""
    """发送者的名字。 Their name."""
    id: str = ""
    """消息的 id：同一个 id 再来，内容不同就换掉原来的。 The message's id: the same id with other words replaces it."""
    reply_to: str = ""
    """回复的是哪条消息（它的 id）。 The id of the message that it answers."""
    at: str = ""
    """发送的时间，ISO 8601 带时区偏移；留空为现在。 When it was sent, ISO 8601 with offset; empty: now."""


class TalkForm(Form):
    """原样交来的聊天：按原话归档；有模型时再从中写出事件。 Talk, filed as it was said; a model makes events of it."""

    model_config = ConfigDict(title="TalkInput")

    messages: list[Heard] = [
        Heard(
            content="我下个月要去成都出差三天。@小史 提前一天提醒我收拾行李",
            sender_id="1001",
            name="阿明",
            at="2026-02-25T21:00:00+08:00",
        ),
        Heard(
            content="哈哈哈带点火锅底料",
            sender_id="1002",
            name="小林",
            at="2026-02-25T21:00:20+08:00",
        ),
        Heard(
            role="assistant",
            content="没问题，我会提前一天提醒你收拾行李",
            at="2026-02-25T21:01:00+08:00",
        ),
        Heard(
            content="我对花生过敏，底料别买带花生的",
            sender_id="1002",
            name="小林",
            at="2026-02-25T21:02:00+08:00",
        ),
    ]
    """消息，从旧到新。 The messages, oldest first."""
    group_id: str = "7001"
    """群 id；私聊留空。 The group's id; empty for a private chat."""
    user_id: str = ""
    """私聊时对方的 id。 In a private chat, the id of whom the bot talks with."""
    group_name: str = "读书会"
    """群名。 The group's name."""
    bot_name: str = "小史"
    """机器人的名字。 The bot's name."""
    timezone: str = "Asia/Shanghai"
    """IANA 时区；留空用设置里的。 An IANA time zone; empty: the configured one."""


class RecallForm(Form):
    """回复之前问记忆的一个问题，在某个会话里。 A question to the memory before a reply, in one conversation."""

    model_config = ConfigDict(title="RecallInput")

    query: str = Field(default="阿明住在哪里？", examples=["What must Ann not eat?"])
    """问题，或者刚收到的消息。 The question, or the message that just came in."""
    group_id: str = Field(default="7001", examples=["-1001234"])
    """在哪个群里问：只看得到这个群的消息和事件；私聊留空。
    The group in which it is asked: only its own messages and events are seen. Empty: a private chat.
    """
    user_id: str = Field(default="1001", examples=["ann"])
    """谁在问；私聊时必填，只看得到与此人的事件。
    Who asks; needed in private, where only the events with this very user are seen.
    """
    top_k: int = Field(default=3, ge=1, le=500)
    """最多几条。 How many at most."""


class ReflectionForm(Form):
    """一段正在进行的对话：够长就压成摘要，重要就改写关于此人的长文。 A running conversation: long enough it becomes a summary,
    and where it matters the article about this person is rewritten."""

    model_config = ConfigDict(title="ReflectionInput")

    states: list[Said] = [
        Said(content="我下个月要搬去成都，新工作是做数据库"),
        Said(role="assistant", content="恭喜！需要我帮你列一份搬家清单吗？"),
        Said(content="好。我对花生过敏，以后叫我老陈就行"),
    ]
    """对话，从旧到新。 The conversation, oldest first."""
    user_id: str = "1003"
    """关于谁：此人在平台上的 id。 Whom it is about: the platform's id."""
    user_name: str = "陈工"
    """此人的名字。 Their name."""
    bot_name: str = "小史"
    """机器人的名字。 The bot's name."""
    group_id: str = ""
    """在哪个群里；私聊留空。 The group; empty for a private chat."""
    threshold: int = Field(default=20, ge=1)
    """攒够多少 token 就压成摘要；机器人平时用设置里的数。
    Tokens from which a summary is made; a bot uses the configured number.
    """
    reflect: bool = True
    """现在就看看要不要改写长文。 See now whether the article is to be rewritten."""
    timestamp: str = "2026-02-25T21:00:00+08:00"
    """说话的时间，ISO 8601 带时区偏移；留空为现在。 When it was said, ISO 8601 with offset; empty: now."""
    timezone: str = "Asia/Shanghai"
    """IANA 时区；留空用设置里的。 An IANA time zone; empty: the configured one."""
    request_id: str = ""
    """请求的 id：同一个 id 只算一次；留空每次都算新的。 One id counts once; empty: every run is a new one."""


def explained(section: str) -> Callable[[type[Options]], type[Options]]:
    """Return a decorator that describes the fields of a section of `cognitive`.

    The descriptions are those in the documentation of the settings, in both languages.
    """

    def describe(options: type[Options]) -> type[Options]:
        for name, field in options.model_fields.items():
            field.description = " ".join(meaning_of(f"cognitive.{section}.{name}").values())
        options.model_rebuild(force=True)
        return options

    return describe


@explained("historian")
class HistorianOptions(HistorianSettings):
    """如何改写与把关。 How to rewrite and judge."""


@explained("query")
class RecallOptions(QuerySettings):
    """如何召回与打分。 How to recall and score."""


@explained("shortterm")
class ReflectionOptions(ShorttermSettings):
    """摘要何时晋升、长文每章多长。 When summaries are promoted, and how long a chapter gets."""


def overridden(settings: Settings, section: str, options: Section | None) -> Settings:
    """Return `settings` with those values of a form that differ from their defaults."""
    changed = {} if options is None else options.model_dump(exclude_defaults=True)
    old: Section = getattr(settings.cognitive, section)
    cognitive = settings.cognitive.model_copy(update={section: old.model_copy(update=changed)})
    return settings.model_copy(update={"cognitive": cognitive})
