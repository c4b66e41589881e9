"""What is taken out of talk by rules."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.speakers.talk_statements import why_not_told
from support.jobs import make_job

NAMES = Names(bot_name="阿福", user_name="阿凯", user_id="7")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("桃子，我问了园长，只要你导师出个函", "桃子，阿凯问了园长，只要桃子导师出个函"),
        ("我问了园长，只要你导师出个函", None),
    ],
)
def test_you_in_a_group_is_the_one_called_by_name_and_never_the_bot_by_chance(said: str, text: str | None) -> None:
    message = {"sender_id": "7", "sender_name": "阿凯", "text": said}
    others = [{"sender_id": "8", "sender_name": "桃子", "text": "嗯"}, message]
    job = make_job(
        kind="talk", action_summary="", new_info=[said], user_id="7", user_name="阿凯", bot_name="阿福", recent_messages=others
    )
    (item,) = by_rules(job, Settings())
    assert "阿福" not in item["candidate"]
    assert item["passed"] is (text is not None)
    assert text is None or item["candidate"].replace("桃子的导师", "桃子导师") == text


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("我下个月去成都出差三天", ""),
        ("阿凯下个月去成都出差三天", ""),
        ("我下个月去成都出差五天", "invented"),
        ("我下个月和Kate去成都出差三天", "invented"),
        ("我讨厌所有的猫和狗", "not said"),
        ("我下个月去成都出差三天吗？", "question"),
        ("我的密码是 [PASSWORD]", "question"),
        ("小林问大家下个月去不去成都，去几天", "question"),
        ("  ", "empty"),
        ("我下个月" * 2_000, "empty"),
        ("嗯", "not said"),
    ],
)
def test_a_statement_stands_only_if_its_message_carries_it(statement: str, why: str) -> None:
    assert why_not_told(statement, "我下个月要去成都出差三天，好累", NAMES) == why


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("阿凯说：公的 绝育了 三岁", False),
        ("阿凯说：桃子拟录取了 第七名", True),
        ("我也减了六斤 那药吃不下饭", False),
        ("我下周一去重庆出差", True),
        ("我今天游了200米 不停的那种", True),
        ("我那个成考本科2026年1月才拿到证", True),
        ("I'm using it to stay organized", False),
        ("I opened an online clothing store and it's been great", True),
        ("Started hitting the gym in March 2026", True),
    ],
)
def test_what_leans_on_the_talk_around_it_is_not_absolute(said: str, passed: bool) -> None:
    talk = [{"sender_id": "8", "sender_name": "桃子", "text": "嗯"}, {"sender_id": "7", "sender_name": "阿凯", "text": said}]
    job = make_job(kind="talk", action_summary="", new_info=[said], user_id="7", user_name="阿凯", recent_messages=talk)
    (item,) = by_rules(job, Settings())
    assert item["passed"] is passed
    assert "阿凯" in item["candidate"]


@pytest.mark.parametrize(
    ("said", "passed"), [("我天天吃她的煎饼", False), ("I named her Tilly", False), ("桃子考上了，我请她吃饭", True)]
)
def test_she_is_never_the_sender(said: str, passed: bool) -> None:
    talk = [{"sender_id": "8", "sender_name": "桃子", "text": "嗯"}, {"sender_id": "7", "sender_name": "阿凯", "text": said}]
    job = make_job(kind="talk", action_summary="", new_info=[said], user_id="7", user_name="阿凯", recent_messages=talk)
    (item,) = by_rules(job, Settings())
    assert item["passed"] is passed


def test_you_of_the_bot_in_a_group_is_who_asked() -> None:
    said = "我会提醒你周六九点吃药"
    talk = [
        {"sender_id": "8", "sender_name": "桃子", "text": "提醒我周六九点吃药"},
        {"sender_id": "7", "sender_name": "阿凯", "text": "早"},
        {"sender_id": "1", "sender_name": "阿福", "text": said},
    ]
    job = make_job(
        kind="talk", action_summary=said, new_info=[], user_id="7", user_name="阿凯", bot_name="阿福", recent_messages=talk
    )
    (item,) = by_rules(job, Settings())
    assert item["candidate"].startswith("阿福会提醒桃子") and item["passed"]


@pytest.mark.parametrize(
    ("said", "passed"),
    [("我给你设了吃药的提醒", False), ("桃子，我给你设了吃药的提醒", True), ("我给大家订了周六的球馆", True)],
)
def test_you_of_the_bot_in_a_group_is_nobody_by_chance(said: str, passed: bool) -> None:
    talk = [
        {"sender_id": "8", "sender_name": "桃子", "text": "嗯"},
        {"sender_id": "7", "sender_name": "阿凯", "text": "早"},
        {"sender_id": "1", "sender_name": "阿福", "text": said},
    ]
    job = make_job(
        kind="talk", action_summary=said, new_info=[], user_id="7", user_name="阿凯", bot_name="阿福", recent_messages=talk
    )
    (item,) = by_rules(job, Settings())
    assert (item["passed"], "阿凯" in item["candidate"]) == (passed, False)


@pytest.mark.parametrize(
    ("statement", "message", "why"),
    [
        ("我周日把船卖了", "周日卖了", ""),
        ("我来打羽毛球", "来", "not said"),
        ("第三家装修公司报价18.6万", "18.6万吧", ""),
        ("我的船漏水", "周日卖了", "not said"),
        ("我周日把游艇卖给了老王", "周日卖了", "not said"),
        ("我周日把船卖了20万", "周日卖了", "invented"),
    ],
)
def test_what_a_message_leaves_out_may_be_put_in_from_the_talk(statement: str, message: str, why: str) -> None:
    talk = f"你那条船卖了没\n明天打羽毛球，谁来？\n第三家装修公司报价多少\n{message}"
    assert why_not_told(statement, message, NAMES, talk) == why
