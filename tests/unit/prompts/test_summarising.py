"""Summaries of conversation states, by a model and without one."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from historian.prompts.summarising import MOST_TOKENS, said_lines, summarise, under_days
from historian.schema.errors import ModelAnswerUnusable, ModelUnavailable
from historian.schema.names import Names
from historian.schema.summary import Spoken, SummaryDraft
from historian.text.tokens import estimate_tokens
from support.gate import REFUSED, refuse_all
from support.models.answering_chat import AnsweringChat

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 21, 20, 0, tzinfo=ZONE)
ZH = Names(bot_name="小史", user_name="阿明", user_id="42")
EN = Names(bot_name="Nova", user_name="Tom", user_id="42")
TALK = [
    Spoken("user", "我昨天去了北京", "阿明", "2026-02-20T10:00:00+08:00"),
    Spoken("assistant", "我给你推荐了一家烤鸭店", "", "2026-02-20T10:01:00+08:00"),
    Spoken("user", "我妈妈也去了，她喜欢烤鸭", "阿明", "2026-02-21T10:02:00+08:00"),
    Spoken("user", "我对花生过敏", "阿明", "2026-02-21T10:03:00+08:00"),
]
AS_SAID = (
    "2026-02-20 阿明: 我昨天 (2026-02-19)去了北京\n"
    "小史: 我给你推荐了一家烤鸭店\n"
    "2026-02-21 阿明: 我妈妈也去了，她喜欢烤鸭\n"
    "阿明: 我对花生过敏"
)


async def by(
    chat: AnsweringChat | None, spoken: list[Spoken] = TALK, names: Names = ZH
) -> SummaryDraft:
    return await summarise(spoken, chat=chat, names=names, moment=NOW, timezone=ZONE, language="zh")


async def test_without_a_model_a_summary_is_what_was_said_with_speakers_and_days() -> None:
    assert await by(None) == SummaryDraft(text=AS_SAID, written_by="rules", is_absolute=False)
    english = [
        Spoken("user", "My sister called: we will move in on Friday", "Tom"),
        Spoken("assistant", "I told you so yesterday"),
        Spoken("tool", "sunny, 12 degrees", "get_weather"),
    ]
    assert (await by(None, english, EN))["text"].splitlines() == [
        "2026-02-21 Tom: My sister called: we will move in on Friday (2026-02-27)",
        "Nova: I told you so yesterday (2026-02-20)",
        "get_weather: sunny, 12 degrees",
    ]


def test_each_state_is_dated_at_its_own_time_and_records_stay_as_they_are() -> None:
    spoken = [
        Spoken("user", "我今天搬家了", "阿明", "2026-01-05T10:00:00+08:00"),
        Spoken("user", "我今天休息", "", "no time"),
        Spoken("record", "阿明2026-01-03买了车"),
    ]
    lines = said_lines(spoken, ZH, NOW, ZONE)
    assert lines == [
        ("2026-01-05", "阿明: 我今天 (2026-01-05)搬家了"),
        ("2026-02-21", "阿明: 我今天 (2026-02-21)休息"),
        ("", "阿明2026-01-03买了车"),
    ]
    assert under_days([*lines[1:], lines[1]])[-1] == lines[1][1], (
        "a record in between does not repeat the day"
    )


async def test_records_alone_are_absolute() -> None:
    assert await by(None, [Spoken("record", "阿明买了车")]) == SummaryDraft(
        text="阿明买了车", written_by="rules", is_absolute=True
    )


async def test_of_a_long_conversation_the_newest_messages_are_kept_whole_under_their_day() -> None:
    talk = [Spoken("user", f"我写了第{n}份报告，然后去{n}号公园散步", "阿明") for n in range(500)]
    lines = (await by(None, talk))["text"].splitlines()
    assert (
        lines[0].startswith("2026-02-21 阿明: 我写了第")
        and lines[-1] == "阿明: 我写了第499份报告，然后去499号公园散步"
    )
    assert [f"第{n}份" in line for n, line in enumerate(lines, 500 - len(lines))] == [True] * len(
        lines
    )
    assert 0.9 * MOST_TOKENS < estimate_tokens("\n".join(lines)) <= MOST_TOKENS + 20


async def test_one_message_that_is_longer_than_a_summary_keeps_its_beginning() -> None:
    draft = await by(None, [*TALK, Spoken("user", "从前有座山" * 2_000, "阿明")])
    assert draft["text"].startswith("2026-02-21 阿明: 从前有座山") and draft["text"].endswith("…")
    assert "花生" not in draft["text"] and len(draft["text"]) < 4_100


async def test_the_models_summary_is_taken_in_its_own_words_where_it_is_true() -> None:
    chat = AnsweringChat({"summary": "阿明2026-02-19去了北京。阿明对花生过敏。"})
    assert await by(chat) == SummaryDraft(
        text="阿明2026-02-19去了北京。阿明对花生过敏。", written_by="model", is_absolute=True
    )
    purpose, _, user = chat.asked[0]
    assert purpose == "summarise_states" and AS_SAID in user


async def test_untrue_and_relative_sentences_are_left_out_and_with_most_of_them_gone_the_talk_itself_stands() -> (
    None
):
    mostly = AnsweringChat({"summary": "阿明2026-02-19去了北京。阿明对花生过敏。阿明花了4500元。"})
    assert await by(mostly) == SummaryDraft(
        text="阿明2026-02-19去了北京\n阿明对花生过敏", written_by="model", is_absolute=True
    )
    relative = AnsweringChat({"summary": "阿明昨天去了北京。阿明对花生过敏。阿明的妈妈喜欢烤鸭。"})
    assert (await by(relative))["text"] == "阿明对花生过敏\n阿明的妈妈喜欢烤鸭", (
        "no rule resolves what a model writes"
    )
    hardly = await by(
        AnsweringChat({"summary": "阿明花了4500元。阿明2026-05-05去南京。阿明对花生过敏。"})
    )
    assert hardly == SummaryDraft(text=AS_SAID, written_by="rules", is_absolute=False)


@pytest.mark.parametrize(
    "answer", [ModelAnswerUnusable("nonsense"), {"summary": ""}], ids=["unusable", "empty"]
)
async def test_a_model_that_gives_nothing_costs_nothing(answer: Exception | dict[str, str]) -> None:
    assert await by(AnsweringChat(answer)) == SummaryDraft(
        text=AS_SAID, written_by="rules", is_absolute=False
    )


async def test_an_endpoint_that_is_away_is_reported() -> None:
    with pytest.raises(ModelUnavailable):
        await by(AnsweringChat(ModelUnavailable("down")))


async def test_nothing_said_gives_nothing_and_asks_no_model() -> None:
    chat = AnsweringChat({"summary": "x"})
    assert (await by(chat, [Spoken("user", "  ", "阿明")]))["text"] == "" and chat.asked == []


async def test_secrets_do_not_reach_the_model_nor_come_back() -> None:
    phone = "138" + "12345678"
    chat = AnsweringChat({"summary": f"阿明的电话是{phone}。阿明对花生过敏。"})
    draft = await by(chat, [*TALK, Spoken("user", f"我的电话是{phone}", "阿明")])
    assert phone not in chat.asked[0][2] and phone not in draft["text"]
    assert phone not in (await by(None, [Spoken("user", f"我的电话是{phone}", "阿明")]))["text"]


async def test_a_sentence_of_a_summary_goes_through_the_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_all(monkeypatch)
    chat = AnsweringChat(*[{"summary": "阿明2026-02-19去了北京。阿明对花生过敏。"}] * 2)
    assert (await by(chat))["written_by"] == "rules" and REFUSED in chat.asked[1][2]
