"""What is taken out of talk by rules."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.speakers.talk_statements import deeds_by_rules, statements_by_rules, why_not_told
from support.jobs import make_job

NAMES = Names(bot_name="阿福", user_name="阿凯", user_id="7")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("我下个月要去成都出差三天", ["我下个月要去成都出差三天"]),
        ("房东同意了，搬家改周日早上九点", ["阿凯说：房东同意了，搬家改周日早上九点"]),
        ("打算周六去看年糕的医生", ["打算周六去看年糕的医生"]),
        ("我下周三去成都出差", ["我下周三去成都出差"]),
        ("@桃子 我下周三去成都出差", ["我下周三去成都出差"]),
        ("@桃子 我周四给你带一箱橙子", ["@桃子 我周四给你带一箱橙子"]),
        ("我明天去北京", ["我明天去北京"]),
        ("我妈下周二来看我", ["我妈下周二来看我"]),
        ("[回复 桃子：地胶翘起来了吗] 我昨天跟前台说了，退了我六十块", ["我昨天跟前台说了，退了我六十块"]),
        ("I adopted a cat called Miso last week", ["I adopted a cat called Miso last week"]),
        ("The landlord agreed, the move is on 4 May at nine", ["阿凯 said: The landlord agreed, the move is on 4 May at nine"]),
    ],
)
def test_a_statement_speaks_of_its_sender_or_is_told_as_their_words(message: str, told: list[str]) -> None:
    assert statements_by_rules(message, NAMES) == told


@pytest.mark.parametrize(
    "message",
    [
        "到家了",
        "睡了没",
        "谁带内六角了",
        "@桃子 好啊，那就周四晚上七点，老码头火锅",
        "你什么时候去北京出差",
        "你们周六九点先去把球馆订了",
        "[转发] 《驾考科目三最全避坑指南 看完一把过》",
        "哈哈哈哈哈哈笑死",
        "/weather 上海 2026-05-01",
        "lol same",
        "are you coming on Friday at 9?",
    ],
)
def test_small_talk_questions_and_what_is_passed_on_are_left_out(message: str) -> None:
    assert statements_by_rules(message, NAMES) == []


@pytest.mark.parametrize(
    "message",
    [
        "我不喝咖啡",
        "我怕狗",
        "我女儿上小学",
        "我其实不太能吃辣",
        "我老家在安徽",
        "我对花粉过敏",
        "我不会包饺子",
        "我膝盖不好",
        "我喝酒会起疹子",
        "I have a twin brother",
        "I don't drink coffee",
        "My knees are bad",
        "I'm left-handed",
        "I've never learnt to swim",
        "I bite my nails",
        "My sister lives abroad",
    ],
)
def test_how_somebody_is_in_general_is_told_in_few_words(message: str) -> None:
    assert statements_by_rules(message, NAMES) == statements_by_rules(message, Names(user_id="7")) == [message]


@pytest.mark.parametrize(
    "message",
    [
        "我饿了",
        "我在吃饭",
        "我不喝了",
        "我怕来不及",
        "我会加油的",
        "我有个问题",
        "我喜欢这张图",
        "我老公在打呼噜",
        "I'm tired",
        "I'm on my way",
        "I love that song",
        "I like your hair",
        "I don't think so",
        "I have to go",
        "My phone is dying",
        "I can't find my keys",
    ],
)
def test_a_mood_a_reaction_or_an_act_of_the_moment_is_small_talk(message: str) -> None:
    assert statements_by_rules(message, NAMES) == statements_by_rules(message, Names(user_id="7")) == []


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
    ("message", "told"),
    [
        ("大家好，我对花生过敏", ["我对花生过敏"]),
        ("谢谢大家，我考上研究生了", ["我考上研究生了"]),
        ("早上好，我昨天搬到杭州了", ["我昨天搬到杭州了"]),
    ],
)
def test_a_greeting_before_a_fact_is_left_out(message: str, told: list[str]) -> None:
    assert statements_by_rules(message, NAMES) == told


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Sure, I've added milk and eggs to the shopping list. Anything else?",
            ["I've added milk and eggs to the shopping list"],
        ),
        ("I reminded Ann of her dentist appointment yesterday.", ["I reminded Ann of her dentist appointment yesterday"]),
        ("I'll remind you tomorrow at 9 to call the bank", ["I'll remind you tomorrow at 9 to call the bank"]),
        ("好的，我已经帮你订了周五去上海的高铁票。祝你旅途愉快！", ["我已经帮你订了周五去上海的高铁票"]),
        ("我给她推荐了《三体》", ["我给她推荐了《三体》"]),
        ("没问题，我会提前一天提醒你交房租", ["我会提前一天提醒你交房租"]),
        ("我明天提醒你", ["我明天提醒你"]),
        ("好的，我晚上把资料发给你", ["我晚上把资料发给你"]),
    ],
)
def test_of_a_bot_s_message_its_deeds_and_promises_are_told(message: str, told: list[str]) -> None:
    assert deeds_by_rules(message, NAMES) == told


@pytest.mark.parametrize(
    "message",
    [
        "Noted, I live in a computer in Berlin.",
        "I've noted that you like tea.",
        "I told you so!",
        "I think you should rest.",
        "I'm sorry, I told Ann the wrong date.",
        "I can book a table for you.",
        "I found it.",
        "我记住了，你喜欢龙井",
        "我建议你早点睡",
        "我没有查到去上海的票",
        "我可以帮你订票",
        "我觉得你写得很好",
        "要我提醒你吗？",
        "我可以明天提醒你",
        "我昨天晚上提醒你带伞了吗？",
        "我已经把你的密钥 [API_KEY] 发给了小林",
    ],
)
def test_acknowledgements_advice_and_offers_are_no_deeds(message: str) -> None:
    assert deeds_by_rules(message, NAMES) == []


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


def test_a_long_message_gives_a_few_statements_and_ends_somewhere() -> None:
    message = "\n".join(f"我下个月{n}号要去成都出差三天" for n in range(1, 29)) + "长" * 20_000
    assert len(statements_by_rules(message, NAMES)) == 8


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
