"""Summaries of conversation states, by a model and without one."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from historian.prompts.summarising import absolute_lines, summarise
from historian.schema.article import Spoken, SummaryDraft
from historian.schema.errors import ModelAnswerUnusable, ModelUnavailable
from historian.schema.names import Names
from support.models.answering_chat import AnsweringChat

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 21, 20, 0, tzinfo=ZONE)
ZH = Names(bot_name="小史", user_name="阿明", user_id="42")
EN = Names(bot_name="Nova", user_name="Tom", user_id="42")
TALK = [
    Spoken("user", "我昨天去了北京", "阿明", "2026-02-21T10:00:00+08:00"),
    Spoken("assistant", "我给你推荐了一家烤鸭店", "", "2026-02-21T10:01:00+08:00"),
    Spoken("user", "我妈妈也去了，她喜欢烤鸭", "阿明", "2026-02-21T10:02:00+08:00"),
    Spoken("user", "我对花生过敏", "阿明", "2026-02-21T10:03:00+08:00"),
]


async def by(chat: AnsweringChat | None, spoken: list[Spoken] = TALK, names: Names = ZH) -> SummaryDraft:
    return await summarise(spoken, chat=chat, names=names, moment=NOW, timezone=ZONE, language="zh")


def test_each_line_says_who_spoke_and_stays_true_and_she_is_nobody_who_is_there() -> None:
    assert absolute_lines(TALK, ZH, NOW, ZONE) == [
        "阿明: 阿明2026-02-20去了北京",
        "小史: 小史给阿明推荐了一家烤鸭店",
        "阿明: 阿明的妈妈也去了，她喜欢烤鸭",
        "阿明: 阿明对花生过敏",
    ]
    english = [Spoken("user", "My sister called, she loves museums", "Tom"), Spoken("assistant", "I told you so yesterday")]
    assert absolute_lines(english, EN, NOW, ZONE) == [
        "Tom: Tom's sister called, she loves museums",
        "Nova: Nova told Tom so on 2026-02-20",
    ]


def test_each_state_is_resolved_at_its_own_time_and_records_stand_as_they_are() -> None:
    spoken = [
        Spoken("user", "我今天搬家了", "阿明", "2026-01-05T10:00:00+08:00"),
        Spoken("user", "我今天休息", "阿明", "no time"),
        Spoken("record", "阿明2026-01-03买了车"),
        Spoken("tool", "晴，12 度", "get_weather"),
    ]
    assert absolute_lines(spoken, ZH, NOW, ZONE) == [
        "阿明: 阿明2026-01-05搬家了",
        "阿明: 阿明2026-02-21休息",
        "阿明2026-01-03买了车",
        "get_weather: 晴，12 度",
    ]


async def test_the_models_summary_is_resolved_and_taken_where_it_is_true() -> None:
    chat = AnsweringChat({"summary": "阿明2026-02-20去了北京。阿明对花生过敏。"})
    assert await by(chat) == SummaryDraft("阿明2026-02-20去了北京。阿明对花生过敏。", "model", is_absolute=True)
    purpose, _, user = chat.asked[0]
    assert purpose == "summarise_states" and "阿明: 阿明2026-02-20去了北京" in user


async def test_untrue_sentences_are_left_out_and_with_most_of_them_untrue_the_rules_lines_stand() -> None:
    mostly = AnsweringChat({"summary": "阿明2026-02-20去了北京。阿明对花生过敏。阿明花了4500元。"})
    assert await by(mostly) == SummaryDraft("阿明2026-02-20去了北京\n阿明对花生过敏", "model", is_absolute=True)
    hardly = await by(AnsweringChat({"summary": "阿明花了4500元。阿明2026-05-05去南京。阿明对花生过敏。"}))
    assert hardly.written_by == "rules" and "4500" not in hardly.text


@pytest.mark.parametrize("answer", [ModelAnswerUnusable("nonsense"), {"summary": ""}], ids=["unusable", "empty"])
async def test_a_model_that_gives_nothing_costs_nothing(answer: Exception | dict[str, str]) -> None:
    draft = await by(AnsweringChat(answer))
    assert draft.written_by == "rules" and draft.is_absolute and "阿明: 阿明对花生过敏" in draft.text


async def test_an_endpoint_that_is_away_is_reported() -> None:
    with pytest.raises(ModelUnavailable):
        await by(AnsweringChat(ModelUnavailable("down")))


async def test_by_rules_a_long_conversation_keeps_what_the_person_is_and_stays_short() -> None:
    talk = [Spoken("user", f"我今天写了第{n}份报告，然后去{n}号公园散步", "阿明") for n in range(500)]
    talk[250] = Spoken("user", "我对花生过敏", "阿明")
    draft = await by(None, talk)
    assert "阿明: 阿明对花生过敏" in draft.text
    assert len(draft.text.splitlines()) <= 21


async def test_what_is_still_relative_is_passed_over_and_said_where_there_is_nothing_else() -> None:
    draft = await by(None, [Spoken("user", "他喜欢那边的烤鸭", "阿明"), *TALK])
    assert draft.is_absolute and "他喜欢" not in draft.text
    alone = await by(None, [Spoken("user", "他喜欢那边的烤鸭，真的很喜欢", "阿明")])
    assert not alone.is_absolute and alone.gate_reasons != ()


async def test_by_rules_small_talk_goes_unless_there_is_nothing_else_or_somebody_would_be_unknown() -> None:
    said = "太棒了！我2026-02-20在杭州买了一台窑炉。哈哈哈！"
    assert (await by(None, [Spoken("user", said, "阿明"), *TALK])).text.startswith("阿明: 阿明2026-02-20在杭州买了一台窑炉\n")
    assert "窑炉" in (await by(None, [Spoken("assistant", "哇，太棒了！"), Spoken("user", said, "阿明")])).text
    english = [Spoken("user", "Great! My sister Eva called! She adopted a greyhound named Rocket in Bonn!", "Tom")]
    draft = await by(None, english, EN)
    assert draft.is_absolute and "Rocket" in draft.text
    assert (await by(None, [Spoken("assistant", "Wow, amazing!"), Spoken("user", "Thanks, so nice!", "Tom")], EN)).text != ""


async def test_nothing_said_gives_nothing() -> None:
    assert (await by(None, [Spoken("user", "  ", "阿明")])).text == ""


async def test_secrets_do_not_reach_the_model_nor_come_back() -> None:
    phone = "138" + "12345678"
    chat = AnsweringChat({"summary": f"阿明的电话是{phone}。阿明对花生过敏。"})
    draft = await by(chat, [*TALK, Spoken("user", f"我的电话是{phone}", "阿明")])
    assert phone not in chat.asked[0][2] and phone not in draft.text
